"""Table 5.1: orders of growth, and those of prediction (Theorems 5.2 to 5.10).

For each case, the order is the one whose ratio to the number of values read varies least over the
sizes. Comparisons of sorting are not counted: numbers are sorted once, and large nodes add up in
bins, so that orders lack one logarithm of the thesis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics import ForestRegressor
from silvics.reproduce.chapter5.orders import (
    ROWS,
    agreement,
    bits,
    ends,
    friedman,
    grown,
    halves,
    noise,
    order_of,
    slope,
    uniform_tree_depth,
)
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

CASES = ("best", "worst", "average: noise", "average: Friedman #1")
SAME = ("same", "same without the logarithm of sorting")


def measure(settings: Settings) -> dict[str, Any]:
    """Return fitted orders of the values read and of depths, exponents, and mean depths."""
    large = [2**i for i in settings.pick(tiny=range(7, 10), small=range(9, 15),
                                         paper=range(9, 16))]  # fmt: skip
    small = settings.pick(tiny=[32, 64, 128], small=[32, 64, 128, 256, 512],
                          paper=[32, 64, 128, 256, 512])  # fmt: skip
    counted: dict[str, Any] = {}
    for row in ROWS:
        made = (bits if row in ("ETs", "PERT") else halves, ends, noise, friedman)
        counted[row] = {}
        for case, make, sizes in zip(CASES, made, (large, small, large, large), strict=True):
            work = [grown(row, make(n)).work_ for n in sizes]
            order, off = order_of(sizes, [w["values_read"] for w in work])
            depth, _ = order_of(sizes, [w["mean_leaf_depth"] for w in work])
            counted[row][case] = {"order": order, "within": off, "depth": depth}
    return {
        "orders": counted,
        "exponents": exponents(settings.pick(tiny=300, small=2000, paper=2000)),
        "depths": depths(settings),
    }


def exponents(n: int) -> dict[str, dict[str, float]]:
    """Return the exponents of M and K in the values that are read."""
    table, found = friedman(n), {}
    for row in ROWS:
        ms, ks = [4, 16, 64], [1, 2, 4, 8]
        read = [grown(row, table, n_estimators=m).work_["values_read"] for m in ms]
        found[row] = {"M": slope(ms, read)}
        if row in ("RF", "ETs"):
            read = [grown(row, table, max_features=k).work_["values_read"] for k in ks]
            found[row]["K"] = slope(ks, read)
    return found


def depths(settings: Settings) -> dict[str, Any]:
    """Return mean depths of leaves: of totally random trees, and of trees drawn uniformly."""
    sizes = settings.pick(tiny=[32, 128], small=[64, 256, 1024], paper=[64, 256, 1024, 4096])
    rng = np.random.default_rng(settings.seed)
    random, uniform = [], []
    for n in sizes:
        uniform.append(float(np.mean([uniform_tree_depth(n, rng) for _ in range(20)])))
        forest = ForestRegressor("extra_trees", 500, max_features=1, random_state=settings.seed)
        forest.fit(np.arange(n, dtype=float)[:, np.newaxis], rng.normal(size=n))
        random.append(forest.work_["mean_leaf_depth"])
    return {"N": sizes, "random": random, "uniform": uniform}


def harmonic(n: int) -> float:
    """Return the N-th harmonic number."""
    return float((1 / np.arange(1, n + 1)).sum())


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the orders beside those of the table, and the depths of Equation 5.34."""
    rows = []
    for row, cases in ours["orders"].items():
        for i, (case, found) in enumerate(cases.items()):
            claimed = f"{printed['orders'][row][min(i, 2)]}"
            rows.append(Row(f"{row}, {case}", claimed, found["order"]))
    for row, found in ours["exponents"].items():
        rows += [Row(f"{row}: exponent of {name}", 1, value) for name, value in found.items()]
    found = ours["depths"]
    for n, depth in zip(found["N"], found["random"], strict=True):
        rows.append(Row(f"mean depth of random trees, N = {n}", 2 * harmonic(n) - 1, depth))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge the orders, case by case, and Equation 5.34."""
    found = []
    for i, case in enumerate(CASES):
        said = {
            row: agreement(cases[case]["order"], printed["orders"][row][min(i, 2)])
            for row, cases in ours["orders"].items()
        }
        others = [row for row, what in said.items() if what not in SAME]
        found.append(
            Statement(
                f"the orders of the {case.replace(':', ' case:')}"
                f"{' case' if ':' not in case else ''} are those of the table",
                not others,
                "; ".join(f"{row}: {said[row]}" for row in (others or said)),
                "cuts of PERT are drawn between two samples, so that no table makes its trees deep"
                if others == ["PERT"] else "",
            )
        )  # fmt: skip
    exponents = [value for of in ours["exponents"].values() for value in of.values()]
    found.append(
        Statement(
            "the work is proportional to M and to K",
            all(0.8 < value < 1.15 for value in exponents),
            f"exponents {min(exponents):.2f} to {max(exponents):.2f}",
        )
    )
    sizes, random, uniform = (ours["depths"][name] for name in ("N", "random", "uniform"))
    nodes = max(abs(d - 2 * harmonic(n) + 1) for n, d in zip(sizes, random, strict=True))
    edges = max(abs(d - 2 * harmonic(n) + 2) for n, d in zip(sizes, random, strict=True))
    orders = [order_of(sizes, values)[0] for values in (random, uniform)]
    return [
        *found,
        Statement(
            "the mean depth of totally random trees is 2 H_N - 1",
            nodes < 0.25,
            f"off by up to {nodes:.2f}",
            f"this counts the nodes of a path; 2 H_N - 2, its edges, is off by {edges:.2f}",
        ),
        Statement(
            "trees drawn uniformly have a depth of order sqrt N, random ones of order log N",
            orders == ["log N", "sqrt N"],
            f"{orders[1]} and {orders[0]}",
        ),
    ]
