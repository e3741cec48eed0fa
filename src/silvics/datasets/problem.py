"""The base classes of simulated problems, whose best possible model is known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_array, check_random_state

from silvics._sklearn import BaseEstimator, ClassifierMixin, RegressorMixin

_MOST_FEATURES = 1_000_000
_N_BLOCK = 2**22  # elements of a block of probabilities


class Problem(ABC):
    """A simulated problem: a distribution of inputs and outputs whose Bayes model is known.

    The Bayes model predicts from the distribution itself, not from data (thesis 2.2.2). Its error
    is the residual error: no model has a smaller one.

    Attributes
    ----------
    n_features : int
        The number of input variables.
    """

    n_features: int
    description: ClassVar[str]

    @property
    def feature_names(self) -> list[str]:
        """The names of the input variables: X1, X2 and so on."""
        return [f"X{j + 1}" for j in range(self.n_features)]

    @property
    def bayes_model(self) -> BayesModel:
        """The Bayes model, with the methods of a fitted scikit-learn estimator."""
        return self._model()

    @cached_property
    def residual_error(self) -> float:
        """The expected error of the Bayes model: squared error, or share of wrong classes."""
        return float(self._residual_error())

    def residual_error_at(self, X: Any) -> np.ndarray:
        """Compute the error of the Bayes model at each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        error : ndarray of shape (n_samples,)
            The variance of the output of a sample, or the probability that its class is not the
            predicted one.
        """
        return self._error_at(self._checked(X))

    def sample(self, n_samples: int, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Draw samples.

        Parameters
        ----------
        n_samples : int
            The number of samples.
        random_state : int, RandomState instance or None, default=None
            Seed of the draws. An integer gives the same samples in every call.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The inputs.
        y : ndarray of shape (n_samples,)
            The outputs.
        """
        n = whole_number("n_samples", n_samples, 1)
        rng = check_random_state(random_state)
        return self._draw(n, rng)

    def sample_outputs(self, X: Any, random_state: Any = None) -> np.ndarray:
        """Draw an output for each of the given inputs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        random_state : int, RandomState instance or None, default=None
            Seed of the draws.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The outputs.
        """
        return self._draw_outputs(self._checked(X), check_random_state(random_state))

    def _checked(self, X: Any) -> np.ndarray:
        X = check_array(X, dtype=np.float64)
        if X.shape[1] != self.n_features:
            raise ValueError(
                f"X has {X.shape[1]} columns, but {type(self).__name__} has {self.n_features} "
                "input variables."
            )
        return X

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self._settings().items())
        return f"{type(self).__name__}({settings})"

    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """Return the arguments of the constructor."""

    @abstractmethod
    def _draw(self, n: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        """Draw n samples."""

    @abstractmethod
    def _draw_outputs(self, X: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """Draw an output for each input."""

    @abstractmethod
    def _error_at(self, X: np.ndarray) -> np.ndarray:
        """Return the error of the Bayes model at each sample."""

    @abstractmethod
    def _residual_error(self) -> float:
        """Return the expected error of the Bayes model."""

    @abstractmethod
    def _model(self) -> BayesModel:
        """Return the Bayes model."""


class BayesModel(BaseEstimator):
    """The best possible model of a problem, which needs no data.

    It has the methods of a fitted scikit-learn estimator, so that scorers accept it.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @property
    def n_features_in_(self) -> int:
        """The number of input variables."""
        return self.problem.n_features

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> BayesModel:
        """Return the model; there is nothing to fit.

        Parameters
        ----------
        X : ignored
            Not used.
        y : ignored
            Not used.

        Returns
        -------
        self : BayesModel
            The model.
        """
        del X, y
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the expected output, or the most probable class, of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predictions.
        """
        raise NotImplementedError


class RegressionProblem(Problem):
    """A simulated regression problem: a function of the inputs, plus normal noise.

    Attributes
    ----------
    noise : float
        The standard deviation of the noise.
    """

    noise: float

    @abstractmethod
    def _inputs(self, n: int, rng: np.random.RandomState) -> np.ndarray:
        """Draw inputs."""

    @abstractmethod
    def _expected(self, X: np.ndarray) -> np.ndarray:
        """Return the expected output of each sample."""

    def _draw(self, n: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        X = self._inputs(n, rng)
        return X, self._draw_outputs(X, rng)

    def _draw_outputs(self, X: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        return self._expected(X) + self.noise * rng.standard_normal(len(X))

    def _error_at(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), self.noise**2)

    def _residual_error(self) -> float:
        return self.noise**2

    def _model(self) -> BayesModel:
        return BayesRegressor(self)


class BayesRegressor(RegressorMixin, BayesModel):
    """The Bayes model of a regression problem: the expected output given the inputs."""

    problem: RegressionProblem

    def predict(self, X: Any) -> np.ndarray:
        """Predict the expected output of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The expected outputs.
        """
        return self.problem._expected(self.problem._checked(X))


class ClassificationProblem(Problem):
    """A simulated classification problem, with the probability of each class given the inputs.

    Attributes
    ----------
    classes : ndarray of int
        The classes.
    """

    classes: np.ndarray

    @abstractmethod
    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        """Return the probability of each class at each sample."""

    def _shares(self, X: np.ndarray) -> np.ndarray:
        """Return the probabilities, computed in blocks of rows."""
        size = max(1, _N_BLOCK // (X.shape[1] * len(self.classes)))
        blocks = [self._probabilities(X[i : i + size]) for i in range(0, len(X), size)]
        return np.concatenate(blocks)

    def _draw_outputs(self, X: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        below = np.cumsum(self._shares(X), axis=1)
        drawn = (below <= rng.uniform(size=(len(X), 1)) * below[:, -1:]).sum(axis=1)
        return self.classes[drawn]

    def _error_at(self, X: np.ndarray) -> np.ndarray:
        return 1.0 - self._shares(X).max(axis=1)

    def _model(self) -> BayesModel:
        return BayesClassifier(self)


class BayesClassifier(ClassifierMixin, BayesModel):
    """The Bayes model of a classification problem: the most probable class given the inputs."""

    problem: ClassificationProblem

    @property
    def classes_(self) -> np.ndarray:
        """The classes."""
        return self.problem.classes

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the true probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            The probabilities.
        """
        return self.problem._shares(self.problem._checked(X))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each sample; the first of several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The classes.
        """
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def whole_number(name: str, value: Any, least: int, most: int = 2**62) -> int:
    """Return an integer within bounds; TypeError or ValueError, naming the parameter, otherwise."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if not least <= int(value) <= most:
        raise ValueError(f"{name} must be between {least} and {most}, got {value!r}.")
    return int(value)


def n_variables(name: str, value: Any, least: int = 0) -> int:
    """Return a number of variables."""
    return whole_number(name, value, least, _MOST_FEATURES)


def number(name: str, value: Any, least: float, most: float = np.inf) -> float:
    """Return a finite number within bounds; TypeError or ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    if not (least <= float(value) <= most and np.isfinite(float(value))):
        bounds = f"at least {least}" if most == np.inf else f"between {least} and {most}"
        raise ValueError(f"{name} must be {bounds}, got {value!r}.")
    return float(value)
