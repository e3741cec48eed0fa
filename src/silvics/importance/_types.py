"""Types that the modules of importances share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

import numpy as np

from silvics import _core
from silvics._predicting.prediction import Trees
from silvics._tables.table import Variables

# Called with (done, total) from time to time.
Progress = Callable[[int, int], object] | None


class FittedForest(Protocol):
    """What importances read of a fitted forest."""

    _classification: ClassVar[bool]
    _trees: Trees
    _seed: int | None
    _variables: Variables
    _n_samples: int
    _rows: str
    _structure: float
    _sample_weight: np.ndarray | None
    n_features_in_: int
    n_outputs_: int
    max_features_: int
    n_classes_: Any
    classes_: Any

    def _checked(self, X: Any) -> _core.Matrix: ...

    def _jobs(self, n_jobs: int | None) -> int | None: ...

    def _sampling(self) -> _core.Sampling: ...

    def _tree_seeds(self, first: int, count: int) -> list[int]: ...

    def _require_one_leaf_each(self, what: str) -> None: ...
