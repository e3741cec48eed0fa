"""Figure 3.3: binary and multiway splits, and the number of partitions that splits choose from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import comb, factorial
from typing import Any

import numpy as np

from silvics import ForestClassifier
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

N_VALUES = 5


def partitions(n: int, k: int) -> Iterator[list[int]]:
    """Yield the partitions of n samples into k non-empty subsets, as the subset of each sample."""

    def extend(subsets: list[int], used: int) -> Iterator[list[int]]:
        if len(subsets) == n:
            if used == k:
                yield subsets
            return
        for subset in range(min(used + 1, k)):
            yield from extend([*subsets, subset], max(used, subset + 1))

    return extend([], 0)


def stirling(n: int, k: int) -> int:
    """Return the Stirling number of the second kind (Equation 3.12)."""
    terms = ((-1) ** (k - j) * comb(k, j) * j**n for j in range(k + 1))
    return sum(terms) // factorial(k)


def children(recipe: str) -> list[list[int]]:
    """Return the rows of each child of the root, for an output of as many classes as values."""
    x = np.repeat(np.arange(N_VALUES), 4)
    forest = ForestClassifier(recipe, n_estimators=1, max_depth=1, random_state=0)
    leaves = forest.fit(x[:, np.newaxis], x).apply(x[:, np.newaxis])[:, 0]
    return [np.flatnonzero(leaves == leaf).tolist() for leaf in np.unique(leaves)]


def measure(settings: Settings) -> dict[str, Any]:
    """Return the children of both kinds of splits, and numbers of partitions."""
    most = settings.pick(tiny=6, small=9, paper=10)
    pairs = [(n, k) for n in range(2, most + 1) for k in range(1, n + 1)]
    return {
        "binary": children("cart"),
        "multiway": children("id3"),
        "pairs": [list(pair) for pair in pairs],
        "counted": [sum(1 for _ in partitions(n, k)) for n, k in pairs],
        "Equation 3.12": [stirling(n, k) for n, k in pairs],
        "binary partitions": {n: sum(1 for _ in partitions(n, 2)) for n in range(2, most + 1)},
    }


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return numbers of children and of partitions."""
    rows = [Row("children of the binary split", printed["binary"], len(ours["binary"])),
            Row(f"children of the multiway split on {N_VALUES} values", N_VALUES,
                len(ours["multiway"]))]  # fmt: skip
    return rows + [
        Row(f"binary partitions of {n} samples", 2 ** (int(n) - 1) - 1, counted)
        for n, counted in ours["binary partitions"].items()
    ]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge whether splits are partitions, and how many partitions there are."""
    found = []
    for kind, wanted in (("binary", printed["binary"]), ("multiway", N_VALUES)):
        rows = sorted(row for child in ours[kind] for row in child)
        whole = rows == list(range(4 * N_VALUES)) and all(ours[kind])
        found.append(
            Statement(
                f"a {kind} split is a partition of the samples into {wanted} subsets",
                whole and len(ours[kind]) == wanted,
                f"subsets of {', '.join(str(len(child)) for child in ours[kind])} samples",
            )
        )
    same = sum(a == b for a, b in zip(ours["counted"], ours["Equation 3.12"], strict=True))
    found.append(
        Statement(
            "Equation 3.12 counts the partitions into k subsets",
            same == len(ours["counted"]),
            f"{same} of {len(ours['counted'])} numbers are those of an enumeration",
        )
    )
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the growth of the number of partitions."""
    ns = [int(n) for n in ours["binary partitions"]]
    axes[0].semilogy(ns, list(ours["binary partitions"].values()), "o-", label="binary partitions")
    axes[0].semilogy(ns, [n - 1 for n in ns], "o-", label="cuts of an ordered variable")
    axes[0].set(xlabel="samples of the node", ylabel="splits")
    axes[0].legend()
