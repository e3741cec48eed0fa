"""What a fit will take, before it is run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np

from silvics._fitting.axes import recipe_of
from silvics._frames import library_of
from silvics._results.base import Result
from silvics._sources.scanning import Scan, is_read_in_pieces
from silvics._threads import n_threads
from silvics.inspection.calibration import DEFAULT, calibration
from silvics.inspection.pilot import Pilot, extrapolated, n_rounds, run_pilot, some_rows
from silvics.plots import charts
from silvics.recipes import get

_SHARE = 0.03  # of the run, that the larger pilot takes
_SMALL = 5_000  # rows from which there is a pilot with fewer rows
_FIRST = 200  # the first pilot has one row of so many
_SHORT, _MOMENT = 0.1, 0.03  # seconds of the processors in a pilot
_LEAST_ROWS = 200, 1_000  # of the two pilots, whatever their share: they take milliseconds
_CELL = 15e-9  # seconds to code a value of the table; it decides the size of pilots only


@dataclass(repr=False, eq=False)
class CostEstimate(Result):
    """What a fit is expected to take.

    ``to_frame()`` has a row for each quantity: ``quantity``, ``value`` and ``unit``.

    Attributes
    ----------
    seconds : float
        Time of ``fit``.
    peak_bytes : float
        Memory that ``fit`` needs besides X and y.
    nodes : float
        Nodes of all trees.
    file_bytes : float
        Size of the file that ``save`` writes.
    n_trees : int
        Number of trees.
    seconds_before, seconds_of_growth, seconds_after : float
        The parts of ``seconds``: reading the table, growing trees, and out-of-bag estimates and
        training rows.
    cpu_seconds_of_growth : float
        Seconds of the processors for growing trees, of all threads. Other programs do not add to
        it.
    pilot_seconds : float
        Time that the estimate has taken, without the calibration.
    all_rows : bool
        Whether a pilot had all rows. If not, it was extrapolated from fewer rows.

    Examples
    --------
    >>> from silvics import RandomForestRegressor
    >>> from silvics.datasets import Friedman1
    >>> from silvics.inspection import estimate_cost
    >>> X, y = Friedman1().sample(500, random_state=0)
    >>> cost = estimate_cost(RandomForestRegressor(200, random_state=0), X, y)
    >>> 100_000 < cost.nodes < 140_000
    True
    """

    seconds: float
    peak_bytes: float
    nodes: float
    file_bytes: float
    n_trees: int
    seconds_before: float
    seconds_of_growth: float
    seconds_after: float
    cpu_seconds_of_growth: float
    pilot_seconds: float
    all_rows: bool
    _library: str | None = None

    def _title(self) -> str:
        trees = "1 tree" if self.n_trees == 1 else f"{self.n_trees} trees"
        return f"Expected cost of {trees}: {self.seconds:.3g} s"

    def _columns(self) -> dict[str, Any]:
        return {
            "quantity": ["time", "memory", "nodes", "file"],
            "value": np.array([self.seconds, self.peak_bytes, self.nodes, self.file_bytes]),
            "unit": ["s", "bytes", "nodes", "bytes"],
        }

    def _draw(self, ax: Any) -> Any:
        parts = [self.seconds_before, self.seconds_of_growth, self.seconds_after]
        names = ["reading the table", "growing trees", "out-of-bag estimates, training rows"]
        return charts.bars(np.array(parts), np.array(names), "seconds", ax)


def estimate_cost(
    forest: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    calibrate: bool = True,
    random_state: Any = 0,
) -> CostEstimate:
    """Predict the time, the memory, the nodes and the file size of a fit, without running it.

    Pilots of at most 5 % of the run measure what trees take. Forests of many trees grow a few of
    them on all rows. With fewer trees, a tree on some of the rows and one on a 200th of the rows
    are extrapolated: the work by its counters (``work_``), and the time for a unit of work by
    a calibration of the machine. Times hold for a machine that is as busy as it is now.

    Parameters
    ----------
    forest : forest
        The forest, with the parameters of the planned fit. It is not changed and need not be
        fitted.
    X : array-like or data frame of shape (n_samples, n_features)
        The rows of the planned fit.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
        Their outputs.
    sample_weight : array-like of shape (n_samples,), default=None
        Their weights.
    calibrate : bool, default=True
        Whether to measure how this machine's time for a unit of work grows with the table. This
        takes some seconds once; the result is written to the user's cache folder. False uses
        the figures of another machine, and neither reads nor writes files.
    random_state : int, RandomState instance or None, default=0
        Seed of the choice of rows.

    Returns
    -------
    cost : CostEstimate
        The expected cost.

    Examples
    --------
    >>> from silvics import ExtraTreesClassifier
    >>> from silvics.datasets import Waveform
    >>> from silvics.inspection import estimate_cost
    >>> X, y = Waveform().sample(1000, random_state=0)
    >>> cost = estimate_cost(ExtraTreesClassifier(500, random_state=0), X, y)
    >>> bool(cost.seconds > cost.pilot_seconds)
    True
    """
    _require_forest(forest)
    _require_table(X)
    plan = _Plan(forest, X, y, sample_weight, random_state)
    if plan.n_rows < _SMALL:
        pilot = plan.warm_pilot()
        spent, all_rows = pilot.spent, True
    else:
        first = plan.pilot(1, max(plan.n_rows // _FIRST, _LEAST_ROWS[0]))
        share = plan.share_of_rows(first)
        n_rows = max(int(share * plan.n_rows), _LEAST_ROWS[1])
        pilot = plan.warm_pilot() if share >= 1.0 else plan.pilot(1, n_rows)
        spent, all_rows = first.spent + pilot.spent, pilot.n_rows == plan.n_rows
        if not all_rows:
            by = calibration() if calibrate else DEFAULT
            pilot = extrapolated(first, pilot, plan.n_rows, _kind(forest), by)
    return _estimate(replace(pilot, spent=spent), plan.n_trees, plan.n_jobs, all_rows, X)


class _Plan:
    """The planned fit, and pilots of it."""

    def __init__(self, forest: Any, X: Any, y: Any, sample_weight: Any, seed: Any) -> None:
        self._given = forest, X, y, sample_weight
        self._seed = seed
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
        if len(shape) != 2:
            raise ValueError(f"X must have rows and columns, got shape {tuple(shape)}.")
        self.n_rows, self._n_columns = int(shape[0]), int(shape[1])
        self.n_trees = forest._n_trees()
        self.n_jobs = n_threads(forest.n_jobs)

    def pilot(self, n_trees: float, n_rows: int | None = None) -> Pilot:
        """Grow about so many trees, at least one for each thread, on so many rows."""
        m = min(max(int(n_trees / self.n_jobs), 1) * self.n_jobs, self.n_trees)
        rows = None
        if n_rows is not None and n_rows < self.n_rows:
            rows = some_rows(self.n_rows, n_rows, self._seed)
        return run_pilot(*self._given, m, rows)

    def warm_pilot(self) -> Pilot:
        """Grow some trees on all rows; again, if that was short and memory had to be got first."""
        pilot = self.pilot(self.n_trees * _SHARE / 2)
        if pilot.cpu * pilot.n_trees >= _SHORT:
            return pilot
        at_once = _MOMENT / max(pilot.cpu, 1e-6)  # trees that take no longer than a moment
        again = self.pilot(max(self.n_trees * _SHARE / 2, min(at_once, self.n_trees / 2)))
        return replace(again, spent=pilot.spent + again.spent)

    def share_of_rows(self, first: Pilot) -> float:
        """Return how much of the rows a pilot of one tree for each thread may have."""
        before = self.n_rows * self._n_columns * _CELL
        longer = log(self.n_rows) / log(first.n_rows) * self.n_rows / first.n_rows
        round_ = (first.round_ + self.n_jobs * first.after) * longer
        run = before + n_rounds(self.n_trees, self.n_jobs) * round_
        return _SHARE * run / (before + round_)


def _estimate(pilot: Pilot, n_trees: int, jobs: int, all_rows: bool, X: Any) -> CostEstimate:
    growth, after = n_rounds(n_trees, jobs) * pilot.round_, n_trees * pilot.after
    nodes = n_trees * pilot.nodes
    of_trees = n_trees * (pilot.tree_bytes + pilot.bytes_per_tree) + nodes * pilot.bytes_per_node
    return CostEstimate(
        seconds=pilot.before + growth + after,
        peak_bytes=pilot.fixed_bytes + of_trees,
        nodes=nodes,
        file_bytes=n_trees * pilot.file_bytes + 2_000,
        n_trees=n_trees,
        seconds_before=pilot.before,
        seconds_of_growth=growth,
        seconds_after=after,
        cpu_seconds_of_growth=n_trees * pilot.cpu,
        pilot_seconds=pilot.spent,
        all_rows=all_rows,
        _library=library_of(X),
    )


def _kind(forest: Any) -> str:
    """Return the kind of task in the calibration."""
    cut = getattr(forest, "cut", None) or get(recipe_of(forest)).cut
    cuts = "best" if cut == "best" else "random"
    return f"{cuts}, {'classes' if forest._classification else 'numbers'}"


def _require_forest(forest: Any) -> None:
    if not hasattr(forest, "_n_trees"):
        raise TypeError(
            f"estimate_cost needs a forest of silvics, got {type(forest).__name__}. "
            "silvics.from_sklearn converts forests of scikit-learn."
        )
    if getattr(forest, "draw", "uniform") == "importance":
        raise ValueError(
            'estimate_cost needs trees that do not depend on each other, and draw="importance" '
            "draws the rows of a tree by the errors of earlier ones. A fit with "
            'draw="uniform" and the same sizes takes less time.'
        )
    if hasattr(forest, "max_columns") and "auto" in (forest.max_samples, forest.max_columns):
        raise ValueError(
            "estimate_cost needs the sizes of the patches, but max_samples or max_columns is "
            '"auto". Set both to numbers; fit chooses them in a race before it grows trees.'
        )


def _require_table(X: Any) -> None:
    if isinstance(X, Scan) or is_read_in_pieces(X):
        raise TypeError(
            "estimate_cost needs a table in memory, and X is a scan of files, whose reading takes "
            "a time that pilots on few rows do not show. Estimate with some of the rows in "
            "memory, and add the time of the passes that fit prints with verbose=1."
        )
