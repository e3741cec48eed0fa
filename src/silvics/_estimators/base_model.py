"""What trees and forests have in common: reading a learning set, keeping what was learned."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._estimators.exports import Exports
from silvics._estimators.saving import Saved
from silvics._fitting import targets
from silvics._fitting.targets import EncodedOutputs
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.prediction import Trees
from silvics._sklearn import BaseEstimator, MultiOutputMixin
from silvics._state import reads_one_state
from silvics._tables import inputs
from silvics._tables.table import Blocks


class BaseModel(Saved, Exports, inputs.TakesAnyTable, MultiOutputMixin, BaseEstimator):
    """What trees and forests have in common."""

    _recipe: ClassVar[str]
    _classification: ClassVar[bool]

    n_outputs_: int

    @property
    def _trees(self) -> Trees:
        """The grown trees; AttributeError before ``fit``."""
        raise NotImplementedError

    def _take_stored(self, grown: GrownForest) -> None:
        """Have the trees of a file."""
        raise NotImplementedError

    def _learning_inputs(self, X: Any, y: Any) -> tuple[Blocks, np.ndarray]:
        """X as blocks, whose variables are kept, and y as an array in which nothing is missing."""
        self._variables, blocks, self._frame_library = inputs.learning_inputs(self, X, y)
        if self._variables.names is not None:
            self.feature_names_in_ = self._variables.names
        return blocks, targets.checked_outputs(y)

    def _keep_outputs(self, outputs: EncodedOutputs) -> None:
        """Set what is public about the outputs."""
        self.n_outputs_ = outputs.n_outputs
        if outputs.classes is not None:
            targets.set_classes(self, outputs.classes)

    @reads_one_state
    def digest(self) -> str:
        """SHA-256 of the trees alone: equal models, equal digests.

        The same data, parameters and seed give the same digest for any ``n_jobs`` and any
        number of warm-start steps.

        Returns
        -------
        digest : str
        """
        check_is_fitted(self)
        return self._trees.digest()
