"""``silvics predict``."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import is_classifier

from silvics._names import did_you_mean
from silvics.model_file.loading import load
from silvics.reporting.conversion import as_trained
from silvics.reporting.reading import TableError, check_not_read, read_table, write_table


def run(options: Any) -> dict[str, Any]:
    """Predict the rows of a table."""
    check_not_read("--out", options.out, options.data, options.model)
    forest = load(options.model)
    table = read_table(options.data)
    names = [str(name) for name in getattr(forest, "feature_names_in_", table.columns)]
    for name in [*names, *options.keep]:
        if name not in table.columns:
            hint = did_you_mean(name, table.columns)
            raise TableError(f"{options.data} has no column {name!r}.{hint}")
    forest.set_params(n_jobs=options.jobs)
    X = _as_trained(forest, table, names)
    columns = {name: table[name] for name in options.keep}
    if "prediction" in columns:
        raise TableError("--keep prediction would be replaced by the predictions. Rename it first.")
    predicted = np.asarray(forest.predict(X))
    if predicted.ndim == 2:
        columns |= {f"prediction_{k}": values for k, values in enumerate(predicted.T)}
    else:
        columns["prediction"] = predicted
    if options.probabilities:
        if not is_classifier(forest):
            raise ValueError("--probabilities is for classes, but this model predicts numbers.")
        if predicted.ndim == 2:
            raise ValueError("--probabilities is for models with one output.")
        shares = forest.predict_proba(X)
        columns |= {f"p_{c}": shares[:, k] for k, c in enumerate(forest.classes_)}
    if options.out is not None or not options.json:
        write_table(type(table)(columns), options.out)
    return {"rows": table.height, "out": options.out, "model": options.model}


def _as_trained(forest: Any, table: Any, names: list[str]) -> Any:
    """Return the columns of the model, in the kinds that they had in training."""
    variables = forest._variables
    frame = nw.from_native(table, eager_only=True)
    columns = []
    for name, kind, levels in zip(names, variables.kinds, variables.levels, strict=True):
        texts = kind == "category" and levels is not None and levels.dtype == object
        known = "category" if texts else kind if kind in ("number", "date") else ""
        columns.append(as_trained(frame[name], known))
    return nw.concat([column.to_frame() for column in columns], how="horizontal").to_native()
