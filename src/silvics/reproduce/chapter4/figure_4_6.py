"""Figure 4.6: handwritten digits, placed by their proximities.

The thesis does not say which digits it took. These are scikit-learn's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from silvics import RandomForestClassifier
from silvics.inspection import proximity_map
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

MOST_DRAWN = 600


def measure(settings: Settings) -> dict[str, Any]:
    """Return a map of the digits of scikit-learn, and how close and confused classes are."""
    X, y = load_digits(return_X_y=True)
    forest = RandomForestClassifier(
        settings.pick(tiny=60, small=300, paper=500), oob_score=True, random_state=settings.seed,
        n_jobs=settings.n_jobs,
    ).fit(X, y)  # fmt: skip
    proximities = forest.proximity(X)
    within, between = [], []
    for digit in range(10):
        same = proximities[np.ix_(y == digit, y == digit)]
        n = len(same)
        within.append(float((same.sum() - np.trace(same)) / (n * (n - 1))))
        between.append(float(proximities[np.ix_(y == digit, y != digit)].mean()))
    wrong = forest.classes_[forest.oob_decision_function_.argmax(axis=1)] != y
    places = proximity_map(forest, X, y).coordinates[:MOST_DRAWN]
    return {
        "within": within,
        "between": between,
        "oob error": [float(wrong[y == digit].mean()) for digit in range(10)],
        "places": np.round(places, 3).tolist(),
        "digits": y[:MOST_DRAWN].tolist(),
    }


def largest_two(values: list[float]) -> list[int]:
    """Return the digits of the two largest values, in order."""
    return sorted(np.argsort(values)[-2:].tolist())


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the digits that stand out, and the proximities of each."""
    claimed = " and ".join(map(str, printed["dispersed"]))
    dispersed = largest_two([-v for v in ours["within"]])
    rows = [
        Row("most dispersed digits", claimed, " and ".join(map(str, dispersed))),
        Row("digits with the largest out-of-bag error", claimed,
            " and ".join(map(str, largest_two(ours["oob error"])))),
    ]  # fmt: skip
    for digit in range(10):
        rows.append(Row(f"mean proximity within {digit}", None, ours["within"][digit]))
        rows.append(Row(f"out-of-bag error of {digit}", None, ours["oob error"][digit]))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 4.4.3 says about the map."""
    claimed = printed["dispersed"]
    dispersed, wrong = largest_two([-v for v in ours["within"]]), largest_two(ours["oob error"])
    ratio = min(a / b for a, b in zip(ours["within"], ours["between"], strict=True))
    return [
        Statement(
            "samples of the same class are close",
            ratio > 3,
            f"proximities within a class are at least {ratio:.0f} times those to others",
        ),
        Statement(
            "digits 1 and 8 are the most dispersed",
            dispersed == claimed,
            f"{dispersed[0]} and {dispersed[1]}",
        ),
        Statement(
            "the forest makes the most errors on digits 1 and 8",
            wrong == claimed,
            ", ".join(f"{d}: {ours['oob error'][d]:.1%}" for d in sorted({*wrong, *claimed})),
            "1 is written in several forms, whose leaves no other digit reaches",
        ),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the digits at their places."""
    places, digits = np.array(ours["places"]), np.array(ours["digits"])
    for digit in range(10):
        axes[0].plot(*places[digits == digit].T, ".", markersize=4, label=str(digit))
    axes[0].legend(ncols=2, fontsize=7)
    axes[0].set(xticks=[], yticks=[])
