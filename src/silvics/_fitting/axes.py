"""The choices of one fit: the recipe, overridden by the user's parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from silvics._names import did_you_mean
from silvics._tables.column_values import some
from silvics.recipes import RECIPES, ByRows, get

# Parameters of single choices, and their defaults.
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
    "relief_samples": 100,
    "relief_neighbors": 5,
    "min_score": None,
    "min_impurity_split": 0.0,
    "max_majority": 1.0,
    "max_splits": None,
    "class_samples": None,
    "always_split": None,
    "interaction_cst": None,
}


@dataclass(frozen=True)
class Axes:
    """The value of every choice. The names are those of the parameters and of ``Recipe``."""

    criterion: Any  # a name, or a function
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
    honest: float  # fraction of the structure samples; 0: trees are not honest
    range_sample: int | None
    pruning: str
    vote: str
    stages: int
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
    relief_samples: int
    relief_neighbors: int
    min_score: float | None
    min_impurity_split: float
    max_majority: float
    max_splits: int | None
    class_samples: Any
    always_split: Any
    interaction_cst: Any

    @property
    def rotates(self) -> bool:
        """Whether trees are grown on principal components instead of variables."""
        return self.columns.startswith("rotation")


_NAMES = [name for name in Axes.__dataclass_fields__ if name not in ("missing", *DETAILS)]


def recipe_of(estimator: Any) -> str:
    """Return the name of the estimator's recipe."""
    name = str(getattr(estimator, "recipe", None) or estimator._recipe)
    if name == "auto":  # once fitted, the recipe that was chosen
        return str(getattr(estimator, "best_params_", {}).get("recipe", name))
    return name


def classic_axes(estimator: Any) -> Axes:
    """Return the choices of an estimator with a fixed recipe and scikit-learn's parameters."""
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
    details["interaction_cst"] = getattr(estimator, "interaction_cst", None)
    if getattr(estimator, "feature_weights", None) is not None:
        chosen["variables"] = "weighted"
        details["feature_weights"] = estimator.feature_weights
    return Axes(**chosen, missing=estimator.missing, **details)


def axes_of(estimator: Any, n_samples: int) -> Axes:
    """Return the choices of an estimator of any recipe, which sets parameters that are None."""
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
    details = {name: getattr(estimator, name, otherwise) for name, otherwise in DETAILS.items()}
    for name, value in details.items():
        if value is None:
            details[name] = DETAILS[name]
    is_default = estimator.variables is None and chosen["variables"] == "uniform"
    if is_default and estimator.feature_weights is not None:
        chosen["variables"] = "weighted"
    axes = Axes(**chosen, missing=estimator.missing, **details)
    check(axes, estimator)
    return axes


_CELLS = {"cell_uniform", "cell_middle"}


def check(axes: Axes, estimator: Any) -> None:
    """Raise ValueError if choices contradict each other."""
    for wrong, why in [*_refused_splits(axes, estimator), *_refused_others(axes, estimator)]:
        if wrong:
            raise ValueError(f"recipe {recipe_of(estimator)!r}: {why}")


def _refused_splits(axes: Axes, estimator: Any) -> list[tuple[bool, str]]:
    """Return conditions that contradict the kind of split, each with its error text."""
    multiway = axes.split in ("multiway", "multiway_categories")
    return [
        (
            axes.choice == "one_of_best" and axes.cut != "best",
            f'choice="one_of_best" needs all cuts of a variable, but cut={axes.cut!r} draws only '
            'one: use cut="best".',
        ),
        (
            multiway and axes.missing == "both",
            'missing="both" sends samples to both children, but a multiway split can have more '
            'than two: use missing="learned", which sends missing values to a separate child.',
        ),
        (
            multiway and estimator.monotonic_cst is not None,
            "monotonic_cst needs splits with a lower and an upper child, which multiway splits do "
            'not have: use split="binary".',
        ),
        (
            axes.split == "oblique" and estimator.monotonic_cst is not None,
            "monotonic_cst needs splits on single variables, but an oblique split combines "
            'several: use split="binary".',
        ),
        (
            (axes.missing in ("apart", "both") or axes.cut in _CELLS or axes.honest > 0)
            and estimator.monotonic_cst is not None,
            "monotonic_cst needs leaves whose values are computed from the samples that chose the "
            'splits: use missing="learned", honest=False and a cut other than "cell_uniform" and '
            '"cell_middle".',
        ),
        (
            axes.split == "oblique" and axes.cut in _CELLS,
            f"cut={axes.cut!r} cuts a cell along one variable, but an oblique split combines "
            'several: use cut="best" or cut="uniform".',
        ),
        (
            axes.split == "oblique" and axes.cut in ("pair", "relevance"),
            f"cut={axes.cut!r} is defined for single variables, but an oblique split combines "
            'several: use cut="best" or cut="uniform".',
        ),
        (
            axes.split == "oblique" and axes.rotates,
            f"columns={axes.columns!r} already splits on combinations of variables: use "
            'split="binary".',
        ),
        (
            axes.rotates and (multiway or axes.missing in ("apart", "both")),
            f"columns={axes.columns!r} supports only binary splits and missing values that are "
            'learned: use split="binary" and missing="learned".',
        ),
        (
            axes.rotates and axes.honest > 0,
            f"columns={axes.columns!r} and honest trees cannot be combined, because the components "
            "would depend on the rows that set the values of the leaves: use honest=False.",
        ),
        (
            axes.rotates and estimator.monotonic_cst is not None,
            f"monotonic_cst needs splits on variables, but columns={axes.columns!r} splits on "
            'components: use columns="all".',
        ),
        (
            multiway and axes.cut in _CELLS,
            f"cut={axes.cut!r} cuts a cell in two, but a multiway split has a child for each "
            'value: use split="binary".',
        ),
    ]


def _refused_others(axes: Axes, estimator: Any) -> list[tuple[bool, str]]:
    """Return other contradictory conditions, each with its error text."""
    return [
        (
            axes.variables == "unused" and axes.split != "multiway",
            'variables="unused" splits on a variable once per branch and needs splits that '
            'separate all of its values: use split="multiway".',
        ),
        (
            axes.variables != "weighted" and axes.feature_weights is not None,
            f"feature_weights needs a weighted draw, but variables={axes.variables!r}: use "
            'variables="weighted", or remove feature_weights.',
        ),
        (
            axes.variables == "weighted" and axes.rotates,
            f'variables="weighted" has weights of variables, which columns={axes.columns!r} '
            'replaces by components: use columns="all".',
        ),
        (
            axes.criterion == "gain_ratio" and axes.choice != "best",
            'criterion="gain_ratio" chooses among splits and cannot be combined with '
            f'choice={axes.choice!r}: use criterion="entropy".',
        ),
        (
            axes.pruning == "pessimistic" and not estimator._classification,
            'pruning="pessimistic" counts classification errors and is not available for '
            'regression: use pruning="reduced_error" or ccp_alpha.',
        ),
        (
            axes.pruning != "none" and axes.missing == "both",
            f"pruning={axes.pruning!r} needs one leaf for each sample, but with "
            'missing="both" a sample can be in several leaves: use missing="learned".',
        ),
        (
            axes.choice == "significant" and axes.significance is None,
            'choice="significant" needs the level of the test: set significance, for example '
            "significance=0.05.",
        ),
        (
            axes.missing == "both" and axes.honest > 0,
            'missing="both" and honest trees cannot be combined: use missing="learned".',
        ),
        (
            axes.cut in _CELLS
            and (axes.min_samples_leaf != 1 or estimator.min_weight_fraction_leaf),
            f"cut={axes.cut!r} does not depend on the samples and cannot satisfy min_samples_leaf "
            "or min_weight_fraction_leaf: use max_depth or max_leaf_nodes instead.",
        ),
        (
            axes.range_sample is not None and axes.cut != "best",
            f"range_sample bounds the search for the best cut, but cut={axes.cut!r} draws one: use "
            'cut="best".',
        ),
        (
            axes.growth == "random" and axes.max_leaf_nodes is None and axes.max_splits is None,
            'growth="random" only has an effect if the number of leaves is limited: set '
            "max_leaf_nodes or max_splits.",
        ),
    ]


def without_rotation(axes: Axes) -> Axes:
    """Return the choices of a tree that is grown on components as if they were variables."""
    return replace(axes, columns="all", max_columns=None)


def per_variable(name: str, given: Any, n_features: int, names: Any) -> np.ndarray | None:
    """Check ``feature_weights`` or ``relevant``; return one value per variable, or None."""
    if given is None:
        return None
    values = by_name(name, given, n_features, names, 1.0)
    if name == "relevant" and values.dtype != bool:
        mask = np.zeros(n_features, dtype=bool)
        for which in values.ravel().tolist():
            mask[_number(name, which, n_features, names)] = True
        return mask
    if values.shape != (n_features,):
        raise ValueError(
            f"{name} has shape {values.shape}, but it must have one value for each of the "
            f"{n_features} columns of X."
        )
    if name == "feature_weights" and not (
        np.issubdtype(values.dtype, np.number)
        and np.isfinite(values).all()
        and (values >= 0).all()
        and values.sum() > 0
    ):
        raise ValueError(
            f"{name} must be finite, non-negative numbers, of which at least one is positive."
        )
    return values


def by_name(name: str, given: Any, n_features: int, names: Any, otherwise: float) -> np.ndarray:
    """Return one value per variable; a dict may give the values of some variables by name."""
    if not isinstance(given, dict):
        return np.asarray(given)
    if names is None:
        raise ValueError(
            f"{name} is a dict of names, but the columns of X have no names. Pass a data frame, "
            f"pass feature_names to fit, or pass {name} as one value for each column."
        )
    place = {str(known): j for j, known in enumerate(names)}
    values = [otherwise] * n_features
    for column, value in given.items():
        if column not in place:
            raise ValueError(
                f"{name} has the name {column!r}, but X has no such column. The columns of X are "
                f"{some([repr(known) for known in place])}."
            )
        values[place[column]] = value
    return np.asarray(values)


def numbers_of(name: str, given: Any, n_features: int, names: Any) -> list[int]:
    """Return the numbers of some columns, ascending; they are given by index, name or mask."""
    mask = np.asarray(list(given) if isinstance(given, set | frozenset) else given)
    if mask.dtype == bool:
        if mask.shape != (n_features,):
            raise ValueError(
                f"{name} is a mask of {mask.shape[0]} columns, but X has {n_features} columns."
            )
        return [int(j) for j in np.flatnonzero(mask)]
    which = list(given) if isinstance(given, set | frozenset | list | tuple) else mask.tolist()
    return sorted({_number(name, one, n_features, names) for one in which})


def _number(name: str, which: Any, n_features: int, names: Any) -> int:
    if isinstance(which, str) and names is not None and which in names:
        return int(np.flatnonzero(np.asarray(names) == which)[0])
    if isinstance(which, Integral) and -n_features <= int(which) < n_features:
        return int(which)
    hint = did_you_mean(which, () if names is None else names)
    raise ValueError(f"{name} has {which!r}, but X has no such column.{hint}")
