"""What trees and forests have in common: reading a learning set, keeping what was learned."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._estimators.exports import Exports
from silvics._estimators.saving import Saved
from silvics._fitting import targets
from silvics._fitting.targets import EncodedOutputs
from silvics._names import SuggestsNames
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.prediction import Trees
from silvics._sklearn import BaseEstimator, MultiOutputMixin
from silvics._state import reads_one_state
from silvics._tables import inputs
from silvics._tables.table import Blocks, Variables


class BaseModel(Saved, Exports, SuggestsNames, MultiOutputMixin, BaseEstimator):
    """What trees and forests have in common."""

    _recipe: ClassVar[str]
    _classification: ClassVar[bool]

    missing: str
    n_outputs_: int
    _variables: Variables
    _frame_library: str | None

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

    @property
    def is_categorical_(self) -> np.ndarray:
        """Which variables are categories."""
        check_is_fitted(self)
        return self._variables.is_categorical

    @property
    def categories_(self) -> list[np.ndarray | None]:
        """The levels of each category, in the order of their numbers; None for other variables."""
        check_is_fitted(self)
        return list(self._variables.levels)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

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
