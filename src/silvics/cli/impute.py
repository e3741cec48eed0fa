"""``silvics impute``."""

from __future__ import annotations

from typing import Any

from silvics.impute.forest_imputer import ForestImputer
from silvics.impute.proximity_imputer import ProximityImputer
from silvics.reporting.reading import TableError, check_not_read, read_table, write_table


def run(options: Any) -> dict[str, Any]:
    """Fill in missing values."""
    check_not_read("--out", options.out, options.data)
    table = read_table(options.data)
    empty = [name for name in table.columns if table[name].null_count() == table.height]
    if empty:
        raise TableError(f"{options.data} has columns without values: {', '.join(empty)}.")
    if options.method == "proximity":
        filled = _by_proximity(table, options)
    else:
        imputer = ForestImputer(random_state=options.seed, n_jobs=options.jobs)
        filled = imputer.set_output(transform="polars").fit_transform(table)
    n_filled = sum(table[name].null_count() for name in table.columns)
    n_left = sum(filled[name].null_count() for name in filled.columns)
    write_table(filled, options.out)
    return {"rows": table.height, "filled": n_filled - n_left, "out": options.out}


def _by_proximity(table: Any, options: Any) -> Any:
    if options.target is None or options.target not in table.columns:
        raise TableError("The method proximity needs --target, the column that it predicts.")
    y = table[options.target]
    if y.null_count():
        raise TableError(f"The target {options.target!r} has missing values.")
    imputer = ProximityImputer(random_state=options.seed, n_jobs=options.jobs)
    filled = imputer.set_output(transform="polars").fit_transform(table.drop(options.target), y)
    return filled.with_columns(y).select(table.columns)
