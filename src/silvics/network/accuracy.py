"""How well a ranking of edges agrees with a known network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score

from silvics._results.base import Result
from silvics._results.table import Table
from silvics.plots import charts


@dataclass(repr=False, eq=False)
class NetworkAccuracy(Result):
    """The agreement of a ranking of edges with a known network.

    ``to_frame()`` has one row for each point of the precision-recall curve, from the first edges to
    all: ``threshold`` (the smallest importance of these edges), ``recall`` and ``precision``.

    Attributes
    ----------
    aupr : float
        Area under the precision-recall curve: the average precision. A random ranking has
        ``density``.
    auroc : float
        Area under the ROC curve: 1 for a perfect ranking, 0.5 for a random one.
    n_edges : int
        Number of known edges among the pairs that are compared.
    n_pairs : int
        Number of pairs that are compared.
    precision : ndarray
        The share of known edges among the first edges of the ranking.
    recall : ndarray
        The share of the known edges that are among them.
    thresholds : ndarray
        The smallest importance of these first edges.
    density : float
        The share of pairs that have an edge.

    See Also
    --------
    Network.accuracy : Compute it.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics.network import genie3
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> accuracy = genie3(X, n_estimators=10, random_state=0).accuracy([("x0", "x1")])
    >>> accuracy.n_pairs
    20
    """

    aupr: float
    auroc: float
    n_edges: int
    n_pairs: int
    precision: np.ndarray
    recall: np.ndarray
    thresholds: np.ndarray
    _library: str | None = None

    @property
    def density(self) -> float:
        """The share of pairs that have an edge."""
        return self.n_edges / self.n_pairs

    def _columns(self) -> dict[str, Any]:
        return {
            "threshold": self.thresholds,
            "recall": self.recall,
            "precision": self.precision,
        }

    def _draw(self, ax: Any) -> Any:
        return charts.curves(self.recall, self.precision, None, None, "recall", "precision", ax)

    def _title(self) -> str:
        return f"Accuracy of a network: {self.n_edges:,} edges among {self.n_pairs:,} pairs"

    def _tables(self) -> list[Table]:
        rows = [
            ["area under the precision-recall curve", f"{self.aupr:.4f}", f"{self.density:.4f}"],
            ["area under the ROC curve", f"{self.auroc:.4f}", "0.5000"],
        ]
        return [Table(rows, header=["measure", "value", "random ranking"], numeric=True)]


def accuracy_of(truth: np.ndarray, values: np.ndarray, library: str | None) -> NetworkAccuracy:
    """Compare values of pairs with whether they have an edge."""
    precision, recall, thresholds = precision_recall_curve(truth, values)
    return NetworkAccuracy(
        aupr=float(average_precision_score(truth, values)),
        auroc=float(roc_auc_score(truth, values)),
        n_edges=int(truth.sum()),
        n_pairs=len(truth),
        precision=precision[-2::-1],  # without the point that scikit-learn adds
        recall=recall[-2::-1],
        thresholds=thresholds[::-1],
        _library=library,
    )
