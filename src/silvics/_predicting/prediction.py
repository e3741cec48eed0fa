"""Predictions of a tree or a forest."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from silvics import _core
from silvics._threads import n_threads

# Held while a forest is packed, so that threads which predict first at the same time pack it only
# once. A process that is forked meanwhile gets a lock of its own.
_packing = threading.RLock()


def _renew_lock() -> None:
    global _packing
    _packing = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


class Trees(Sequence[_core.Tree]):
    """Native trees and their packed form for prediction, each created on first use.

    Parameters
    ----------
    trees : iterable of native trees
        The trees.
    as_float32 : bool
        Whether inputs are rounded to float32 first, as in scikit-learn's trees.
    by_majority : bool
        Whether each tree votes for one class (equation 4.20) instead of contributing its class
        probabilities (equation 4.21).
    """

    def __init__(
        self, trees: Iterable[_core.Tree], as_float32: bool = False, by_majority: bool = False
    ) -> None:
        self._native: list[_core.Tree] | None = list(trees)
        self._stats: _core.TrainingStats | None = None
        self._digest: str | None = None
        self._packed: _core.PackedForest | None = None
        self._predictor: _core.Predictor | None = None
        self.as_float32 = as_float32
        self.by_majority = by_majority

    @classmethod
    def stored(
        cls,
        packed: _core.PackedForest,
        stats: _core.TrainingStats | None,
        as_float32: bool,
        by_majority: bool,
        digest: str | None = None,
    ) -> Trees:
        """Create trees from their packed form and, unless None, their training statistics."""
        made = cls([], as_float32, by_majority)
        made._native, made._stats, made._digest = None, stats, digest
        made._packed = packed
        return made

    @property
    def known(self) -> bool:
        """Whether the trees have more than what is needed to predict."""
        return self._native is not None or self._stats is not None

    @property
    def native(self) -> list[_core.Tree]:
        """The native trees."""
        native = self._native  # another thread may release them
        if native is None:
            if self._stats is None:
                raise AttributeError(
                    "This model was saved with for_prediction=True and can only predict: the "
                    "statistics of its trees are not available. Save it with for_prediction=False."
                )
            native = self._native = self._stats.trees(self.packed)
        return native

    @property
    def has_native(self) -> bool:
        """Whether native trees are in memory, and need not be restored."""
        return self._native is not None

    def release_native(self, n_jobs: int | None) -> None:
        """Keep many nodes in packed form only, from which native trees are restored when needed.

        The packed form and the training statistics take half of the memory of native trees, which
        a forest that has its training rows would keep beside the packed form.
        """
        if self._native is None or sum(tree.node_count for tree in self._native) < _MANY_NODES:
            return
        packed = self._packed_by(n_jobs)
        self._stats = _core.TrainingStats.of(packed, self._native)
        self._native = None

    @property
    def packed(self) -> _core.PackedForest:
        """The trees packed for prediction."""
        return self._packed_by(1)

    @property
    def predictor(self) -> _core.Predictor:
        """The native predictor."""
        return self.predictor_by(1)

    def predictor_by(self, n_jobs: int | None) -> _core.Predictor:
        """Return the native predictor; this many threads pack the trees, if they are not yet."""
        if self._predictor is None:
            packed = self._packed_by(n_jobs)
            self._predictor = _core.Predictor(packed, self.as_float32, self.by_majority)
        return self._predictor

    def _packed_by(self, n_jobs: int | None) -> _core.PackedForest:
        if self._packed is None:
            with _packing:
                if self._packed is None:
                    n_nodes = sum(tree.node_count for tree in self.native)
                    threads = _threads_for(n_nodes, _NODES_WORTH_A_THREAD, n_jobs)
                    self._packed = _core.PackedForest.of(self.native, threads)
        return self._packed

    def stats(self) -> _core.TrainingStats:
        """Return the training statistics: what is known of the trees beyond the packed form."""
        return self._stats or _core.TrainingStats.of(self.packed, self.native)

    @property
    def node_counts(self) -> list[int]:
        """Number of nodes of each tree."""
        return self.packed.node_counts

    def digest(self) -> str:
        """Return the SHA-256 of the splits, counts and values of all nodes.

        It does not depend on the form in which the trees are stored. Trees that can only predict
        have the digest that they were saved with.
        """
        if not self.known and self._digest is not None:
            return self._digest
        total = hashlib.sha256()
        for tree in self.native:
            for name, array in tree.expanded().stored_arrays().items():
                total.update(f"{name}:{array.dtype.str}:{array.size};".encode())
                total.update(np.ascontiguousarray(array).data)
        return total.hexdigest()

    def __len__(self) -> int:
        native = self._native
        return self.packed.n_trees if native is None else len(native)

    def __getitem__(self, index: Any) -> Any:
        return self.native[index]

    def __reduce__(self) -> tuple[Any, ...]:
        packed = self.packed
        arrays = {name: np.array(array) for name, array in packed.arrays().items()}
        shape = (packed.n_features, packed.n_outputs, packed.n_classes, packed.both_children)
        return (_predicting, (arrays, shape, self.as_float32, self.by_majority))


def _predicting(arrays: Any, shape: Any, as_float32: bool, by_majority: bool) -> Trees:
    """Create trees that can only predict, from a pickle."""
    packed = _core.PackedForest.from_arrays(arrays, *shape)
    return Trees.stored(packed, None, as_float32, by_majority)


# From this number of nodes on, native trees, of 16 to 24 bytes for each node, are released.
_MANY_NODES = 1 << 22
# Below this number of traversed nodes and read values, or of packed nodes, starting threads takes
# more than it saves.
_WORTH_A_THREAD = 200_000
_NODES_WORTH_A_THREAD = 50_000


def _threads_for(work: int, worth_a_thread: int, n_jobs: int | None) -> int:
    """Return the number of threads for the amount of work; 0 means the calling thread."""
    if work < worth_a_thread and (n_jobs is None or (isinstance(n_jobs, int) and n_jobs != 0)):
        return 0
    return min(n_threads(n_jobs), 1 + work // worth_a_thread)


def _threads(predictor: _core.Predictor, X: _core.Matrix, n_jobs: int | None) -> int:
    return threads_for_rows(predictor, X.shape[0], n_jobs)


def threads_for_rows(predictor: _core.Predictor, n_rows: int, n_jobs: int | None) -> int:
    """Return the number of threads that traverse all trees with some rows; 0: the calling one."""
    work = n_rows * (predictor.n_steps + predictor.n_features)
    return _threads_for(work, _WORTH_A_THREAD, n_jobs)


def mean_prediction(
    predictor: _core.Predictor, X: _core.Matrix, n_jobs: int | None = 1
) -> np.ndarray:
    """Predict class probabilities of all outputs side by side, or one column per real output."""
    return predictor.predict(X, _threads(predictor, X, n_jobs))


def leaves(predictor: _core.Predictor, X: _core.Matrix, n_jobs: int | None = 1) -> np.ndarray:
    """Return the leaf of every sample in every tree."""
    return predictor.apply(X, _threads(predictor, X, n_jobs))


def decision_path(
    predictor: _core.Predictor, X: _core.Matrix, n_jobs: int | None = 1
) -> csr_matrix:
    """Return an indicator matrix of the nodes, of all trees, on the paths of each sample."""
    starts, nodes = predictor.decision_paths(X, _threads(predictor, X, n_jobs))
    return csr_matrix(
        (np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=(X.shape[0], predictor.n_nodes)
    )


def split_outputs(values: np.ndarray, n_classes: Any) -> list[np.ndarray]:
    """Split class probabilities of all outputs into one array per output."""
    ends = np.cumsum(np.atleast_1d(n_classes))
    return [np.ascontiguousarray(part) for part in np.split(values, ends[:-1], axis=1)]


def labels(estimator: Any, values: np.ndarray) -> np.ndarray:
    """Return the most probable class of each output."""
    one = estimator.n_outputs_ == 1
    return likeliest([estimator.classes_] if one else estimator.classes_, values)


def likeliest(classes: list[np.ndarray], values: np.ndarray) -> np.ndarray:
    """Return the most probable class of each output; ties go to the first class."""
    if len(classes) == 1:
        return classes[0].take(np.argmax(values, axis=1), axis=0)
    columns = split_outputs(values, [len(of_output) for of_output in classes])
    predicted = np.empty((len(values), len(classes)), dtype=_common_type(classes))
    for k, shares in enumerate(columns):
        predicted[:, k] = classes[k].take(np.argmax(shares, axis=1), axis=0)
    return predicted


def _common_type(classes: list[np.ndarray]) -> np.dtype:
    """Return a type that holds the classes of all outputs as they are."""
    kinds = {of_output.dtype.kind for of_output in classes}
    return np.result_type(*classes) if len(kinds) == 1 else np.dtype(object)


def probabilities(estimator: Any, values: np.ndarray) -> np.ndarray | list[np.ndarray]:
    """Return class probabilities: an array, or a list of arrays for several outputs."""
    if estimator.n_outputs_ == 1:
        return values
    return split_outputs(values, estimator.n_classes_)


def log_probabilities(shares: np.ndarray | list[np.ndarray]) -> np.ndarray | list[np.ndarray]:
    """Return logarithms of probabilities; minus infinity for zero."""
    with np.errstate(divide="ignore"):
        return np.log(shares) if isinstance(shares, np.ndarray) else [np.log(s) for s in shares]


def reals(values: np.ndarray) -> np.ndarray:
    """Return predictions of regression, as a vector if there is one output."""
    return values[:, 0] if values.shape[1] == 1 else values
