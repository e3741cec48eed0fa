"""Base classes of the estimators, and the methods that they share."""
