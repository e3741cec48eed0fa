"""``silvics info``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from silvics.model_file.loading import load


def run(options: Any) -> dict[str, Any]:
    """Describe a saved forest."""
    forest = load(options.model)
    names = [str(name) for name in getattr(forest, "feature_names_in_", ())]
    found: dict[str, Any] = {
        "file": options.model,
        "bytes": Path(options.model).stat().st_size,
        "estimator": type(forest).__name__,
        "trees": len(forest) if hasattr(forest, "__len__") else 1,
        "columns": names or int(forest.n_features_in_),
        "classes": [str(c) for c in getattr(forest, "classes_", ())] or None,
        "digest": forest.digest(),
        "parameters": {
            name: value
            for name, value in forest.get_params().items()
            if value is None or isinstance(value, bool | int | float | str)
        },
    }
    if not options.json:
        for name, value in found.items():
            if isinstance(value, dict):
                value = ", ".join(f"{key}={item!r}" for key, item in value.items())
            elif isinstance(value, list):
                value = ", ".join(map(str, value))
            if value is not None:
                print(f"{name}: {value}")
    return found
