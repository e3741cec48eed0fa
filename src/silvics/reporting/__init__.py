"""Reports: one page about a table, the forest grown on it, and what the forest has learned."""
