"""Prediction intervals of regression forests."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting import targets
from silvics._names import one_of
from silvics._predicting import prediction
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.levels import checked_levels, shaped
from silvics._predicting.training_samples import TrainingSamples
from silvics._tables.column_values import is_missing, is_missing_object
from silvics._threads import n_threads
from silvics.uncertainty.conformal import Form, bounds, narrowest, root_mean_square
from silvics.uncertainty.difficulty import out_of_bag_means, spreads
from silvics.uncertainty.jackknife_plus import jackknife_bounds
from silvics.uncertainty.weights import positive_weights

METHODS = ("oob", "quantile", "jackknife+", "split")
_WHAT = "predict_interval"


def predicted_intervals(
    forest: Any,
    X: Any,
    confidence_level: Any,
    method: Any,
    calibration: Any,
    groups: Any,
    n_jobs: int | None,
) -> np.ndarray:
    """Compute intervals; see the method ``predict_interval``."""
    levels, single = checked_levels("confidence_level", confidence_level, closed=False)
    one_of("method", method, METHODS)
    if (calibration is not None) != (method == "split"):
        raise ValueError(
            'method="split" needs calibration=(X_cal, y_cal), rows that the forest was not fitted '
            "on, and the other methods do not take it."
        )
    if X is None and method not in ("oob", "quantile"):
        raise ValueError(f"method={method!r} needs X.")
    if groups is not None and method == "quantile":
        raise ValueError('groups are for methods that calibrate, and not for method="quantile".')
    grown: GrownForest = forest._grown
    grown.require_one_leaf_each(_WHAT)
    if method == "quantile":
        grown.require_whole_trees(f"{_WHAT}(method={method!r})")
    if method in ("oob", "jackknife+") or X is None:
        grown.require_out_of_bag(f"{_WHAT}(method={method!r})")
    rows = None if X is None else forest._checked(X)
    task = _Task(forest, rows, levels, n_threads(forest._jobs(n_jobs)), calibration)
    numbered = _numbered(groups, task.n_calibration, task.n_samples)
    found = {
        "oob": task.oob, "quantile": task.quantile, "jackknife+": task.jackknife_plus,
        "split": task.split,
    }[method](numbered)  # fmt: skip
    return shaped(found, single)


class _Task:
    """The samples of a call. Bounds are of shape n_samples x 2 x levels x outputs."""

    def __init__(
        self, forest: Any, rows: _core.Matrix | None, levels: np.ndarray, threads: int, cal: Any
    ) -> None:
        self.grown: GrownForest = forest._grown
        self.samples: TrainingSamples = self.grown.require_samples(_WHAT)
        self.rows, self.levels, self.threads = rows, levels, threads
        self.cal = None if cal is None else _checked_calibration(forest, cal, self.samples)
        self.n_samples = len(self.samples.y) if rows is None else rows.shape[0]
        self.n_calibration = len(self.samples.y if self.cal is None else self.cal[1])

    def oob(self, groups: Any) -> np.ndarray:
        errors = _checked_errors(self._own_errors())
        spread = spreads(self.grown, self.samples, None, self.threads)
        return self._conformal(errors, spread, groups, self._forms(errors, spread))

    def split(self, groups: Any) -> np.ndarray:
        assert self.cal is not None
        X, y = self.cal
        errors = y - self._means(X)
        spread = spreads(self.grown, self.samples, X, self.threads)
        # The form must not depend on the calibration rows, or the guarantee would be lost.
        forms = [Form()] * y.shape[1]
        if self.grown.knows_draws and self.grown.sampling and self.grown.sampling.leaves_rows_out:
            own = self._own_errors()
            forms = self._forms(own, spreads(self.grown, self.samples, None, self.threads))
        return self._conformal(errors, spread, groups, forms)

    def quantile(self, groups: Any) -> np.ndarray:
        del groups
        tails = (1 - self.levels) / 2
        both = np.concatenate([tails, 1 - tails])
        found = self.samples.leaf_quantiles(self.grown.trees, self.threads).quantiles(
            self.rows, both, "inverted_cdf", self.threads
        )
        return found.reshape(len(found), 2, len(tails), -1)

    def jackknife_plus(self, groups: Any) -> np.ndarray:
        errors = _checked_errors(self._own_errors())
        return jackknife_bounds(self.grown, self.rows, errors, self.levels, groups, self.threads)

    def _own_errors(self) -> np.ndarray:
        """Return the out-of-bag errors of the training rows; NaN if they have none."""
        errors = self.samples.y - out_of_bag_means(self.grown, self.samples, self.threads)
        errors[~positive_weights(self.grown, len(errors))] = np.nan
        return errors

    def _means(self, rows: _core.Matrix) -> np.ndarray:
        predictor = self.grown.trees.predictor_by(self.threads)
        return prediction.mean_prediction(predictor, rows, self.threads)

    def _forms(self, errors: np.ndarray, spread: np.ndarray) -> list[Form]:
        """Return the narrowest form for each output, over the training rows."""
        known = np.isfinite(errors[:, 0])
        if not known.any():
            return [Form()] * errors.shape[1]
        return [narrowest(e, s) for e, s in zip(errors[known].T, spread[known].T, strict=True)]

    def _conformal(
        self, errors: np.ndarray, spread: np.ndarray, groups: Any, forms: list[Form]
    ) -> np.ndarray:
        """Return the bounds, from the errors and spreads of the rows that calibrate."""
        known = np.isfinite(errors[:, 0])
        errors, spread = errors[known], spread[known]
        of_row, of_sample = (None, None) if groups is None else (groups[0][known], groups[1])
        if self.rows is None:
            means = out_of_bag_means(self.grown, self.samples, self.threads)
        else:
            means = self._means(self.rows)
        spread_here = spreads(self.grown, self.samples, self.rows, self.threads)
        found = np.empty((len(means), 2, len(self.levels), errors.shape[1]))
        for k, form in enumerate(forms):
            unit = root_mean_square(spread[:, k])
            ratios = errors[:, k] / form.scales(spread[:, k], unit)
            scales = form.scales(spread_here[:, k], unit)
            for inside, chosen in _parts(of_row, of_sample):
                for q, level in enumerate(self.levels):
                    of_errors = bounds(ratios[chosen], level, form.symmetric)
                    for side in (0, 1):
                        found[inside, side, q, k] = (
                            means[inside, k] + of_errors[side] * scales[inside]
                        )
        return found


def _checked_errors(errors: np.ndarray) -> np.ndarray:
    if not np.isfinite(errors[:, 0]).any():
        raise ValueError(
            f"{_WHAT} needs out-of-bag rows, but no row has an out-of-bag tree. Fit more trees."
        )
    return errors


def _parts(of_row: np.ndarray | None, of_sample: np.ndarray | None) -> list[tuple[Any, Any]]:
    """Return, for each group, which samples and which calibration rows are in it."""
    if of_row is None or of_sample is None:
        return [(slice(None), slice(None))]
    return [(of_sample == group, of_row == group) for group in np.unique(of_sample)]


def _checked_calibration(
    forest: Any, calibration: Any, samples: TrainingSamples
) -> tuple[_core.Matrix, np.ndarray]:
    if not isinstance(calibration, tuple | list) or len(calibration) != 2:
        raise ValueError("calibration must be a pair (X_cal, y_cal).")
    rows = forest._checked(calibration[0])
    y = targets.as_columns(targets.checked_outputs(calibration[1])).astype(np.float64)
    if len(y) != rows.shape[0]:
        raise ValueError(f"y_cal has {len(y)} rows, but X_cal has {rows.shape[0]}.")
    if y.shape[1] != samples.y.shape[1]:
        raise ValueError(
            f"y_cal has {y.shape[1]} outputs, but the forest has {samples.y.shape[1]}."
        )
    return rows, y


def _numbered(
    groups: Any, n_calibration: int, n_samples: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Check groups and return them as numbers."""
    if groups is None:
        return None
    if not isinstance(groups, tuple | list) or len(groups) != 2:
        raise ValueError(
            "groups must be a pair: the groups of the rows that calibrate (the training rows, or "
            "X_cal), and those of the rows of X."
        )
    of_rows, of_samples = (np.asarray(of) for of in groups)
    for of, n in ((of_rows, n_calibration), (of_samples, n_samples)):
        if of.shape != (n,):
            raise ValueError(f"groups must have one label for each of {n} rows, got {of.shape}.")
        if is_missing(of).any() or any(map(is_missing_object, of.tolist())):
            raise ValueError("groups must not be missing. Give these rows a group of their own.")
    try:
        known, numbers = np.unique(of_rows, return_inverse=True)
        at = np.minimum(np.searchsorted(known, of_samples), len(known) - 1)
    except TypeError:  # labels that cannot be compared
        raise TypeError(
            "The groups of the rows that calibrate and those of X must be labels of one type, such "
            "as strings or integers."
        ) from None
    if (known[at] != of_samples).any():
        unknown = of_samples[known[at] != of_samples][0]
        raise ValueError(f"The group {str(unknown)!r} of X has no rows that calibrate.")
    return numbers, at
