"""Simulated classification problems on discrete and on independent inputs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from silvics.datasets.problem import ClassificationProblem, n_variables, number, whole_number

# Table 6.1 of the thesis: the segments of a seven-segment display that show each digit.
SEGMENTS = np.array(
    [
        [int(on) for on in digit]
        for digit in (
            "1110111", "0010010", "1011101", "1011011", "0111010",
            "1101011", "1101111", "1010010", "1111111", "1111011",
        )
    ]
)  # fmt: skip


class LED(ClassificationProblem):
    """Digits on a display of seven segments, each of which may be wrong (thesis section 6.5).

    The ten digits are equally probable. The inputs X1 to X7 say which segments are lit.

    Parameters
    ----------
    noise : float, default=0.1
        The probability that a segment is wrong, for each segment independently.
    n_irrelevant : int, default=0
        The number of additional inputs that are 0 or 1 with equal probability.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). Classification and regression trees.

    Examples
    --------
    >>> from silvics.datasets import LED
    >>> round(LED().residual_error, 4), LED(noise=0.0).residual_error
    (0.26, 0.0)
    """

    description: ClassVar[str] = "Digits 0 to 9 from seven binary segments with noise."

    def __init__(self, noise: float = 0.1, n_irrelevant: int = 0) -> None:
        self.noise = number("noise", noise, 0.0, 0.5)
        self.n_irrelevant = n_variables("n_irrelevant", n_irrelevant)
        self.n_features = 7 + self.n_irrelevant
        self.classes = np.arange(10)

    def _settings(self) -> dict[str, Any]:
        return {"noise": self.noise, "n_irrelevant": self.n_irrelevant}

    def _draw(self, n: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        y = rng.randint(10, size=n)
        lit = SEGMENTS[y] ^ (rng.uniform(size=(n, 7)) < self.noise)
        others = rng.randint(2, size=(n, self.n_irrelevant))
        return np.hstack([lit, others]).astype(np.float64), self.classes[y]

    def _likelihoods(self, X: np.ndarray) -> np.ndarray:
        wrong = (X[:, None, :7] != SEGMENTS).sum(axis=2)
        return self.noise**wrong * (1 - self.noise) ** (7 - wrong)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        likely = self._likelihoods(X)
        whole = likely.sum(axis=1, keepdims=True)
        # Segments that show no digit have probability zero without noise.
        return np.where(whole > 0, likely / np.where(whole > 0, whole, 1.0), 0.1)

    def _residual_error(self) -> float:
        displays = np.array([[i >> j & 1 for j in range(7)] for i in range(128)])
        return max(0.0, 1.0 - self._likelihoods(displays).max(axis=1).sum() / 10)


class XOR(ClassificationProblem):
    """The exclusive or of two binary inputs: neither of them is informative alone.

    Parameters
    ----------
    noise : float, default=0.0
        The probability that the class is the other one.
    n_irrelevant : int, default=0
        The number of additional inputs that are 0 or 1 with equal probability.

    Examples
    --------
    >>> from silvics.datasets import XOR
    >>> XOR(noise=0.1).bayes_model.predict([[0, 0], [0, 1], [1, 0], [1, 1]])
    array([0, 1, 1, 0])
    """

    description: ClassVar[str] = "y = x1 xor x2, for binary inputs."

    def __init__(self, noise: float = 0.0, n_irrelevant: int = 0) -> None:
        self.noise = number("noise", noise, 0.0, 0.5)
        self.n_irrelevant = n_variables("n_irrelevant", n_irrelevant)
        self.n_features = 2 + self.n_irrelevant
        self.classes = np.arange(2)

    def _settings(self) -> dict[str, Any]:
        return {"noise": self.noise, "n_irrelevant": self.n_irrelevant}

    def _draw(self, n: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        X = rng.randint(2, size=(n, self.n_features)).astype(np.float64)
        return X, self._draw_outputs(X, rng)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        odd = (X[:, 0] != 0) ^ (X[:, 1] != 0)
        of_one = np.where(odd, 1 - self.noise, self.noise)
        return np.column_stack([1 - of_one, of_one])

    def _residual_error(self) -> float:
        return self.noise


class MixedCardinality(ClassificationProblem):
    """Inputs with different numbers of values, of which one matters at most (thesis Table 7.1).

    X1 is standard normal; X2, X3, X4 and X5 are uniform on 2, 4, 10 and 20 values. The output is 1
    with probability ``0.5 - relevance`` if X2 is 0, and ``0.5 + relevance`` if X2 is 1. Random
    forests find X1, X4 and X5 too important.

    Parameters
    ----------
    relevance : float, default=0.0
        How much X2 matters, from 0 (the null case) to 0.5.

    References
    ----------
    C. Strobl, A.-L. Boulesteix, A. Zeileis, T. Hothorn (2007). Bias in random forest variable
    importance measures. BMC Bioinformatics 8.

    Examples
    --------
    >>> from silvics.datasets import MixedCardinality
    >>> MixedCardinality(relevance=0.2).residual_error
    0.3
    """

    description: ClassVar[str] = "Five inputs with different numbers of values; X2 may matter."

    def __init__(self, relevance: float = 0.0) -> None:
        self.relevance = number("relevance", relevance, 0.0, 0.5)
        self.n_features = 5
        self.classes = np.arange(2)

    def _settings(self) -> dict[str, Any]:
        return {"relevance": self.relevance}

    def _draw(self, n: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        discrete = [rng.randint(levels, size=n) for levels in (2, 4, 10, 20)]
        X = np.column_stack([rng.standard_normal(n), *discrete])
        return X, self._draw_outputs(X, rng)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        of_one = np.where(X[:, 1] > 0.5, 0.5 + self.relevance, 0.5 - self.relevance)
        return np.column_stack([1 - of_one, of_one])

    def _residual_error(self) -> float:
        return 0.5 - self.relevance


class ThresholdAndCopy(ClassificationProblem):
    """An input with L ordered values, and a binary copy of the output (thesis Table 7.2).

    X1 is uniform on 0 to L - 1, the output says whether X1 is less than L / 2, and X2 is a copy of
    the output. Both inputs are equally informative, but binary trees with random thresholds find X2
    more important (thesis Figure 7.8).

    Parameters
    ----------
    n_levels : int, default=3
        The number of values of X1, at least 2.

    Examples
    --------
    >>> from silvics.datasets import ThresholdAndCopy
    >>> ThresholdAndCopy().bayes_model.predict([[0, 1], [1, 1], [2, 0]])
    array([1, 1, 0])
    """

    description: ClassVar[str] = "y = (x1 < L / 2), for x1 uniform on 0 to L - 1; x2 is y."

    def __init__(self, n_levels: int = 3) -> None:
        self.n_levels = whole_number("n_levels", n_levels, 2, 2**31)
        self.n_features = 2
        self.classes = np.arange(2)

    def _settings(self) -> dict[str, Any]:
        return {"n_levels": self.n_levels}

    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all possible samples, which are equally probable.

        Returns
        -------
        X : ndarray of shape (n_levels, 2)
            The inputs.
        y : ndarray of shape (n_levels,)
            The outputs.
        """
        return self._samples(np.arange(self.n_levels))

    def _samples(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y = (x < self.n_levels / 2).astype(int)
        return np.column_stack([x, y]).astype(np.float64), y

    def _draw(self, n: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        return self._samples(rng.randint(self.n_levels, size=n))

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        y = X[:, 0] < self.n_levels / 2
        return np.column_stack([~y, y]).astype(np.float64)

    def _residual_error(self) -> float:
        return 0.0
