"""Calibration of class probabilities by the out-of-bag rows of a forest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._predicting import prediction
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.out_of_bag import mean_predictions, out_of_bag_sums
from silvics._results.base import Result
from silvics._tables.table import Blocks
from silvics.plots import charts
from silvics.uncertainty.fitting_maps import Fitter

_N_BINS = 10


@dataclass(repr=False, eq=False)
class Calibration(Result):
    """How the class probabilities of a forest are calibrated.

    ``to_frame()`` has one row for each interval of probabilities: ``probabilities`` ("raw" or
    "calibrated"), ``mean`` (of the probabilities), ``share`` (of rows of the class) and ``n_rows``.
    ``plot()`` is the reliability diagram: shares by means.

    Attributes
    ----------
    method : str
        The method with the smallest log-loss, or "raw" if it is less than a standard error better:
        "raw" (no change), "temperature" (all probabilities
        are smoothed and raised to a power), "isotonic" or "venn-abers" (a monotonic function for
        each class).
    log_loss : dict of str to float
        The out-of-bag log-loss of each method. Each fifth of the rows is calibrated by a map that
        was fitted to the others. Raw probabilities are clipped at half a vote of a tree.
    n_rows : int
        The number of rows with an out-of-bag tree.
    reliability : ndarray of shape (n_intervals, 3)
        The mean probability, the share of rows of the class, and the number of rows, for each
        interval of calibrated probabilities that has rows. With two classes, the probabilities are
        those of the second class; with more, those of the most probable class.
    raw_reliability : ndarray of shape (n_intervals, 3)
        The same for raw probabilities.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from silvics import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(calibrate="oob", random_state=0).fit(X, y)
    >>> found = forest.calibration_
    >>> found.log_loss[found.method] <= found.log_loss["raw"]
    True
    """

    method: str
    log_loss: dict[str, float]
    n_rows: int
    reliability: np.ndarray
    raw_reliability: np.ndarray
    _library: str | None = None

    def _title(self) -> str:
        losses = ", ".join(f"{name} {value:.4g}" for name, value in self.log_loss.items())
        return f"Calibration by {self.method}; out-of-bag log-loss: {losses}"

    def _columns(self) -> dict[str, Any]:
        both = np.concatenate([self.raw_reliability, self.reliability])
        kinds = ["raw"] * len(self.raw_reliability) + ["calibrated"] * len(self.reliability)
        return {
            "probabilities": kinds, "mean": both[:, 0], "share": both[:, 1],
            "n_rows": both[:, 2].astype(np.int64),
        }  # fmt: skip

    def _draw(self, ax: Any) -> Any:
        return charts.reliability({"raw": self.raw_reliability, "calibrated": self.reliability}, ax)


def calibration_of(content: dict[str, Any], library: str | None) -> Calibration:
    """Return the result from what a forest keeps."""
    calibrated, raw = (np.reshape(content[name], (-1, 3)) for name in ("reliability", "raw"))
    return Calibration(
        content["map"]["method"], dict(content["log_loss"]), content["n_rows"], calibrated, raw,
        library,
    )  # fmt: skip


def calibrations(
    grown: GrownForest, X: Blocks, y: np.ndarray, n_classes: list[int], n_jobs: int | None
) -> list[dict[str, Any]]:
    """Calibrate each output; return what a forest keeps of it, as data for a model file."""
    sums, counts = out_of_bag_sums(grown, X, n_jobs)
    known = counts > 0
    means = prediction.split_outputs(mean_predictions(sums, counts)[known], n_classes)
    return [
        _calibrated_output(
            shares, y[known, k], _weights(grown, y[:, k], n)[known], len(grown.trees)
        )
        for k, (shares, n) in enumerate(zip(means, n_classes, strict=True))
    ]


def _weights(grown: GrownForest, y: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the weights of the rows, with those of their classes."""
    sampling = grown.sampling
    assert sampling is not None
    weights = np.ones(len(y)) if sampling.weights is None else np.array(sampling.weights)
    if sampling.balanced:
        whole = np.bincount(y, weights, n_classes)
        weights /= np.where(whole > 0, whole, 1.0)[y]
    return weights


def _calibrated_output(
    shares: np.ndarray, y: np.ndarray, weights: np.ndarray, n_trees: int
) -> dict[str, Any]:
    some = weights > 0
    shares, y, weights = shares[some], y[some], weights[some]
    if not len(y):
        raise ValueError(
            'calibrate="oob" needs out-of-bag rows, but no row has an out-of-bag tree.'
        )
    chosen, losses, calibrated = Fitter(shares, y, weights, n_trees).chosen()
    return {
        "map": chosen.encoded(),
        "log_loss": losses,
        "n_rows": len(y),
        "reliability": _reliability(calibrated, y),
        "raw": _reliability(shares, y),
    }


def _reliability(shares: np.ndarray, y: np.ndarray) -> list[list[float]]:
    if shares.shape[1] == 2:
        p, right = shares[:, 1], y == 1
    else:
        p, right = shares.max(axis=1), shares.argmax(axis=1) == y
    bins = np.minimum((p * _N_BINS).astype(int), _N_BINS - 1)
    sizes = np.bincount(bins, minlength=_N_BINS)
    some = sizes > 0
    columns = [np.bincount(bins, of, _N_BINS)[some] / sizes[some] for of in (p, right)]
    return np.column_stack([*columns, sizes[some]]).tolist()
