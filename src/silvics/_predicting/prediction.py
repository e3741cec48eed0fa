"""Trees walked by samples: the way of every prediction, for one tree and for a forest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from silvics import _core
from silvics._threads import n_threads


class Trees(Sequence[_core.Tree]):
    """Native trees, and the form in which samples walk them; each is made when first asked for.

    Parameters
    ----------
    trees : iterable of native trees
    as_float32 : bool
        Whether values are rounded to float32 first, as scikit-learn's trees want them.
    by_majority : bool
        Whether each tree has one vote for a class (4.20) instead of its shares of all (4.21).
    """

    def __init__(
        self, trees: Iterable[_core.Tree], as_float32: bool = False, by_majority: bool = False
    ) -> None:
        self._native: list[_core.Tree] | None = list(trees)
        self._stats: _core.TrainingStats | None = None
        self._digest: str | None = None
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
        """Trees that come as what predicts and what else is known of them, or is not."""
        made = cls([], as_float32, by_majority)
        made._native, made._stats, made._digest = None, stats, digest
        made.packed = packed
        return made

    @property
    def known(self) -> bool:
        """Whether there is more than what predicts."""
        return self._native is not None or self._stats is not None

    @property
    def native(self) -> list[_core.Tree]:
        """The trees themselves."""
        if self._native is None:
            if self._stats is None:
                raise AttributeError(
                    "This model has only what predicts, since it was saved with "
                    "for_prediction=True: there is nothing else to look at in its trees."
                )
            self._native = self._stats.trees(self.packed)
        return self._native

    @cached_property
    def packed(self) -> _core.PackedForest:
        """The trees packed for prediction."""
        return _core.PackedForest.of(self.native)

    @cached_property
    def predictor(self) -> _core.Predictor:
        """What walks them."""
        return _core.Predictor(self.packed, self.as_float32, self.by_majority)

    def stats(self) -> _core.TrainingStats:
        """What is known beyond what predicts."""
        return self._stats or _core.TrainingStats.of(self.packed, self.native)

    @property
    def node_counts(self) -> list[int]:
        """Nodes of each tree."""
        return self.packed.node_counts

    def digest(self) -> str:
        """SHA-256 of what the trees are: splits, counts and values, nothing of how they were run.

        Nor of how they are kept: all is told of every node. Of trees that only predict it is what
        it was when they were saved.
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
        return self.packed.n_trees if self._native is None else len(self._native)

    def __getitem__(self, index: Any) -> Any:
        return self.native[index]

    def __reduce__(self) -> tuple[Any, ...]:
        packed = self.packed
        arrays = {name: np.array(array) for name, array in packed.arrays().items()}
        shape = (packed.n_features, packed.n_outputs, packed.n_classes, packed.both_children)
        return (_predicting, (arrays, shape, self.as_float32, self.by_majority))


def _predicting(arrays: Any, shape: Any, as_float32: bool, by_majority: bool) -> Trees:
    """Trees that only predict, out of a pickle."""
    packed = _core.PackedForest.from_arrays(arrays, *shape)
    return Trees.stored(packed, None, as_float32, by_majority)


# Below this many steps down a tree and values read, starting threads costs more than it saves.
_WORTH_A_THREAD = 200_000


def _threads(predictor: _core.Predictor, X: _core.Matrix, n_jobs: int | None) -> int:
    """How many threads the work is worth; 0 is to do it at once."""
    work = X.shape[0] * (predictor.n_steps + X.shape[1])
    if work < _WORTH_A_THREAD and (n_jobs is None or (isinstance(n_jobs, int) and n_jobs != 0)):
        return 0
    return min(n_threads(n_jobs), 1 + work // _WORTH_A_THREAD)


def mean_prediction(
    predictor: _core.Predictor, X: _core.Matrix, n_jobs: int | None = 1
) -> np.ndarray:
    """Class shares of all outputs side by side, or one column per real output."""
    return predictor.predict(X, _threads(predictor, X, n_jobs))


def leaves(predictor: _core.Predictor, X: _core.Matrix, n_jobs: int | None = 1) -> np.ndarray:
    """Leaf of every sample in every tree."""
    return predictor.apply(X, _threads(predictor, X, n_jobs))


def decision_path(
    predictor: _core.Predictor, X: _core.Matrix, n_jobs: int | None = 1
) -> csr_matrix:
    """Which samples visit which nodes, over the nodes of all trees."""
    starts, nodes = predictor.decision_paths(X, _threads(predictor, X, n_jobs))
    return csr_matrix(
        (np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=(X.shape[0], predictor.n_nodes)
    )


def split_outputs(values: np.ndarray, n_classes: Any) -> list[np.ndarray]:
    """Class shares of each output, out of those of all outputs side by side."""
    ends = np.cumsum(np.atleast_1d(n_classes))
    return [np.ascontiguousarray(part) for part in np.split(values, ends[:-1], axis=1)]


def labels(estimator: Any, values: np.ndarray) -> np.ndarray:
    """The likeliest class of each output."""
    one = estimator.n_outputs_ == 1
    return likeliest([estimator.classes_] if one else estimator.classes_, values)


def likeliest(classes: list[np.ndarray], values: np.ndarray) -> np.ndarray:
    """The class with the largest share, of each output; ties go to the first."""
    if len(classes) == 1:
        return classes[0].take(np.argmax(values, axis=1), axis=0)
    columns = split_outputs(values, [len(of_output) for of_output in classes])
    predicted = np.empty((len(values), len(classes)), dtype=classes[0].dtype)
    for k, shares in enumerate(columns):
        predicted[:, k] = classes[k].take(np.argmax(shares, axis=1), axis=0)
    return predicted


def probabilities(estimator: Any, values: np.ndarray) -> np.ndarray | list[np.ndarray]:
    """Class shares: an array, or a list of them for several outputs."""
    if estimator.n_outputs_ == 1:
        return values
    return split_outputs(values, estimator.n_classes_)


def log_probabilities(shares: np.ndarray | list[np.ndarray]) -> np.ndarray | list[np.ndarray]:
    """Logarithms of class shares; minus infinity where a share is zero."""
    with np.errstate(divide="ignore"):
        return np.log(shares) if isinstance(shares, np.ndarray) else [np.log(s) for s in shares]


def reals(values: np.ndarray) -> np.ndarray:
    """Predictions of regression: a vector for one output."""
    return values[:, 0] if values.shape[1] == 1 else values
