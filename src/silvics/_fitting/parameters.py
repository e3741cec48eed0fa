"""Constraints on the user's parameters, and their translation for the core."""

from __future__ import annotations

import sys
from math import ceil, log2, sqrt
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from silvics import _core
from silvics._fitting.axes import Axes, by_name, per_variable
from silvics._fitting.options import bins_of_nodes, check_options, set_options
from silvics._fitting.targets import EncodedOutputs
from silvics._tables.table import Variables
from silvics._warnings import warn_user

CLASSIFICATION_CRITERIA = {"gini", "entropy", "log_loss", "misclassification"}
REGRESSION_CRITERIA = {"squared_error", "friedman_mse", "absolute_error", "poisson"}

_GROWTH = {name: getattr(_core.Growth, name) for name in _core.Growth.__members__}
_SEARCH = {name: getattr(_core.Search, name) for name in _core.Search.__members__}
_SEARCH["presort"] = _core.Search.sort

# Upper bounds of the number of trees, of the rows drawn for a tree, and of the permutations of the
# test at each node.
MAX_TREES = 2**24
MAX_DRAWS = 2**31 - 1
MAX_PERMUTATIONS = 1_000_000

TREE_CONSTRAINTS: dict[str, list[Any]] = {
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [
        Interval(Integral, 2, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
    ],
    "min_samples_leaf": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="neither"),
    ],
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "random_state": ["random_state"],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
    "monotonic_cst": ["array-like", dict, None],
    "constant_features": [StrOptions({"count", "skip"})],
    "search": [StrOptions(set(_SEARCH))],
    "max_bins": [Interval(Integral, 2, None, closed="left"), None],
    "binning": [StrOptions({"frequency", "width", "node_frequency", "node_width"})],
    "split_sample": [Interval(Integral, 2, None, closed="left"), None],
    "growth": [StrOptions(set(_GROWTH)), None],
    "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
    "min_category_frequency": [Interval(Integral, 1, None, closed="left")],
    "category_gain": [StrOptions({"adjusted", "plain"})],
    "unknown_category": [StrOptions({"missing", "heavier", "error"})],
    "missing": [StrOptions({"learned", "error"})],
}

FOREST_CONSTRAINTS: dict[str, list[Any]] = {
    "n_estimators": [Interval(Integral, 1, MAX_TREES, closed="both")],
    "bootstrap": ["boolean"],
    "oob_score": ["boolean", callable],
    "keep_samples": ["boolean"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "max_samples": [
        None,
        Interval(RealNotInt, 0.0, None, closed="neither"),
        Interval(Integral, 1, None, closed="left"),
    ],
    "feature_weights": ["array-like", dict, None],
    "interaction_cst": [StrOptions({"pairwise", "no_interactions"}), list, tuple, None],
    "progress": [callable, None],
    "max_time": [Interval(Real, 0.0, None, closed="neither"), None],
    "max_memory": [Interval(Real, 0.0, None, closed="neither"), str, None],
    "early_stopping": ["boolean"],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0.0, None, closed="left")],
    "engine": [str, None],
    "resume": [str, PathLike, None],
    "tune": [StrOptions({"oob"}), dict, None],
    "scoring": [str, callable, None],
}


def n_variables_drawn(max_features: float | str | None, n_features: int) -> int:
    """Return K, the number of variables that ``max_features`` means."""
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(log2(n_features)))
    if isinstance(max_features, Integral):
        return int(max_features)
    return max(1, int(float(max_features) * n_features))


def n_columns_drawn(axes: Axes, n_features: int) -> int:
    """Return the number of columns that each tree draws; 0 means all."""
    if axes.columns != "subspace" or axes.max_columns is None:
        return 0
    wanted = axes.max_columns
    if isinstance(wanted, Integral):
        if int(wanted) > n_features:
            raise ValueError(
                f"max_columns={wanted} must be at most the number of columns of X, {n_features}."
            )
        return int(wanted)
    return max(1, min(n_features, round(float(wanted) * n_features)))


def core_criterion(axes: Axes, classification: bool = False) -> str:
    """Return the name that the core has for the impurity of a criterion."""
    if callable(axes.criterion):
        return "custom_classes" if classification else "custom_moments"
    return "entropy" if axes.criterion == "gain_ratio" else str(axes.criterion)


def native_size(value: Any) -> int:
    """Clip a limit to the range of the core; None becomes 0."""
    return min(int(value or 0), sys.maxsize // 2)


# Number of samples from which on several threads grow one tree; tests set it to a small number.
_SHARED_FROM: int | None = None


# Tests set it to True to use the general splitter always.
_GENERAL = False


def n_variables_at_node(axes: Axes, n_features: int) -> int:
    """Return K, the number of variables that a node draws among the columns of its tree."""
    return n_variables_drawn(axes.max_features, n_columns_drawn(axes, n_features) or n_features)


def growth_rules(
    estimator: Any,
    axes: Axes,
    shape: tuple[int, int],
    variables: Variables,
    outputs: EncodedOutputs,
) -> _core.GrowthRules:
    """Translate the parameters into the growth rules of the core.

    Parameters
    ----------
    estimator : estimator
        Estimator whose parameters are read.
    axes : Axes
        The choices of the recipe.
    shape : tuple of int
        Numbers of rows and columns of the table that the tree is grown on.
    variables : Variables
        Description of the columns of X.
    outputs : EncodedOutputs
        The outputs.

    Returns
    -------
    rules : _core.GrowthRules
        The rules.
    """
    n_samples, n_features = shape
    rules = _core.GrowthRules()
    rules.columns_of_tree = n_columns_drawn(axes, n_features)
    rules.max_features = native_size(n_variables_at_node(axes, n_features))
    rules.constants_count = estimator.constant_features == "count"
    rules.adjust_levels = estimator.category_gain == "adjusted"
    rules.random_cut = axes.cut != "best"
    if rules.random_cut:
        rules.cut_draw = getattr(_core.CutDraw, axes.cut)
    rules.variable_draw = getattr(_core.VariableDraw, axes.variables)
    rules.choice = getattr(
        _core.Choice, "gain_ratio" if axes.criterion == "gain_ratio" else axes.choice
    )
    rules.kind = getattr(_core.SplitKind, axes.split)
    rules.missing = getattr(_core.MissingRule, {"error": "learned"}.get(axes.missing, axes.missing))
    rules.honest = axes.honest > 0
    rules.general = _GENERAL
    rules.n_best = native_size(axes.n_best)
    rules.near_best = axes.near_best
    rules.near_best_depth = native_size(axes.near_best_depth)
    rules.n_combined = native_size(axes.n_combined)
    rules.max_values = native_size(axes.max_values)
    rules.range_sample = native_size(axes.range_sample)
    rules.significance = axes.significance or 0.0
    rules.n_permutations = axes.n_permutations
    rules.split_pure = axes.split_pure
    names = variables.names
    weights = per_variable("feature_weights", axes.feature_weights, n_features, names)
    if axes.variables == "weighted":
        rules.probabilities = (np.ones(n_features) if weights is None else weights).tolist()
    relevant = per_variable("relevant", axes.relevant, n_features, names)
    if axes.cut == "relevance":
        rules.relevant = (
            (np.ones(n_features) if relevant is None else relevant).astype(int).tolist()
        )
    rules.search = _SEARCH[estimator.search]
    rules.split_sample = native_size(estimator.split_sample)
    if _SHARED_FROM is not None:
        rules.shared_from = _SHARED_FROM

    def n_samples_of(value: float) -> int:
        return native_size(value) if isinstance(value, Integral) else ceil(value * n_samples)

    rules.min_samples_leaf = n_samples_of(axes.min_samples_leaf)
    rules.min_samples_split = max(1 if axes.split_pure else 2, n_samples_of(axes.min_samples_split))
    rules.min_weight_fraction_leaf = estimator.min_weight_fraction_leaf
    if axes.max_depth is not None:
        rules.max_depth = native_size(axes.max_depth)
    if axes.max_leaf_nodes is not None:
        rules.max_leaf_nodes = native_size(axes.max_leaf_nodes)
    rules.min_impurity_decrease = estimator.min_impurity_decrease
    rules.ccp_alpha = estimator.ccp_alpha
    rules.monotonic = monotonic_signs(estimator.monotonic_cst, n_features, variables, outputs)
    limits = axes.max_leaf_nodes is not None or axes.max_splits is not None
    rules.growth = _GROWTH[axes.growth or ("best_first" if limits else "depth_first")]
    check_options(axes, estimator)
    set_options(rules, estimator, axes, variables, n_features)
    return rules


def monotonic_signs(
    monotonic_cst: Any, n_features: int, variables: Variables, outputs: EncodedOutputs
) -> list[int]:
    """Check ``monotonic_cst``; return one sign per variable, or an empty list."""
    if monotonic_cst is None:
        return []
    if outputs.n_outputs > 1:
        raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
    names = variables.names
    signs = by_name("monotonic_cst", monotonic_cst, n_features, names, 0)
    if signs.ndim != 1:
        raise ValueError(
            f"monotonic_cst has shape {signs.shape}, but it must be None or an array-like with one "
            "of -1, 0 and 1 for each column of X."
        )
    if signs.shape[0] != n_features:
        raise ValueError(
            f"monotonic_cst has shape {signs.shape[0]} but the input data "
            f"X has {n_features} features."
        )
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(signs)}"
        )
    if (constrained := np.flatnonzero(signs * variables.is_categorical)).size:
        column = int(constrained[0]) if names is None else repr(names[constrained[0]])
        raise ValueError(
            "Monotonicity constraints are not supported for categories, which have no order. Set "
            f"monotonic_cst to 0 for column {column}."
        )
    if max(outputs.n_classes, default=0) > 2:
        raise ValueError(
            "Monotonicity constraints are not supported with multiclass classification"
        )
    return [int(sign) for sign in signs] if signs.any() else []


def seed_of(random_state: Any) -> int:
    """Return the integer ``random_state``, or a seed drawn from the generator."""
    generator = check_random_state(random_state)
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(generator.randint(np.iinfo(np.int32).max))


def n_rows_drawn(axes: Axes, n_samples: int, weights: np.ndarray | None) -> int:
    """Return the number of rows drawn for a tree; a float is a fraction of the total weight."""
    max_samples = axes.max_samples
    if max_samples is None:
        return n_samples
    if axes.rows in ("subsample", "patches"):
        if not isinstance(max_samples, Integral):
            max_samples = max(1, round(float(max_samples) * n_samples))
        if max_samples > n_samples:
            raise ValueError(
                f"max_samples={axes.max_samples} draws {max_samples} rows without replacement, "
                f'but X has {n_samples} rows. Lower max_samples, or set rows="bootstrap".'
            )
        return int(max_samples)
    fraction = not isinstance(max_samples, Integral)
    whole = n_samples if weights is None else float(weights.sum())
    wanted = max_samples * whole if fraction else max_samples
    if wanted > MAX_DRAWS:
        of_whole = f" of {whole:g} samples or sample weight" if fraction else ""
        raise ValueError(
            f"max_samples={max_samples}{of_whole} draws more rows for each tree than the maximum, "
            f"{MAX_DRAWS}. Lower max_samples."
        )
    drawn = max(int(wanted), 1)
    if not fraction:
        return drawn
    if drawn < max(10, n_samples ** (1 / 3)):
        warn_user(
            f"Using the fractional value max_samples={max_samples} of {whole:g} samples or "
            f"sample weight results in a low number ({drawn}) of bootstrap samples. "
            "We recommend passing `max_samples` as an integer instead.",
        )
    return drawn


# Coding a table saves time if trees read each of its rows at least this often on average. This
# decision about speed belongs to the core and will move there.
_FEWEST_READS_TO_CODE = 0.25


def coded_table(
    estimator: Any,
    X: _core.Matrix,
    rules: _core.GrowthRules,
    n_jobs: int,
    reads_per_row: float = 1.0,
) -> _core.Table:
    """Convert the table to the form in which the core searches for splits.

    Random cuts need values instead of codes, and so do combinations and intervals of numbers. If
    ``max_bins`` exceeds the number of codes, the search is exact.
    """
    general = rules.needs_general_splitter
    by_values = rules.kind in (_core.SplitKind.oblique, _core.SplitKind.multiway)
    if rules.random_cut or (general and by_values):
        rarely_read = general or reads_per_row < _FEWEST_READS_TO_CODE
        return _core.table_of_values(X, n_jobs, rarely_read)
    bins = native_size(estimator.max_bins)
    if bins > 65536 or bins_of_nodes(estimator) is not None:
        bins = 0
    return _core.code_table(X, bins, estimator.binning == "width", n_jobs)
