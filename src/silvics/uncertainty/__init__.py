"""Distributions, intervals and calibrated probabilities of the predictions of a forest."""
