"""What tuning tried, as a result object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._results.base import Result
from silvics.plots import charts
from silvics.tuning.race import Trial


@dataclass(repr=False, eq=False)
class TuningResults(Result):
    """The candidates that tuning compared.

    ``to_frame()`` has one row for each candidate: ``stage``, ``parameters``, ``n_trees``,
    ``score``, ``standard_error`` (of the difference from the candidate that it had to beat, or from
    the best one among limits), ``cost`` (the work of a tree, relative to the parameters of the
    estimator) and ``chosen``.

    Attributes
    ----------
    scoring : str
        The name of the score; larger is better.
    trials : list of Trial
        The candidates, with attributes of the names of the columns; ``changes`` is a dict of
        parameters.
    best_params : dict
        The parameters that were chosen.
    best_score : float
        The out-of-bag score under these parameters, minus ``optimism``.
    optimism : float
        By how much the choice raises the score of the chosen candidate on the rows by which it was
        chosen: the mean difference to rows of which it was chosen without.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(20, tune="oob", random_state=0).fit(X, y)
    >>> forest.tuning_results_.scoring
    'negative Brier score'
    >>> forest.tuning_results_.to_frame().columns.tolist()[:3]
    ['stage', 'parameters', 'n_trees']
    """

    scoring: str
    trials: list[Trial]
    best_params: dict[str, Any]
    best_score: float
    optimism: float
    _library: str | None = None

    def _title(self) -> str:
        return f"Tuning by out-of-bag {self.scoring}: {self.best_score:.4g}"

    def _notes(self) -> list[str]:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.best_params.items())
        return [f"chosen: {chosen}"]

    def _columns(self) -> dict[str, Any]:
        return {
            "stage": [of.stage for of in self.trials],
            "parameters": [_shown(of.changes) for of in self.trials],
            "n_trees": np.array([of.n_trees for of in self.trials]),
            "score": np.array([of.score for of in self.trials]),
            "standard_error": np.array([of.standard_error for of in self.trials]),
            "cost": np.array([of.cost for of in self.trials]),
            "chosen": np.array([of.chosen for of in self.trials]),
        }

    def _draw(self, ax: Any) -> Any:
        known = [of for of in self.trials if np.isfinite(of.score)]
        names = [f"{_shown(of.changes)} ({of.stage})" for of in known]
        lowest = min((of.score for of in known), default=0.0)
        return charts.bars(
            np.array([of.score - lowest for of in known]), np.array(names, dtype=object),
            f"out-of-bag {self.scoring}, above {lowest:.4g}", ax,
            ["C1" if of.chosen else "C0" for of in known],
        )  # fmt: skip


def _shown(changes: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in changes.items()) or "own"
