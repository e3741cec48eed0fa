"""``model.save``, and pickling, which goes the same way."""

from __future__ import annotations

import os
import pickle
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics import _core
from silvics._predicting.prediction import Trees
from silvics._state import reads_one_state
from silvics._warnings import warn_user
from silvics.model_file import container, state, writing
from silvics.model_file.reading import restored


class Saved:
    """What every estimator has for its way into a file and back."""

    _is_single_tree: ClassVar[bool] = False

    def _needed_in_files(self, grown_here: bool) -> set[str]:
        """Fitted attributes that a file must have."""
        del grown_here
        return {"max_features_"}

    def _problem_of_stored_trees(
        self, packed: _core.PackedForest, values: np.ndarray
    ) -> str | None:
        """Why trees of a file, with these values, cannot be those of this estimator."""
        del packed, values
        return None

    @reads_one_state
    def save(
        self,
        path: str | os.PathLike[str],
        *,
        for_prediction: bool = False,
        training_rows: bool = False,
        compress: bool = False,
    ) -> None:
        """Write the fitted model to a file that :func:`silvics.load` reads.

        The file is data and nothing else: numbers in a safetensors container, whose header tells
        names, kinds and levels of the variables, classes, parameters, library version and digest.
        It is written beside what was there and put in its place when all of it is on disk.

        Parameters
        ----------
        path : str or path
            Where to; what is there is replaced.
        for_prediction : bool
            Leave out all but what predicts. Such a model cannot be analysed (importances,
            ``tree_``) nor grown further.
        training_rows : bool
            Keep what is known of each training row: its weight, its out-of-bag prediction.
        compress : bool
            A smaller file, which takes longer to write and to load, and cannot be mapped.

        Returns
        -------
        None

        See Also
        --------
        silvics.load : Read the model again.
        """
        self._require_own_class()
        check_is_fitted(self)
        said, arrays = writing.described(
            self,
            for_prediction=for_prediction,
            training_rows=training_rows,
            compress=compress,
        )
        container.write(path, said, arrays)

    def _require_own_class(self) -> None:
        kind = type(self)
        if kind.__name__ not in state.ESTIMATORS or not kind.__module__.startswith("silvics."):
            raise TypeError(
                f"A file holds estimators of silvics, and {kind.__name__} is one of yours: pickle "
                "it, or save the silvics estimator that it is made from."
            )

    @reads_one_state
    def __getstate__(self) -> dict[str, Any]:
        """Parameters as they are, and what was fitted as the bytes of a model file."""
        own: Any = super().__getstate__()
        if not hasattr(self, "_trees"):
            return own  # joblib sends such ones to processes, by means that keep any function
        trees: Trees = self._trees
        said, arrays = writing.described(
            self,
            for_prediction=not trees.known,
            training_rows=trees.known,
            digest=not trees.known,
            parameters=False,
        )
        kept = {name: value for name, value in own.items() if name not in state.RESTORED}
        return {**_kept(kept), "_model_file": container.to_bytes(said, arrays)}

    def __setstate__(self, pickled: dict[str, Any]) -> None:
        own = dict(pickled)
        content = own.pop("_model_file", None)
        for name, value in pickled.items():
            if isinstance(value, NotPickled):
                known = signature(type(self)).parameters
                own[name] = value.value if hasattr(value, "value") else known[name].default
        super().__setstate__(own)  # type: ignore[misc]
        if content is not None:
            restored(*container.from_bytes(_bytes_of(content)), lambda _name, _parameters: self)


class NotPickled:
    """A function that pickle cannot keep: copies have it, what is unpickled has the default."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def __deepcopy__(self, memo: dict[int, Any]) -> NotPickled:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        warn_user(
            f"pickle cannot keep {self.name}={self.value!r:.60}. The loaded model has the default; "
            "a function that can be imported would be kept."
        )
        return NotPickled.__new__, (NotPickled,)


def _kept(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters, with functions that pickle refuses in a form that it takes."""
    return {
        name: NotPickled(name, value) if _is_refused(value) else value
        for name, value in parameters.items()
    }


def _is_refused(value: Any) -> bool:
    if not callable(value) or isinstance(value, type):
        return False
    try:
        pickle.dumps(value)
    except Exception:  # PicklingError, AttributeError or TypeError, as the value has it
        return True
    return False


def _bytes_of(content: Any) -> np.ndarray:
    """Out of a pickle, where anything may be."""
    if not isinstance(content, np.ndarray) or content.dtype != np.uint8 or content.ndim != 1:
        container.refuse("it is not made of bytes")
    return np.ascontiguousarray(content)
