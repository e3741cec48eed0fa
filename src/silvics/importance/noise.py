"""Which part of an importance is what noise would get (section 7.2.2)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csc_matrix, issparse
from sklearn.utils import check_random_state

from silvics import _core
from silvics.importance._checks import one_of, whole_number
from silvics.importance.held_out import at_nodes
from silvics.importance.learning_set import learning_set
from silvics.importance.over_trees import by_group, criterion_of
from silvics.importance.regrown import SEEDS, Regrown
from silvics.importance.variables import CRITERIA, variables_of

if TYPE_CHECKING:
    from silvics._fit.grown_forest import GrownForest
    from silvics.importance.kinds import Ask
    from silvics.importance.result import Importances

_METHODS = ["auto", "exact", "held_out", "permuted"]
_WORDS = {
    "exact": "mean over permutations of Y at each node",
    "held_out": "what rows that trees have not drawn do not confirm",
    "permuted": "forests grown on permuted Y",
}


def tell_noise(ask: Ask, found: Importances, unit: float) -> None:
    """Put ``null`` and what it is into importances of kind "mdi", whose unit is so large."""
    forest = ask.forest
    method = one_of("null", ask.null, _METHODS)
    if ask.X is None or ask.y is None:
        raise ValueError("null= needs the X and y that the forest was fitted on.")
    impurity = CRITERIA.get(criterion_of(forest), "")
    if method == "auto":
        if is_blind(forest) and _why_not_exact(forest, impurity) is None:
            method = "exact"
        else:
            method = "permuted" if forest._rows == "all" else "held_out"
    if method == "exact":
        null = _exact(ask, impurity)
    elif method == "held_out":
        null = _held_out(ask, found.values / unit)
    else:
        null = _permuted(ask)
    found.null = null * unit
    found._null_method = _WORDS[method]
    if ask.groups is None:
        found._distinct = n_distinct(ask.X)


def is_blind(forest: GrownForest) -> bool:
    """Whether splits were chosen without a look at Y: one variable, and a cut, at random."""
    choices: Any = getattr(forest, "_choices", None)
    if choices is None or not hasattr(forest, "_n_samples") or forest.max_features_ != 1:
        return False
    axes = choices(forest._n_samples)
    cuts = {"uniform", "gap", "middle", "relevance", "cell_uniform", "cell_middle"}
    return (
        axes.choice == "best"
        and axes.variables != "poisson"
        and axes.significance is None
        and axes.min_samples_leaf == 1
        and (axes.cut in cuts or axes.split == "multiway")
    )


def _why_not_exact(forest: GrownForest, impurity: str) -> str | None:
    if impurity not in ("gini", "entropy", "variance"):
        return "the impurity is none of Gini's index, entropy and variance"
    weighted = forest._rows == "bootstrap" or forest._sample_weight is not None
    if impurity == "entropy" and weighted:
        return "rows of unequal weight do not mix with entropy"
    if forest._structure > 0:
        return "honest trees tell their impurities by other rows than they split by"
    return None


def _exact(ask: Ask, impurity: str) -> np.ndarray:
    forest = ask.forest
    if not is_blind(forest):
        raise ValueError(
            'null="exact" is for splits that are chosen without a look at Y (one variable, and a '
            'cut, at random: max_features=1 of Extra-Trees or of multiway trees). Use "held_out" '
            'or "permuted".'
        )
    why = _why_not_exact(forest, impurity)
    if why is not None:
        raise ValueError(f'null="exact" is not known here: {why}. Use "held_out" or "permuted".')
    forest._require_one_leaf_each('null="exact"')
    rows = learning_set(forest, ask.X, ask.y, "mdi")
    entropy = impurity == "entropy"
    measure = _core.NodeMeasure.null_entropy if entropy else _core.NodeMeasure.null_part
    null: np.ndarray = at_nodes(ask, rows, measure).mean(axis=0)[:, 0]
    return null


def _held_out(ask: Ask, values: np.ndarray) -> np.ndarray:
    """The part that is not found again; of other impurities, the same share as of the usual one."""
    forest = ask.forest
    forest._require_one_leaf_each('null="held_out"')
    rows = learning_set(forest, ask.X, ask.y, "mdi", held_out=True)
    again = at_nodes(ask, rows, _core.NodeMeasure.cross_fitted).mean(axis=0)[:, 0]
    usual = "gini" if forest._classification else "variance"
    each = [
        _core.impurity_decrease_by_output(tree, usual, ask.min_samples).sum(axis=1)
        for tree in forest._trees.native
    ]
    plain = by_group(np.array(each), ask).mean(axis=0)
    share = 1 - np.divide(again, plain, out=np.ones_like(plain), where=plain > 0)
    return np.asarray(values * share)


def _permuted(ask: Ask) -> np.ndarray:
    n_repeats = whole_number("n_repeats", 5 if ask.n_repeats is None else ask.n_repeats, 1)
    grow = Regrown(ask.forest, ask.X, ask.y, ask.sample_weight, ask.n_jobs, ask.progress, n_repeats)
    generator = check_random_state(ask.random_state)
    sums = np.zeros(len(ask.names))
    for _ in range(n_repeats):
        seed = int(generator.randint(SEEDS))
        y = grow.y[generator.permutation(len(grow.y))]
        sums += grow.importances(
            "mdi", seed, y=y, groups=ask.groups, min_samples=ask.min_samples
        ).values
    return sums / n_repeats


def n_distinct(X: Any) -> np.ndarray:
    """How many values each column has; missing ones are one."""
    if issparse(X):
        columns = csc_matrix(X)
        stored = [np.unique(columns.data[i:j]) for i, j in pairwise(columns.indptr)]
        full = np.diff(columns.indptr) == columns.shape[0]
        return np.array(
            [
                len(of) + (not all_of and 0 not in of)
                for of, all_of in zip(stored, full, strict=True)
            ]
        )
    return np.array([column.n_levels for column in variables_of(X, "importances")])
