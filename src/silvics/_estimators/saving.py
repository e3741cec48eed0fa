"""The method ``save``, and pickling, which uses the same format."""

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
    """Mixin with ``save`` and pickling."""

    _is_single_tree: ClassVar[bool] = False

    def _needed_in_files(self, grown_here: bool) -> set[str]:
        """Return the fitted attributes that a file must have."""
        del grown_here
        return {"max_features_"}

    def _problem_of_stored_trees(
        self, packed: _core.PackedForest, values: np.ndarray
    ) -> str | None:
        """Return why the trees of a file cannot belong to this estimator, or None if they can."""
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

        The file is a safetensors container: arrays of numbers and a header with the names, kinds
        and levels of the variables, the classes, the parameters, the version of the library and the
        digest of the trees. It contains no code. An existing file is replaced only when the new
        one is complete.

        Parameters
        ----------
        path : str or path
            The file to write.
        for_prediction : bool, default=False
            If True, the file has only what is needed to predict. The loaded model has no
            importances and no ``tree_``, and cannot be grown further.
        training_rows : bool, default=False
            If True, the file has the data of each training row: its weight, its out-of-bag
            prediction, and its leaves if the forest has them.
        compress : bool, default=False
            If True, the file is smaller, takes longer to write and to load, and cannot be mapped
            into memory.

        Returns
        -------
        None
            Nothing is returned.

        See Also
        --------
        silvics.load : Read the model again.

        Examples
        --------
        >>> import tempfile
        >>> import silvics
        >>> forest = silvics.RandomForestRegressor(random_state=0).fit([[0.0], [1.0]], [2.0, 2.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     forest.save(f"{folder}/forest.silvics", compress=True)
        ...     silvics.load(f"{folder}/forest.silvics").digest() == forest.digest()
        True
        """
        self._require_own_class()
        check_is_fitted(self)
        header, arrays = writing.described(
            self,
            for_prediction=for_prediction,
            training_rows=training_rows,
            compress=compress,
        )
        container.write(path, header, arrays)

    def _require_own_class(self) -> None:
        kind = type(self)
        if kind.__name__ not in state.ESTIMATORS or not kind.__module__.startswith("silvics."):
            raise TypeError(
                f"save can only write estimators of silvics, and {kind.__name__} is defined "
                "elsewhere. Pickle it, or save the silvics estimator that it is derived from."
            )

    @reads_one_state
    def __getstate__(self) -> dict[str, Any]:
        """Return the parameters, and the fitted state as the bytes of a model file."""
        own: Any = super().__getstate__()
        if not hasattr(self, "_trees"):
            return own  # joblib sends unfitted estimators by cloudpickle, which keeps any function
        trees: Trees = self._trees
        header, arrays = writing.described(
            self,
            for_prediction=not trees.known,
            training_rows=trees.known,
            digest=not trees.known,
            parameters=False,
        )
        kept = {name: value for name, value in own.items() if name not in state.RESTORED}
        return {**_kept(kept), "_model_file": container.to_bytes(header, arrays)}

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
    """A function that cannot be pickled: copies keep it, unpickled models have the default."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def __deepcopy__(self, memo: dict[int, Any]) -> NotPickled:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        warn_user(
            f"{self.name}={self.value!r:.60} cannot be pickled. The unpickled model will have the "
            "default value. Use a function that can be imported to keep it."
        )
        return NotPickled.__new__, (NotPickled,)


def _kept(parameters: dict[str, Any]) -> dict[str, Any]:
    """Wrap the functions among the parameters that cannot be pickled."""
    return {
        name: NotPickled(name, value) if _cannot_be_pickled(value) else value
        for name, value in parameters.items()
    }


def _cannot_be_pickled(value: Any) -> bool:
    if not callable(value) or isinstance(value, type):
        return False
    try:
        pickle.dumps(value)
    except Exception:  # PicklingError, AttributeError or TypeError
        return True
    return False


def _bytes_of(content: Any) -> np.ndarray:
    """Check the content of a pickle, which may be anything."""
    if not isinstance(content, np.ndarray) or content.dtype != np.uint8 or content.ndim != 1:
        container.refuse("it is not an array of bytes")
    return np.ascontiguousarray(content)
