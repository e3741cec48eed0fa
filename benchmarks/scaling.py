"""How the cost of growing scales (thesis Table 5.1), and Figures 5.4 to 5.8 as pictures.

    python benchmarks/scaling.py [--runs 5] [--jobs 1] [--pictures docs/figures/scaling]

Slopes are of log time against log of the quantity, so 1 means proportional. Table 5.1 says
M K N~ log^2 N~ for random forests and M K N log N for Extra-Trees on average.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_friedman1

import silvics

FORESTS = {"RF": silvics.RandomForestRegressor, "ETs": silvics.ExtraTreesRegressor}


def one_run(kind: str, seed: int, n: int = 1000, p: int = 10, **settings: Any) -> list[float]:
    """Seconds to grow, mean depth of the leaves, mean squared error."""
    X, y = make_friedman1(n + 1000, p, noise=1.0, random_state=seed)
    settings = {"n_estimators": 250, "max_features": int(p**0.5), **settings}
    settings.setdefault("bootstrap", kind == "RF")
    forest = FORESTS[kind](random_state=seed, **settings)
    start = time.perf_counter()
    forest.fit(X[:n], y[:n])
    took = time.perf_counter() - start
    depth = []
    for tree in forest.estimators_[:20]:
        leaves = tree.tree_.children_left < 0
        depth.append(np.mean(tree.tree_.compute_node_depths()[leaves]) - 1)
    error = np.mean((forest.predict(X[n:]) - y[n:]) ** 2)
    return [took, float(np.mean(depth)), float(error)]


def sweep(of: Callable[[Any], dict], values: Iterable[Any], runs: int, jobs: int) -> dict:
    """For each forest an array: value, run, (time, depth, error)."""
    return {
        kind: np.array(
            [
                [one_run(kind, seed, **{"n_jobs": jobs, **of(value)}) for seed in range(runs)]
                for value in values
            ]
        )
        for kind in FORESTS
    }


def slope(values: Iterable[float], seconds: np.ndarray) -> float:
    return float(np.polyfit(np.log(list(values)), np.log(seconds), 1)[0])


def picture(path: Path, title: str, label: str, values: list, measured: dict, log: bool) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(12, 3.4), constrained_layout=True)
    names = ("training time, s", "average depth of leaves", "mean squared error")
    for part, (axis, name) in enumerate(zip(axes, names, strict=True)):
        for kind, array in measured.items():
            middle, spread = array[:, :, part].mean(axis=1), array[:, :, part].std(axis=1)
            axis.plot(range(len(values)) if not log else values, middle, marker="o", label=kind)
            place = range(len(values)) if not log else values
            axis.fill_between(place, middle - spread, middle + spread, alpha=0.2)
        if log:
            axis.set_xscale("log")
        else:
            axis.set_xticks(range(len(values)), [str(v) for v in values])
        axis.set_xlabel(label)
        axis.set_title(name)
    axes[0].legend()
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--pictures", type=Path, default=Path("docs/figures/scaling"))
    chosen = parser.parse_args()
    figures: list[tuple[str, str, str, list, Callable[[Any], dict], bool]] = [
        ("5.4", "number of trees", "M", [16, 32, 64, 128, 250, 500],
         lambda m: {"n_estimators": m}, True),
        ("5.5", "size of the learning set", "N", [250, 500, 1000, 2000, 4000, 8000, 16000],
         lambda n: {"n": n, "n_estimators": 50}, True),
        ("5.6", "number of variables, all but five irrelevant", "p", [5, 10, 20, 40, 80, 160],
         lambda p: {"p": p}, True),
        ("5.7", "variables drawn at a node", "K", [1, 2, 3, 5, 7, 10],
         lambda k: {"max_features": k}, True),
        ("5.8", "bootstrap replicates", "bootstrap", [False, True],
         lambda b: {"bootstrap": b}, False),
    ]  # fmt: skip
    print("| figure | sweep over | slope RF | slope ETs | Table 5.1 |\n|---|---|---:|---:|---|")
    expected = {
        "M": "1",
        "N": "1 and a log (ETs) or two (RF)",
        "p": "1/2 in K = sqrt(p), more for RF by depth",
        "K": "1",
    }
    for number, title, label, values, of, log in figures:
        measured = sweep(of, values, chosen.runs, chosen.jobs)
        path = chosen.pictures / f"figure-{number.replace('.', '-')}.png"
        picture(path, f"Figure {number}: {title}", label, values, measured, log)
        seconds = {kind: np.median(array[:, :, 0], axis=1) for kind, array in measured.items()}
        if log:
            slopes = [slope(values, seconds[kind]) for kind in FORESTS]
            sizes = f"{label} = {values[0]}..{values[-1]}"
            print(f"| {number} | {sizes} | {slopes[0]:.2f} | {slopes[1]:.2f} | {expected[label]} |")
        else:
            gain = [seconds[kind][0] / seconds[kind][1] for kind in FORESTS]
            print(
                f"| {number} | time without bootstrap / with | {gain[0]:.2f} | {gain[1]:.2f} "
                "| about 1.5 (RF), less for ETs |"
            )
    large = [2**i * 1000 for i in range(3, 9)]
    seconds = {
        kind: [
            min(one_run(kind, s, n=n, n_estimators=4, n_jobs=chosen.jobs)[0] for s in range(3))
            for n in large
        ]
        for kind in FORESTS
    }
    slopes = [slope(large, np.array(seconds[kind])) for kind in FORESTS]
    print(
        f"| | N = {large[0]}..{large[-1]} | {slopes[0]:.2f} | {slopes[1]:.2f} "
        "| N log N has 1.09 here, N log^2 N has 1.19 |"
    )


if __name__ == "__main__":
    main()
