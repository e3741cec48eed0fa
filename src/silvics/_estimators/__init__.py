"""What the estimators have in common: the base classes, and methods that delegate."""
