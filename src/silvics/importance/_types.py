"""Types that the modules of importances share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from silvics import _core
from silvics._predicting.grown_forest import GrownForest
from silvics._tables.table import Variables

# Called with (done, total) from time to time.
Progress = Callable[[int, int], object] | None


class FittedForest(Protocol):
    """What importances read of a fitted forest."""

    _classification: ClassVar[bool]
    _grown: GrownForest
    _variables: Variables
    n_features_in_: int
    n_outputs_: int
    max_features_: int
    n_classes_: Any
    classes_: Any

    def _checked(self, X: Any) -> _core.Matrix: ...

    def _jobs(self, n_jobs: int | None) -> int | None: ...
