"""The part of an importance that is due to noise (section 7.2.2)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, issparse
from sklearn.utils import check_random_state

from silvics import _core
from silvics._names import one_of
from silvics._tables.sparse_format import check_format
from silvics.importance._checks import number_of_repeats
from silvics.importance._types import FittedForest
from silvics.importance.forest.gamma_null import null_by_gamma
from silvics.importance.forest.learning_set import learning_set
from silvics.importance.forest.oob_decrease import at_nodes, known_trees
from silvics.importance.forest.refitting import SEEDS, ForestRefitter
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.forest.tree_means import impurity_of
from silvics.importance.variables import Variable, variables_of

_METHODS = ["auto", "exact", "gamma", "held_out", "permuted"]
_WORDS = {
    "exact": "mean over permutations of Y at each node",
    "gamma": "sum of equation 7.19 over the nodes",
    "held_out": "part that out-of-bag rows do not confirm",
    "permuted": "forests grown on permuted Y",
}


def noise_part(request: ImportanceRequest, values: np.ndarray, unit: float) -> dict[str, Any]:
    """Return the fields of ``Importances`` about the part of "mdi" that is due to noise.

    Parameters
    ----------
    request : ImportanceRequest
        A request with X, y and ``null``.
    values : ndarray of shape (n_variables,)
        The importances, multiplied by ``unit``.
    unit : float
        The factor that normalizes importances.

    Returns
    -------
    fields : dict of str
    """
    forest = request.forest
    method = one_of("null", request.null, _METHODS)
    if request.X is None and request.y is None and method == "held_out":  # needs only the leaves
        null = _held_out(request, values / unit)
        return {"null": null * unit, "_null_method": _WORDS[method]}
    if request.X is None and request.y is None and method == "gamma":
        return {"null": null_by_gamma(request) * unit, "_null_method": _WORDS[method]}
    if request.X is None or request.y is None:
        raise ValueError(
            f'null="{method}" needs the X and y that the forest was fitted on. Only "gamma" needs '
            'neither, and "held_out" if the forest was fitted with keep_samples=True.'
        )
    if issparse(request.X):
        check_format(request.X)
    columns = None if issparse(request.X) else variables_of(request.X, "importances")
    missing = _any_missing(request.X, columns)
    if method == "auto":
        sampling = forest._grown.sampling
        if sampling is None or not sampling.weights_known:
            method = "permuted"
        elif _why_not_exact(forest, missing) is None:
            method = "exact"
        else:
            whole = sampling.rows != "all" and forest._grown.stages == 1
            method = "held_out" if whole else "permuted"
    if method == "gamma":
        null = null_by_gamma(request)
    elif method == "exact":
        null = _exact(request, missing)
    elif method == "held_out":
        null = _held_out(request, values / unit)
    else:
        null = _permuted(request)
    distinct = n_distinct(request.X, columns) if request.feature_groups is None else None
    return {"null": null * unit, "_null_method": _WORDS[method], "_distinct": distinct}


def _why_not_exact(forest: FittedForest, missing: bool) -> str | None:
    """Return why the mean over permutations of Y is not known, or None if it is."""
    choices: Any = getattr(forest, "_choices", None)
    sampling = forest._grown.sampling
    if choices is None or sampling is None:
        return "it is not known how the trees were grown"
    if forest._grown.stages > 1:
        return "the trees of the second stage are grown on residuals"
    axes = choices(sampling.n_samples)
    cuts = {"uniform", "gap", "middle", "relevance", "cell_uniform", "cell_middle"}
    at_random = axes.cut in cuts or axes.split == "multiway"
    if forest.max_features_ != 1 or axes.variables == "poisson" or not at_random:
        return "the splits depend on Y"
    looks = {  # other settings that depend on Y
        "choice": axes.choice != "best" or axes.significance is not None,
        "missing": missing and axes.missing not in ("apart", "error"),
        "min_samples_leaf": axes.min_samples_leaf != 1,
        "min_impurity_decrease": getattr(forest, "min_impurity_decrease", 0) > 0,
        "max_leaf_nodes": axes.max_leaf_nodes is not None and axes.growth != "random",
        "growth": str(axes.growth).startswith("best"),
        "ccp_alpha": getattr(forest, "ccp_alpha", 0) > 0,
        "pruning": axes.pruning != "none",
        "monotonic_cst": getattr(forest, "monotonic_cst", None) is not None,
        "class_weight": getattr(forest, "class_weight", None) is not None,
        "columns": axes.columns == "rotation_by_class",
    }
    for parameter, does in looks.items():
        if does:
            return f"the splits or weights depend on Y because of {parameter}"
    impurity = impurity_of(forest)
    if impurity == "":
        return "the impurity is not the Gini index, entropy or variance"
    weighted = sampling.rows == "bootstrap" or sampling.weights is not None
    if impurity == "entropy" and weighted:
        return "entropy needs rows of equal weight"
    if sampling.structure > 0:
        return (
            "honest trees compute impurities from other rows than those that determine the splits"
        )
    return None


def _exact(request: ImportanceRequest, missing: bool) -> np.ndarray:
    forest = request.forest
    rows = learning_set(forest, request.X, request.y, "mdi")
    why = _why_not_exact(forest, missing)
    if why is not None:
        raise ValueError(
            'null="exact" needs splits that do not depend on Y (Extra-Trees or multiway trees with '
            f'max_features=1). In this forest, {why}. Use "held_out" or "permuted".'
        )
    forest._grown.require_one_leaf_each('null="exact"')
    entropy = impurity_of(forest) == "entropy"
    measure = _core.NodeMeasure.null_entropy if entropy else _core.NodeMeasure.null_part
    null: np.ndarray = at_nodes(request, rows, measure).mean(axis=0)[:, 0]
    return null


def _held_out(request: ImportanceRequest, values: np.ndarray) -> np.ndarray:
    """Return the part that out-of-bag rows do not confirm.

    It is computed for the Gini index or the variance; for other criteria the same share is used.
    """
    forest = request.forest
    forest._grown.require_whole_trees('null="held_out"')
    forest._grown.require_one_leaf_each('null="held_out"')
    rows = learning_set(forest, request.X, request.y, "mdi", unseen=True, by_leaf=True)
    again = at_nodes(request, rows, _core.NodeMeasure.cross_fitted)
    drawn = at_nodes(request, rows, _core.NodeMeasure.drawn)
    drawn[np.isnan(again)] = np.nan
    found, whole = (known_trees(each, rows.n_rows).mean(axis=0)[:, 0] for each in (again, drawn))
    share = 1 - np.divide(found, whole, out=np.ones_like(whole), where=whole > 0)
    return np.asarray(values * share)


def _permuted(request: ImportanceRequest) -> np.ndarray:
    n_repeats = number_of_repeats(
        "n_repeats", 5 if request.n_repeats is None else request.n_repeats
    )
    grow = ForestRefitter(
        request.forest,
        request.X,
        request.y,
        request.sample_weight,
        request.n_jobs,
        request.progress,
        n_repeats,
    )
    generator = check_random_state(request.random_state)
    sums = np.zeros(len(request.names))
    for _ in range(n_repeats):
        seed = int(generator.randint(SEEDS))
        y = grow.y[generator.permutation(len(grow.y))]
        sums += grow.importances(
            "mdi", seed, y=y, feature_groups=request.feature_groups, min_samples=request.min_samples
        ).values
    return sums / n_repeats


def _any_missing(X: Any, columns: list[Variable] | None) -> bool:
    if columns is None:
        return X.dtype.kind == "f" and bool(np.isnan(X.data).any())
    return any(column.why_no_order == "has missing values" for column in columns)


def n_distinct(X: Any, columns: list[Variable] | None) -> np.ndarray:
    """Count the distinct values of each column; missing values count as one."""
    if columns is not None:
        return np.array([column.n_levels for column in columns])
    sparse = csc_matrix(X)
    stored = [np.unique(sparse.data[i:j]) for i, j in pairwise(sparse.indptr)]
    full = np.diff(sparse.indptr) == sparse.shape[0]
    return np.array(
        [len(of) + (not all_of and 0 not in of) for of, all_of in zip(stored, full, strict=True)]
    )
