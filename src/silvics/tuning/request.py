"""What ``tune`` asks for: the parameters that are searched, and their values."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError

from silvics._fitting.axes import Axes
from silvics._fitting.learning_task import LearningTask
from silvics._fitting.parameters import n_variables_at_node
from silvics._fitting.tunable import LIMITS, RACED
from silvics._names import did_you_mean
from silvics._state import with_state
from silvics.recipes import AUTO_ALL, AUTO_DRAWN

_MOST_SETTINGS = 4096


@dataclass(frozen=True)
class Request:
    """The parameters to search.

    Attributes
    ----------
    grid : dict or None
        The user's lists of values; None searches the parameters that are at their defaults.
    free : frozenset of str
        The parameters that are at their defaults.
    auto : bool
        Whether to race kinds of cuts and of resampling as well.
    """

    grid: dict[str, list[Any]] | None
    free: frozenset[str]
    auto: bool


def request_of(forest: Any) -> Request:
    """Check the parameters ``tune`` and ``scoring``.

    Parameters
    ----------
    forest : estimator
        A forest whose ``tune`` is not None, or of recipe "auto".
    """
    for name in ("engine", "resume"):
        if getattr(forest, name) is not None:
            raise ValueError(
                f"{name}={getattr(forest, name)!r} cannot be combined with tuning. Tune a forest "
                "in this process first, on some of the rows if there are many, and pass its "
                "best_params_ to this one."
            )
    signature = inspect.signature(type(forest)).parameters
    free = frozenset(
        name
        for name, parameter in signature.items()
        if name in {*LIMITS, *RACED} and _same(getattr(forest, name), parameter.default)
    )
    auto = getattr(forest, "recipe", None) == "auto"
    if forest.tune is None or isinstance(forest.tune, str):
        return Request(None, free, auto)
    grid = {name: _values(name, values) for name, values in forest.tune.items()}
    known = [name for name in (*LIMITS, *RACED) if name in signature] + ["shrinkage"]
    for name in grid:
        if name not in known:
            raise ValueError(
                f"tune has {name!r}, which cannot be tuned.{did_you_mean(name, known)} It can have "
                f"{', '.join(known)}."
            )
    if not grid:
        raise ValueError('tune is an empty dict. Give lists of values, or use tune="oob".')
    for name, values in grid.items():
        for value in values:
            if name != "shrinkage":
                _check_value(forest, name, value)
    if auto:
        raise ValueError(
            'recipe "auto" makes its own choices: remove tune, or name another recipe.'
        )
    if np.prod([float(len(of)) for of in grid.values()]) > _MOST_SETTINGS:
        raise ValueError(f"tune has more than {_MOST_SETTINGS} combinations of values.")
    return Request(grid, free, auto)


def _check_value(forest: Any, name: str, value: Any) -> None:
    """Raise the error of the constructor's parameter if it does not take this value."""
    with_value: Any = with_state(forest, {**vars(forest), name: value})
    try:
        with_value._validate_params()
    except InvalidParameterError as error:
        raise InvalidParameterError(
            f"tune[{name!r}] has a value that is not valid: {error}"
        ) from None


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def _values(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not np.iterable(values):
        raise ValueError(f"tune[{name!r}] must be a list of values, got {values!r}.")
    found = [value.item() if isinstance(value, np.generic) else value for value in values]
    if not found:
        raise ValueError(f"tune[{name!r}] has no values.")
    if name == "shrinkage" and not all(
        isinstance(value, int | float) and 0 <= value < float("inf") for value in found
    ):
        raise ValueError(f"tune['shrinkage'] must have numbers of at least 0, got {values!r}.")
    return found


def check_recipe(axes: Axes, forest: Any) -> None:
    """Raise ValueError if trees of these choices cannot be tuned."""
    refused = [
        (axes.honest > 0, "honest trees set the values of their leaves by other rows than splits"),
        (axes.pruning != "none" or forest.ccp_alpha > 0, "trees are pruned after they are grown"),
        (axes.cut.startswith("cell"), "cells without samples are split as well"),
        (axes.missing == "both", 'missing="both" sends samples to both children'),
        (axes.rotates, "each tree has its own components in place of the variables"),
        (
            axes.growth not in (None, "depth_first", "best_first")
            and axes.max_leaf_nodes is not None,
            f"growth={axes.growth!r} with max_leaf_nodes depends on the order of nodes",
        ),
        (axes.max_splits is not None, "which nodes max_splits leaves depends on their order"),
    ]
    for wrong, why in refused:
        if wrong:
            raise ValueError(
                f"tune={forest.tune!r} compares trees with their smaller versions, which is not "
                f"possible here: {why}. Set tune=None, and use GridSearchCV of scikit-learn."
            )


# ---- races


def phases(request: Request) -> Iterator[tuple[str, list[str]]]:
    """Return the stages of the race in order, each with the parameters that it changes."""
    if request.grid is not None:
        names = [name for name in request.grid if name in RACED]
        if names:
            yield "race", names
        return
    if request.auto:
        yield "race: trees", ["recipe", "rows"]
    for name in ("max_features", "max_samples", "min_samples_leaf"):
        if name in request.free:
            yield f"race: {name}", [name]


def grid_of(grid: dict[str, list[Any]], names: list[str]) -> list[dict[str, Any]]:
    """Return all combinations of the values of these parameters."""
    return [
        dict(zip(names, values, strict=True)) for values in product(*(grid[name] for name in names))
    ]


def candidates(
    names: list[str], leader: LearningTask, *, can_use_all_rows: bool
) -> list[dict[str, Any]]:
    """Return the changes that race against the leader."""
    axes, (n_samples, n_features) = leader.axes, leader.X.shape
    if "recipe" in names:
        return [*AUTO_DRAWN, *(AUTO_ALL if can_use_all_rows else [])]
    if names == ["max_features"]:
        n_columns = n_features
        now = n_variables_at_node(axes, n_columns)
        if now == n_columns:
            wanted = [n_columns // 2, n_columns // 3, round(n_columns**0.5)]
        else:
            wanted = [now // 2, 2 * now, 3 * now, n_columns]
        return [{"max_features": k} for k in sorted({*wanted} - {now}) if 1 <= k <= n_columns]
    if names == ["max_samples"]:
        whole = leader.sampling.n_groups or n_samples
        if axes.rows not in ("bootstrap", "subsample") or whole < 40:
            return []
        if axes.class_samples is not None:  # it takes the place of max_samples
            return []
        fractions = [0.3, 0.6] if axes.rows == "bootstrap" else [0.4, 0.8]
        return [{"max_samples": of} for of in fractions if of != axes.max_samples]
    least = axes.min_samples_leaf
    if least != 1:
        return []
    return [{"min_samples_leaf": n} for n in (2, 4, 8) if 8 * n <= n_samples]


# ---- limits


def limit_settings(
    request: Request, leader: LearningTask, root_impurity: float
) -> list[dict[str, Any]]:
    """Return the limits of growth to compare; the first one is that of the leader, if possible."""
    if request.grid is not None:
        names = [name for name in request.grid if name in LIMITS or name == "shrinkage"]
        return grid_of(request.grid, names) if names else [{}]
    n = leader.sampling.n_rows_drawn
    found: list[dict[str, Any]] = [{}]
    if "max_depth" in request.free and leader.axes.max_depth is None:
        found += [{"max_depth": d} for d in (3, 5, 8, 12, 16)]
    if "min_samples_split" in request.free and leader.axes.min_samples_split <= 2:
        sizes = [4, 8, 16, 32, 64]
        found += [{"min_samples_split": k} for k in sizes if 4 * k <= n]
    if "min_impurity_decrease" in request.free:
        shares = [root_impurity * c / n for c in (0.5, 1, 2, 4, 8, 16)]
        found += [{"min_impurity_decrease": float(f"{of:.2g}")} for of in shares if of > 0]
    growth = leader.axes.growth in (None, "best_first")
    if "max_leaf_nodes" in request.free and leader.axes.max_leaf_nodes is None and growth:
        sizes = [8, 16, 32, 64, 128, 256, 512, 1024]
        found += [{"max_leaf_nodes": k} for k in sizes if 4 * k <= n]
    found += [{"shrinkage": of} for of in (1.0, 5.0, 20.0)]
    return found
