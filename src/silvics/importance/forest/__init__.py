"""Importances of a grown forest: the kinds, what they share, and the result."""
