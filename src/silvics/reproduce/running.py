"""Running an item of the thesis.

The module of an item has

- ``measure(settings)``, which computes numbers: a dictionary of values that JSON can write;
- ``judge(ours, printed)``, which compares them with the printed ones: a list of ``Statement``;
- ``compare(ours, printed)``, which returns rows "thesis, ours"; optional, if every number is shown
  beside the printed one of the same name in the group ``values``;
- ``PANELS`` and ``draw(axes, ours, printed)`` for a figure; optional.

``judge``, ``compare`` and ``draw`` see only numbers, so that they can be tested with others.
"""

from __future__ import annotations

import time
from importlib import import_module
from types import ModuleType
from typing import Any

from silvics.reproduce.outcome import Outcome, Row, side_by_side
from silvics.reproduce.registry import Item, item_of
from silvics.reproduce.settings import MissingData, Settings


def reproduce(name: str, settings: Settings | None = None) -> Outcome:
    """Run an item of the thesis.

    Parameters
    ----------
    name : str
        Its name, as in ``table-3.1``.
    settings : Settings or None
        The scale and the folder of data.

    Returns
    -------
    outcome : Outcome
        Numbers beside those of the thesis, and whether its findings hold.
    """
    item, settings = item_of(name), settings or Settings()
    lacking = [table for table in item.data if not settings.has(table)]
    if lacking:
        where = "" if settings.data is None else f", which {settings.data} lacks"
        raise MissingData(
            f"{item.label} needs {', '.join(f'{table}.parquet' for table in lacking)}{where}. "
            "Name a folder that has these files with --data FOLDER."
        )
    module = import_module(item.module)
    begin = time.perf_counter()
    ours = module.measure(settings)
    return outcome_of(item, ours, settings.scale, time.perf_counter() - begin, module)


def outcome_of(
    item: Item, ours: dict[str, Any], scale: str, seconds: float, module: ModuleType
) -> Outcome:
    """Return the outcome that follows from numbers."""
    return Outcome(
        item=item,
        scale=scale,
        ours=ours,
        rows=_rows(module, ours, item),
        statements=module.judge(ours, item.printed),
        seconds=seconds,
        panels=getattr(module, "PANELS", (1, 1)) if hasattr(module, "draw") else None,
        draw=getattr(module, "draw", None),
    )


def _rows(module: ModuleType, ours: dict[str, Any], item: Item) -> list[Row]:
    if hasattr(module, "compare"):
        return module.compare(ours, item.printed)
    return side_by_side(item.printed.get("values", {}), ours)
