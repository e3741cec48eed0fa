"""Simulated classification problems with normal classes, or mixtures of normal classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from scipy.stats import ncx2, norm

from silvics.datasets.problem import ClassificationProblem, n_variables, number


class _Classes(ClassificationProblem):
    """Equally probable classes with known densities."""

    def _log_densities(self, X: np.ndarray) -> np.ndarray:
        """Return the logarithm of the density of each class, up to a constant."""
        raise NotImplementedError

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        logs = self._log_densities(X)
        return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))


class TwoGaussians(_Classes):
    """Two normal classes with equal variances.

    The means of the classes are apart along the diagonal of the first two inputs; further inputs
    are irrelevant.

    Parameters
    ----------
    distance : float, default=2.0
        The distance between the means, in standard deviations.
    n_irrelevant : int, default=0
        The number of irrelevant inputs, which are standard normal.

    Examples
    --------
    >>> from silvics.datasets import TwoGaussians
    >>> round(TwoGaussians().residual_error, 6)
    0.158655
    """

    description: ClassVar[str] = "Two normal classes of unit variance in two dimensions."

    def __init__(self, distance: float = 2.0, n_irrelevant: int = 0) -> None:
        self.distance = number("distance", distance, 0.0)
        self.n_irrelevant = n_variables("n_irrelevant", n_irrelevant)
        self.n_features = 2 + self.n_irrelevant
        self.classes = np.arange(2)

    def _settings(self) -> dict[str, Any]:
        return {"distance": self.distance, "n_irrelevant": self.n_irrelevant}

    def _draw(self, n: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        y = rng.randint(2, size=n)
        X = rng.standard_normal((n, self.n_features))
        X[:, :2] += ((2 * y - 1) * self.distance / np.sqrt(8))[:, None]
        return X, y

    def _log_densities(self, X: np.ndarray) -> np.ndarray:
        along = X[:, :2].sum(axis=1) * self.distance / np.sqrt(8)
        return np.column_stack([-along, along])

    def _residual_error(self) -> float:
        return norm.sf(self.distance / 2)


class Twonorm(_Classes):
    """Two normal classes in twenty dimensions, whose boundary is oblique.

    All variances are one. The means are ``(a, ..., a)`` and ``(-a, ..., -a)`` with a = 2 /
    sqrt(20).

    Parameters
    ----------
    n_features : int, default=20
        The number of inputs; a is always 2 / sqrt(n_features).

    References
    ----------
    L. Breiman (1996). Bias, variance, and arcing classifiers. Technical report 460, University of
    California, Berkeley.

    Examples
    --------
    >>> from silvics.datasets import Twonorm
    >>> round(Twonorm().residual_error, 6)
    0.02275
    """

    description: ClassVar[str] = "Normal classes with means (a, ..., a) and (-a, ..., -a)."

    def __init__(self, n_features: int = 20) -> None:
        self.n_features = n_variables("n_features", n_features, 1)
        self.classes = np.arange(2)

    def _settings(self) -> dict[str, Any]:
        return {"n_features": self.n_features}

    def _draw(self, n: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        y = rng.randint(2, size=n)
        X = rng.standard_normal((n, self.n_features))
        return X + ((1 - 2 * y) * 2 / np.sqrt(self.n_features))[:, None], y

    def _log_densities(self, X: np.ndarray) -> np.ndarray:
        along = X.sum(axis=1) * 2 / np.sqrt(self.n_features)
        return np.column_stack([along, -along])

    def _residual_error(self) -> float:
        return norm.sf(2.0)


class Ringnorm(_Classes):
    """A wide normal class that surrounds a narrow one.

    The first class has mean zero and variance 4, the second has mean ``(a, ..., a)`` and variance
    1, with a = 1 / sqrt(20).

    Parameters
    ----------
    n_features : int, default=20
        The number of inputs; a is always 1 / sqrt(n_features).

    References
    ----------
    L. Breiman (1996). Bias, variance, and arcing classifiers. Technical report 460, University of
    California, Berkeley.

    Examples
    --------
    >>> from silvics.datasets import Ringnorm
    >>> 0.01 < Ringnorm().residual_error < 0.02
    True
    """

    description: ClassVar[str] = "A normal class of variance 4 around one of variance 1."

    def __init__(self, n_features: int = 20) -> None:
        self.n_features = n_variables("n_features", n_features, 1)
        self.classes = np.arange(2)

    def _settings(self) -> dict[str, Any]:
        return {"n_features": self.n_features}

    def _draw(self, n: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        y = rng.randint(2, size=n)
        X = rng.standard_normal((n, self.n_features))
        return np.where(y[:, None] == 0, 2 * X, X + 1 / np.sqrt(self.n_features)), y

    def _log_densities(self, X: np.ndarray) -> np.ndarray:
        wide = -(X**2).sum(axis=1) / 8 - self.n_features * np.log(2)
        narrow = -((X - 1 / np.sqrt(self.n_features)) ** 2).sum(axis=1) / 2
        return np.column_stack([wide, narrow])

    def _residual_error(self) -> float:
        # The mean of the narrow class has length 1. The narrow class is predicted within a sphere
        # around 4/3 of that mean, so that both errors are noncentral chi-squared probabilities.
        p = self.n_features
        radius2 = 8 / 3 * (p * np.log(2) + 1 / 6)
        wide_inside = ncx2.cdf(radius2 / 4, p, (4 / 3) ** 2 / 4)
        narrow_outside = ncx2.sf(radius2, p, 1 / 9)
        return (wide_inside + narrow_outside) / 2


class Waveform(_Classes):
    """Mixtures of two of three triangular waves, with noise.

    A sample of a class is ``u a + (1 - u) b + noise`` at 21 points, where a and b are the two waves
    of the class, u is uniform on [0, 1], and the noise at each point is standard normal.

    Parameters
    ----------
    n_irrelevant : int, default=0
        The number of additional inputs, which are standard normal. The larger version of this
        problem has 19.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). Classification and regression trees.

    Examples
    --------
    >>> from silvics.datasets import Waveform
    >>> X, y = Waveform(n_irrelevant=19).sample(5000, random_state=0)
    >>> X.shape
    (5000, 40)
    """

    description: ClassVar[str] = "Three classes: mixtures of two of three triangular waves."

    def __init__(self, n_irrelevant: int = 0) -> None:
        self.n_irrelevant = n_variables("n_irrelevant", n_irrelevant)
        self.n_features = 21 + self.n_irrelevant
        self.classes = np.arange(3)

    def _settings(self) -> dict[str, Any]:
        return {"n_irrelevant": self.n_irrelevant}

    def _draw(self, n: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        y = rng.randint(3, size=n)
        u = rng.uniform(size=(n, 1))
        X = rng.standard_normal((n, self.n_features))
        X[:, :21] += u * _WAVES[_PAIRS[y, 0]] + (1 - u) * _WAVES[_PAIRS[y, 1]]
        return X, y

    def _log_densities(self, X: np.ndarray) -> np.ndarray:
        return np.column_stack([_log_density(X[:, :21], *_WAVES[pair]) for pair in _PAIRS])

    def _residual_error(self) -> float:
        """Integrate the largest density over the plane that contains the waves.

        Noise at right angles to this plane is the same in all classes, so it cancels. The midpoint
        rule on a fine grid is accurate: densities are smooth, and the error at the boundaries
        between classes, where the maximum has a kink, averages out over the cells that they cross.
        """
        first, second = _WAVES[1] - _WAVES[0], _WAVES[2] - _WAVES[0]
        e1 = first / np.linalg.norm(first)
        rest = second - (second @ e1) * e1
        e2 = rest / np.linalg.norm(rest)
        corners = (_WAVES - _WAVES[0]) @ np.column_stack([e1, e2])
        low, high = corners.min(axis=0) - _MARGIN, corners.max(axis=0) + _MARGIN
        x, y = (np.arange(a + _STEP / 2, b, _STEP) for a, b in zip(low, high, strict=True))
        whole = 0.0
        for row in np.array_split(y, max(1, len(y) // 100)):
            at = np.stack(np.meshgrid(x, row, indexing="ij"), axis=-1).reshape(-1, 2)
            logs = np.stack([_log_density(at, *corners[pair]) for pair in _PAIRS])
            whole += np.exp(logs.max(axis=0)).sum() * _STEP**2
        return 1.0 - whole / (3 * 2 * np.pi)


_AT = np.arange(1, 22)
_WAVES = np.stack([np.maximum(6 - np.abs(_AT - peak), 0) for peak in (11, 15, 7)]).astype(float)
_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])
_STEP, _MARGIN = 0.02, 8.0  # of the integration, in standard deviations


def _log_density(X: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the log density of ``u a + (1 - u) b`` plus standard normal noise.

    The factor ``(2 pi)^(-p / 2)`` is left out. Integration over u gives a normal probability of the
    interval [0, 1].
    """
    g = a - b
    length = np.linalg.norm(g)
    d = X - b
    along = d @ (g / length)
    off = np.maximum((d**2).sum(axis=1) - along**2, 0.0)
    # log of Phi(length - along) - Phi(-along), taken in the tail where both are small.
    near, far = -along, length - along
    flip = near > 0
    low, high = np.where(flip, -far, near), np.where(flip, -near, far)
    log_high, log_low = norm.logcdf(high), norm.logcdf(low)
    inside = log_high + np.log1p(-np.exp(np.minimum(log_low - log_high, -1e-300)))
    return -off / 2 + inside + 0.5 * np.log(2 * np.pi) - np.log(length)
