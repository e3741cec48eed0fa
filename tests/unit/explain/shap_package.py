"""The package shap, whose import warns of other packages."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import shap as shap_package  # noqa: F401
