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
    """A table, and after its columns the shadows of some of them.

    A shadow is its column with the rows in another order, one for all columns: shadows depend on
    each other as the columns do, and not on Y.

    Parameters
    ----------
    X : table of shape (n_rows, n_variables)
        Any data frame, array, sparse matrix or list of rows.
    generator : int, RandomState or None
        What the order is drawn by.
    columns : sequence of int or None, default=None
        Which get a shadow, by place; None: all.

    Returns
    -------
    X : table of shape (n_rows, n_variables + n_shadows)
        Of the same sort, with the same types of columns. In a frame, a shadow has a name such as
        "shadow of height".
    n_variables : int
        Where the shadows begin.
    """
    table = Columns(X, "with_shadows")
    p = table.shape[1]
    shadows = list(range(p) if columns is None else columns)
    rows = check_random_state(generator).permutation(table.shape[0])
    return table.with_shadows(range(p), shadows, [rows] * len(shadows)), p


def with_shadow_parameters(forest: Any, X: Any, columns: Sequence[int] | None = None) -> Any:
    """A forest like this one, for the table of ``with_shadows(X, ..., columns=columns)``.

    What its parameters say of a variable holds for its shadow as well: a shadow that were treated
    otherwise would say nothing about its variable.

    Parameters
    ----------
    forest : estimator
        Is not changed.
    X : table of shape (n_rows, n_variables)
        Without shadows.
    columns : sequence of int or None, default=None
        Which have one; None: all.

    Returns
    -------
    forest : estimator
        Not fitted.
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
    """Mean decrease of impurity, less what a column like it gives that tells nothing.

    A forest is grown on X and a shadow of each column; what the shadow lowers the impurity by is
    what its variable would, with as many values, if it told nothing about Y (Nembrini et al. 2018).
    Of useless variables the differences are around 0, and as often below it as above.

    Parameters
    ----------
    forest : estimator
        Fitted or not. Forests like it are grown; it is not changed.
    X : table of shape (n_rows, n_variables)
        Any data frame, array or sparse matrix.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        The output.
    feature_groups : dict of str to list, list of lists, or None, default=None
        Variables that are told of as one; their differences are added.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        As for ``fit``.
    n_repeats : int, default=1
        Forests, each with shadows in an order of their own.
    random_state : int, RandomState or None, default=None
        Seed of the shadows and the forests.
    n_jobs : int or None, default=None
        Threads; None is the forest's ``n_jobs``. The result is the same for any number.
    progress : callable or None, default=None
        Called with (done, total) after each forest.

    Returns
    -------
    importances : Importances
        Of kind "air"; a replicate is a tree. All trees of a forest meet the same shadows, so the
        standard errors are over trees or over forests, whichever are larger; those of one forest
        do not know how much other shadows would change.
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
        unit = decreases._unit
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
        _library=library_of(X),
    )
