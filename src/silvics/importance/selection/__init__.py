"""Selectors of variables, for scikit-learn."""
