"""Calibrated class probabilities: a monotonic function of each probability, then a sum of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sys import float_info
from typing import Any

import numpy as np

METHODS = ("raw", "temperature", "isotonic", "venn-abers")
_MOST_KNOTS = 1000


@dataclass(frozen=True, eq=False)
class ProbabilityMap:
    """What calibration does to the class probabilities of one output.

    Attributes
    ----------
    method : str
        One of ``METHODS``. With "raw", probabilities do not change.
    smoothing : float
        With "temperature", what is added to every probability.
    power : float
        With "temperature", the power to which the sums are raised.
    knots : list of (list of float, list of float)
        With "isotonic" and "venn-abers", raw and calibrated probabilities of each class, or of the
        second class if there are two. Between knots, the function is linear.
    """

    method: str
    smoothing: float = 0.0
    power: float = 1.0
    knots: Sequence[tuple[Sequence[float], Sequence[float]]] = ()

    def __call__(self, shares: np.ndarray) -> np.ndarray:
        """Return the calibrated probabilities, rows x classes."""
        if self.method == "raw":
            return shares
        if self.method == "temperature":
            found = (shares + self.smoothing) ** self.power
        elif len(self.knots) == 1:
            second = np.interp(shares[:, 1], *self.knots[0])
            found = np.stack([1 - second, second], axis=1)
        else:
            found = np.stack(
                [np.interp(shares[:, c], *of) for c, of in enumerate(self.knots)], axis=1
            )
        whole = found.sum(axis=1, keepdims=True)
        return np.divide(found, whole, out=np.array(shares), where=whole > 0)

    def encoded(self) -> dict[str, Any]:
        """Return the map as data for a model file."""
        return {
            "method": self.method,
            "smoothing": float(self.smoothing),
            "power": float(self.power),
            "knots": [[list(map(float, x)), list(map(float, y))] for x, y in self.knots],
        }

    @classmethod
    def decoded(cls, content: dict[str, Any]) -> ProbabilityMap:
        """Return the map of ``encoded``, which must be valid."""
        knots = [(x, y) for x, y in content["knots"]]
        return cls(content["method"], content["smoothing"], content["power"], knots)

    def is_of(self, n_classes: int) -> bool:
        """Return whether the map is for this number of classes."""
        if self.method in ("raw", "temperature"):
            return not self.knots
        return len(self.knots) == (1 if n_classes == 2 else n_classes)


def calibrated(maps: Sequence[ProbabilityMap], values: np.ndarray, n_classes: Any) -> np.ndarray:
    """Return the calibrated probabilities of all outputs side by side."""
    ends = np.cumsum(np.atleast_1d(n_classes))[:-1]
    parts = np.split(values, ends, axis=1)
    return np.concatenate([of(p) for of, p in zip(maps, parts, strict=True)], axis=1)


def is_calibration(content: Any) -> bool:
    """Return whether a value from a file is what a forest keeps of its calibration."""
    return isinstance(content, list) and all(map(_is_of_output, content))


def are_maps_of(content: list[Any], n_classes: list[int]) -> bool:
    """Return whether the calibration is for these numbers of classes; an empty one is for any."""
    maps = [ProbabilityMap.decoded(of["map"]) for of in content]
    return not maps or (
        len(maps) == len(n_classes)
        and all(of.is_of(n) for of, n in zip(maps, n_classes, strict=True))
    )


def _is_of_output(content: Any) -> bool:
    names = {"map", "log_loss", "n_rows", "reliability", "raw"}
    if not isinstance(content, dict) or content.keys() != names or not _is_map(content["map"]):
        return False
    losses, tables = content["log_loss"], [content["reliability"], content["raw"]]
    return (
        isinstance(losses, dict)
        and content["map"]["method"] in losses
        and set(losses) <= set(METHODS)
        and all(type(x) is float and 0 <= x <= float_info.max for x in losses.values())
        and type(content["n_rows"]) is int
        and 0 < content["n_rows"] < 2**62
        and all(isinstance(of, list) and all(map(_is_bin, of)) for of in tables)
    )


def _is_bin(row: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 3
        and all(type(x) is float and 0 <= x < 2**62 for x in row)
    )


def _is_map(content: Any) -> bool:
    """Return whether a value from a file is the result of ``encoded``."""
    if not isinstance(content, dict) or content.keys() != {
        "method", "smoothing", "power", "knots",
    }:  # fmt: skip
        return False
    numbers = (content["smoothing"], content["power"])
    return (
        content["method"] in METHODS
        and all(type(x) is float and 0 <= x < 1e6 for x in numbers)
        and isinstance(content["knots"], list)
        and all(map(_are_knots, content["knots"]))
    )


def _are_knots(pair: Any) -> bool:
    if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], list)):
        return False
    x, y = pair
    if not isinstance(y, list) or len(x) != len(y) or not 1 <= len(x) <= _MOST_KNOTS:
        return False
    if not all(type(value) is float and 0 <= value <= 1 for value in (*x, *y)):
        return False
    return all(np.diff(x) > 0) and all(np.diff(y) >= 0)
