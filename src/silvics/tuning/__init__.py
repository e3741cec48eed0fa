"""Tuning of a forest by its out-of-bag rows."""
