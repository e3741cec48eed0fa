"""Shadows: copies of columns with permuted rows, which are independent of Y."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from silvics._frames import library_of
from silvics.importance._checks import number_of_repeats
from silvics.importance._types import Progress
from silvics.importance.forest.grouping import grouped
from silvics.importance.forest.permuted_columns import Columns, for_columns
from silvics.importance.forest.refitting import SEEDS, ForestRefitter
from silvics.importance.forest.result import Importances
from silvics.importance.forest.tree_means import standard_error


def with_shadows(
    X: Any, generator: Any, *, columns: Sequence[int] | None = None
) -> tuple[Any, int]:
    """Append shadows of some columns to a table.

    A shadow is a copy of a column with permuted rows. All shadows have the same permutation, so
    that they depend on each other as the columns do, but not on Y.

    Parameters
    ----------
    X : table of shape (n_rows, n_variables)
        Any data frame, array, sparse matrix or list of rows.
    generator : int, RandomState or None
        Seed of the permutation.
    columns : sequence of int or None, default=None
        The columns that get a shadow, by number. None means all.

    Returns
    -------
    X : table of shape (n_rows, n_variables + n_shadows)
        A table of the same type, with the same types of columns. In a data frame, a shadow has a
        name such as "shadow of height".
    n_variables : int
        The number of the first shadow.
    """
    table = Columns(X, "with_shadows")
    p = table.shape[1]
    shadows = list(range(p) if columns is None else columns)
    rows = check_random_state(generator).permutation(table.shape[0])
    return table.with_shadows(range(p), shadows, [rows] * len(shadows)), p


def with_shadow_parameters(forest: Any, X: Any, columns: Sequence[int] | None = None) -> Any:
    """Return a copy of a forest for the table ``with_shadows(X, ..., columns=columns)``.

    Parameters that concern a variable apply to its shadow as well, because a shadow is comparable
    to its variable only if both are treated alike.

    Parameters
    ----------
    forest : estimator
        The forest; it is not changed.
    X : table of shape (n_rows, n_variables)
        The table without shadows.
    columns : sequence of int or None, default=None
        The columns that have a shadow. None means all.

    Returns
    -------
    forest : estimator
        A forest that is not fitted.
    """
    table = Columns(X, type(forest).__name__)
    p = table.shape[1]
    return for_columns(forest, table, [*range(p), *(range(p) if columns is None else columns)])


def actual_impurity_reduction(
    forest: Any,
    X: Any,
    y: Any,
    feature_groups: Any = None,
    sample_weight: Any = None,
    n_repeats: int = 1,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Importances:
    """Compute the mean decrease of impurity of each variable minus that of its shadow.

    A forest is grown on X and a shadow of each column. The decrease of impurity by the shadow
    estimates the decrease by a variable with the same values that is independent of Y (Nembrini et
    al. 2018). For variables that are not related to Y the differences are close to zero, and as
    often negative as positive.

    Parameters
    ----------
    forest : estimator
        A forest, fitted or not. Copies of it are fitted; it is not changed.
    X : table of shape (n_rows, n_variables)
        Any data frame, array or sparse matrix.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        The output.
    feature_groups : dict of str to list, list of lists, or None, default=None
        Groups of variables with one importance each: the sum of their differences.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Weights of the rows, as in ``fit``.
    n_repeats : int, default=1
        Number of forests, each with its own permutation.
    random_state : int, RandomState or None, default=None
        Seed of the shadows and the forests.
    n_jobs : int or None, default=None
        Number of threads. None takes the value of the forest's parameter ``n_jobs``. The result
        does not depend on it.
    progress : callable or None, default=None
        Function that is called as ``progress(done, total)`` after each forest.

    Returns
    -------
    importances : Importances
        Importances of kind "air", with one replicate for each tree. All trees of a forest have the
        same shadows. The standard errors are therefore the larger of those over trees and over
        forests. With one forest, they do not include the variation over permutations.
    """
    n_repeats = number_of_repeats("n_repeats", n_repeats)
    grow = ForestRefitter(forest, X, y, sample_weight, n_jobs, progress, n_repeats)
    table = grow.table
    n, p = table.shape
    names, group_of = grouped(table.labels, feature_groups)
    generator = check_random_state(random_state)
    found, impurities = [], []
    for _ in range(n_repeats):
        rows, seed = generator.permutation(n), int(generator.randint(SEEDS))
        shadowed = table.with_shadows(range(p), range(p), [rows] * p)
        decreases = grow.importances("mdi", seed, shadowed, columns=[*range(p)] * 2)
        each = decreases.replicates[:, :p] - decreases.replicates[:, p:]
        per_tree = np.zeros((len(each), len(names)))
        np.add.at(per_tree.T, group_of, each.T)
        found.append(per_tree)
        impurities.append(decreases.impurity)
        unit, of = decreases._unit, decreases._of
    replicates = np.concatenate(found)
    errors = standard_error(replicates)
    if n_repeats > 1:
        errors = np.fmax(errors, standard_error(np.array([each.mean(axis=0) for each in found])))
    return Importances(
        kind="air",
        names=names,
        replicates=replicates,
        standard_errors=errors,
        impurity=float(np.mean(impurities)),
        _unit=unit,
        _of=of,
        _library=library_of(X),
    )
