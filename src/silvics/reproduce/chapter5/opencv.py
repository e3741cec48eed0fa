"""Random forests of OpenCV, if it is installed (``opencv-python-headless<5``, which has ``ml``)."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np


def is_there() -> bool:
    """Return whether OpenCV is installed, with its module for machine learning."""
    return find_spec("cv2") is not None and hasattr(import_module("cv2"), "ml")


class OpenCVForest:
    """Fully developed random forests on one thread, with the interface of scikit-learn.

    Parameters
    ----------
    n_estimators : int
        Trees.
    max_features : {"sqrt"}
        Variables that are drawn at a node.
    random_state : int
        Seed.
    n_jobs : {1}
        Threads.
    """

    def __init__(
        self, n_estimators: int, *, max_features: str, random_state: int, n_jobs: int
    ) -> None:
        if max_features != "sqrt" or n_jobs != 1:
            raise ValueError("max_features must be 'sqrt' and n_jobs must be 1.")
        self.n_estimators, self.random_state = n_estimators, random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> OpenCVForest:
        """Grow the forest."""
        cv2: Any = import_module("cv2")
        cv2.setNumThreads(1)
        cv2.setRNGSeed(self.random_state)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model_ = cv2.ml.RTrees_create()
        self.model_.setMaxDepth(25)  # the most that it allows
        self.model_.setMinSampleCount(2)
        self.model_.setActiveVarCount(int(X.shape[1] ** 0.5))
        self.model_.setTermCriteria((cv2.TERM_CRITERIA_MAX_ITER, self.n_estimators, 0.0))
        self.model_.train(X, cv2.ml.ROW_SAMPLE, codes.astype(np.int32))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the classes of samples."""
        _, codes = self.model_.predict(X)
        return self.classes_[codes.ravel().astype(int)]
