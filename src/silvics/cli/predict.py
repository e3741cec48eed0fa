"""``silvics predict``."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from silvics._names import did_you_mean
from silvics.model_file.loading import load
from silvics.reporting.reading import TableError, read_table, write_table


def run(options: Any) -> dict[str, Any]:
    """Predict the rows of a table."""
    forest = load(options.model)
    table = read_table(options.data)
    names = [str(name) for name in getattr(forest, "feature_names_in_", table.columns)]
    for name in [*names, *options.keep]:
        if name not in table.columns:
            hint = did_you_mean(name, table.columns)
            raise TableError(f"{options.data} has no column {name!r}.{hint}")
    forest.set_params(n_jobs=options.jobs)
    X = table.select(names)
    columns = {name: table[name] for name in options.keep}
    columns["prediction"] = np.asarray(forest.predict(X))
    if options.probabilities:
        if not is_classifier(forest):
            raise ValueError("--probabilities is for classes, but this model predicts numbers.")
        shares = forest.predict_proba(X)
        columns |= {f"p_{c}": shares[:, k] for k, c in enumerate(forest.classes_)}
    if options.out is not None or not options.json:
        write_table(type(table)(columns), options.out)
    return {"rows": table.height, "out": options.out, "model": options.model}
