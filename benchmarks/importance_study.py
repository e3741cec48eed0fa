"""Are importances right? Table 7.1's simulations, and the error rates that tests promise.

python benchmarks/importance_study.py --write docs/studies/importance_bias.md
"""

import argparse
import functools
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.ensemble import RandomForestClassifier as SklearnForest
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

import silvics
from silvics.importance import (
    boruta,
    conditional_error_rate,
    contrast_test,
    one_forest_test,
    permutation_test,
)

N_ROWS, N_TREES, N_JOBS = 120, 100, 2


def strobl(seed, relevance=0.0, n_rows=N_ROWS):
    """Table 7.1: one variable of all values, four of 2, 4, 10 and 20; Y knows X2, or nothing."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=n_rows), *(rng.integers(0, k, n_rows) for k in (2, 4, 10, 20))]
    )
    y = rng.random(n_rows) < 0.5 + relevance * np.where(X[:, 1] == 1, 1, -1)
    return X, y.astype(int)


def grown(kind):
    """A forest of some kind, not fitted."""
    settings = {"n_estimators": N_TREES, "n_jobs": N_JOBS}
    if kind == "RF":
        return silvics.RandomForestClassifier(**settings)
    if kind == "ETs, K = 1":
        return silvics.ExtraTreesClassifier(max_features=1, **settings)
    if kind == "ETs, K = 1, bootstrap":
        return silvics.ExtraTreesClassifier(max_features=1, bootstrap=True, **settings)
    if kind == "TRT":
        return silvics.ForestClassifier("totally_randomized_multiway", criterion="gini", **settings)
    return silvics.ForestClassifier(
        "conditional_inference", rows="subsample", max_samples=0.632, max_features=2,
        significance=0.05, **settings,
    )  # fmt: skip


def asked(kind):
    """Importances of a kind; where something is drawn, by a seed that follows the forest's."""

    def find(forest, X, y):
        draws = {} if kind in ("surrogate", "mdi_oob", "ufi") else {"random_state": seed(forest)}
        return forest.importances(kind, X, y, **draws).values

    return find


def seed(forest):
    # The same for all data sets, it would draw the same variables at the same nodes in all.
    return forest.random_state + 1_000_000


def plain(forest, *_):
    return forest.importances("mdi").values


def reliable(forest, *_):
    return forest.importances("mdi", min_samples=30).values


def corrected(how):
    return lambda forest, X, y: (
        forest.importances(
            "mdi", X, y, null=how, random_state=0, **({"n_repeats": 2} if how == "permuted" else {})
        ).corrected
    )


# Words, the forest, how its importances are found, and whether they are claimed to be unbiased.
METHODS = [
    ("mdi", "RF", plain, False),
    ("mdi, nodes of 30 rows or more", "RF", reliable, False),
    ("surrogate", "RF", asked("surrogate"), False),
    ("mdi, splits significant at 0.05", "CIT", plain, False),
    ("mdi less forests on permuted Y", "RF", corrected("permuted"), True),
    ("mdi_oob", "RF", asked("mdi_oob"), True),
    ("ufi", "RF", asked("ufi"), True),
    ("air", "RF", asked("air"), True),
    ("mda", "RF", asked("mda"), True),
    ("mda_tree", "RF", asked("mda_tree"), True),
    ("mdi", "ETs, K = 1", plain, False),
    ("mdi less the exact null part", "ETs, K = 1", corrected("exact"), True),
    ("mdi", "ETs, K = 1, bootstrap", plain, False),
    ("mdi less the exact null part", "ETs, K = 1, bootstrap", corrected("exact"), True),
    ("ufi", "ETs, K = 1, bootstrap", asked("ufi"), True),
    ("mdi", "TRT", plain, False),
    ("mdi less the exact null part", "TRT", corrected("exact"), True),
]


def null_case(n_sets):
    """Means over data sets of all methods: {(words, forest): n_sets x 5}."""
    found = {(words, kind): [] for words, kind, *_ in METHODS}
    for seed in range(n_sets):
        X, y = strobl(seed)
        forests = {
            kind: grown(kind).set_params(random_state=seed).fit(X, y)
            for kind in {kind for _, kind, *_ in METHODS}
        }
        for words, kind, find, _ in METHODS:
            found[words, kind].append(find(forests[kind], X, y))
    return {key: np.array(values) for key, values in found.items()}


def joint_p(values):
    """Hotelling's test that all means are zero."""
    n, p = values.shape
    mean = values.mean(axis=0)
    try:
        squared = n * mean @ np.linalg.solve(np.cov(values.T), mean)
    except np.linalg.LinAlgError:
        return np.nan
    return float(stats.f.sf(squared * (n - p) / (p * (n - 1)), p, n - p))


def null_lines(found):
    yield "| importance | forest | X1 | X2 | X3 | X4 | X5 | largest, part of mdi | p of all zero |"
    yield "|---|---|---|---|---|---|---|---|---|"
    failed = []
    for words, kind, _, unbiased in METHODS:
        values = found[words, kind]
        mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
        reference = found.get(("mdi", kind))
        share = np.nan if reference is None else np.abs(mean / reference.mean(axis=0)).max()
        if words.startswith("mda"):
            share = np.nan  # another unit
        p = joint_p(values) if unbiased else np.nan
        if unbiased and (p < 0.001 or share > 0.05):
            failed.append(f"{words} ({kind})")
        cells = [f"{m:.4f} ± {e:.4f}" for m, e in zip(mean, error, strict=True)]
        told = ["" if np.isnan(share) else f"{share:.1%}", "" if np.isnan(p) else f"{p:.3f}"]
        yield f"| {words} | {kind} | " + " | ".join([*cells, *told]) + " |"
    yield ""
    yield (
        "The importances that are meant to be unbiased are so: no joint test rejects at 0.001, and "
        "no mean exceeds 5 % of that of mdi."
        if not failed
        else f"NOT within the bounds (5 %, 0.001): {', '.join(failed)}."
    )


# ---- power


def of_sklearn(n_repeats, held_out):
    def find(X, y, seed):
        train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed)
        if not held_out:
            train = test = np.arange(len(y))
        forest = SklearnForest(N_TREES, random_state=seed, n_jobs=1).fit(X[train], y[train])
        return permutation_importance(
            forest, X[test], y[test], n_repeats=n_repeats, random_state=seed
        ).importances_mean

    return find


def of_silvics(kind, find, n_trees):
    def importances(X, y, seed):
        forest = grown(kind).set_params(random_state=seed, n_estimators=n_trees, n_jobs=1)
        return find(forest.fit(X, y), X, y)

    return importances


def power_methods():
    yield "scikit-learn: permutation_importance, 5 repeats, held-out half", of_sklearn(5, True)
    yield "scikit-learn: permutation_importance, 5 repeats, rows of fit", of_sklearn(5, False)
    yield "plain mdi (RF, 100 trees)", of_silvics("RF", plain, 100)
    for words, kind, find, unbiased in METHODS:
        if unbiased and words != "mdi less forests on permuted Y":
            n_trees = 100 if words in ("mda_tree",) else 500
            yield f"{words} ({kind}, {n_trees} trees)", of_silvics(kind, find, n_trees)
    yield (
        "mdi, nodes of 30 rows or more (RF, 500 trees)",
        of_silvics("RF", reliable, 500),
    )


def power_lines(n_sets):
    yield "| importance | found at 0.1 | found at 0.2 | ms a data set |"
    yield "|---|---|---|---|"
    for words, find in power_methods():
        shares, times = [], []
        for relevance in (0.1, 0.2):
            hits = 0
            for seed in range(n_sets):
                X, y = strobl(10_000 + seed, relevance)
                start = time.perf_counter()
                values = find(X, y, seed)
                times.append(time.perf_counter() - start)
                hits += values.argmax() == 1
            shares.append(hits / n_sets)
        milliseconds = 1000 * np.median(times)
        yield f"| {words} | {shares[0]:.1%} | {shares[1]:.1%} | {milliseconds:.0f} |"


# ---- Figure 7.5


def by_depth(kind, find, relevance, n_sets):
    """Mean importances (depths 1 to 9 x variables), and how often X2 is the largest."""
    found = np.empty((n_sets, 9, 5))
    for seed in range(n_sets):
        X, y = strobl(20_000 + seed, relevance)
        for depth in range(1, 10):
            forest = grown(kind).set_params(random_state=seed, max_depth=depth)
            found[seed, depth - 1] = find(forest.fit(X, y), X, y)
    return found.mean(axis=0), (found.argmax(axis=2) == 1).mean(axis=0)


FIGURE = [
    ("ETs, K = 1: mdi", "ETs, K = 1", plain),
    ("ETs, K = 1: mdi less the exact null part", "ETs, K = 1", corrected("exact")),
    ("RF: mdi", "RF", plain),
    ("RF: ufi", "RF", asked("ufi")),
]


def figure_lines(n_sets, picture):
    relevances = (0.0, 0.1, 0.2, 0.3)
    curves = {
        (words, relevance): by_depth(kind, find, relevance, n_sets)
        for words, kind, find in FIGURE
        for relevance in relevances
    }
    yield (
        "Share of the data sets in which X2 is the most important of the five variables, by depth "
        "of the trees:"
    )
    yield ""
    yield "| importance | relevance | " + " | ".join(f"depth {d}" for d in range(1, 10)) + " |"
    yield "|---|---|" + "---|" * 9
    for (words, relevance), (_, hits) in curves.items():
        if relevance > 0:
            yield f"| {words} | {relevance} | " + " | ".join(f"{h:.0%}" for h in hits) + " |"
    draw(curves, relevances, picture)
    yield ""
    yield f"![Figure 7.5]({picture.name})"


def draw(curves, relevances, picture):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "silvics"  # the same picture from the same numbers
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        len(FIGURE), len(relevances), figsize=(12, 10), sharex=True, sharey="row",
        layout="constrained",
    )  # fmt: skip
    for row, (words, *_) in zip(axes, FIGURE, strict=True):
        for ax, relevance in zip(row, relevances, strict=True):
            mean, _ = curves[words, relevance]
            for j in range(5):
                ax.plot(range(1, 10), mean[:, j], label=f"X{j + 1}")
            ax.axhline(0, color="gray", linewidth=0.5)
            ax.set_title(f"{words}\nrelevance {relevance}", fontsize=8)
    axes[0, 0].legend(fontsize=7)
    for ax in axes[-1]:
        ax.set_xlabel("max_depth")
    for row in axes:
        row[0].set_ylabel("importance (Gini)")
    figure.savefig(picture, metadata={"Date": None})


# ---- error rates


def planted(seed, n_rows=200, n_blocks=8, size=5, n_signals=4):
    """Blocks of correlated variables; some hold a signal of Y, the others nothing.

    Returns X, y, and which variables are independent of Y and of the signals, all together.
    """
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n_rows, n_blocks, 1))
    X = 0.7 * shared + np.sqrt(1 - 0.49) * rng.normal(size=(n_rows, n_blocks, size))
    score = 1.2 * X[:, :n_signals, 0].sum(axis=1) / np.sqrt(n_signals)
    y = (score + 0.6 * rng.logistic(size=n_rows) > 0).astype(int)
    null = np.repeat(np.arange(n_blocks) >= n_signals, size)
    return X.reshape(n_rows, -1), y, null


def small_forest(seed):
    return silvics.RandomForestClassifier(100, random_state=seed, n_jobs=N_JOBS)


def one_forest(X, y, seed):
    """Of many variables: four fifths more that tell nothing."""
    rng = np.random.default_rng(seed + 1)
    wide = np.hstack([X, rng.normal(size=(len(X), 4 * X.shape[1]))])
    forest = silvics.RandomForestClassifier(300, random_state=seed, n_jobs=N_JOBS).fit(wide, y)
    return one_forest_test(forest.importances("air", wide, y, random_state=seed))


# Words, the test, how variables are selected, and at what level that is promised.
TESTS = [
    ("permutation_test, 400 permutations, FDR", functools.partial(
        permutation_test, kind="mdi", n_permutations=400), "fdr", 0.05),
    ("permutation_test, 100 permutations, family", functools.partial(
        permutation_test, kind="mdi", n_permutations=100), "family", 0.05),
    ("permutation_test, normal null, 30 permutations, FDR", functools.partial(
        permutation_test, kind="mdi", n_permutations=30, null="normal"), "fdr", 0.05),
    ("contrast_test, FDR", contrast_test, "fdr", 0.05),
    ("conditional_error_rate", functools.partial(
        conditional_error_rate, n_permutations=100), "family", 0.05),
    ("one_forest_test of air, 200 variables, FDR 0.1", None, "fdr", 0.1),
    ("boruta (promises no rate)", functools.partial(
        boruta, kind="mdi", n_rounds=50), "auto", None),
    ("contrast_test by Tuv (promises no rate)", functools.partial(
        contrast_test, against="all", over="repeats"), "fdr", None),
]  # fmt: skip


def discovery_lines(n_runs):
    yield (
        "| test | level | mean false discovery proportion | bound (level + 2 s.e.) | "
        "any false | power, signals | power, their blocks | s a run |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    kept = {}
    for words, test, how, level in TESTS:
        proportions, signals, blocks, seconds = [], [], [], []
        for seed in range(n_runs):
            X, y, null = planted(seed)
            start = time.perf_counter()
            key = (getattr(test, "func", test), str(getattr(test, "keywords", "")), seed)
            if test is None:
                found = one_forest(X, y, seed)
                null = np.r_[null, np.ones(4 * len(null), dtype=bool)]
            elif key in kept:
                found = kept[key]
            else:
                found = test(small_forest(seed), X, y, random_state=seed, n_jobs=N_JOBS)
                kept[key] = found
            seconds.append(time.perf_counter() - start)
            mask = found.mask(how=how) if level is None else found.mask(level, how)
            proportions.append((mask & null).sum() / max(mask.sum(), 1))
            signals.append(mask[[0, 5, 10, 15]].mean())
            blocks.append(mask[~null].mean())
        proportions = np.array(proportions)
        error = proportions.std(ddof=1) / np.sqrt(n_runs)
        mean = proportions.mean()
        bound = "" if level is None else f"{level + 2 * error:.3f}"
        if level is not None and mean > level + 2 * error:
            bound += " NOT HELD"
        yield (
            f"| {words} | {'' if level is None else level} | {mean:.3f} | {bound} | "
            f"{(proportions > 0).mean():.2f} | {np.mean(signals):.2f} | {np.mean(blocks):.2f} | "
            f"{np.median(seconds):.2f} |"
        )


def page(n_sets, n_runs, picture):
    yield "# Bias of importances, and error rates of tests"
    yield ""
    yield "Written by `make test-long` (benchmarks/importance_study.py)."
    yield ""
    yield f"## Y is independent of X (Table 7.1, null case; {n_sets} data sets of {N_ROWS} rows)"
    yield ""
    yield (
        f"Means over data sets, with standard errors; {N_TREES} trees. X1 has all values distinct, "
        "X2 to X5 have 2, 4, 10 and 20. Plain mdi grows with the number of values, as in Figure "
        "7.3. The last columns are for importances that are meant to be unbiased: the "
        "largest mean as a fraction of the plain mdi of the same forest, and "
        "the p-value of Hotelling's "
        "test that all five means are zero."
    )
    yield ""
    yield from null_lines(null_case(n_sets))
    yield ""
    yield f"## Y depends on X2 (power case; {n_sets} data sets)"
    yield ""
    yield (
        "Share of the data sets in which X2 is the most important of the five variables. "
        "Times are medians of fit and importances with one thread; the forests of silvics "
        "have more trees."
    )
    yield ""
    yield from power_lines(n_sets)
    yield ""
    yield "## By depth (Figure 7.5)"
    yield ""
    yield from figure_lines(max(n_sets // 4, 2), picture)
    yield ""
    yield f"## Error rates of tests ({n_runs} runs)"
    yield ""
    yield (
        "200 rows, 40 variables in 8 blocks (correlation 0.49 within a block). Four blocks have "
        "one variable each that Y depends on; the 20 variables of the other four are independent "
        "of Y and of the signals, all together: these are the false discoveries. The other "
        "variables in a signal's block count as neither, because they are correlated with "
        "Y. Random forests of 100 trees; importances are mdi."
    )
    yield ""
    yield from discovery_lines(n_runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--runs", type=int, default=200)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message='.*kind="mdi"')  # that is what is measured
    warnings.filterwarnings("ignore", message=".*negative")  # few variables of one_forest_test
    picture = Path("/tmp") if arguments.write is None else arguments.write.parent
    lines = []
    for line in page(arguments.sets, arguments.runs, picture / "importance_by_depth.svg"):
        print(line, flush=True)
        lines.append(line)
    if arguments.write is not None:
        arguments.write.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
