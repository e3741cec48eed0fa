"""The page docs/studies/uncertainty.md: intervals and probabilities on many sets, time and memory.

python benchmarks/uncertainty.py FOLDER [--write PAGE]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tables import commit, header, line, machine, publish, standard_error
from uncertainty_speed import measured
from uncertainty_study import (
    LEVEL,
    METHODS,
    MOST_CLASS_ROWS,
    MOST_ROWS,
    N_SPLITS,
    N_TREES,
    classes,
    intervals,
    near_nominal,
)

# Name, training rows, samples, repeats.
SPEED = (
    ("silvics_quantiles", 100_000, 100_000, 3),
    ("quantile_forest_all", 100_000, 10_000, 1),
    ("quantile_forest_one", 100_000, 100_000, 1),
    ("silvics_jackknife", 2_000, 2_000, 3),
    ("coverforest_jackknife", 2_000, 2_000, 1),  # its time grows with the square
    ("silvics_jackknife", 10_000, 10_000, 2),
    ("silvics_errors", 20_000, 2_000, 2),
    ("forestci_errors", 20_000, 2_000, 1),
)
WORDS = {
    "silvics_quantiles": "three quantiles, all rows of leaves: silvics",
    "quantile_forest_all": "the same: quantile-forest, max_samples_leaf=None",
    "quantile_forest_one": "one row per leaf: quantile-forest, default",
    "silvics_jackknife": "jackknife+ after bootstrap: silvics",
    "coverforest_jackknife": "the same: coverforest",
    "silvics_errors": "infinitesimal jackknife, 500 trees: silvics",
    "forestci_errors": "the same: forestci",
}


def speed_part(found: dict[tuple[str, int], list[float] | None]) -> Iterator[str]:
    yield from (
        "## Time and memory",
        "",
        "Forests of 100 trees on Friedman #1 (500 for the infinitesimal jackknife), with at least "
        "5 rows in a leaf for quantiles. Each measurement is a process with two threads, and one "
        "for products of matrices. Times are of the processor, per 1,000 samples, because other "
        "work ran on the machine. Memory is what the call added at most to the process; kept is "
        "what the forest keeps for the call; file is the model file with training rows, or the "
        "pickle.",
        "",
        *header(
            ["what", "training rows", "samples"],
            ["ms per 1,000", "times silvics", "MiB added", "MiB kept", "MiB file"],
        ),
    )
    ours = float("nan")
    for name, n, m, _ in SPEED:
        of = found.get((name, n))
        if of is None:
            yield line([WORDS[name], f"{n:,}", f"{m:,}", "not measured", "", "", "", ""])
            continue
        each = of[0] / m * 1e6
        ours = each if name.startswith("silvics") else ours
        cells = ["" if np.isnan(x) else f"{x:.0f}" for x in of[2:]]
        yield line([WORDS[name], f"{n:,}", f"{m:,}", f"{each:.1f}", f"{each / ours:.1f}", *cells])


def interval_part(found: dict[str, dict[str, tuple[np.ndarray, np.ndarray]]]) -> Iterator[str]:
    yield from (
        "## Intervals",
        "",
        f"Intervals of level {LEVEL}, mean of {N_SPLITS} splits of at most {MOST_ROWS} rows to "
        f"train and {MOST_ROWS} to test on, {N_TREES} trees, `max_features=1/3`, "
        "`min_samples_leaf=3`. The last eleven sets are simulated: Friedman #1 with noise of "
        "several kinds, and other functions. Widths are relative to the default, "
        '"oob". "split" calibrates on a third of the training rows.',
        "",
        *header(
            ["set"], [f"{m}, coverage" for m in METHODS] + [f"{m}, width" for m in METHODS[1:]]
        ),
    )
    good, narrow, n = dict.fromkeys(METHODS, 0), 0, 0
    for name, of in found.items():
        own = of["oob"][1].mean()
        widths = {m: of[m][1].mean() / own for m in METHODS}
        for m in METHODS:
            good[m] += near_nominal(of[m][0])
        reaching = [w for m, w in widths.items() if of[m][0].mean() >= LEVEL - 0.015]
        narrow += min([*reaching, 1.0]) >= 1 / 1.05
        n += 1
        shares = [f"{of[m][0].mean():.3f}" for m in METHODS]
        yield line([name, *shares, *(f"{widths[m]:.2f}" for m in METHODS[1:])])
    yield from (
        "",
        f"Of {n} sets, the mean coverage is within 1.5 points or two standard errors of the level "
        "on "
        + ", ".join(f'{good[m]} with "{m}"' for m in METHODS)
        + f'. Intervals of "oob" are at most 5 % wider than the narrowest that reach the level '
        f"(less 1.5 points) on {narrow} sets.",
        "",
    )


def class_part(found: dict[str, dict[str, np.ndarray]]) -> Iterator[str]:
    yield from (
        "## Class probabilities and sets",
        "",
        f'Forests of {N_TREES} trees with `calibrate="oob"`, {N_SPLITS} splits of at most '
        f"{MOST_CLASS_ROWS} rows to train and to test on. Raw probabilities are clipped at half a "
        "vote. The difference has the standard error over splits. Sets are those of `predict_set` "
        f"at level {LEVEL}.",
        "",
        *header(
            ["set", "methods chosen"],
            ["log-loss, raw", "calibrated", "difference, %", "sets: coverage", "mean size"],
        ),
    )
    better = worse = covered = n = 0
    for name, of in found.items():
        raw, own = of["raw"], of["calibrated"]
        change = 100 * (own - raw) / raw.mean()
        names, counts = np.unique(of["method"], return_counts=True)
        chosen = ", ".join(f"{name} {k}" for name, k in zip(names, counts, strict=True))
        better += own.mean() < raw.mean()
        worse += own.mean() > 1.005 * raw.mean()
        covered += near_nominal(of["coverage"])
        n += 1
        yield line([
            name, chosen, f"{raw.mean():.4f}", f"{own.mean():.4f}",
            f"{change.mean():+.1f} ± {standard_error(change):.1f}", f"{of['coverage'].mean():.3f}",
            f"{of['size'].mean():.2f}",
        ])  # fmt: skip
    yield from (
        "",
        f"Calibrated log-loss is smaller on {better} of {n} sets, and more than 0.5 % larger on "
        f"{worse}. Sets have a mean coverage within 1.5 points or two standard errors of the level "
        f"on {covered} of {n}.",
        f"The aims were a smaller log-loss on 80 % of the sets ({better / n:.0%} reached) and the "
        "level on all of them.",
        "",
    )


def page(
    speed: dict[tuple[str, int], list[float] | None],
    of_intervals: dict[str, dict[str, tuple[np.ndarray, np.ndarray]]],
    of_classes: dict[str, dict[str, np.ndarray]],
) -> Iterator[str]:
    yield from (
        "# Intervals, probabilities, quantiles",
        "",
        "<!-- Written by benchmarks/uncertainty.py: change that, and run "
        "`make bench-uncertainty`. -->",
        "",
        f"Measured at {commit()} on {machine()}, two cores of a virtual machine.",
        "",
    )
    yield from interval_part(of_intervals)
    yield from class_part(of_classes)
    yield from speed_part(speed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    speed = {(name, n): measured(name, n, m, repeats) for name, n, m, repeats in SPEED}
    lines = page(speed, dict(intervals(given.folder)), dict(classes(given.folder)))
    publish(list(lines), given.write)


if __name__ == "__main__":
    main()
