"""Mean decrease of accuracy: the loss caused by permuting a variable (equation 6.3)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from silvics import _core
from silvics._names import one_of
from silvics._predicting import prediction
from silvics._warnings import warn_user
from silvics.importance._checks import number_of_repeats
from silvics.importance.forest.conditional import ConditionalCells, permute_within
from silvics.importance.forest.learning_set import LearningSet, learning_set
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.forest.result import Importances, names_of_classes
from silvics.importance.forest.tree_means import standard_error

_MOST_NUMBERS = 1 << 25  # changed predictions in memory at a time: 256 MiB
_MOST_GROUPS = 1024  # groups of variables at a time
_MOST_REPEATS = 64  # permutations that the core takes at a time
_COMBINATION = -3  # stands for a test of several variables
_OF_CLASSES = ["error", "log_loss"]
_OF_NUMBERS = ["squared_error", "absolute_error"]

# Fills the rows from which each row takes the values of a group; the group is given by its place.
Permute = Callable[[np.ndarray, int], None]


def of_forest(request: ImportanceRequest) -> Importances:
    """Compute ``forest.importances("mda", X, y)``: all rows are permuted (equation 6.3)."""
    rows = learning_set(
        request.forest, request.X, request.y, request.kind, unseen=True, rows=request.rows
    )
    n_repeats = number_of_repeats(
        "n_repeats", 5 if request.n_repeats is None else request.n_repeats
    )
    out_of_bag = _OutOfBag(rows, request.n_threads)
    judge = _Judge(request, rows.y)  # raises before the work starts
    generator = check_random_state(request.random_state)
    repeats = np.empty((n_repeats, len(request.names), judge.n_parts))
    errors = np.empty(len(request.names))

    def permuted(order: np.ndarray, _group: int) -> None:
        order[:] = generator.permutation(rows.n_rows)

    for g, changes in out_of_bag.changes(_members(request), n_repeats, permuted):
        if g == 0:
            _warn_of_rows_left_out(out_of_bag.known)
            judge = _Judge(request, rows.y[out_of_bag.known])
            before = judge(out_of_bag.predictions())
        found = np.array([judge(out_of_bag.predictions(of)) for of in changes]) - before
        repeats[:, g] = [judge.by_part(of) for of in found]
        # Standard errors are over rows; for a custom loss of all rows, over permutations.
        of_rows = judge.of_rows(found.mean(axis=0)) if judge.by_row else repeats[:, g, 0]
        errors[g] = standard_error(of_rows)
        request.report(g + 1, len(request.names))
    return judge.result(repeats, errors, float(np.mean(before)), of="permutations")


def _warn_of_rows_left_out(known: np.ndarray) -> None:
    if not known.any():
        raise ValueError(
            f"Every tree has drawn all rows (n_samples={len(known)}): no row is out of bag."
        )
    if not known.all():
        warn_user(
            f"{int((~known).sum()):,} rows were drawn by all trees, or held out to prune them. "
            "These rows are ignored. With more trees, every row would be out of bag for some."
        )


def of_trees(request: ImportanceRequest) -> Importances:
    """Compute the mean over trees, each of which permutes its out-of-bag rows.

    "mda_tree" permutes all of them together, and "conditional" those of each cell of the variables
    that correlate with the permuted one.
    """
    request.forest._grown.require_whole_trees(f'kind="{request.kind}"')
    rows = learning_set(
        request.forest, request.X, request.y, request.kind, unseen=True, rows=request.rows
    )
    n_repeats = number_of_repeats(
        "n_repeats", 1 if request.n_repeats is None else request.n_repeats
    )
    generator = check_random_state(request.random_state)
    n_trees, members, target = len(request.forest._grown.trees), _members(request), rows.target
    found, losses = [], []
    conditional = ConditionalCells(request) if request.kind == "conditional" else None
    for m in range(n_trees):
        out_of_bag = _OutOfBag(rows, request.n_threads, tree=m)
        out_of_bag.traverse()
        if not out_of_bag.known.any():
            request.report(m + 1, n_trees)
            continue
        judge = _Judge(request, rows.y[out_of_bag.known])
        before = judge(out_of_bag.predictions())
        of_tree = np.zeros((len(request.names), judge.n_parts))
        tested = _tested_groups(request, m)
        held_out = np.flatnonzero(out_of_bag.known)

        cells = None if conditional is None else conditional.of_tree(m, held_out)
        permuted = _within_tree(held_out, cells, tested, generator)
        some = [members[g] for g in tested]
        if judge.by_row:
            for k, sums in out_of_bag.losses(
                some, n_repeats, permuted, target, judge.name, request.by
            ):
                of_tree[tested[k]] = judge.of_sums(sums.mean(axis=0))
        else:
            for k, changes in out_of_bag.changes(some, n_repeats, permuted):
                each = np.array([judge(out_of_bag.predictions(of)) for of in changes]) - before
                of_tree[tested[k]] = judge.by_part(each.mean(axis=0))
        found.append(of_tree)
        losses.append(float(np.mean(before)))
        request.report(m + 1, n_trees)
    if not found:
        raise ValueError(
            f"Every tree has drawn all rows (n_samples={rows.n_rows}): no row is out of bag."
        )
    # A class without out-of-bag rows in a tree is NaN there.
    per_tree = np.array(found)
    errors = standard_error(per_tree.mean(axis=2) if request.by == "output" else per_tree[:, :, 0])
    return judge.result(per_tree, errors, float(np.mean(losses)))


def _within_tree(
    rows: np.ndarray,
    cells: Callable[[int], np.ndarray] | None,
    tested: list[int],
    generator: np.random.RandomState,
) -> Permute:
    """Return a function that permutes the given rows, within cells if there are any."""

    def permuted(order: np.ndarray, k: int) -> None:
        order[:] = np.arange(len(order))
        if cells is None:
            order[rows] = generator.permutation(rows)
        else:
            permute_within(order, rows, cells(tested[k]), generator)

    return permuted


def _tested_groups(request: ImportanceRequest, m: int) -> list[int]:
    """Return the groups that a tree tests; with many variables these are few."""
    features = np.unique(request.forest._grown.trees.native[m].feature())
    if (features == _COMBINATION).any():
        return list(range(len(request.names)))
    return np.unique(request.group_of[features[features >= 0]]).tolist()


def _members(request: ImportanceRequest) -> list[list[int]]:
    return [np.flatnonzero(request.group_of == g).tolist() for g in range(len(request.names))]


class _OutOfBag:
    """Out-of-bag predictions of all trees, or of one tree.

    They are known after ``traverse``, or after the first item of ``changes``.
    """

    def __init__(self, rows: LearningSet, n_jobs: int, tree: int | None = None) -> None:
        forest = rows.forest
        first, n_trees = (0, len(forest._grown.trees)) if tree is None else (tree, 1)
        self._predictor = forest._grown.trees.predictor
        self._arguments = (rows.matrix, rows.tree_seeds(first, n_trees), rows.sampling)
        self._n_jobs, self._first, self._n_rows = n_jobs, first, rows.n_rows

    def traverse(self) -> None:
        """Compute the predictions without permutation."""
        self._put(*self._predictor.out_of_bag(*self._arguments, self._n_jobs, self._first))

    def _put(self, sums: np.ndarray, counts: np.ndarray) -> None:
        self.sums, self.known = sums, counts > 0
        self._some = slice(None) if self.known.all() else self.known
        self._counts = counts[self._some, np.newaxis]

    def predictions(self, change: np.ndarray | None = None) -> np.ndarray:
        """Return the predictions of the rows that have any."""
        sums = self.sums if change is None else self.sums + change
        return sums[self._some] / self._counts

    def changes(
        self, groups: list[list[int]], n_repeats: int, permute: Permute
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the changes of the sums (repeats x rows x width) when each group is permuted."""
        width = self._predictor.value_width
        for first, some, orders in self._orders(groups, n_repeats, permute, width):
            changes = []
            for order in orders:
                change, *as_they_are = self._predictor.permuted_out_of_bag(
                    *self._arguments, some, order, self._n_jobs, self._first
                )
                changes.append(change)
                self._put(*as_they_are)
            together = changes[0] if len(changes) == 1 else np.concatenate(changes, axis=1)
            yield from enumerate(together, start=first)

    def losses(
        self,
        groups: list[list[int]],
        n_repeats: int,
        permute: Permute,
        target: _core.Target,
        loss: str,
        by: str | None,
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the changes of the loss of one tree (repeats x parts), summed over its rows."""
        for first, some, orders in self._orders(groups, n_repeats, permute, 1):
            sums = [
                self._predictor.permuted_losses(
                    *self._arguments, some, order, target, loss, by or "", self._n_jobs, self._first
                )
                for order in orders
            ]
            yield from enumerate(np.concatenate(sums, axis=1), start=first)

    def _orders(
        self,
        groups: list[list[int]],
        n_repeats: int,
        permute: Permute,
        width: int,
    ) -> Iterator[tuple[int, list[list[int]], list[np.ndarray]]]:
        """Yield batches of groups with their permutations, in batches of repeats."""
        n_rows = self._n_rows
        at_once = min(max(_MOST_NUMBERS // (n_rows * n_repeats * width), 1), _MOST_GROUPS)
        for first in range(0, len(groups), at_once):
            some = groups[first : first + at_once]
            rows = np.empty((len(some), n_repeats, n_rows), dtype=np.uint32)
            for k, of_group in enumerate(rows, start=first):
                for row in of_group:
                    permute(row, k)
            starts = range(0, n_repeats, _MOST_REPEATS)
            parts = (rows[:, r : r + _MOST_REPEATS] for r in starts)
            yield first, some, [np.ascontiguousarray(part) for part in parts]


class _Judge:
    """The loss of predictions, for each row and output or for all rows, and its parts."""

    def __init__(self, request: ImportanceRequest, y: np.ndarray) -> None:
        forest = request.forest
        self._request, self._forest, self._y = request, forest, y
        known = _OF_CLASSES if forest._classification else _OF_NUMBERS
        self.by_row = not callable(request.loss)
        if callable(request.loss):
            self._loss = request.loss
            self.name = getattr(request.loss, "__name__", "loss")
            if request.by is not None:
                raise ValueError(f'by="{request.by}" needs a loss that is given by name.')
        else:
            self.name = known[0] if request.loss is None else one_of("loss", request.loss, known)
        self._classes = []
        if forest._classification:
            self._classes = np.atleast_1d(forest.n_classes_).tolist()
        if request.by == "class":
            if len(self._classes) != 1:
                raise ValueError(
                    'by="class" needs a single output; use by="output" for several outputs.'
                )
            # The first row averages over all rows, the others over the rows of each class.
            of_class = self._y[:, 0] == np.arange(self._classes[0])[:, np.newaxis]
            with np.errstate(invalid="ignore", divide="ignore"):
                means = of_class / of_class.sum(axis=1, keepdims=True)
            self._means = np.vstack([np.full(len(y), 1 / len(y)), means])
            self.n_parts = len(self._means)
        else:
            self.n_parts = forest.n_outputs_ if request.by == "output" else 1

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Return the loss of each row, for each output if ``by="output"``."""
        if not self.by_row:
            return np.array([float(self._loss(*self._as_the_user(values)))])
        if self._classes:
            parts = prediction.split_outputs(values, self._classes)
            each = [self._of_output(part, self._y[:, k]) for k, part in enumerate(parts)]
        elif self.name == "squared_error":
            each = list(((values - self._y) ** 2).T)
        else:
            each = list(np.abs(values - self._y).T)
        return np.array(each) if self._request.by == "output" else np.mean(each, axis=0)

    def of_rows(self, losses: np.ndarray) -> np.ndarray:
        """Average the losses of each row over the outputs."""
        return losses.mean(axis=0) if self._request.by == "output" else losses

    def by_part(self, losses: np.ndarray) -> np.ndarray:
        """Average over all rows, followed by the rows of each class; or for each output."""
        if self._request.by == "class":
            return np.asarray(self._means @ losses)
        return np.atleast_1d(losses.mean(axis=-1))

    def of_sums(self, sums: np.ndarray) -> np.ndarray:
        """Compute the same averages from sums over the rows of each class or output."""
        if self._request.by != "class":
            return np.asarray(sums / len(self._y))
        with np.errstate(invalid="ignore", divide="ignore"):
            counts = np.bincount(self._y[:, 0], minlength=len(sums))
            return np.r_[sums.sum() / len(self._y), sums / counts]

    def result(
        self, replicates: np.ndarray, errors: np.ndarray, before: float, of: str = "trees"
    ) -> Importances:
        """Return the importances of ``replicates``: trees or permutations x variables x parts."""
        by = self._request.by
        parts: dict[str, Any] = {}
        if by == "class":
            with warnings.catch_warnings():  # NaN for a class without out-of-bag rows
                warnings.simplefilter("ignore", RuntimeWarning)
                parts["by_class"] = np.nanmean(replicates[:, :, 1:], axis=0)
            parts["classes"] = names_of_classes(self._forest)
        elif by == "output":
            parts["by_output"] = replicates.mean(axis=0)
        return Importances(
            kind=self._request.kind,
            names=self._request.names,
            replicates=replicates.mean(axis=2) if by == "output" else replicates[:, :, 0],
            standard_errors=errors,
            impurity=before,
            _rows=self._request.rows,
            _unit=f"increase of {self.name}",
            _library=getattr(self._forest, "_frame_library", None),
            _of=of,
            **parts,
        )

    def _of_output(self, shares: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.name == "error":
            return (shares.argmax(axis=1) != y).astype(np.float64)
        mine = np.clip(shares[np.arange(len(y)), y], np.finfo(np.float64).eps, 1.0)
        return -np.log(mine)

    def _as_the_user(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the outputs and the predictions in the form of ``predict``."""
        forest = self._forest
        if not forest._classification:
            return prediction.reals(self._y), prediction.reals(values)
        classes = [forest.classes_] if forest.n_outputs_ == 1 else list(forest.classes_)
        y = np.column_stack([of[self._y[:, k]] for k, of in enumerate(classes)])
        return prediction.reals(y), prediction.labels(forest, values)
