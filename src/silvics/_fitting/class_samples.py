"""Numbers of rows that trees draw of each class (``sampsize`` of R's randomForest)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from silvics._fitting.axes import Axes
from silvics._fitting.targets import EncodedOutputs


def drawn_of_classes(
    axes: Axes, outputs: EncodedOutputs, weights: np.ndarray | None, grouped: bool
) -> tuple[np.ndarray | None, tuple[int, ...]]:
    """Return the class of each row, and the number of rows drawn of each; None if not asked for."""
    if axes.class_samples is None:
        return None, ()
    _check_choices(axes, outputs, grouped)
    assert outputs.classes is not None
    labels, classes = outputs.values[:, 0], outputs.classes[0]
    counted = labels if weights is None else labels[weights > 0]
    sizes = np.bincount(counted, minlength=len(classes))
    wanted = [
        _number_of(of_class, int(size))
        for of_class, size in zip(
            _of_classes(axes.class_samples, classes, sizes), sizes, strict=True
        )
    ]
    if not any(wanted):
        raise ValueError("class_samples draws no row of any class. Raise one of its numbers.")
    without = axes.rows == "subsample"
    for label, n, size in zip(classes.tolist(), wanted, sizes.tolist(), strict=True):
        if n > (size if without else 0 if size == 0 else n):
            how = f'{size} rows, and rows="subsample" draws without replacement' if size else "none"
            raise ValueError(
                f"class_samples draws {n} rows of class {label!r}, of which X has {how}. Lower the "
                'number, or set rows="bootstrap".'
            )
    return np.ascontiguousarray(labels, dtype=np.uint32), tuple(wanted)


def _check_choices(axes: Axes, outputs: EncodedOutputs, grouped: bool) -> None:
    if axes.rows not in ("bootstrap", "subsample"):
        raise ValueError(
            f'class_samples draws rows by class, but rows={axes.rows!r}: set rows="bootstrap" or '
            'rows="subsample".'
        )
    if outputs.n_outputs > 1:
        raise ValueError(
            f"class_samples needs the classes of one output, but y has {outputs.n_outputs}. Fit "
            "one forest for each output, or use sample_weight."
        )
    if grouped:
        raise ValueError(
            "class_samples draws single rows, but groups are drawn as a whole. Use class_weight."
        )


def _of_classes(given: Any, classes: np.ndarray, sizes: np.ndarray) -> list[Any]:
    """Return what is given for each class."""
    if isinstance(given, str):  # "balanced"
        return [int(sizes[sizes > 0].min())] * len(classes)
    if isinstance(given, Real):
        return [given] * len(classes)
    if isinstance(given, dict):
        known = {label: k for k, label in enumerate(classes.tolist())}
        numbers: list[Any] = sizes.tolist()  # other classes draw as many rows as they have
        for label, number in given.items():
            if label not in known:
                raise ValueError(
                    f"class_samples has the class {label!r}, but y has only {list(known)}."
                )
            numbers[known[label]] = number
        return numbers
    numbers = list(given) if isinstance(given, list | tuple) else np.asarray(given).tolist()
    if not isinstance(numbers, list) or len(numbers) != len(classes):
        raise ValueError(
            f"class_samples must have one number for each of the {len(classes)} classes, in the "
            f"order of classes_, but it is {given!r}."
        )
    return numbers


def _number_of(given: Any, size: int) -> int:
    """Return a number of rows; a float is a fraction of the rows of the class."""
    whole = isinstance(given, Integral) and not isinstance(given, bool)
    if whole and 0 <= int(given) < 2**31:
        return int(given)
    if not whole and isinstance(given, Real) and 0.0 <= float(given) <= 1.0:
        return round(float(given) * size)
    raise ValueError(
        f"class_samples has {given!r}, but it must have numbers of rows, or fractions between 0 "
        "and 1 of the rows of a class."
    )
