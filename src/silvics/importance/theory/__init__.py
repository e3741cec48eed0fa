"""Importances of infinitely many randomized trees, and what theory says of variables."""
