"""Shapley values of the predictions of a grown forest."""
