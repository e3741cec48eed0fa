"""The parameter ``calibrate`` of classification forests, and the method ``predict_set``."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._fitting.learning_task import LearningTask
from silvics._predicting.calibrated import ProbabilityMap, calibrated
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.sampling import require_rows_left_out
from silvics._state import reads_one_state
from silvics.uncertainty.calibration import Calibration, calibration_of, calibrations
from silvics.uncertainty.prediction_sets import predicted_sets


class HasCalibration:
    """Mixin with calibrated class probabilities, and sets of classes."""

    calibrate: str | None = None  # forests without the parameter do not calibrate
    interrupted_: bool
    n_classes_: Any
    n_jobs: int | None
    _frame_library: str | None
    _grown: GrownForest
    _calibration: list[dict[str, Any]]  # of each output; see ``calibrations``

    @property
    def calibration_(self) -> Calibration | list[Calibration]:
        """How probabilities are calibrated: the methods, their log-loss, the reliability."""
        if "_calibration" not in vars(self):
            raise AttributeError(
                'calibration_ is available after a fit with calibrate="oob" that was not '
                "interrupted."
            )
        library = getattr(self, "_frame_library", None)  # unknown to some loaded forests
        found = [calibration_of(content, library) for content in self._calibration]
        return found[0] if len(found) == 1 else found

    @reads_one_state
    def predict_set(
        self,
        X: Any,
        confidence_level: Any = 0.9,
        *,
        score: str = "probability",
        n_jobs: int | None = None,
    ) -> Any:
        """Predict a set of classes for each sample.

        The set contains the class of a sample with the given probability, on average over samples
        from the population of the training rows. The level holds asymptotically: the scores of
        classes are compared with those of the training rows, predicted by their out-of-bag trees.
        The forest must have its training rows: fit it with ``keep_samples=True``, or call
        ``attach_samples``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None
            The samples to predict. None stands for the training rows, where each row is predicted
            by the trees that have not drawn it. Rows without such trees get all classes.
        confidence_level : float or array-like of shape (n_levels,), default=0.9
            The probability that a set contains the class.
        score : {"probability", "cumulative"}, default="probability"
            "probability" takes all classes of at least some probability, the same for all samples.
            Sets are as small as possible on average, and may be empty for samples that are unlike
            all classes. "cumulative" takes the most probable classes up to some total probability.
            Sets are larger, and their level varies less between easy and difficult samples.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        sets : ndarray of bool, or list of ndarray
            Whether each class is in the set, of shape (n_samples, n_classes), in the order of
            ``classes_``; with several levels, of shape (n_samples, n_classes, n_levels). For
            several outputs, a list with one array per output.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(keep_samples=True, random_state=0).fit(X, y)
        >>> forest.predict_set(X[:2], 0.95)
        array([[ True, False, False],
               [ True, False, False]])
        """
        check_is_fitted(self)
        return predicted_sets(self, X, confidence_level, score, n_jobs)

    # ---- steps of fit and predict

    def _learning_task(self, *given: Any) -> LearningTask:
        task: LearningTask = super()._learning_task(*given)  # type: ignore[misc]
        if self.calibrate is not None:
            require_rows_left_out(task.sampling, f"calibrate={self.calibrate!r}")
        return task

    def _estimate(self, task: LearningTask, grew: bool) -> None:
        super()._estimate(task, grew)  # type: ignore[misc]
        vars(self).pop("_calibration", None)
        if task.settings.calibrate is not None and not self.interrupted_:
            outputs = task.outputs
            self._calibration = calibrations(
                self._grown, task.X, outputs.values, outputs.n_classes, self.n_jobs
            )

    def _maps(self) -> list[ProbabilityMap] | None:
        """Return the maps of probabilities, if they are calibrated."""
        stored = vars(self).get("_calibration")
        return None if stored is None else [ProbabilityMap.decoded(of["map"]) for of in stored]

    def _calibrated(self, values: np.ndarray) -> np.ndarray:
        maps = self._maps()
        return values if maps is None else calibrated(maps, values, self.n_classes_)

    def _values(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        return self._calibrated(super()._values(X, n_jobs))  # type: ignore[misc]
