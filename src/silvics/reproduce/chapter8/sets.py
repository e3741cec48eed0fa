"""The data sets of Tables 8.1 and 8.4 that can be had: simulated, or in the folder of data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from silvics.datasets import Ringnorm, Twonorm, Waveform
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import MissingData, Settings

Draw = Callable[[int, int], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class DataSet:
    """A data set of the chapter.

    Attributes
    ----------
    name : str
        Its name in the thesis.
    shape : tuple of int
        Rows and columns in the thesis.
    table : str or None
        The file of the folder of data that has it.
    draw : callable or None
        Function of a number of rows and a seed that simulates it, if there is no file.
    same : bool
        Whether ours is that of the thesis, or a draw from the same distribution.
    labels : tuple of str or None
        The classes of the file that belong to it.
    columns : int or None
        The first columns of the file that belong to it.
    large : bool
        Whether the thesis grows 100 trees with at least 10 samples in a node, instead of 250.
    """

    name: str
    shape: tuple[int, int]
    table: str | None = None
    draw: Draw | None = None
    same: bool = True
    labels: tuple[str, ...] | None = None
    columns: int | None = None
    large: bool = False

    def is_there(self, settings: Settings) -> bool:
        """Return whether it can be simulated or is in the folder of data."""
        return self.draw is not None or (self.table is not None and settings.has(self.table))

    def load(self, settings: Settings) -> tuple[np.ndarray, np.ndarray]:
        """Return the inputs as float32 and the numbers of classes."""
        of_file = self.table is not None and (self.draw is None or settings.has(self.table))
        if self.draw is not None and not of_file:
            X, y = self.draw(self.shape[0], settings.seed)
        else:
            assert self.table is not None
            frame, y = settings.problem(self.table)
            if self.columns is not None:
                frame = frame.select(frame.columns[: self.columns])
            X = frame.to_numpy()
            if self.labels is not None:
                some = np.isin(y, self.labels)
                X, y = X[some], y[some]
        codes = np.unique(np.asarray(y), return_inverse=True)[1]
        return np.ascontiguousarray(X, dtype=np.float32), codes


def _of(problem: Any) -> Draw:
    def draw(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        X, y = problem.sample(n, random_state=seed)
        return np.asarray(X), np.asarray(y)

    return draw


def _madelon(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw from scikit-learn's form of the generator of MADELON: 5 and 15 of 500 columns matter."""
    X, y = make_classification(
        n, 500, n_informative=5, n_redundant=15, n_clusters_per_class=16, flip_y=0.01,
        class_sep=1.0, shuffle=True, random_state=seed,
    )  # fmt: skip
    return X, y


SMALL = (
    DataSet("DIABETES", (768, 8), "diabetes"),
    DataSet("DIG44", (18000, 16)),
    DataSet("IONOSPHERE", (351, 34), "ionosphere"),
    DataSet("PENDIGITS", (10992, 16), "pendigits"),
    DataSet("LETTER", (20000, 16), "letter"),
    DataSet("LIVER", (345, 6), "liver"),
    DataSet("MUSK2", (6598, 168), "musk2", same=False),
    DataSet("RING-NORM", (10000, 20), draw=_of(Ringnorm())),
    DataSet("SATELLITE", (6435, 36)),
    DataSet("SEGMENT", (2310, 19)),
    DataSet("SONAR", (208, 60), "sonar"),
    DataSet("SPAMBASE", (4601, 57), "spambase"),
    DataSet("TWO-NORM", (9999, 20), draw=_of(Twonorm())),
    DataSet("VEHICLE", (1692, 18), "vehicle", same=False),
    DataSet("VOWEL", (990, 10)),
    DataSet("WAVEFORM", (5000, 21), draw=_of(Waveform())),
)
LARGE = (
    DataSet("CIFAR10", (60000, 3072), large=True),
    DataSet("MNIST3V8", (13966, 784), "mnist", labels=("3", "8")),
    DataSet("MNIST4V9", (13782, 784), "mnist", labels=("4", "9")),
    DataSet("MNIST", (70000, 784), "mnist", large=True),
    DataSet("ISOLET", (7797, 617), "isolet1", same=False),
    DataSet("ARCENE", (900, 10000), "arcene", same=False),
    DataSet("BREAST2", (295, 24496)),
    DataSet("MADELON", (4400, 500), "madelon", draw=_madelon, same=False),
    DataSet("MARTI", (500, 1024)),
    DataSet("REGED", (500, 999)),
    DataSet("SECOM", (1567, 591)),
    DataSet("TIS", (13375, 927)),
    DataSet("SIDO", (12678, 4932), large=True),
)


def those_there(sets: tuple[DataSet, ...], settings: Settings) -> tuple[DataSet, ...]:
    """Return the data sets that can be had; at least three, which the tests need."""
    found = tuple(one for one in sets if one.is_there(settings))
    if len(found) < 3:
        names = ", ".join(f"{one.table}.parquet" for one in sets if one.table)
        raise MissingData(
            f"This compares methods on at least three data sets. Name a folder that has {names} "
            "with --data FOLDER."
        )
    return found


def sizes_of(sets: tuple[DataSet, ...], settings: Settings) -> dict[str, Any]:
    """Return the rows and columns of the data sets that can be had."""
    found: dict[str, Any] = {"N": {}, "p": {}}
    for one in sets:
        if one.is_there(settings):
            n, p = one.load(settings)[0].shape
            found["N"][one.name], found["p"][one.name] = int(n), int(p)
    found["same"] = [one.name for one in sets if one.same and one.name in found["N"]]
    return found


def compare_sizes(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the sizes of all data sets; those that we do not have are empty."""
    return [
        Row(f"{name}, {what}", printed[what][name], ours[what].get(name, "not had"))
        for name in printed["N"]
        for what in ("N", "p")
    ]


def judge_sizes(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge whether the data sets that should be the same have the same size."""
    equal = [
        name for name in ours["same"] if all(ours[of][name] == printed[of][name] for of in "Np")
    ]
    others = sorted(set(ours["N"]) - set(ours["same"]))
    text = (
        f"{len(equal)} of {len(ours['same'])}; {len(ours['N'])} of {len(printed['N'])} can be had"
    )
    if others:
        text += f", and {', '.join(others)} are other draws or parts"
    return [
        Statement(
            "data sets that are those of the thesis have its numbers of rows and columns",
            0 < len(equal) == len(ours["same"]), text,
        )
    ]  # fmt: skip
