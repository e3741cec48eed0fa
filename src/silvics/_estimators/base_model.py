"""Base class of trees and forests: reading training sets and keeping the fitted state."""

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
    """Base class of trees and forests."""

    _recipe: ClassVar[str]
    _classification: ClassVar[bool]

    missing: str
    n_outputs_: int
    _variables: Variables
    _frame_library: str | None

    @property
    def _trees(self) -> Trees:
        """The grown trees. Raises AttributeError before ``fit``."""
        raise NotImplementedError

    def _take_stored(self, grown: GrownForest) -> None:
        """Use the trees that were read from a model file."""
        raise NotImplementedError

    def _learning_inputs(self, X: Any, y: Any) -> tuple[Blocks, np.ndarray]:
        """Convert X to blocks, keep its variables, and check y for missing values."""
        self._variables, blocks, self._frame_library = inputs.learning_inputs(self, X, y)
        if self._variables.names is not None:
            self.feature_names_in_ = self._variables.names
        return blocks, targets.checked_outputs(y)

    def _keep_outputs(self, outputs: EncodedOutputs) -> None:
        """Set the public attributes that describe the outputs."""
        self.n_outputs_ = outputs.n_outputs
        if outputs.classes is not None:
            targets.set_classes(self, outputs.classes)

    @property
    def is_categorical_(self) -> np.ndarray:
        """Mask of the variables that are categories."""
        check_is_fitted(self)
        return self._variables.is_categorical

    @property
    def categories_(self) -> list[np.ndarray | None]:
        """Levels of each category, in the order of their codes; None for other variables."""
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
        """Compute a hash of the trees, by which two models can be compared.

        The same data, parameters and seed give the same digest for any ``n_jobs`` and any number
        of warm-start steps.

        Returns
        -------
        digest : str
            SHA-256 of the splits, counts and values of all trees, in hexadecimal digits.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> a, b = (RandomForestRegressor(random_state=0, n_jobs=n) for n in (1, 2))
        >>> a.fit([[0], [1]], [0, 1]).digest() == b.fit([[0], [1]], [0, 1]).digest()
        True
        """
        check_is_fitted(self)
        return self._trees.digest()
