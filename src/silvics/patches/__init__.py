"""Forests on random patches (thesis ch. 8), of tables that need not fit into memory."""
