"""Bias, variance and correlation by loops, from the definitions of the thesis."""

import numpy as np


def slow_point(predictions, bayes):
    """Statistics of one sample from the predictions of R learning sets times M trees.

    Expectations over pairs of learning sets, and over pairs of trees of one learning set, leave out
    equal ones, so that all estimates are unbiased.
    """
    R, M = predictions.shape
    ensembles = [sum(trees) / M for trees in predictions]
    mean = sum(ensembles) / R
    variance = sum((e - mean) ** 2 for e in ensembles) / (R - 1)
    # Equation 4.26, with E{psi}^2 as the mean of products of independent ensembles.
    pairs = [ensembles[r] * ensembles[s] for r in range(R) for s in range(R) if r != s]
    squared_mean = sum(pairs) / len(pairs)
    bias = bayes**2 - 2 * bayes * mean + squared_mean
    if M == 1:
        return bias, variance, None, None
    # Equation 4.27: two trees of one learning set, less the squared mean.
    same = [
        predictions[r, i] * predictions[r, j]
        for r in range(R) for i in range(M) for j in range(M) if i != j
    ]  # fmt: skip
    numerator = sum(same) / len(same) - squared_mean
    square = sum(p**2 for trees in predictions for p in trees) / (R * M)
    tree_variance = square - squared_mean
    return bias, variance, numerator / tree_variance, tree_variance


def slow_table(predictions, bayes):
    """The same for each of T samples; ``predictions`` has the shape R, M, T."""
    rows = [slow_point(predictions[:, :, t], bayes[t]) for t in range(predictions.shape[2])]
    return [np.array(column) for column in zip(*rows, strict=True)]
