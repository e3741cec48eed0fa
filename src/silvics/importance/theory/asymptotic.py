"""Importances of randomized trees on a known distribution (thesis, chapter 6 and section 7.2.3)."""

from __future__ import annotations

from typing import Any

from silvics.importance._checks import threads
from silvics.importance._types import Progress
from silvics.importance.theory.distribution import distribution_of
from silvics.importance.theory.result import AsymptoticImportances
from silvics.importance.theory.solver import ExactImportanceSolver, checked_settings


def asymptotic_importances(
    X: Any,
    y: Any,
    *,
    criterion: str = "entropy",
    K: int = 1,
    depth: int | None = None,
    subspace: int | None = None,
    splits: str = "multiway",
    sample_weight: Any = None,
    constant_features: str = "count",
    method: str = "auto",
    n_trees: int = 1000,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: Progress = None,
) -> AsymptoticImportances:
    """Compute the importances of infinitely many randomized trees on a known distribution.

    The table is taken as the distribution: the probability of a row is proportional to its weight.
    Each distinct value of a column is a level, and missing is another level. For totally randomized
    multiway trees (the default) this is Theorem 6.1, and equation 6.31 for other criteria than
    entropy. Two consequences hold for every table: the importances add up to the information that
    all variables together have about Y, and the importance of a variable is zero if and only if it
    is irrelevant in every context.

    A sample is not the distribution that it comes from: on a small sample, noise looks like
    information (section 7.2.2, :func:`null_information`).

    Parameters
    ----------
    X : table of shape (n_rows, n_variables)
        Any data frame or array.
    y : array-like of shape (n_rows,)
        Classes; numbers for the criterion "variance".
    criterion : {"entropy", "gini", "variance"}, default="entropy"
        The impurity; entropy is in bits. scikit-learn's "log_loss" and "squared_error" are other
        names of the first and the last.
    K : int, default=1
        The number of variables drawn at each node. The one with the largest decrease of impurity is
        taken; ties are broken at random. Multiway trees draw among the variables not yet used on
        the branch, including those that are constant at the node.
    depth : int or None, default=None
        The largest number of tests on a branch (Proposition 6.6); None is no limit.
    subspace : int or None, default=None
        The number of variables drawn for each tree (Proposition 6.7); None is all.
    splits : {"multiway", "extra", "best", "encoded"}, default="multiway"
        "multiway": a branch for each level, and each variable once on a branch (Definition 6.1).
        The others are binary, need variables with an order, and end at pure nodes. "extra": a cut
        uniform between the least and the largest value at the node, as in Extra-Trees; "best": the
        best cut of each variable drawn, the lowest of several, as in Random Forests; "encoded":
        each variable of L levels as L - 1 binary ones, of which one is drawn after the variable
        (K = 1).
    sample_weight : array-like of shape (n_rows,) or None, default=None
        The probability of each row, up to a factor.
    constant_features : {"count", "skip"}, default="count"
        Whether variables that are constant at a node count among the K, as they do in
        scikit-learn's forests; only for binary splits.
    method : {"auto", "exact", "sampled"}, default="auto"
        "exact": the expectation over all trees; "sampled": the mean over ``n_trees`` random trees,
        with its standard error; "auto": exact if that takes at most about a minute (K = 1: up to
        about 20 variables; K > 1: 12), else sampled, with a warning.
    n_trees : int, default=1000
        The number of trees, if trees are sampled.
    n_jobs : int or None, default=None
        The number of threads. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the sampled trees.
    progress : callable or None, default=None
        Called with (done, total) during the computation; it starts again if trees are sampled.

    Returns
    -------
    importances : AsymptoticImportances
        With ``importances``, ``by_degree``, ``by_context()``, ``total`` and ``plot()``.

    Examples
    --------
    Y is the exclusive or of two variables: neither is informative alone, and each has one bit of
    information given the other.

    >>> from silvics.importance import asymptotic_importances
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    >>> found = asymptotic_importances(X, [0, 1, 1, 0])
    >>> found
    Importances for Y (bits; multiway trees, K=1; exact)
      total: 1 of 1
      variable  importance
      x0        0.5
      x1        0.5
      x2        0
    >>> found.by_degree.round(3)
    array([[0.   , 0.167, 0.333],
           [0.   , 0.167, 0.333],
           [0.   , 0.   , 0.   ]])
    """
    distribution = distribution_of(X, y, criterion, sample_weight, "asymptotic_importances")
    settings = checked_settings(
        distribution.n_variables,
        criterion=criterion,
        K=K,
        depth=depth,
        subspace=subspace,
        splits=splits,
        constant_features=constant_features,
        method=method,
        n_trees=n_trees,
    )
    solver = ExactImportanceSolver(distribution, settings, threads(n_jobs), random_state, progress)
    return solver.importances()
