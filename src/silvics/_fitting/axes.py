"""The choices of one fit: a recipe's row, and what the user's parameters put in its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from silvics._names import did_you_mean
from silvics._tables.column_values import some
from silvics.recipes import RECIPES, ByRows, get

# Parameters that say more of a choice than its name, and what they are unless given.
DETAILS: dict[str, Any] = {
    "n_best": 20,
    "near_best": 0.25,
    "near_best_depth": 2,
    "n_combined": 3,
    "max_values": 10,
    "n_permutations": 0,
    "validation_fraction": 0.25,
    "confidence": 0.25,
    "feature_weights": None,
    "relevant": None,
}


@dataclass(frozen=True)
class Axes:
    """Every choice, made. The names are those of the parameters, and of ``Recipe``."""

    criterion: str
    rows: str
    max_samples: Any
    columns: str
    max_columns: Any
    variables: str
    max_features: Any
    cut: str
    choice: str
    split: str
    growth: str | None
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_split: Any
    min_samples_leaf: Any
    split_pure: bool
    significance: float | None
    honest: float  # share of a tree's rows that find its splits; 0: all do both
    range_sample: int | None
    pruning: str
    vote: str
    missing: str
    n_best: int
    near_best: float
    near_best_depth: int
    n_combined: int
    max_values: int
    n_permutations: int
    validation_fraction: float
    confidence: float
    feature_weights: Any
    relevant: Any

    @property
    def rotates(self) -> bool:
        """Whether trees grow on components instead of variables."""
        return self.columns.startswith("rotation")


_NAMES = [name for name in Axes.__dataclass_fields__ if name not in ("missing", *DETAILS)]


def recipe_of(estimator: Any) -> str:
    """The name of an estimator's row."""
    return str(getattr(estimator, "recipe", None) or estimator._recipe)


def classic_axes(estimator: Any) -> Axes:
    """Of an estimator whose row is fixed, and whose parameters are scikit-learn's."""
    row = RECIPES[estimator._recipe]
    classification = estimator._classification
    chosen = {name: row.for_task(name, classification) for name in _NAMES}
    given = {name for name in chosen if hasattr(estimator, name)}
    chosen |= {name: getattr(estimator, name) for name in given}
    if hasattr(estimator, "bootstrap"):
        chosen["rows"] = "bootstrap" if estimator.bootstrap else "all"
    if hasattr(estimator, "splitter"):
        chosen["cut"] = {"best": "best", "random": "uniform"}[estimator.splitter]
    chosen["honest"] = 0.0
    details = dict(DETAILS)
    if getattr(estimator, "feature_weights", None) is not None:
        chosen["variables"] = "weighted"
        details["feature_weights"] = estimator.feature_weights
    return Axes(**chosen, missing=estimator.missing, **details)


def axes_of(estimator: Any, n_samples: int) -> Axes:
    """Of an estimator that takes any row: None is the row's choice."""
    row = get(recipe_of(estimator))
    chosen: dict[str, Any] = {}
    for name in _NAMES:
        value = getattr(estimator, name)
        if value is None:
            value = row.for_task(name, estimator._classification)
        chosen[name] = value.of(n_samples) if isinstance(value, ByRows) else value
    if isinstance(get(recipe_of(estimator)).max_samples, ByRows) and estimator.max_samples is None:
        chosen["max_samples"] = min(chosen["max_samples"], n_samples)
    honest = chosen["honest"]
    chosen["honest"] = 0.5 if honest is True else float(honest)
    for name in ("max_samples", "max_columns"):
        if chosen[name] == "all":
            chosen[name] = None
    if chosen["max_features"] == "all":
        chosen["max_features"] = None
    details = {name: getattr(estimator, name) for name in DETAILS}
    for name, value in details.items():
        if value is None:
            details[name] = DETAILS[name]
    unsaid = estimator.variables is None and chosen["variables"] == "uniform"
    if unsaid and estimator.feature_weights is not None:
        chosen["variables"] = "weighted"
    axes = Axes(**chosen, missing=estimator.missing, **details)
    check(axes, estimator)
    return axes


_CELLS = {"cell_uniform", "cell_middle"}


def check(axes: Axes, estimator: Any) -> None:
    """Refuse choices that contradict each other, with the reason."""
    for wrong, why in [*_refused_splits(axes, estimator), *_refused_others(axes, estimator)]:
        if wrong:
            raise ValueError(f"recipe {recipe_of(estimator)!r}: {why}")


def _refused_splits(axes: Axes, estimator: Any) -> list[tuple[bool, str]]:
    """Contradictions of a kind of split, and whether they are there."""
    multiway = axes.split in ("multiway", "multiway_categories")
    return [
        (
            axes.choice == "one_of_best" and axes.cut != "best",
            f'choice="one_of_best" ranks all cuts of a variable, but cut={axes.cut!r} draws one: '
            'use cut="best".',
        ),
        (
            multiway and axes.missing == "both",
            'missing="both" sends a sample to both children, but a multiway split has more than '
            'two: use missing="learned", which gives missing values a child of their own.',
        ),
        (
            multiway and estimator.monotonic_cst is not None,
            "monotonic_cst speaks of the lower and the upper child, and a multiway split has none: "
            'use split="binary".',
        ),
        (
            axes.split == "oblique" and estimator.monotonic_cst is not None,
            "monotonic_cst speaks of one variable, and an oblique split combines several: use "
            'split="binary".',
        ),
        (
            (axes.missing in ("apart", "both") or axes.cut in _CELLS or axes.honest > 0)
            and estimator.monotonic_cst is not None,
            "monotonic_cst needs leaves whose values are those of the samples that found the "
            'splits: use missing="learned", honest=False and a cut in the range of the samples.',
        ),
        (
            axes.split == "oblique" and axes.cut in _CELLS,
            f"cut={axes.cut!r} cuts a cell along one variable, and an oblique split has several: "
            'use cut="best" or cut="uniform".',
        ),
        (
            axes.split == "oblique" and axes.cut in ("pair", "relevance"),
            f"cut={axes.cut!r} is defined on one variable, and an oblique split has several: use "
            'cut="best" or cut="uniform".',
        ),
        (
            axes.split == "oblique" and axes.rotates,
            'columns="rotation" already cuts along combinations: use split="binary".',
        ),
        (
            axes.rotates and (multiway or axes.missing in ("apart", "both")),
            'columns="rotation" has plain splits of components: use split="binary" and '
            'missing="learned".',
        ),
        (
            axes.rotates and axes.honest > 0,
            'columns="rotation" and honest leaves cannot be combined: the components would look '
            "at the rows that fill the leaves.",
        ),
        (
            axes.rotates and estimator.monotonic_cst is not None,
            'monotonic_cst speaks of variables, and columns="rotation" cuts along components: use '
            'columns="all".',
        ),
        (
            multiway and axes.cut in _CELLS,
            f"cut={axes.cut!r} cuts a cell in two, and a multiway split has a child for each "
            'value: use split="binary".',
        ),
    ]


def _refused_others(axes: Axes, estimator: Any) -> list[tuple[bool, str]]:
    """Contradictions of draws, criteria, pruning and growth, and whether they are there."""
    return [
        (
            axes.variables == "unused" and axes.split != "multiway",
            'variables="unused" uses a variable once on a branch, which only split="multiway" '
            "leaves nothing more to ask of.",
        ),
        (
            axes.variables != "weighted" and axes.feature_weights is not None,
            f"feature_weights are the odds of a weighted draw, and variables={axes.variables!r} is "
            'another: use variables="weighted", or leave feature_weights out.',
        ),
        (
            axes.variables == "weighted" and axes.rotates,
            'variables="weighted" weighs variables, and columns="rotation" replaces them by '
            'components: use columns="all".',
        ),
        (
            axes.criterion == "gain_ratio" and axes.choice != "best",
            'criterion="gain_ratio" is a way to choose among splits, and so is '
            f'choice={axes.choice!r}: use criterion="entropy" with it.',
        ),
        (
            axes.pruning == "pessimistic" and not estimator._classification,
            'pruning="pessimistic" counts errors of classes: for numbers use '
            'pruning="reduced_error" or ccp_alpha.',
        ),
        (
            axes.pruning != "none" and axes.missing == "both",
            f"pruning={axes.pruning!r} asks which leaf a sample is in, and with "
            'missing="both" it is in several: use missing="learned".',
        ),
        (
            axes.choice == "significant" and axes.significance is None,
            'choice="significant" compares p-values: give the level that a split must reach, '
            "significance=0.05 for example.",
        ),
        (
            axes.missing == "both" and axes.honest > 0,
            'missing="both" and honest leaves cannot be combined: use missing="learned".',
        ),
        (
            axes.cut in _CELLS
            and (axes.min_samples_leaf != 1 or estimator.min_weight_fraction_leaf),
            f"cut={axes.cut!r} cuts cells without looking at their samples: min_samples_leaf and "
            "min_weight_fraction_leaf cannot be kept. Limit max_depth or max_leaf_nodes.",
        ),
        (
            axes.range_sample is not None and axes.cut != "best",
            f"range_sample bounds the cuts that are searched, and cut={axes.cut!r} draws one: use "
            'cut="best".',
        ),
        (
            axes.growth == "random" and axes.max_leaf_nodes is None,
            'growth="random" says which leaf is split next, which matters only if leaves are '
            "limited: set max_leaf_nodes.",
        ),
    ]


def without_rotation(axes: Axes) -> Axes:
    """The choices of a tree that grows on components as if they were variables."""
    return replace(axes, columns="all", max_columns=None)


def per_variable(name: str, given: Any, n_features: int, names: Any) -> np.ndarray | None:
    """A parameter with one value for each variable, or names or numbers of some of them."""
    if given is None:
        return None
    values = by_name(name, given, n_features, names, 1.0)
    if name == "relevant" and values.dtype != bool:
        mask = np.zeros(n_features, dtype=bool)
        for which in values.ravel().tolist():
            mask[_number(which, n_features, names)] = True
        return mask
    if values.shape != (n_features,):
        raise ValueError(f"{name} has shape {values.shape}; X has {n_features} variables.")
    if name == "feature_weights" and not (
        np.issubdtype(values.dtype, np.number)
        and np.isfinite(values).all()
        and (values >= 0).all()
        and values.sum() > 0
    ):
        raise ValueError(f"{name} must be numbers, not negative, and not all zero.")
    return values


def by_name(name: str, given: Any, n_features: int, names: Any, otherwise: float) -> np.ndarray:
    """One value for each variable, where a dict may give those of some by their names."""
    if not isinstance(given, dict):
        return np.asarray(given)
    if names is None:
        raise ValueError(
            f"{name} gives values by name, and the columns of X have no names. Pass a data frame, "
            "or feature_names to fit, or one value for each column."
        )
    place = {str(known): j for j, known in enumerate(names)}
    values = [otherwise] * n_features
    for column, value in given.items():
        if column not in place:
            raise ValueError(
                f"{name} names {column!r}, and X has no such column. Its columns are "
                f"{some([repr(known) for known in place])}."
            )
        values[place[column]] = value
    return np.asarray(values)


def _number(which: Any, n_features: int, names: Any) -> int:
    if isinstance(which, str) and names is not None and which in names:
        return int(np.flatnonzero(np.asarray(names) == which)[0])
    if isinstance(which, Integral) and -n_features <= int(which) < n_features:
        return int(which)
    hint = did_you_mean(which, () if names is None else names)
    raise ValueError(f"relevant names {which!r}, and X has no such variable.{hint}")
