"""Shapley values and dependence: how the predictions of a grown forest come about."""
