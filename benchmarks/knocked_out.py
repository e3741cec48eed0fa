"""Learned missing values against imputation, where values were knocked out.

    python benchmarks/knocked_out.py DATA [--write docs/studies/knocked_out.md] [--sets NAME ...]
                                     [--repeats 5] [--trees 50] [--jobs 2] [--most 5000]

DATA holds Parquet files with a column `target`. A fifth of the values of the inputs is made
missing, in training and test rows alike, in two ways: completely at random, or more often the
larger a number is (probability 0.4 times its relative rank, one at most); levels of a category
are ranked in an order drawn at random. All contenders see the same holes and the same splits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from tables import (
    Fit,
    How,
    Outcome,
    Predict,
    categorical,
    header,
    line,
    mean_ranks,
    native,
    ordinal,
    outcome,
    publish,
    read,
    with_error,
)

import silvics

SETS = [
    "abalone",
    "california_housing",
    "concrete",
    "credit_g",
    "diabetes",
    "diamonds",
    "ionosphere",
    "led7digit",
    "letter",
    "nursery",
    "sonar",
    "spambase",
    "splice",
    "vehicle",
    "waveform",
    "wine_quality",
]
SHARE = 0.2
MECHANISMS = ("at random", "not at random")


def knocked_out(X: pd.DataFrame, mechanism: str, seed: int) -> pd.DataFrame:
    """The table with a fifth of its values missing."""
    random = np.random.default_rng([seed, MECHANISMS.index(mechanism)])
    columns = {}
    for name, column in X.items():
        chance = np.full(len(X), SHARE)
        if mechanism == "not at random":
            values = column
            if isinstance(column.dtype, pd.CategoricalDtype):
                values = pd.Series(random.permutation(len(column.cat.categories)))[column.cat.codes]
            rank = (values.rank().to_numpy() - 0.5) / len(X)  # mean 1/2
            chance = np.minimum(1, 2 * SHARE * rank)
        columns[name] = column.mask(random.random(len(X)) < chance)
    return pd.DataFrame(columns)


# ---- contenders


def _imputed(indicators: bool) -> Fit:
    """Ours after medians and commonest levels of the training rows were filled in."""

    def fit(X: pd.DataFrame, y: np.ndarray, how: How) -> Predict:
        levels = set(categorical(X))
        fill = {c: X[c].mode().iloc[0] if c in levels else X[c].median() for c in X}

        def filled(X: pd.DataFrame) -> pd.DataFrame:
            parts = [X.fillna(fill)]
            if indicators:
                parts.append(X.isna().astype(np.uint8).add_suffix(" missing"))
            return pd.concat(parts, axis=1)

        predict = native(filled(X), y, how)
        return lambda X: predict(filled(X))

    return fit


CONTENDERS: dict[str, Fit] = {
    "silvics, learned": native,
    "silvics, imputed": _imputed(indicators=False),
    "silvics, imputed and indicators": _imputed(indicators=True),
    "scikit-learn, NaN": ordinal,
}


# ---- the page


def section(mechanism: str, chosen: argparse.Namespace) -> Iterator[str]:
    yield f"## Missing {mechanism}"
    yield ""
    yield from header(["set", "score"], list(CONTENDERS))
    means = []
    for name in chosen.sets:
        table = read(chosen.data, name)
        found: list[Outcome] = [
            outcome(
                table,
                fit,
                repeats=chosen.repeats,
                trees=chosen.trees,
                jobs=chosen.jobs,
                most=chosen.most,
                change=lambda X, seed: knocked_out(X, mechanism, seed),
            )
            for fit in CONTENDERS.values()
        ]
        means.append([one.scores.mean() for one in found])
        scale = "accuracy" if table.labels else "R2"
        yield line([name, scale, *(with_error(one.scores) for one in found)])
    yield line(["mean rank", "", *(f"{rank:.2f}" for rank in mean_ranks(np.array(means)))])
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", metavar="DATA", type=Path, help="folder of Parquet files")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most", type=int, default=5000, help="rows to train on, and to test on")
    chosen = parser.parse_args()
    if not chosen.data.is_dir():
        parser.error(f"no folder {chosen.data}")
    lines = [
        "# Missing values: learned or imputed",
        "",
        f"Made by `benchmarks/knocked_out.py`. silvics {silvics.__version__}, scikit-learn "
        f"{sklearn.__version__}; Random Forests of {chosen.trees} full-grown trees, sqrt(p) "
        f"variables per node for classes and all for numbers. {chosen.repeats} random splits, "
        f"three to one, of at most {chosen.most} rows to train on and as many to test on. A fifth "
        "of the input values is missing in both. Imputation uses the medians and the most "
        "frequent levels of the training rows; indicators add one column per input. "
        "Categories are ordinal codes for scikit-learn. "
        "Points of accuracy or R2, mean ± standard error over splits (splits share rows, so "
        "that standard errors are somewhat too small); rank 1 is best.",
        "",
    ]
    for mechanism in MECHANISMS:
        for text in section(mechanism, chosen):
            print(text, file=sys.stderr, flush=True)
            lines.append(text)
    publish(lines[:-1], chosen.write)


if __name__ == "__main__":
    main()
