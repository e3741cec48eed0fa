"""Simulated regression problems."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from silvics.datasets.problem import RegressionProblem, n_variables, number


class Friedman1(RegressionProblem):
    """Friedman's first problem: five relevant inputs, one of them in a product.

    ``y = 10 sin(pi x1 x2) + 20 (x3 - 0.5)^2 + 10 x4 + 5 x5 + noise``. All inputs are uniform on
    [0, 1].

    Parameters
    ----------
    n_features : int, default=10
        The number of inputs, at least 5. Those after the fifth are irrelevant.
    noise : float, default=1.0
        The standard deviation of the noise.

    References
    ----------
    J. H. Friedman (1991). Multivariate adaptive regression splines. Annals of Statistics 19.

    Examples
    --------
    >>> from silvics.datasets import Friedman1
    >>> problem = Friedman1(noise=0.5)
    >>> X, y = problem.sample(100, random_state=0)
    >>> X.shape, problem.residual_error
    ((100, 10), 0.25)
    """

    description: ClassVar[str] = (
        "y = 10 sin(pi x1 x2) + 20 (x3 - 0.5)^2 + 10 x4 + 5 x5 + noise; inputs uniform on [0, 1]."
    )

    def __init__(self, n_features: int = 10, noise: float = 1.0) -> None:
        self.n_features = n_variables("n_features", n_features, 5)
        self.noise = number("noise", noise, 0.0)

    def _settings(self) -> dict[str, Any]:
        return {"n_features": self.n_features, "noise": self.noise}

    def _inputs(self, n: int, rng: np.random.RandomState) -> np.ndarray:
        return rng.uniform(size=(n, self.n_features))

    def _expected(self, X: np.ndarray) -> np.ndarray:
        bent = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
        return bent + 10 * X[:, 3] + 5 * X[:, 4]


class _Circuit(RegressionProblem):
    """Properties of an alternating-current circuit, as in Friedman's second and third problem."""

    def __init__(self, noise: float) -> None:
        self.n_features = 4
        self.noise = number("noise", noise, 0.0)

    def _settings(self) -> dict[str, Any]:
        return {"noise": self.noise}

    def _inputs(self, n: int, rng: np.random.RandomState) -> np.ndarray:
        low = np.array([0.0, 40 * np.pi, 0.0, 1.0])
        high = np.array([100.0, 560 * np.pi, 1.0, 11.0])
        return low + (high - low) * rng.uniform(size=(n, 4))

    def _reactance(self, X: np.ndarray) -> np.ndarray:
        return X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])


class Friedman2(_Circuit):
    """Friedman's second problem: the impedance of an alternating-current circuit.

    ``y = sqrt(x1^2 + (x2 x3 - 1 / (x2 x4))^2) + noise``. The inputs are uniform, x1 on [0, 100], x2
    on [40 pi, 560 pi], x3 on [0, 1] and x4 on [1, 11].

    Parameters
    ----------
    noise : float, default=125.0
        The standard deviation of the noise.

    References
    ----------
    J. H. Friedman (1991). Multivariate adaptive regression splines. Annals of Statistics 19.

    Examples
    --------
    >>> from silvics.datasets import Friedman2
    >>> Friedman2().residual_error
    15625.0
    """

    description: ClassVar[str] = "y = sqrt(x1^2 + (x2 x3 - 1 / (x2 x4))^2) + noise."

    def __init__(self, noise: float = 125.0) -> None:
        super().__init__(noise)

    def _expected(self, X: np.ndarray) -> np.ndarray:
        return np.hypot(X[:, 0], self._reactance(X))


class Friedman3(_Circuit):
    """Friedman's third problem: the phase of an alternating-current circuit.

    ``y = atan((x2 x3 - 1 / (x2 x4)) / x1) + noise``, with the inputs of ``Friedman2``.

    Parameters
    ----------
    noise : float, default=0.1
        The standard deviation of the noise.

    References
    ----------
    J. H. Friedman (1991). Multivariate adaptive regression splines. Annals of Statistics 19.

    Examples
    --------
    >>> from silvics.datasets import Friedman3
    >>> round(Friedman3().residual_error, 6)
    0.01
    """

    description: ClassVar[str] = "y = atan((x2 x3 - 1 / (x2 x4)) / x1) + noise."

    def __init__(self, noise: float = 0.1) -> None:
        super().__init__(noise)

    def _expected(self, X: np.ndarray) -> np.ndarray:
        return np.arctan2(self._reactance(X), X[:, 0])


class SumOfNormals(RegressionProblem):
    """The sum of independent normal inputs, with irrelevant inputs (thesis equation 4.35).

    Parameters
    ----------
    n_relevant : int, default=5
        The number of inputs that are added up.
    n_irrelevant : int, default=5
        The number of inputs that do not matter.
    noise : float, default=0.0
        The standard deviation of the noise on the output. The thesis has none.

    Examples
    --------
    >>> from silvics.datasets import SumOfNormals
    >>> X, y = SumOfNormals().sample(50, random_state=0)
    >>> bool(abs(X[:, :5].sum(axis=1) - y).max() < 1e-12)
    True
    """

    description: ClassVar[str] = "The sum of the relevant inputs; all inputs are standard normal."

    def __init__(self, n_relevant: int = 5, n_irrelevant: int = 5, noise: float = 0.0) -> None:
        self.n_relevant = n_variables("n_relevant", n_relevant, 1)
        self.n_irrelevant = n_variables("n_irrelevant", n_irrelevant)
        self.n_features = self.n_relevant + self.n_irrelevant
        self.noise = number("noise", noise, 0.0)

    def _settings(self) -> dict[str, Any]:
        return {
            "n_relevant": self.n_relevant, "n_irrelevant": self.n_irrelevant, "noise": self.noise,
        }  # fmt: skip

    def _inputs(self, n: int, rng: np.random.RandomState) -> np.ndarray:
        return rng.standard_normal((n, self.n_features))

    def _expected(self, X: np.ndarray) -> np.ndarray:
        return X[:, : self.n_relevant].sum(axis=1)


class NoisyCosine(RegressionProblem):
    """A cosine with noise, of one input that is uniform on [0, 1] (thesis Figure 4.2).

    ``y = cos(1.5 pi x) + noise``. The thesis does not print the numbers of its figure; these are
    ours.

    Parameters
    ----------
    noise : float, default=0.5
        The standard deviation of the noise.

    Examples
    --------
    >>> from silvics.datasets import NoisyCosine
    >>> NoisyCosine().bayes_model.predict([[0.0]])
    array([1.])
    """

    description: ClassVar[str] = "y = cos(1.5 pi x) + noise; x uniform on [0, 1]."

    def __init__(self, noise: float = 0.5) -> None:
        self.n_features = 1
        self.noise = number("noise", noise, 0.0)

    def _settings(self) -> dict[str, Any]:
        return {"noise": self.noise}

    def _inputs(self, n: int, rng: np.random.RandomState) -> np.ndarray:
        return rng.uniform(size=(n, 1))

    def _expected(self, X: np.ndarray) -> np.ndarray:
        return np.cos(1.5 * np.pi * X[:, 0])
