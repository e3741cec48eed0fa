"""The forests of targets, of which only the importances are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting import parameters
from silvics._fitting.targets import EncodedOutputs
from silvics._predicting.sampling import RowSampling
from silvics._tables import inputs
from silvics._tables.table import Blocks, Variables
from silvics._tasks import encoding
from silvics.network.targets import Targets

_MOST_NUMBERS = 1 << 22  # values of targets, and importances, in memory at a time: 32 MiB each
_ONE_OUTPUT = EncodedOutputs(np.zeros((1, 1)), None)


class TargetForests:
    """Grows a forest for each target, on a table that is coded once.

    Parameters
    ----------
    forest : estimator
        The parameters of the forests.
    targets : Targets
        The columns that are predicted.
    variables, X : Variables, Blocks
        The regulators.
    seed : int or None, default=None
        Seed of the forests; None takes that of ``forest``.
    """

    def __init__(
        self,
        forest: Any,
        targets: Targets,
        variables: Variables,
        X: Blocks,
        seed: int | None = None,
    ) -> None:
        self._forest, self._targets, self._variables, self._X = forest, targets, variables, X
        self._seed = parameters.seed_of(forest.random_state) if seed is None else seed
        self._coded: _core.Table | None = None

    def parts(self, chosen: np.ndarray) -> Iterator[np.ndarray]:
        """Yield some targets at a time: first those that are regulators, then the others."""
        own, (n_rows, n_regulators) = self._targets.own, self._X.shape
        at_once = max(_MOST_NUMBERS // max(n_rows, n_regulators), 1)
        for is_regulator in (True, False):
            of_kind = chosen[(own[chosen] >= 0) == is_regulator]
            for first in range(0, len(of_kind), at_once):
                yield of_kind[first : first + at_once]

    def importances(
        self, some: np.ndarray, n_jobs: int, report: Callable[[int, int], object] | None
    ) -> tuple[np.ndarray, np.ndarray, BaseException | None]:
        """Return the importances of a part, which of them are finished, and an exception."""
        forest, n_rows = self._forest, self._X.shape[0]
        axes = forest._choices(n_rows)
        n_drawn = None if axes.rows == "all" else parameters.n_rows_drawn(axes, n_rows, None)
        sampling = RowSampling(axes.rows, n_rows, n_drawn).native(self._seed)
        seeds = _core.tree_seeds(self._seed, 0, forest.n_estimators)
        n_candidates = self._X.shape[1] - int(self._targets.own[some[0]] >= 0)
        rules = parameters.growth_rules(
            forest, axes, (n_rows, n_candidates), self._variables, _ONE_OUTPUT
        )
        if self._coded is None:  # the rules of all parts need the same form
            matrix = inputs.to_grow(self._X)
            self._coded = parameters.coded_table(forest, matrix, rules, n_jobs)
        y, variances = self._targets.values(some)
        values, finished, error = _core.target_importances(
            self._coded, y.ravel(), self._targets.own[some].tolist(), sampling,
            parameters.core_criterion(axes), rules, seeds, n_jobs, report,
        )  # fmt: skip
        assert error is None or isinstance(error, BaseException)
        scale = np.divide(1.0, variances, out=np.zeros_like(variances), where=variances > 0)
        return values * scale[:, np.newaxis], finished.astype(bool), error

    def run(
        self, items: Sequence[int], n_threads: int, seconds: float, check: Callable[[], None]
    ) -> np.ndarray:
        """Compute the importances for these targets on a worker, and encode them."""
        del seconds
        chosen, found = [], []
        for some in self.parts(np.array(items, dtype=np.int64)):
            values, _, error = self.importances(some, n_threads, lambda *_: check())
            if error is not None:
                raise error
            chosen.append(some)
            found.append(values)
        arrays = {"targets": np.concatenate(chosen), "values": np.concatenate(found)}
        return encoding.encode({}, arrays)
