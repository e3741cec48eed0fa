"""The orders of Table 5.1 and of Theorems 5.2 to 5.10, fitted to counters of the work done.

    python benchmarks/orders.py [--write docs/studies/orders.md]

The counter is the number of values that are read in the search for splits (`work_`). It does not
depend on the machine. Times are those of the processor.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from math import log
from pathlib import Path

import numpy as np

from silvics import ForestRegressor, _core
from silvics.reproduce.chapter5.orders import (
    ROWS,
    Table,
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
from silvics.reproduce.registry import item_of

THESIS = item_of("table-5.1").printed["orders"]
LARGE, SMALL = [2**i for i in range(9, 16)], [32, 64, 128, 256, 512]


def counted(row: str, make: Callable[[int], Table], sizes: list[int]) -> tuple[str, str]:
    """Return the fitted order of the values that are read, and a text with that of depths."""
    forests = [grown(row, make(n)) for n in sizes]
    values, off = order_of(sizes, [f.work_["values_read"] for f in forests])
    depth, _ = order_of(sizes, [f.work_["mean_leaf_depth"] for f in forests])
    return values, f"{values} (within {off:.0%}); depth {depth}"


def table_5_1() -> list[str]:
    lines = [
        "| | case | thesis | values read, fitted | as in the thesis |",
        "|---|---|---|---|---|",
    ]
    for row in ROWS:
        random_cuts = row in ("ETs", "PERT")
        cases = [
            ("best", bits if random_cuts else halves, LARGE),
            ("worst", ends, SMALL),
            ("average: noise", noise, LARGE),
            ("average: Friedman #1", friedman, LARGE),
        ]
        for i, (case, make, sizes) in enumerate(cases):
            thesis = THESIS[row][min(i, 2)]
            order, text = counted(row, make, sizes)
            lines.append(f"| {row} | {case} | {thesis} | {text} | {agreement(order, thesis)} |")
    return lines


def proportional() -> list[str]:
    lines = ["| | M | K | p at fixed K |", "|---|---:|---:|---:|"]
    table = friedman(2000)
    for row in ROWS:
        ms, ks, ps = [4, 16, 64], [1, 2, 4, 8], [10, 20, 40, 80]
        m = slope(ms, [grown(row, table, n_estimators=k).work_["values_read"] for k in ms])
        k = ""
        if row in ("RF", "ETs"):
            read = [grown(row, table, max_features=k).work_["values_read"] for k in ks]
            k = f"{slope(ks, read):.2f}"
        p = slope(ps, [grown(row, friedman(2000, p)).work_["values_read"] for p in ps])
        lines.append(f"| {row} | {m:.2f} | {k} | {p:.2f} |")
    return lines


# ---- prediction, presorting, trees drawn uniformly


def cpu(work: Callable[[], object], runs: int = 3) -> float:
    """Return the least seconds of the processor."""
    found = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


def prediction() -> list[str]:
    lines = ["| case | theorem | depth of leaves, fitted |", "|---|---|---|"]
    cases = [
        ("best", "5.8: log N", halves, LARGE, "CART"),
        ("worst", "5.9: N", ends, SMALL, "CART"),
        ("average: noise", "5.10: log N", noise, LARGE, "RF"),
    ]
    for case, theorem, make, sizes, row in cases:
        depths = [grown(row, make(n)).work_["mean_leaf_depth"] for n in sizes]
        order, off = order_of(sizes, depths)
        lines.append(f"| {case} | {theorem} | {order} (within {off:.0%}) |")
    ms, rows = [16, 64, 256], friedman(20_000)[0]
    times = []
    for m in ms:
        forest = grown("RF", friedman(2000), n_estimators=m)
        forest.predict(rows[:10])
        times.append(cpu(lambda forest=forest: forest.predict(rows)))
    lines.append(f"| time against M | M | slope {slope(ms, times):.2f} |")
    sizes = [500, 2000, 8000, 32_000]
    times = []
    for n in sizes:
        forest = grown("RF", friedman(n), n_estimators=50)
        forest.predict(rows[:10])
        times.append(cpu(lambda forest=forest: forest.predict(rows)))
    lines.append(f"| time against N | log N: {slope(sizes, [log(n) for n in sizes]):.2f} "
                 f"| slope {slope(sizes, times):.2f} |")  # fmt: skip
    return lines


def presorting() -> list[str]:
    rng = np.random.default_rng(0)
    ns, ps = [10_000, 40_000, 160_000, 640_000], [4, 8, 16, 32]
    by_n = [
        cpu(lambda n=n: _core.code_table(_core.Matrix([rng.random((n, 4))]), 0, False, 1))
        for n in ns
    ]
    tables = {p: _core.Matrix([rng.random((50_000, p))]) for p in ps}
    by_p = [cpu(lambda p=p: _core.code_table(tables[p], 0, False, 1)) for p in ps]
    expected = slope(ns, [n * log(n) for n in ns])
    return [
        "| against | thesis | slope of the time |",
        "|---|---|---:|",
        f"| N | N log N: {expected:.2f} | {slope(ns, by_n):.2f} |",
        f"| p | 1 | {slope(ps, by_p):.2f} |",
    ]


def uniform_trees() -> list[str]:
    rng = np.random.default_rng(0)
    sizes = [64, 256, 1024, 4096]
    uniform = [np.mean([uniform_tree_depth(n, rng) for _ in range(20)]) for n in sizes]
    random = []
    for n in sizes:
        x = np.arange(n, dtype=float)[:, np.newaxis]
        forest = ForestRegressor("extra_trees", 20, max_features=1, random_state=0)
        random.append(forest.fit(x, rng.normal(size=n)).work_["mean_leaf_depth"])
    lines = ["| N | drawn uniformly | totally random cuts | 2 H_N - 2 |", "|---:|---:|---:|---:|"]
    for n, a, b in zip(sizes, uniform, random, strict=True):
        lines.append(f"| {n} | {a:.1f} | {b:.1f} | {2 * (1 / np.arange(1, n + 1)).sum() - 2:.1f} |")
    orders = [order_of(sizes, depths)[0] for depths in (uniform, random)]
    lines += ["", f"Fitted orders: {orders[0]} and {orders[1]}."]
    return lines


HEAD = """# Orders of growth

Made by `make bench-orders`. The number of values that are read in the search for splits (`work_`)
is a count and the same on every machine. For each case, the order is the one whose ratio to the
counts varies least over the sizes (512 to 32,768 rows, in the worst case 32 to 512); "within" is
this variation. Comparisons of sorting are not counted, which is why orders with log² N in the
thesis lack a logarithm here: silvics sorts codes once, and adds up in bins instead of sorting
large nodes.

- Best: a linear output, whose best cut halves every node; for random cuts, binary variables.
- Worst: powers of 3, whose best cut, and two of three uniform cuts, separate one sample. PERT cuts
  between two rows drawn at random, so that no such table makes its trees deep.
- Average: an output of noise, and Friedman #1. On noise, best cuts prefer the ends of nodes
  (end-cut preference), which makes trees deeper than log N.
"""
PARTS = [
    ("Growth with N: Table 5.1", table_5_1),
    ("Growth with M, K and p: slopes of the values that are read", proportional),
    ("Prediction", prediction),
    ("Presorting: the time to code a table", presorting),
    ("Trees that are drawn uniformly (L2201)", uniform_trees),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path)
    chosen = parser.parse_args()
    lines: list[str] = []
    for title, part in PARTS:
        begin = time.perf_counter()
        lines += [f"## {title}", "", *part(), ""]
        print("\n".join(lines[-30:]), f"[{time.perf_counter() - begin:.0f} s]", flush=True)
    if chosen.write:
        chosen.write.write_text("\n".join([HEAD, *lines]))


if __name__ == "__main__":
    main()
