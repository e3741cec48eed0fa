"""Write importances_strobl.md: importances of noise (section 7.2.2), and what to do about them.

    python docs/gallery/importances_strobl.py

Code on the page is run as it is shown; figures in the text come out of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from importances_led import HERE, Page, panels
from matplotlib import pyplot

from silvics import ExtraTreesClassifier, ForestClassifier, RandomForestClassifier
from silvics.importance import permutation_test

N_SETS = 20  # data sets for each relevance
RELEVANCES = (0.0, 0.1, 0.2)
NAMES = ["X1", "X2", "X3", "X4", "X5"]
VALUES = ["normal", "2", "4", "10", "20"]  # that they have, in words
COLORS = ["C0", "C3", "C1", "C2", "C4"]
DEPTHS = range(1, 10)
N_DEPTH_SETS = 12


def must(holds: Any, what: str) -> None:
    """A sentence of the page is true of this run."""
    if not holds:
        raise SystemExit(f"The text on {what} does not hold.")


def mean_and_error(found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))


# ---- what is measured, once for each data set


def multiway(seed: int) -> Any:
    return ForestClassifier(
        "totally_randomized_multiway", 500, criterion="gini", max_values=120, random_state=seed,
        n_jobs=2,
    )  # fmt: skip


def measured(X: Any, y: Any, seed: int) -> dict[str, np.ndarray]:
    """The importances of five variables, by each way to measure them."""
    rf = RandomForestClassifier(500, random_state=seed, n_jobs=2).fit(X, y)
    et = ExtraTreesClassifier(500, max_features=1, random_state=seed, n_jobs=2).fit(X, y)
    tested = ForestClassifier(
        "conditional_inference", 500, rows="subsample", max_samples=0.632, random_state=seed,
        n_jobs=2,
    ).fit(X, y)  # fmt: skip
    return {
        "mdi": rf.importances().values,
        "mdi, min_samples=30": rf.importances(min_samples=30).values,
        "stopped by a test": tested.importances().values,
        "mda": rf.importances("mda", X, y, random_state=seed).values,
        "mdi_oob": rf.importances("mdi_oob", X, y).values,
        "ufi": rf.importances("ufi", X, y).values,
        "air": rf.importances("air", X, y, random_state=seed).values,
        "blind: mdi": et.importances().values,
        "blind: mdi, min_samples=30": et.importances(min_samples=30).values,
        "blind: mdi less null": et.importances("mdi", X, y, null="exact").corrected,
    }


AROUND_ZERO = ["blind: mdi less null", "mdi_oob", "ufi", "air", "mda"]


def bars(ax: Any, groups: list[tuple[np.ndarray, str, str | None]]) -> None:
    """Means over data sets of the five variables, in groups, with standard errors."""
    width = 0.8 / len(groups)
    for k, (found, color, label) in enumerate(groups):
        mean, error = mean_and_error(found)
        places = np.arange(5) + (k - (len(groups) - 1) / 2) * width
        ax.bar(places, mean, width, color=color, label=label)
        ax.errorbar(places, mean, yerr=error, fmt="none", ecolor="black", elinewidth=0.8)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set_xticks(range(5), labels=NAMES)
    ax.tick_params(labelsize=8)


# ---- the page


def noise(page: Page) -> None:
    page.text("""
# Importances of useless variables

<!-- Written by docs/gallery/importances_strobl.py: change that, and run `make gallery`. -->

A variable that is independent of Y should have an importance of zero, but in a sample its
importance is positive. Strobl et al. (2007) showed this with five variables, and section 7.2.2 of
the thesis explains it.
X1 is normal; X2, X3, X4 and X5 are drawn from 2, 4, 10 and 20 values; Y is a coin (Table 7.1).
There are 120 rows. With `relevance` above zero, X2 has information about Y.
""")
    page.code("""
import numpy as np
import pandas as pd
from silvics import ExtraTreesClassifier, ForestClassifier, RandomForestClassifier


def draw(seed, relevance=0.0, n=120):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"X1": rng.normal(size=n)})
    for name, k in {"X2": 2, "X3": 4, "X4": 10, "X5": 20}.items():
        X[name] = rng.integers(0, k, n)
    p = 0.5 + relevance * (2 * X["X2"] - 1)
    return X, (rng.random(n) < p).astype(int)


X, y = draw(0)
forest = RandomForestClassifier(500, random_state=0, n_jobs=2).fit(X, y)
print(forest.importances())
""")
    first = page["forest"].importances()
    must(np.isclose(first.total, first.impurity), "the total")
    ratio = first.values[0] / first.values[1]
    page.text(f"""
The trees explain everything ({first.total:.4f} of {first.impurity:.4f}), because they are grown
until leaves are pure. What they explain is shared among five variables without information, and X1
gets {ratio:.1f} times as much as X2.  Below are means
over {N_SETS} data sets, as in Figure 7.3, with standard errors; of Random Forests, of Extra-Trees
with `max_features=1`, and of totally randomized trees, whose splits have a branch for each value.
""")
    draw = page["draw"]
    page.names["sets"] = {r: [draw([1, s], relevance=r) for s in range(N_SETS)] for r in RELEVANCES}
    page.names["found"] = {
        r: [measured(X, y, s) for s, (X, y) in enumerate(sets)] for r, sets in page["sets"].items()
    }
    plain = {
        "Random Forests": of(page, "mdi", 0.0),
        "Extra-Trees, K = 1": of(page, "blind: mdi", 0.0),
        "totally randomized, multiway": np.array(
            [multiway(s).fit(X, y).importances().values
             for s, (X, y) in enumerate(page["sets"][0.0])]
        ),
    }  # fmt: skip
    figure, axes = panels(9.0, 2.8, 3, sharey=True)
    for ax, (title, found) in zip(axes, plain.items(), strict=True):
        bars(ax, [(found, "0.55", None)])
        ax.set_title(title, fontsize=10)
    axes[0].set_ylabel("importance (Gini)")
    page.picture(figure, "strobl-null", "Importances of five useless variables, as in Figure 7.3")
    for title, found in plain.items():
        mean = found.mean(axis=0)
        must(mean[0] > mean[4] > mean[3] > mean[2] > mean[1], title)
    page.text("""
None of the variables is near zero, and the more values a variable has, the more it gets. The first
two kinds cut in two, the third does not; the last two do not use Y when they choose a variable and
a cut. So the cause is not the search for good splits, but the estimate: in a node with few rows,
the impurities of the children are too low by chance, and more so with more children (equations 7.17
to 7.19).
""")


def of(page: Page, name: str, relevance: float) -> np.ndarray:
    return np.array([each[name] for each in page["found"][relevance]])


def words(page: Page) -> None:
    page.text("""
## The part that is due to noise

`null="auto"` needs the training rows, and estimates which part of each importance is due to noise.
""")
    page.code("""
print(forest.importances("mdi", X, y, null="auto"))
""")
    page.text("""
For a random forest it uses the out-of-bag rows: what they do not confirm is noise. For trees whose
splits do not depend on Y, the null part is known exactly: at each node it is the mean over all
permutations of the outputs.
""")
    page.code("""
blind = ExtraTreesClassifier(500, max_features=1, random_state=0, n_jobs=2).fit(X, y)
told = blind.importances("mdi", X, y, null="auto")
print(told.to_frame().round(4).to_string(index=False))
""")
    told, shares = page["told"], []
    for r in RELEVANCES:
        left = of(page, "blind: mdi less null", r).sum(axis=1)
        shares.append(1 - left / of(page, "blind: mdi", r).sum(axis=1))
    left = told.names[told.null_share < 0.9].tolist()
    page.text(f"""
`null_share` need not be 1 in one data set: {
        " and ".join(left) if left else "none of the variables"
    } is correlated with Y in these 120 rows by chance, and the same rows cannot distinguish this
from a true relation; the tests below can. Over {N_SETS} data sets it averages out: of
all importances together, noise accounts for {np.mean(shares[0]):.0%} here. Where X2 has information
(relevance 0.2) it is still {np.mean(shares[2]):.0%}.
""")


def remedies(page: Page) -> None:
    page.text(f"""
## Ten measures

The same {N_SETS} data sets with ten measures, and {N_SETS} more for each relevance of X2. Lines
are standard errors over data sets. "Blind" is the forest of Extra-Trees above; all others are
random forests with 500 trees, or trees that stop by a test:
""")
    page.code("""
tested = ForestClassifier(
    "conditional_inference", 500, rows="subsample", max_samples=0.632, random_state=0
).fit(X, y)
print(f"nodes in a tree: {np.mean([tree.tree_.node_count for tree in tested]):.1f}")
""")
    names = list(page["found"][0.0][0])
    figure, axes = pyplot.subplots(2, 5, figsize=(12.5, 4.6), layout="constrained")
    shades = ("0.65", "lightskyblue", "C0")
    for ax, name in zip(axes.ravel(), names, strict=True):
        groups = [
            (of(page, name, r), shade, f"relevance {r:g}")
            for r, shade in zip(RELEVANCES, shades, strict=True)
        ]
        bars(ax, groups)
        ax.set_title(name, fontsize=9)
    axes[0, 0].legend(fontsize=7)
    page.picture(figure, "strobl-remedies", "Importances of five variables by ten measures")
    rows = []
    for name in names:
        mean, error = mean_and_error(of(page, name, 0.0))
        off = float(np.abs(mean / error).max()) if name in AROUND_ZERO else None
        first = [int((of(page, name, r).argmax(axis=1) == 1).sum()) for r in RELEVANCES]
        rows.append(
            (name, *(f"{mean[j]:.4f}" for j in (0, 1)), "" if off is None else f"{off:.1f}",
             *first)
        )  # fmt: skip
    page.text(f"""
Columns 2 and 3 are means in the null case. Then, for what should be zero: the largest of the five
means in absolute value, in standard errors. Last: in how many of {N_SETS} data sets X2 comes first;
in the null case one in five is fair.
""")
    page.table(["", "X1", "X2", "off zero, at most", "X2 first: relevance 0", "0.1", "0.2"], rows)
    firsts = {row[0]: row[4:] for row in rows}
    worst = max(float(row[3]) for row in rows if row[3])
    must(worst < 4, "zero")
    must(firsts["mdi"][2] < N_SETS / 2, "plain mdi")
    must(all(firsts[n][2] > 0.8 * N_SETS for n in AROUND_ZERO), "the corrected ones")
    must(firsts["stopped by a test"][2] > 0.8 * N_SETS, "stopping")

    def times(name: str) -> float:
        mean = of(page, name, 0.0).mean(axis=0)
        return float(mean[0] / mean[1])

    drop = 1 - of(page, "mdi, min_samples=30", 0.0).mean() / of(page, "mdi", 0.0).mean()
    must(
        times("mdi, min_samples=30") > 3 and times("blind: mdi, min_samples=30") < 3, "min_samples"
    )
    weak = [firsts[n][1] for n in AROUND_ZERO]
    deep = mean_and_error(of(page, "mdi_oob", 0.0))
    stopped = of(page, "stopped by a test", 0.0).mean(axis=0)
    must(stopped[[0, 3, 4]].max() < stopped[[1, 2]].max() and stopped.sum() < 0.03, "stopping")
    spread = {
        n: mean_and_error(of(page, n, 0.0))[1].max() / of(page, n, 0.2).mean(axis=0)[1]
        for n in AROUND_ZERO
    }
    must(max(spread, key=lambda n: spread[n]) == "mda", "how mda varies")
    page.text(f"""
- **Plain "mdi"** finds X2 first in {firsts["mdi"][2]} of {N_SETS} data sets at relevance 0.2, where
  X2 guesses Y right 7 times in 10. The bias is large.
- **`min_samples=30`** counts large nodes only, as section 7.2.2 advises. It takes {drop:.0%} away
  in Random Forests, but X1 still has {times("mdi, min_samples=30"):.1f} times what X2 has
  ({times("mdi"):.1f} before): the best of many cuts looks good in large nodes, too. In blind trees
  the factor falls from {times("blind: mdi"):.1f} to {times("blind: mdi, min_samples=30"):.1f}.
- **Stopping by a test** (`"conditional_inference"`) hardly splits if nothing is relevant. The five
  together get {stopped.sum():.4f} on average, where plain "mdi" has
  {of(page, "mdi", 0.0).sum(axis=1).mean():.4f}, and many values are no advantage. Rows are
  subsampled: among the copies of a bootstrap, everything looks more significant than it is.
- **The exact null part** of blind trees, **"mdi_oob"**, **"ufi"**, **"air"** and **"mda"** are
  around zero for noise whatever the number of values: none of the means is further than {worst:.1f}
  standard errors away. (For "mdi_oob" all five are between {deep[0].min():.4f} and
  {deep[0].max():.4f}, where plain "mdi" has up to {of(page, "mdi", 0.0).mean(axis=0).max():.4f}.)
  At relevance 0.2 they put X2 first in {min(firsts[n][2] for n in AROUND_ZERO)} to
  {max(firsts[n][2] for n in AROUND_ZERO)} of {N_SETS} data sets.
- At relevance 0.1, where X2 guesses right 6 times in 10, it is {min(weak)} to {max(weak)}. 120 rows
  are too few for such a weak relation.
""")


def found_or_not(page: Page) -> None:
    page.text("""
## Tests

One of the five variables is always first, so that a rank proves nothing. A test compares with
chance. `permutation_test` grows forests on Y in other orders, and compares each variable with
itself,
so that the number of values does not matter. It uses "ufi", which finds weak variables that "mdi"
misses.
""")
    page.code("""
from silvics.importance import permutation_test

small = RandomForestClassifier(100, n_jobs=2)
for relevance in (0.0, 0.1, 0.2):
    X, y = draw(0, relevance)
    print(permutation_test(small, X, y, random_state=0))
""")
    rows, counts = [], {}
    for r, sets in page["sets"].items():
        masks = np.array(
            [
                permutation_test(page["small"], X, y, n_permutations=39, random_state=s).mask()
                for s, (X, y) in enumerate(sets)
            ]
        )
        useless = [0, 2, 3, 4] if r else [0, 1, 2, 3, 4]
        counts[r] = int(masks[:, 1].sum()), int(masks[:, useless].any(axis=1).sum())
        rows.append((f"{r:g}", *counts[r]))
    page.text(f"""
`selected()`, and the star, bound the chance of any false variable by 5 %. With 39 permutations, in
{N_SETS} data sets of each sort:
""")
    page.table(["relevance", "X2 found", "a useless one found"], rows)
    must(counts[0.2][0] >= N_SETS / 2 and counts[0.1][0] < N_SETS / 2, "power")
    n_false = sum(other for _, other in counts.values())
    must(n_false <= 8, "false ones")
    page.text(f"""
X2 is found in {counts[0.2][0]} of {N_SETS} at relevance 0.2, and in {counts[0.1][0]} at 0.1.  A
false one is in {n_false} of {3 * N_SETS} lists; 5 % would be
{0.05 * 3 * N_SETS:.0f}, give or take two. A variable that is not found may still be relevant.
""")


def by_depth(page: Page) -> None:
    page.text(f"""
## By depth

Figure 7.5 of the thesis: shares of the importances as trees grow deeper, here as means over
{N_DEPTH_SETS} data sets. Below each, what is left of them when noise is taken away: the exact null
part of Extra-Trees (K = 1), and "ufi" of Random Forests (K = 5).
""")
    relevances = (0.0, 0.1, 0.2, 0.3)
    draw = page["draw"]
    shares = np.zeros((5, len(relevances), len(DEPTHS), 5))
    for i, r in enumerate(relevances):
        for s in range(N_DEPTH_SETS):
            X, y = draw([2, s], relevance=r)
            for d, depth in enumerate(DEPTHS):
                common = {"max_depth": depth, "random_state": s, "n_jobs": 2}
                et = ExtraTreesClassifier(150, max_features=1, **common).fit(X, y)
                rf = RandomForestClassifier(150, max_features=5, **common).fit(X, y)
                told = et.importances("mdi", X, y, null="exact")
                shares[:, i, d] += [
                    told.values, told.corrected, rf.importances().values,
                    rf.importances("ufi", X, y).values, told.null,
                ]  # fmt: skip
    shares /= N_DEPTH_SETS
    for k in (0, 2, 4):
        shares[k] /= shares[k].sum(axis=-1, keepdims=True)
    figure, axes = pyplot.subplots(
        4, 4, figsize=(8.4, 6.6), layout="constrained", sharex=True, sharey="row"
    )
    titles = ["ETs: share", "ETs: less null", "RF: share", "RF: ufi"]
    for k in range(4):
        axes[k, 0].set_ylabel(titles[k], fontsize=9)
        for i, r in enumerate(relevances):
            ax = axes[k, i]
            for j in range(5):
                label = f"{NAMES[j]} ({VALUES[j]})"
                ax.plot(DEPTHS, shares[k, i, :, j], color=COLORS[j], linewidth=1.4, label=label)
            if k % 2:
                ax.axhline(0, color="black", linewidth=0.6)
            ax.tick_params(labelsize=7)
            if not k:
                ax.set_title(f"relevance {r:g}", fontsize=9)
            if k == 3:
                ax.set_xlabel("max_depth", fontsize=8)
    axes[0, 0].legend(fontsize=6)
    page.picture(figure, "strobl-depth", "Importances by depth of trees, as in Figure 7.5")
    et, less, rf, ufi, null = shares
    must(null[0, 0].max() - null[0, 0].min() < 0.03 < null[0, -1].max() - 0.25, "depth")
    must(less[2:, :, 1].min() > less[2:, :, [0, 2, 3, 4]].max(), "depth, less null")
    must(ufi[2:, :, 1].min() > ufi[2:, :, [0, 2, 3, 4]].max(), "depth, ufi")
    last = [DEPTHS[k] for k in np.flatnonzero(et[2].argmax(axis=1) == 1)][-1]
    last_rf = [DEPTHS[k] for k in np.flatnonzero(rf[2].argmax(axis=1) == 1)][-1]
    page.text(f"""
Stumps of Extra-Trees are unbiased: at depth 1 each of the five variables has {null[0, 0].min():.2f}
to
{null[0, 0].max():.2f} of the null part, and the differences in the picture are chance; at depth 9
X2 has {null[0, -1].min():.2f} and X1 {null[0, -1].max():.2f}. At relevance 0.2, X2 leads up to a
depth of {last} in Extra-Trees, and of {last_rf} in Random Forests. Corrected importances need no
such limit: at relevances 0.2 and 0.3 X2 leads at every depth, and the other four stay around zero.
Limiting the depth loses the information of deep nodes; correcting does not.

## Which measure to use

- To rank variables of different kinds: not plain "mdi". "ufi" or "mdi_oob" of a Random Forest cost
  no new forest. "air" grows one more, and takes any forest.
- To read a plain "mdi" that you have: `null="auto"`, and look at `null_share`.
- To know the null part exactly: blind trees, that is `max_features=1` of Extra-Trees or of multiway
  trees.
- To measure the loss of predictions: "mda". It is in units of the loss, and of the five it varied
  most
  here, relative to the value of X2.
- To call a variable relevant: a test, such as `permutation_test`. A corrected importance above zero
  is not one.
- If all variables are alike (all continuous, say), the ranking of plain "mdi" is fair to noise, but
  its size is not: see [the genes](importances_genes.md).
""")


def main() -> None:
    page = Page()
    for part in (noise, words, remedies, found_or_not, by_depth):
        part(page)
    page.write(HERE / "importances_strobl.md")


if __name__ == "__main__":
    main()
