"""Numbers and propositions of the thesis, shown on the estimators."""
