"""Mean decrease of accuracy: what is lost when a variable is permuted (equation 6.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_array, check_random_state

from silvics._fit import targets, walking
from silvics._fit.warning import warn_user
from silvics.importance._checks import one_of, threads, whole_number
from silvics.importance.decrease import grouped, names_of, standard_error
from silvics.importance.result import Importances

if TYPE_CHECKING:
    from silvics._fit.grown_forest import GrownForest

Loss = str | Callable[[np.ndarray, np.ndarray], float] | None

_MOST_NUMBERS = 1 << 25  # of changed predictions at a time: 256 MiB
_MOST_GROUPS = 64  # that the core takes at a time
_OF_CLASSES = ["error", "log_loss"]
_OF_NUMBERS = ["squared_error", "absolute_error"]


def mean_decrease_of_accuracy(
    forest: GrownForest,
    X: Any,
    y: Any,
    groups: Any,
    n_repeats: int,
    loss: Loss,
    random_state: Any,
    n_jobs: int | None,
) -> Importances:
    """What ``forest.importances("mda", X, y)`` gives."""
    n_repeats = whole_number("n_repeats", n_repeats, 1)
    n_jobs = threads(forest._jobs(n_jobs))
    matrix, encoded = _learning_set(forest, X, y)
    out_of_bag = _OutOfBag(forest, matrix, n_jobs)
    judge = _Judge(forest, encoded[out_of_bag.known], loss)
    before = judge(out_of_bag.predictions())
    names, group_of = grouped(names_of(forest), groups)
    members = [np.flatnonzero(group_of == g).tolist() for g in range(len(names))]
    generator = check_random_state(random_state)
    n_rows = matrix.shape[0]
    at_once = _MOST_NUMBERS // (n_rows * n_repeats * out_of_bag.sums.shape[1])
    at_once = min(max(at_once, 1), _MOST_GROUPS)
    repeats, errors = np.empty((n_repeats, len(names))), np.empty(len(names))
    for first in range(0, len(names), at_once):
        some = members[first : first + at_once]
        rows = np.empty((len(some), n_repeats, n_rows), dtype=np.uint32)
        for row in rows.reshape(-1, n_rows):
            row[:] = generator.permutation(n_rows)
        changes = out_of_bag.changes(some, rows)
        for g, of_group in enumerate(changes, start=first):
            found = np.array([judge(out_of_bag.predictions(of)) for of in of_group]) - before
            repeats[:, g] = found.mean(axis=1)
            # Over rows; of a loss of all rows together, over permutations.
            errors[g] = standard_error(found.mean(axis=0) if judge.by_row else repeats[:, g])
    return Importances(
        kind="mda",
        names=names,
        replicates=repeats,
        standard_errors=errors,
        impurity=float(np.mean(before)),
        _unit=f"increase of {judge.name}",
        _of="permutations",
        _library=getattr(forest, "_frame_library", None),
    )


def _learning_set(forest: GrownForest, X: Any, y: Any) -> tuple[Any, np.ndarray]:
    """The rows that the forest was fitted on, for walks, and their outputs as columns."""
    if X is None or y is None:
        raise ValueError('kind="mda" needs the X and y that the forest was fitted on.')
    if forest._seed is None or not hasattr(forest, "_sample_weight"):
        raise ValueError(
            'kind="mda" needs to know which rows each tree has drawn, and of this forest that is '
            "not known: it is merged, from elsewhere, or from a file without training_rows=True."
        )
    if forest._rows == "all":
        raise ValueError(
            'kind="mda" needs rows that trees have not seen, and each of these has seen all: fit '
            "with bootstrap=True."
        )
    matrix = forest._checked(X)
    outputs = targets.as_columns(check_array(y, dtype=None, ensure_2d=False, input_name="y"))
    if not (matrix.shape[0] == len(outputs) == forest._n_samples):
        raise ValueError(
            f"X has {matrix.shape[0]} rows, y has {len(outputs)}, and the forest was fitted on "
            f"{forest._n_samples}: pass the X and y of fit."
        )
    if outputs.shape[1] != forest.n_outputs_:
        raise ValueError(f"y has {outputs.shape[1]} outputs, the forest {forest.n_outputs_}")
    if not forest._classification:
        return matrix, targets.real_values(outputs, "", "")
    classes = [forest.classes_] if forest.n_outputs_ == 1 else forest.classes_
    encoded = np.empty(outputs.shape, dtype=np.int64)
    for k, levels in enumerate(classes):
        at = np.searchsorted(levels, outputs[:, k])
        encoded[:, k] = np.minimum(at, len(levels) - 1)
        if (levels[encoded[:, k]] != outputs[:, k]).any():
            raise ValueError("y has classes that the forest has not seen: pass the y of fit.")
    return matrix, encoded


class _OutOfBag:
    """Predictions of rows by the trees that did not draw them."""

    def __init__(self, forest: GrownForest, matrix: Any, n_jobs: int) -> None:
        self._walker = forest._trees.walker
        self._arguments = (matrix, forest._tree_seeds(0, len(forest._trees)), forest._sampling())
        self._n_jobs = n_jobs
        self.sums, counts = self._walker.out_of_bag(*self._arguments, n_jobs)
        self.known = counts > 0
        self._counts = counts[self.known, np.newaxis]
        if not self.known.any():
            raise ValueError("Every tree has drawn all rows: there is none out of bag.")
        if not self.known.all():
            warn_user(
                f"{int((~self.known).sum()):,} rows were drawn by all trees, and are left out. "
                "More trees would have some that did not draw them."
            )

    def predictions(self, change: np.ndarray | None = None) -> np.ndarray:
        """Of the rows that have any."""
        sums = self.sums if change is None else self.sums + change
        return sums[self.known] / self._counts

    def changes(self, groups: list[list[int]], rows: np.ndarray) -> np.ndarray:
        """Of the sums, as groups of variables take their values from other rows."""
        return self._walker.permuted_out_of_bag(*self._arguments, groups, rows, self._n_jobs)


class _Judge:
    """The loss of predictions: of each row, or of all together."""

    def __init__(self, forest: GrownForest, y: np.ndarray, loss: Loss) -> None:
        self._forest, self._y = forest, y
        known = _OF_CLASSES if forest._classification else _OF_NUMBERS
        self.by_row = not callable(loss)
        if callable(loss):
            self._loss = loss
            self.name = getattr(loss, "__name__", "loss")
        else:
            self.name = known[0] if loss is None else one_of("loss", loss, known)
        self._classes = []
        if forest._classification:
            self._classes = np.atleast_1d(forest.n_classes_).tolist()

    def __call__(self, values: np.ndarray) -> np.ndarray:
        if not self.by_row:
            return np.array([float(self._loss(*self._as_the_user(values)))])
        if self._classes:
            parts = walking.split_outputs(values, self._classes)
            each = [self._of_output(part, self._y[:, k]) for k, part in enumerate(parts)]
        elif self.name == "squared_error":
            each = list(((values - self._y) ** 2).T)
        else:
            each = list(np.abs(values - self._y).T)
        return np.mean(each, axis=0)

    def _of_output(self, shares: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.name == "error":
            return (shares.argmax(axis=1) != y).astype(np.float64)
        mine = np.clip(shares[np.arange(len(y)), y], np.finfo(np.float64).eps, 1.0)
        return -np.log(mine)

    def _as_the_user(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Outputs, and what ``predict`` would say."""
        forest = self._forest
        if not forest._classification:
            return walking.reals(self._y), walking.reals(values)
        classes = [forest.classes_] if forest.n_outputs_ == 1 else list(forest.classes_)
        y = np.column_stack([of[self._y[:, k]] for k, of in enumerate(classes)])
        return walking.reals(y), walking.labels(forest, values)
