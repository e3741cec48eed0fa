"""Exact Shapley values of the predictions of a forest."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting.progress import PrintedProgress
from silvics._frames import library_of
from silvics._tables import inputs
from silvics._threads import n_threads
from silvics.explain.shap_result import ShapValues
from silvics.importance.forest.grouping import names_of
from silvics.importance.forest.result import names_of_classes


def shap_values(
    forest: Any, X: Any, background: Any, interactions: bool, n_jobs: int | None, progress: Any
) -> ShapValues:
    """Compute what ``forest.shap`` returns."""
    if not isinstance(interactions, bool | np.bool_):
        raise TypeError(f"interactions must be True or False, got {interactions!r}.")
    if interactions and background is not None:
        raise ValueError(
            "Interactions are computed without a background only. Use background=None, or "
            "interactions=False."
        )
    blocks = inputs.prediction_blocks(forest, X)
    rows = inputs.to_predict(blocks)
    trees = forest._grown.trees
    require_linear(forest, "shap")
    threads, report = n_threads(forest._jobs(n_jobs)), reports(forest, progress, "trees")
    predictor = trees.predictor_by(threads)
    pairs = None
    if background is None:
        values, base, pairs = _core.path_shap(
            predictor, trees.native, rows, bool(interactions), threads, report
        )
    else:
        others = forest._checked(background)
        values = _core.background_shap(predictor, rows, others, threads, report)
        base = predictor.predict(others, threads).mean(axis=0)
    if values.shape[-1] == 1:
        values = values[..., 0]
        pairs = None if pairs is None else pairs[..., 0]
    return ShapValues(
        values=values,
        base_values=base,
        names=names_of(forest),
        outputs=output_names(forest),
        interactions=pairs if interactions else None,
        X=X,
        _blocks=blocks,
        _library=library_of(X) or getattr(forest, "_frame_library", None),
    )


def require_linear(forest: Any, what: str) -> None:
    """Raise ValueError, in the name of a method, unless predictions are means over leaves."""
    trees = forest._grown.trees
    if trees.by_majority and trees.packed.both_children:
        raise ValueError(
            f'{what} needs predictions that are means over leaves, but with vote="majority" and '
            'missing="both" a tree votes on several leaves together. Use vote="soft".'
        )


def output_names(forest: Any) -> np.ndarray:
    """Return the names of the columns of predictions: classes, or outputs."""
    if forest._classification:
        return names_of_classes(forest)
    if forest.n_outputs_ == 1:
        return np.array(["prediction"], dtype=object)
    return np.array([f"output {k}" for k in range(forest.n_outputs_)], dtype=object)


def reports(forest: Any, progress: Any, unit: str) -> Any:
    """Return what is called with the progress; it prints if the forest is verbose."""
    if progress is not None:
        if not callable(progress):
            raise TypeError(f"progress must be a callable or None, got {progress!r}.")
        return progress
    return PrintedProgress(forest.verbose, unit) if forest.verbose else None
