"""Table 7.1: five variables with different numbers of values, of which one matters at most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.datasets import MixedCardinality
from silvics.reproduce.outcome import Statement, side_by_side
from silvics.reproduce.settings import Settings

RELEVANCE = 0.2


def measure(settings: Settings) -> dict[str, Any]:
    """Return statistics of samples of both cases."""
    n = settings.pick(tiny=4000, small=100_000, paper=1_000_000)
    X, y = MixedCardinality(relevance=0.0).sample(n, settings.seed)
    X_power, y_power = MixedCardinality(relevance=RELEVANCE).sample(n, settings.seed + 1)
    found = {"mean of X1": X[:, 0].mean(), "standard deviation of X1": X[:, 0].std()}
    found |= {f"values of X{j + 1}": len(np.unique(X[:, j])) for j in range(1, 5)}
    found["null case, P(Y = 1)"] = y.mean()
    for level in (0, 1):
        of_level = y_power[X_power[:, 1] == level].mean()
        found[f"power case, P(Y = 1) if X2 = {level}"] = of_level
    shares = [np.bincount(X[:, j].astype(int)) / n for j in range(1, 5)]
    even = max(abs(share * len(share) - 1).max() for share in shares)
    correlation = abs(np.corrcoef(X.T) - np.eye(5)).max()
    found |= {"largest correlation": correlation, "largest relative unevenness": even}
    return {name: int(v) if isinstance(v, int) else float(v) for name, v in found.items()} | {
        "rows": n
    }


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Compare the sample with the definition."""
    rows = [row for row in side_by_side(printed["values"], ours) if row.difference is not None]
    n = ours["rows"]
    counts = [row for row in rows if row.quantity.startswith("values")]
    means = [row for row in rows if not row.quantity.startswith("values")]
    off = max(abs(row.difference or 0.0) for row in means)
    return [
        Statement(
            "X2 to X5 have 2, 4, 10 and 20 values",
            all(row.difference == 0 for row in counts),
            ", ".join(f"{row.ours}" for row in counts),
        ),
        Statement(
            "all values of a variable are equally probable",
            ours["largest relative unevenness"] < 5 * (20 / n) ** 0.5,
            f"within {ours['largest relative unevenness']:.1%}",
        ),
        Statement(
            "the inputs are independent", ours["largest correlation"] < 5 / n**0.5,
            f"largest correlation {ours['largest correlation']:.4f}",
        ),
        Statement(
            "X1 is standard normal, and Y has the probabilities of the table",
            off < 5 / n**0.5, f"largest difference {off:.4f} on {n:,} rows",
        ),
    ]  # fmt: skip
