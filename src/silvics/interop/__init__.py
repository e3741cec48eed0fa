"""Conversion of models from and to other libraries and formats."""
