"""Predictions of an ensemble and of its members, as arrays of one shape for every task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._estimators.base_forest import BaseForest

_CLOSE = 1e-6  # tolerance, within which the mean of the members must be the ensemble's prediction


@dataclass(frozen=True, eq=False)
class MemberStats:
    """The prediction of a model, and how the predictions of its members vary around it.

    Attributes
    ----------
    mean : ndarray of shape (n_samples, n_columns)
        The prediction; for classification, the probability of each class.
    within : ndarray of shape (n_samples, n_columns), or None
        The unbiased variance of the members' predictions; None for a single model.
    n_members : int
        The number of members.
    """

    mean: np.ndarray
    within: np.ndarray | None
    n_members: int


def as_columns(model: Any, X: Any, classes: np.ndarray | None) -> np.ndarray:
    """Return predictions as columns: real outputs, or the probabilities of the given classes."""
    if classes is None:
        y = np.asarray(model.predict(X), dtype=np.float64)
        return y.reshape(len(y), -1)
    if not hasattr(model, "predict_proba"):
        return one_hot(model.predict(X), classes)
    return _in_classes(model.predict_proba(X), model.classes_, classes)


def one_hot(y: Any, classes: np.ndarray) -> np.ndarray:
    """Return a column for each class with ones where it is y."""
    return (np.asarray(y)[:, np.newaxis] == classes).astype(np.float64)


def member_stats(model: Any, X: Any, classes: np.ndarray | None) -> MemberStats:
    """Return the prediction of a fitted model and the variance of its members' predictions.

    A model is an ensemble if it has ``estimators_`` whose mean prediction is its own, as forests
    and bagging have. Others, such as boosted trees and forests of two stages, are single models.
    """
    mean = as_columns(model, X, classes)
    in_stages = isinstance(model, BaseForest) and model._grown.stages > 1
    n = 1 if in_stages else len(getattr(model, "estimators_", ()))
    scale = max(1.0, float(np.abs(mean).max(initial=0.0)))
    for soft in (True, False) if n > 1 else ():
        total, squares = np.zeros_like(mean), np.zeros_like(mean)
        for columns in predictions_of_members(model, X, classes, soft):
            if columns is None or columns.shape != mean.shape:
                return MemberStats(mean, None, 1)
            away = columns - mean
            total += away
            squares += away**2
        if np.abs(total).max(initial=0.0) <= _CLOSE * scale * n:
            return MemberStats(mean, (squares - total**2 / n) / (n - 1), n)
    return MemberStats(mean, None, 1)


def predictions_of_members(
    model: Any, X: Any, classes: np.ndarray | None, soft: bool = True
) -> Iterator[np.ndarray | None]:
    """Yield the predictions of each member of an ensemble; None if one is of another task.

    Members that vote softly give probabilities, others a vote for one class.
    """
    if isinstance(model, BaseForest) and not model._grown.trees.packed.both_children:
        yield from _of_forest(model, X, classes, soft)
        return
    parts = model.estimators_
    if not hasattr(parts[0], "feature_names_in_"):
        X = np.asarray(X)
    columns_of = getattr(model, "estimators_features_", [None] * len(parts))
    for member, columns in zip(parts, columns_of, strict=True):
        rows = X if columns is None else np.asarray(X)[:, columns]
        if not hasattr(member, "predict"):
            yield None
        elif classes is None:
            yield as_columns(member, rows, None)
        elif not hasattr(member, "predict_proba"):
            yield None
        else:
            shares = np.asarray(member.predict_proba(rows), dtype=np.float64)
            if not soft:
                shares = one_hot(shares.argmax(axis=1), np.arange(shares.shape[1]))
            yield _in_classes(shares, _labels_of_member(member, model), classes)


def _of_forest(
    forest: BaseForest, X: Any, classes: np.ndarray | None, soft: bool
) -> Iterator[np.ndarray]:
    """Yield what the leaves of each tree of a forest predict; one descent finds all leaves."""
    leaves = forest.apply(X)
    for m, tree in enumerate(forest._grown.trees):
        values = tree.values().reshape(-1, tree.value_width)[leaves[:, m]]
        if classes is None:
            yield values
            continue
        if not soft:
            values = one_hot(values.argmax(axis=1), np.arange(values.shape[1]))
        yield _in_classes(values, forest.classes_, classes)


def _labels_of_member(member: Any, model: Any) -> np.ndarray:
    """Return the classes of a member; forests, bagging and voting number them in their members."""
    known = np.asarray(member.classes_)
    if known.dtype.kind in "iuf" and np.isin(known, np.arange(len(model.classes_))).all():
        return model.classes_[known.astype(int)]
    return known


def _in_classes(shares: Any, known: Any, classes: np.ndarray) -> np.ndarray:
    """Return probabilities in the order of the classes; a learning set may lack some of them."""
    if isinstance(shares, list):
        raise ValueError("Models with several outputs of classes are not supported.")
    if np.array_equal(known, classes):
        return np.asarray(shares, dtype=np.float64)
    columns = np.zeros((len(shares), len(classes)))
    columns[:, np.searchsorted(classes, known)] = shares
    return columns
