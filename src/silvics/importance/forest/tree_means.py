"""Functions shared by importances that are means over trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics.importance._checks import checked_tolerance
from silvics.importance._types import FittedForest
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.variables import CRITERIA


def criterion_of(forest: FittedForest) -> str:
    """Return the criterion of the trees; "" if it is not known."""
    choices: Any = getattr(forest, "_choices", None)
    sampling = forest._grown.sampling
    if choices is None or sampling is None:
        return str(getattr(forest, "criterion", None) or "")
    return str(choices(sampling.n_samples).criterion)


def impurity_of(forest: FittedForest) -> str:
    """Return "gini", "entropy" or "variance"; "" for another criterion."""
    return {**CRITERIA, "friedman_mse": "variance"}.get(criterion_of(forest), "")


def decrease_of_trees(forest: FittedForest, min_samples: int = 0) -> np.ndarray:
    """Return the decreases of equation 6.2 by tree and variable, before averaging."""
    return np.array(
        [tree.impurity_decrease(False, min_samples) for tree in forest._grown.trees.native]
    )


def root_impurity(forest: FittedForest) -> float:
    """Return the impurity of Y at the roots, averaged over the trees."""
    return float(np.mean([tree.impurity()[0] for tree in forest._grown.trees.native]))


def by_group(each: np.ndarray, request: ImportanceRequest) -> np.ndarray:
    """Sum over the variables of each group; variables are the last axis."""
    if request.feature_groups is None:
        return each
    sums = np.zeros((len(each), len(request.names)))
    np.add.at(sums.T, request.group_of, each.T)
    return sums


def standard_error(each: np.ndarray) -> Any:
    """Return the standard error of the mean over the first axis; NaN for a single value."""
    if len(each) < 2:
        return np.full(each.shape[1:], np.nan)
    scale = np.abs(each).max(initial=0.0) or 1.0  # avoids overflow of squares
    return (each / scale).std(axis=0, ddof=1) * scale / np.sqrt(len(each))


PAIRS = "pairs of trees"
# The number of trees in each of the replicates of importances that are means over trees.
N_TREES = {"trees": 1, PAIRS: 2}


def over_stages(forest: FittedForest, per_tree: np.ndarray) -> tuple[np.ndarray, str]:
    """Return what importances are means over, and its name.

    In a forest of two stages, trees of the same number estimate the output together. Differences
    between the stages are no noise.
    """
    if forest._grown.stages == 1:
        return per_tree, "trees"
    first, second = np.split(per_tree, 2)
    return (first + second) / 2, PAIRS


def trees_enough(replicates: np.ndarray, of: str, tol: Any) -> int:
    """Return the number of trees whose mean has standard errors of at most ``tol``.

    ``tol`` is relative to the largest mean.
    """
    tol = checked_tolerance(tol)
    if tol == 0:
        raise ValueError("tol must be positive: no number of trees has an error of zero.")
    if of not in N_TREES or len(replicates) < 2:
        what = "one tree" if of == "trees" else f"means over {of}"
        raise ValueError(f"enough() needs importances of several trees, but these are {what}.")
    largest = replicates.mean(axis=0).max()
    if not largest > 0:
        raise ValueError("enough() needs a positive importance, but no variable has one.")
    spread = (replicates / largest).std(axis=0, ddof=1).max()
    return max(int(np.ceil((spread / tol) ** 2)), 1) * N_TREES[of]
