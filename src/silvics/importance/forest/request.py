"""The arguments of ``forest.importances``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from silvics.importance._checks import threads
from silvics.importance._types import FittedForest, Progress
from silvics.importance.forest.grouping import grouped, names_of


@dataclass(frozen=True)
class ImportanceRequest:
    """The arguments of ``forest.importances``, under the names of its parameters."""

    forest: FittedForest
    kind: str
    X: Any
    y: Any
    feature_groups: Any
    rows: str
    by: str | None
    normalize: bool
    max_degree: int
    min_samples: int
    min_correlation: float
    null: str | None
    errors: str
    n_repeats: int | None
    loss: Any
    sample_weight: Any
    random_state: Any
    n_jobs: int | None
    progress: Progress

    @cached_property
    def _grouping(self) -> tuple[np.ndarray, np.ndarray]:
        return grouped(names_of(self.forest), self.feature_groups)

    @property
    def names(self) -> np.ndarray:
        """The names of the variables or groups."""
        return self._grouping[0]

    @property
    def group_of(self) -> np.ndarray:
        """The number of the group of each variable."""
        return self._grouping[1]

    @cached_property
    def n_threads(self) -> int:
        return threads(self.forest._jobs(self.n_jobs))

    def report(self, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(done, total)
