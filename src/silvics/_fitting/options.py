"""Options of recipes that are checked and translated for the core together.

They come from the implementations of Table 5.3 and of section 5.3 of the thesis: what limits the
variables of a node, the stopping rules, and how thresholds are searched for.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting.axes import Axes, numbers_of, recipe_of
from silvics._tables.table import Variables

_MOST = 2**31  # larger numbers mean the same
_NODE_BINS = {"node_width": "width", "node_frequency": "frequency"}


def bins_of_nodes(estimator: Any) -> str | None:
    """Return the kind of bins that nodes make of their own values, or None."""
    return _NODE_BINS.get(getattr(estimator, "binning", "frequency"))


def set_options(
    rules: _core.GrowthRules, estimator: Any, axes: Axes, variables: Variables, n_features: int
) -> None:
    """Write the options into the growth rules of the core."""
    rules.min_impurity_split = float(axes.min_impurity_split)
    rules.max_majority = float(axes.max_majority)
    if axes.max_splits is not None:
        rules.max_splits = min(int(axes.max_splits), _MOST)
    if axes.min_score is not None:
        rules.min_score = float(axes.min_score)
    rules.relief_samples = min(int(axes.relief_samples), _MOST)
    rules.relief_neighbors = min(int(axes.relief_neighbors), _MOST)
    rules.custom_criterion = callable(axes.criterion)
    if axes.always_split is not None:
        rules.always = numbers_of("always_split", axes.always_split, n_features, variables.names)
    _set_interactions(rules, axes.interaction_cst, variables.names, n_features)
    rules.presort = estimator.search == "presort"
    _set_bins(rules, estimator)


def _set_bins(rules: _core.GrowthRules, estimator: Any) -> None:
    kind = bins_of_nodes(estimator)
    if kind is None:
        return
    if estimator.max_bins is None:
        raise ValueError(
            f"binning={estimator.binning!r} groups the values of each node, and max_bins is the "
            "number of groups: set max_bins, for example max_bins=32."
        )
    rules.node_bins = getattr(_core.NodeBins, kind)
    rules.n_node_bins = min(int(estimator.max_bins), _MOST)


def _set_interactions(
    rules: _core.GrowthRules, constraints: Any, names: Any, n_features: int
) -> None:
    if constraints is None:
        return
    if isinstance(constraints, str):
        if constraints == "pairwise":
            rules.pairwise = True
        else:
            rules.interactions = [[j] for j in range(n_features)]
        return
    groups = []
    for group in constraints:
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise ValueError(
                "interaction_cst must be a sequence of tuples, lists or sets of columns, but it "
                f"has {group!r}. Put single columns into a list, as in [[0, 1], [2]]."
            )
        groups.append(numbers_of("interaction_cst", group, n_features, names))
    rules.interactions = [group for group in groups if group] or [list(range(n_features))]


def _refused_variables(axes: Axes) -> list[tuple[bool, str]]:
    """Return conditions that contradict options on variables, each with its error text."""
    return [
        (
            axes.always_split is not None and axes.columns != "all",
            f"always_split needs the same variables in every tree, but columns={axes.columns!r} "
            'draws or combines them: use columns="all".',
        ),
        (
            axes.interaction_cst is not None and axes.rotates,
            f"interaction_cst constrains variables, but columns={axes.columns!r} splits on "
            'components: use columns="all".',
        ),
        (
            axes.split == "oblique"
            and (axes.interaction_cst is not None or axes.always_split is not None),
            "interaction_cst and always_split are defined for single variables, but an oblique "
            'split combines several: use split="binary".',
        ),
        (
            axes.choice == "relief" and axes.split == "oblique",
            'choice="relief" weighs single variables, but an oblique split combines several: use '
            'split="binary".',
        ),
        (
            axes.min_score is not None and axes.choice == "significant",
            'min_score bounds the value by which splits are chosen, but choice="significant" '
            "chooses them by a test: use significance.",
        ),
    ]


def _refused_searches(axes: Axes, estimator: Any) -> list[tuple[bool, str]]:
    """Return conditions that contradict the search for thresholds, each with its error text."""
    multiway = axes.split in ("multiway", "multiway_categories")
    binary_numbers = axes.split in ("binary", "multiway_categories")
    node_bins, presort = bins_of_nodes(estimator) is not None, estimator.search == "presort"
    both = axes.missing == "both"
    by_cells = axes.cut in ("cell_uniform", "cell_middle")
    max_bins = getattr(estimator, "max_bins", None)
    bins = f"max_bins={max_bins}"
    return [
        (
            max_bins is not None and axes.cut not in ("best", "uniform"),
            f"{bins} limits the thresholds that are tried, but cut={axes.cut!r} draws one: set "
            "max_bins=None.",
        ),
        (
            node_bins and axes.cut != "best",
            f"binning={estimator.binning!r} limits the thresholds that are tried, but "
            f'cut={axes.cut!r} draws one: use cut="best", or max_bins=None and '
            'binning="frequency".',
        ),
        (
            max_bins is not None and not node_bins and not binary_numbers,
            f"{bins} groups the values of single numbers, but split={axes.split!r} does not cut "
            "them in two: "
            + (
                "use max_values."
                if multiway
                else 'use binning="node_width" or binning="node_frequency", which group the '
                "values of combinations."
            ),
        ),
        (
            node_bins and axes.split == "multiway",
            f"binning={estimator.binning!r} limits thresholds between two children, but multiway "
            "splits separate all values: use max_values.",
        ),
        (
            presort and (axes.cut != "best" or not binary_numbers),
            'search="presort" sorts the samples by each variable to try all of its thresholds, but '
            f"cut={axes.cut!r} and split={axes.split!r} do not scan single variables: use "
            'search="auto".',
        ),
        (
            presort and both,
            'search="presort" keeps one place for each sample, but missing="both" copies samples: '
            'use missing="learned".',
        ),
        (
            estimator.split_sample is not None and (both or by_cells),
            f"split_sample={estimator.split_sample} searches splits on a sample of a node, but "
            + (
                'missing="both" gives samples a part of their weight in each child'
                if both
                else f"cut={axes.cut!r} does not look at samples"
            )
            + ": set split_sample=None.",
        ),
        (
            estimator.split_sample is not None and axes.significance is not None,
            f"split_sample={estimator.split_sample} cannot be combined with significance, whose "
            "test is of all samples of a node: set split_sample=None.",
        ),
    ]


def check_options(axes: Axes, estimator: Any) -> None:
    """Raise ValueError if options contradict the other choices."""
    for wrong, why in [*_refused_variables(axes), *_refused_searches(axes, estimator)]:
        if wrong:
            raise ValueError(f"recipe {recipe_of(estimator)!r}: {why}")
    for name in ("min_score", "min_impurity_split"):
        value = getattr(axes, name)
        if value is not None and not np.isfinite(value):
            raise ValueError(f"{name}={value} must be a finite number.")
    for name in ("relief_samples", "relief_neighbors"):
        value = getattr(axes, name)
        if not isinstance(value, Integral) or value < 1:
            raise ValueError(f"{name}={value} must be a positive integer.")
