"""How an item is run: the scale, and the folder of data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from silvics.reporting.reading import read_table

T = TypeVar("T")
SCALES = ("tiny", "small", "paper")


class MissingData(ValueError):
    """A file of data that an item needs and that was not given."""


@dataclass(frozen=True)
class Settings:
    """What an item may know about its run.

    Attributes
    ----------
    scale : {"tiny", "small", "paper"}
        The size of the experiment: of tests, of seconds to a minute, or as in the thesis.
    data : Path or None
        A folder of Parquet files.
    n_jobs : int or None
        Threads. Results do not depend on them, but times do.
    seed : int
        Seed of the experiment.
    """

    scale: str = "small"
    data: Path | None = None
    n_jobs: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise ValueError(f"scale must be one of {', '.join(SCALES)}, got {self.scale!r}.")

    def pick(self, *, tiny: T, small: T, paper: T) -> T:
        """Return the value for the scale."""
        return {"tiny": tiny, "small": small, "paper": paper}[self.scale]

    def has(self, name: str) -> bool:
        """Return whether the folder of data has a table."""
        return self.data is not None and (self.data / f"{name}.parquet").is_file()

    def table(self, name: str) -> Any:
        """Return a table of the folder of data as a polars frame."""
        if self.data is None:
            raise MissingData(
                f"This needs the file {name}.parquet. Name the folder that has it with "
                "--data FOLDER."
            )
        if not self.has(name):
            raise MissingData(f"The folder {self.data} has no file {name}.parquet.")
        return read_table(self.data / f"{name}.parquet")

    def problem(self, name: str) -> tuple[Any, np.ndarray]:
        """Return the inputs of a table as a frame, and its column ``target`` as an array."""
        table = self.table(name)
        if "target" not in table.columns:
            raise ValueError(f"{name}.parquet has no column named target.")
        return table.drop("target"), np.asarray(table["target"].to_list())
