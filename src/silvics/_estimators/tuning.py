"""The parameters ``tune`` and ``scoring``, and the recipe "auto"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from silvics._fitting.axes import Axes
from silvics._fitting.learning_task import LearningTask
from silvics._fitting.tunable import shrinkage_of
from silvics._predicting.grown_forest import GrownForest
from silvics._state import with_state
from silvics._tables.table import Blocks
from silvics.tuning.request import request_of
from silvics.tuning.result import TuningResults
from silvics.tuning.tuned import Tuner


class HasTuning:
    """Mixin of forests that choose parameters by their out-of-bag rows."""

    _classification: ClassVar[bool]

    best_params_: dict[str, Any]
    best_score_: float
    tuning_results_: TuningResults

    @property
    def _is_tuned(self) -> bool:
        asked = getattr(self, "tune", None) is not None  # a parameter of some forests
        return asked or getattr(self, "recipe", None) == "auto"

    @property
    def _in_use(self) -> Any:
        """The forest with the parameters that were chosen, if there are any."""
        return with_state(self, {**vars(self), **vars(self).get("best_params_", {})})

    def _forget_tuning(self) -> None:
        for name in ("best_params_", "best_score_", "tuning_results_"):
            vars(self).pop(name, None)

    def _tuned_task(
        self,
        before: GrownForest | None,
        n_trees: int,
        blocks: Blocks,
        y: np.ndarray,
        weights: np.ndarray | None,
        seed: int,
        groups: np.ndarray | None,
    ) -> LearningTask:
        """Return the task of the chosen parameters, with the trees that are grown already.

        With trees of an earlier fit, its choice holds.
        """
        stages = self._choices(blocks.shape[0]).stages  # type: ignore[attr-defined]

        def make_task(params: dict[str, Any]) -> LearningTask:
            settings: Any = with_state(self, {**vars(self), **params})
            settings._check_sampling()
            axes: Axes = settings._choices(blocks.shape[0])
            if axes.stages != stages:
                raise ValueError(
                    "tune compares trees of the outputs, but its recipes have different numbers of "
                    "stages. Set stages=1, or stages=2."
                )
            task: LearningTask = settings._learning_task(axes, blocks, y, weights, seed, groups)
            return task

        if before is not None:
            if "best_params_" not in vars(self):
                raise ValueError(
                    "warm_start=True adds trees to the existing ones, which were grown without "
                    "tuning. Set warm_start=False, or tune=None."
                )
            chosen = self.best_params_
            return replace(make_task(chosen), shrinkage=shrinkage_of(chosen))
        request = request_of(self)
        self._forget_tuning()
        tuned = Tuner(self, request, make_task, n_trees).run()
        self.best_params_ = tuned.params
        if tuned.results is not None:
            self.tuning_results_ = tuned.results
            self.best_score_ = tuned.results.best_score
        return replace(tuned.task, begun=tuned.growth)
