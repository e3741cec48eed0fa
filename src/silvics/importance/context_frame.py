"""The data frame of importances by context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from silvics._frames import frame_of


def frame_of_contexts(
    variables: list[str],
    given: Sequence[tuple[str, ...]],
    weight: np.ndarray,
    importance: np.ndarray,
    library: str | None,
) -> Any:
    """Return the data frame of ``by_context()``."""
    columns = {
        "variable": variables,
        "given": list(given),
        "degree": np.array([len(names) for names in given], dtype=np.int64),
        "weight": weight,
        "information": importance / weight,
        "importance": importance,
    }
    return frame_of(columns, library)
