"""What determines the trees of a task, as short texts that can be compared."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable
from dataclasses import fields
from types import CodeType
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix

from silvics._fitting.learning_task import LearningTask
from silvics._tables.table import Blocks
from silvics._version import __version__
from silvics.model_file import json_values

# Parameters that change how many trees there are, how they are grown and what follows, but no tree.
_WITHOUT_EFFECT = {
    "n_estimators", "n_jobs", "verbose", "progress", "warm_start", "random_state", "engine",
    "resume", "max_time", "max_memory", "early_stopping", "n_iter_no_change", "tol", "target_score",
    "oob_score", "oob_rows", "tune", "scoring", "keep_samples", "calibrate", "unknown_category",
}  # fmt: skip


class Hash:
    """A digest of arrays, by their types, shapes and values."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    def add(self, values: Any) -> None:
        """Add an array, a text, or None."""
        if values is None or isinstance(values, str):
            self._hash.update(repr(values).encode())
            return
        array = np.asarray(values)
        if array.dtype.kind in "OUM":
            self.add(json.dumps([array.dtype.str, [str(value) for value in array.ravel()]]))
            return
        self._hash.update(f"{array.dtype.str}:{array.shape};".encode())
        self._hash.update(np.ascontiguousarray(array).data)

    def text(self) -> str:
        return self._hash.hexdigest()


def of_table(X: Blocks, y: np.ndarray) -> str:
    """Return the digest of a table in memory and its outputs."""
    found = Hash()
    found.add(y)
    for block in X.blocks:
        for column in np.asarray(block).T:
            found.add(column)
    if X.sparse is not None:
        matrix = csc_matrix(X.sparse)
        for part in (matrix.indptr, matrix.indices, matrix.data):
            found.add(part)
    return found.text()


def of_task(task: LearningTask, data: str) -> dict[str, str]:
    """Return a text for each part of a task that determines its trees.

    ``data`` is a text for the rows and their outputs.
    """
    parts = {"version of silvics": __version__, "random_state": str(task.seed), "data": data}
    parts["shrinkage"] = repr(task.shrinkage)
    parts["class of the forest"] = type(task.settings).__name__
    parts["shape of X"] = " x ".join(map(str, task.X.shape))
    for field in fields(task.axes):
        parts[f"recipe: {field.name}"] = _text(getattr(task.axes, field.name))
    for name, value in task.settings.get_params(deep=False).items():
        if name not in _WITHOUT_EFFECT:
            parts[name] = _text(value)
    for field in fields(task.sampling):
        value = getattr(task.sampling, field.name)
        parts[f"draw of rows: {field.name}"] = _text(value)
    columns = Hash()
    columns.add(json.dumps(task.variables.kinds))
    for levels in (*task.variables.levels, *task.variables.rare, *(task.outputs.classes or [])):
        columns.add(levels)
    parts["kinds, levels and classes"] = columns.text()
    return parts


def _text(value: Any) -> str:
    """Return a text for a parameter: the same for equal values."""
    if isinstance(value, np.ndarray) and value.size > 16:
        found = Hash()
        found.add(value)
        return found.text()
    if callable(value):
        return _text_of_function(value)
    try:
        return json.dumps(json_values.encode(value))
    except json_values.NotData:
        found = Hash()
        found.add(np.asarray(value))
        return found.text()


def _text_of_function(function: Callable) -> str:
    """Return a text for a function: its name, and a digest of what it does.

    A function has another address in every process, so that its ``repr`` says nothing.
    """
    found = Hash()
    code = getattr(function, "__code__", None)
    if code is None:  # an object that can be called, such as functools.partial
        try:
            found.add(np.frombuffer(pickle.dumps(function), np.uint8))
        except Exception as error:
            raise ValueError(
                f"resume cannot compare {function!r} with that of an earlier fit, because it "
                "cannot be pickled. Define it with def at the top of a module."
            ) from error
        return f"{type(function).__qualname__} {found.text()}"
    _add_code(found, code)
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items()]
    for value in [*defaults, *(cell.cell_contents for cell in function.__closure__ or ())]:
        found.add(getattr(value, "__qualname__", None) or _text(value))
    return f"{function.__module__}.{function.__qualname__} {found.text()}"


def _add_code(found: Hash, code: CodeType) -> None:
    found.add(code.co_code.hex())
    found.add(json.dumps([code.co_names, code.co_varnames, code.co_freevars]))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(found, constant)
        elif isinstance(constant, frozenset):  # whose order differs between processes
            found.add(repr(sorted(map(repr, constant))))
        else:
            found.add(repr(constant))
