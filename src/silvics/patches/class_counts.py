"""What a first pass counts: the classes of outputs, and the rows of groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics._fitting import targets


class ClassCounts:
    """The classes of each output, and the weight and the number of rows of each of them."""

    def __init__(self, classification: bool) -> None:
        self._totals: list[dict[Any, float]] | None = [] if classification else None
        self._sizes: dict[Any, int] = {}  # of the first output
        self._types: list[np.dtype] = []

    def add(self, y: np.ndarray, weights: np.ndarray | None) -> None:
        if self._totals is None:
            return
        coded = targets.encode_outputs(y, True, "gini", "")
        for k, levels in enumerate(coded.classes or []):
            if len(self._totals) <= k:
                self._totals.append({})
                self._types.append(levels.dtype)
            self._types[k] = np.promote_types(self._types[k], levels.dtype)
            if k == 0:
                sizes = np.bincount(coded.values[:, k], minlength=len(levels))
                for level, size in zip(levels.tolist(), sizes.tolist(), strict=True):
                    self._sizes[level] = self._sizes.get(level, 0) + size
            of_class = np.bincount(coded.values[:, k], weights, len(levels))
            for level, total in zip(levels.tolist(), of_class.tolist(), strict=True):
                self._totals[k][level] = self._totals[k].get(level, 0.0) + total

    def classes(self) -> list[np.ndarray] | None:
        if self._totals is None:
            return None
        pairs = zip(self._totals, self._types, strict=True)
        return [np.array(sorted(totals), dtype=dtype) for totals, dtype in pairs]

    def totals(self) -> list[np.ndarray] | None:
        if self._totals is None:
            return None
        return [np.array([of[level] for level in sorted(of)]) for of in self._totals]

    def sizes(self) -> np.ndarray | None:
        """Return the number of rows of each class of the first output."""
        return (
            np.array([self._sizes[level] for level in sorted(self._sizes)]) if self._sizes else None
        )

    def weights(self, chosen: Any) -> list[np.ndarray] | None:
        """Return the weight of each class by ``class_weight``, or None."""
        classes, totals = self.classes(), self.totals()
        if chosen is None or classes is None or totals is None:
            return None
        given = chosen if isinstance(chosen, list) else [chosen] * len(classes)
        if len(given) != len(classes) or (isinstance(chosen, dict) and len(classes) > 1):
            raise ValueError(
                "For multi-output, class_weight should be a list of dicts, or the string "
                '"balanced".'
            )
        return [
            targets.weights_of_classes(
                "balanced" if isinstance(one, str) else one, levels, levels, total
            )
            for one, levels, total in zip(given, classes, totals, strict=True)
        ]


class GroupCounts:
    """The groups of rows that are drawn as a whole, and their sizes."""

    def __init__(self) -> None:
        self._sizes: dict[Any, int] = {}
        self._types: set[np.dtype] = set()
        self._levels: np.ndarray | None = None

    def add(self, labels: np.ndarray) -> None:
        """Count the rows of each group."""
        if any(label is None or label != label for label in labels.tolist()):
            raise ValueError("groups has missing values. Give each row a group, if only its own.")
        levels, counts = np.unique(labels, return_counts=True)
        self._types.add(levels.dtype)
        for level, count in zip(levels.tolist(), counts.tolist(), strict=True):
            self._sizes[level] = self._sizes.get(level, 0) + count

    def sizes(self) -> np.ndarray:
        """Return the number of rows of each group, in sorted order."""
        return np.array([self._sizes[level] for level in sorted(self._sizes)], dtype=np.int64)

    def codes(self, labels: np.ndarray) -> np.ndarray:
        """Return the number of the group of each row."""
        if self._levels is None:
            dtype = np.result_type(*self._types)
            self._levels = np.array(sorted(self._sizes), dtype=dtype)
        known, places = np.unique(labels, return_inverse=True)
        at = np.minimum(np.searchsorted(self._levels, known), len(self._levels) - 1)
        if not np.array_equal(self._levels[at], known):
            raise ValueError("groups has values that an earlier pass has not seen.")
        return at[places].astype(np.uint32)
