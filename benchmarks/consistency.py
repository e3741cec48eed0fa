"""Whether the error of the consistent variants falls to the residual error (thesis 4.5).

    python benchmarks/consistency.py [--write docs/studies/consistency.md] [--repeats 3]
                                     [--sizes 250 1000 4000 16000 64000] [--trees 100] [--jobs 2]
                                     [--pictures docs/figures/recipes]

Two problems of which everything is known, so that what is measured is the excess itself: in
regression the squared distance to the true function, in classification what errors there are
beyond those of the Bayes rule, weighed by how sure that rule is.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from tables import header, line, publish, standard_error

from silvics import ForestClassifier, ForestRegressor, recipes

# What is measured: the recipe, its other choices, and the power of N that leaves have at least.
VARIANTS: dict[str, tuple[str, dict[str, Any], float]] = {
    "cart, leaves of sqrt(N)": ("cart", {"n_estimators": 1}, 0.5),
    "extra_trees, leaves of sqrt(N)": ("extra_trees", {}, 0.5),
    "pert_stopped": ("pert_stopped", {}, 0.0),
    "breiman_2004": ("breiman_2004", {"relevant": [0, 1]}, 0.0),
    "purely_random": ("purely_random", {}, 0.0),
    "random_gap": ("random_gap", {}, 0.0),
    "biau_2012": ("biau_2012", {}, 0.0),
    "biau_2012_halves": ("biau_2012_halves", {}, 0.0),
    "denil_2013": ("denil_2013", {}, 0.0),
    "scornet_2014": ("scornet_2014", {}, 0.0),
    "random_forest": ("random_forest", {}, 0.0),
}
NOISE = 0.5  # standard deviation
TESTED = 5000  # points


def signal(X: np.ndarray) -> np.ndarray:
    """Additive, continuous, of two of the variables; its values lie evenly about zero."""
    return np.sin(2 * np.pi * X[:, 0]) + 2 * X[:, 1] - 1


def posterior(X: np.ndarray) -> np.ndarray:
    """Of the second class."""
    return 1 / (1 + np.exp(-3 * signal(X)))


# ---- problems


@dataclass(frozen=True)
class Problem:
    title: str
    formula: str
    forest: type
    draw: Callable[[np.ndarray, np.random.Generator], np.ndarray]
    excess: Callable[[Any, np.ndarray], float]
    residual: float
    what: str


def draw_number(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return signal(X) + rng.normal(scale=NOISE, size=len(X))


def draw_class(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(len(X)) < posterior(X)).astype(int)


def excess_of_numbers(forest: Any, X: np.ndarray) -> float:
    return float(np.mean((forest.predict(X) - signal(X)) ** 2))


def excess_of_classes(forest: Any, X: np.ndarray) -> float:
    sure = 2 * posterior(X) - 1
    return float(np.mean(np.abs(sure) * (forest.predict(X) != (sure > 0))))


def bayes_error() -> float:
    shares = posterior(np.random.default_rng(0).random((1_000_000, 4)))
    return float(np.minimum(shares, 1 - shares).mean())


def problems() -> dict[str, Problem]:
    return {
        "regression": Problem(
            "Regression",
            "Y = f(X) + noise of standard deviation 0.5",
            ForestRegressor,
            draw_number,
            excess_of_numbers,
            NOISE**2,
            "variance of the noise",
        ),
        "classification": Problem(
            "Two classes",
            "P(Y = 1 | X) = 1 / (1 + exp(-3 f(X)))",
            ForestClassifier,
            draw_class,
            excess_of_classes,
            bayes_error(),
            "error of the Bayes rule",
        ),
    }


# ---- measuring


def measure(problem: Problem, chosen: argparse.Namespace) -> dict[str, np.ndarray]:
    """Excess by recipe: size, repeat. Learning sets are the same for all."""
    shape = (len(chosen.sizes), chosen.repeats)
    found = {name: np.empty(shape) for name in VARIANTS}
    X_test = np.random.default_rng(1).random((TESTED, 4))
    for i, n in enumerate(chosen.sizes):
        start = time.perf_counter()
        for r in range(chosen.repeats):
            rng = np.random.default_rng([n, r])
            X = rng.random((n, 4))
            y = problem.draw(X, rng)
            for name, (recipe, choices, power) in VARIANTS.items():
                options = {"n_estimators": chosen.trees, **choices}
                if power:
                    options["min_samples_leaf"] = round(n**power)
                forest = problem.forest(recipe, random_state=r, n_jobs=chosen.jobs, **options)
                found[name][i, r] = problem.excess(forest.fit(X, y), X_test)
        took = time.perf_counter() - start
        print(f"{problem.title}, N = {n}: {took:.0f} s", file=sys.stderr, flush=True)
    return found


# ---- what comes out


def slope(sizes: list[int], means: np.ndarray) -> float:
    """Of log excess against log N."""
    return float(np.polyfit(np.log(sizes), np.log(means), 1)[0])


def verdict(sizes: list[int], excess: np.ndarray) -> str:
    """Whether the mean excess falls in every step, and how fast."""
    means = excess.mean(axis=1)
    if not (np.diff(means) < 0).all():
        return "not at every step"
    if slope(sizes[-2:], means[-2:]) > LEVEL:
        return "levels off"
    return "yes, slowly" if slope(sizes, means) > SLOW else "yes"


LEVEL = -0.1
SLOW = -0.25


def table(found: dict[str, np.ndarray], sizes: list[int]) -> Iterator[str]:
    columns = [f"N = {n:,}" for n in sizes]
    yield from header(["recipe"], [*columns, "slope", "last slope", "falls?"])
    for name, excess in found.items():
        means = excess.mean(axis=1)
        cells = [
            f"{mean:.4f} ± {standard_error(row):.4f}"
            for mean, row in zip(means, excess, strict=True)
        ]
        slopes = [slope(sizes, means), slope(sizes[-2:], means[-2:])]
        told = [f"{value:+.2f}" for value in slopes]
        yield line([f"`{name}`", *cells, *told, verdict(sizes, excess)])


def picture(path: Path, problem: Problem, found: dict[str, np.ndarray], sizes: list[int]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    figure, axis = pyplot.subplots(figsize=(8, 4.8), constrained_layout=True)
    marks = "osD^v<>PX*h"
    for (name, excess), mark in zip(found.items(), marks, strict=True):
        spread = [standard_error(row) for row in excess]
        plain = name == "random_forest"
        axis.errorbar(
            sizes,
            excess.mean(axis=1),
            yerr=spread,
            marker=mark,
            label=name,
            color="black" if plain else None,
            linestyle="--" if plain else "-",
        )
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axis.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
    axis.yaxis.set_minor_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_xlabel("N")
    axis.set_ylabel("excess over the residual error")
    axis.set_title(f"{problem.title}: residual error {problem.residual:.3f}")
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    axis.grid(True, alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def in_words(found: dict[str, dict[str, np.ndarray]], sizes: list[int]) -> Iterator[str]:
    """For each recipe, plainly."""
    yield from ["## Does the error fall toward the residual error?", ""]
    for name, (recipe, _, _) in VARIANTS.items():
        parts = []
        for kind, of in found.items():
            means = of[name].mean(axis=1)
            left = 100 * means[-1] / means[0]
            parts.append(f"{kind} {verdict(sizes, of[name])} ({left:.0f} % of the excess is left)")
        yield f"- `{name}` ({recipes.get(recipe).origin}): {'; '.join(parts)}."
    cuts = np.log2(sizes[-1] ** (2 / 3)) / 4
    yield ""
    yield (
        f'From N = {sizes[0]:,} to {sizes[-1]:,}. "Slowly" is a slope above {SLOW}, '
        f'"levels off" a last slope above {LEVEL}. The variants '
        "that draw or halve without looking at the output are slow because half of their cuts "
        f"fall on the two irrelevant variables: N^(2/3) = {sizes[-1] ** (2 / 3):.0f} cells are "
        f"about {cuts:.1f} cuts of each variable on the way to a leaf. Those that look for good "
        "cuts (`denil_2013`, `scornet_2014`) are near the residual error long before."
    )
    yield ""
    yield from against_forest(found, sizes)


def against_forest(found: dict[str, dict[str, np.ndarray]], sizes: list[int]) -> Iterator[str]:
    """Random Forests, of which the thesis has no proof, beside the best of the others."""
    for kind, of in found.items():
        means = {name: excess.mean(axis=1) for name, excess in of.items()}
        ahead = [[n for n in VARIANTS if means[n][i] < means["random_forest"][i]] for i in (0, -1)]
        last = slope(sizes[-2:], means["random_forest"][-2:])
        first = slope(sizes[:2], means["random_forest"][:2])
        told = [", ".join(f"`{n}`" for n in names) or "none" for names in ahead]
        yield (
            f"`random_forest` in {kind}: slope {first:+.2f} in the first step and {last:+.2f} in "
            f"the last; ahead of it at N = {sizes[0]:,}: {told[0]}; at N = {sizes[-1]:,}: "
            f"{told[1]}."
        )
        yield ""
    yield (
        "No result of 4.5 covers it: its trees grow on bootstrap replicates until leaves are "
        "pure, so that leaves never hold many samples."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--pictures", type=Path, default=Path("docs/figures/recipes"))
    parser.add_argument("--sizes", nargs="+", type=int, default=[250, 1000, 4000, 16000, 64000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    lines = ["# Consistent variants as N grows", ""]
    lines.append(
        f"Made by `benchmarks/consistency.py` with silvics {version('silvics')} on "
        f"{platform.machine()} ({platform.system()}). X uniform on the unit cube of four "
        "variables, f(X) = sin(2 pi X1) + 2 X2 - 1, so that two variables are irrelevant. "
        f"{chosen.trees} trees, {chosen.repeats} learning sets of each size, the same for all "
        f"recipes, {TESTED:,} test points. Recipes as they are; `breiman_2004` is told which "
        "variables are relevant. Excess is measured without noise: mean squared distance to f; "
        "for classes, errors beyond the Bayes rule's, each weighed by |2 P(Y = 1 | X) - 1|. Mean ± "
        "standard error over learning sets; slope of log excess against log N, over all sizes and "
        "over the last two."
    )
    lines.append("")
    found: dict[str, dict[str, np.ndarray]] = {}
    for kind, problem in problems().items():
        found[kind] = measure(problem, chosen)
        path = chosen.pictures / f"consistency-{kind}.png"
        picture(path, problem, found[kind], chosen.sizes)
        lines += [f"## {problem.title}", ""]
        lines += [
            f"{problem.formula}; residual error ({problem.what}) {problem.residual:.4f}. "
            "Excess over it:",
            "",
            *table(found[kind], chosen.sizes),
            "",
            f"![Excess over N](../figures/recipes/{path.name})",
            "",
        ]
    lines += in_words(found, chosen.sizes)
    publish(lines, chosen.write)


if __name__ == "__main__":
    main()
