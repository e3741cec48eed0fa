"""Write importances_genes.md: which of 7,129 genes tell two leukemias apart.

    python docs/gallery/importances_genes.py FOLDER

FOLDER has golub.parquet: a column for each gene, and "target". Code on the page is run as it is
shown; figures in the text come out of it.
"""

from __future__ import annotations

import sys
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
from importances_led import HERE, Page, panels
from importances_strobl import must
from matplotlib import pyplot
from scipy.stats import ttest_ind
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from silvics import RandomForestClassifier
from silvics.importance import SelectByThreshold, SelectTuned, one_forest_test

N_PERMUTED = 3  # labels in other orders, as a control


def the_table(page: Page, folder: Path) -> None:
    page.text("""
# Which genes?

<!-- Written by docs/gallery/importances_genes.py: change that, and run `make gallery`. -->

Golub et al. (1999) measured the expression of 7,129 genes (probes, to be exact) in patients with
acute leukemia, of two kinds: ALL and AML. Few rows, very many columns that are alike in kind:
importances are often used for such tables, and often overinterpreted. Columns have the names of the
data; this page does not discuss the function of the genes.
""")
    with chdir(folder):
        page.code("""
import numpy as np
import pandas as pd
from silvics import RandomForestClassifier

table = pd.read_parquet("golub.parquet")  # your copy
X = table.drop(columns="target").astype("float32")
y = table["target"].astype(str)
forest = RandomForestClassifier(2000, oob_score=True, random_state=0, n_jobs=2).fit(X, y)
print(X.shape, y.value_counts().to_dict())
print(f"wrong out of bag: {1 - forest.oob_score_:.4f}")
""")
    X, y, forest = page["X"], page["y"], page["forest"]
    if X.shape != (72, 7129):
        raise SystemExit("This is not the table that the page tells of.")
    wrong = round((1 - forest.oob_score_) * len(y))
    page.text(f"""
Of {len(y)} patients, {wrong} {"is" if wrong == 1 else "are"} misclassified out of bag. Which genes
does the forest use?

## The plain ranking
""")
    page.code("""
mdi = forest.importances("mdi", X, y, null="auto")
print("\\n".join(str(mdi).splitlines()[:13]))
print(f"genes that a tree has used: {(mdi.values > 0).sum():,}")
print(f"what noise would get, of all: {mdi.null.sum() / mdi.total:.0%}")
""")
    mdi = page["mdi"]
    order = np.argsort(-mdi.values, kind="stable")
    page.names["order"] = order
    half = int(np.searchsorted(np.cumsum(mdi.values[order]), mdi.total / 2)) + 1
    cumulated = mdi.values[order[:half]].sum() / mdi.total
    tail = order[100:]
    shares = [mdi.null[part].sum() / mdi.values[part].sum() for part in (order[:20], tail)]
    page.text(f"""
No gene dominates: the first has {mdi.values[order[0]] / mdi.total:.1%} of what the trees
explain, and the first {half} to come to half ({cumulated:.0%}). The trees are deep and
the rows few, so that part of it is noise: {shares[0]:.0%} of what the first 20 genes have, and
{shares[1]:.0%} of what those after the first 100 have. The noise is what out-of-bag rows do not
confirm. They do confirm chance correlations with the labels in all 72 rows (see below). All columns
have many values here, so that
noise does not favour one over the other, as it does [there](importances_strobl.md).
""")
    figure = pyplot.figure(figsize=(7.0, 3.8), layout="constrained")
    ax = figure.add_subplot()
    top, places = order[:20], np.arange(20)
    ax.barh(places, mdi.values[top], color="C0", label="mdi")
    ax.barh(places, np.maximum(mdi.null[top], 0), color="0.75", label="of it, noise")
    ax.errorbar(
        mdi.values[top], places, xerr=mdi.standard_errors[top], fmt="none", ecolor="black",
        elinewidth=0.8,
    )  # fmt: skip
    ax.set_yticks(places, labels=mdi.names[top], fontsize=7)
    ax.invert_yaxis()
    ax.set_xlabel("importance (Gini)")
    ax.legend(fontsize="small")
    page.picture(figure, "genes-mdi", "The twenty largest importances, and what noise would get")
    bounds = mdi.interval(random_state=0)
    low, high = bounds["lower"].iloc[0], bounds["upper"].iloc[0]
    inside = int((mdi.values[order] >= low).sum())
    page.text(f"""
Black lines are standard errors over the trees. With 2,000 trees the first gene is between
{low:.4f} and {high:.4f} (`interval`), which {inside} genes reach: even with so many trees, the
order of the first few is uncertain, and more so for other patients.
""")


def accuracy(page: Page) -> None:
    page.text("""
## Permutation importances

"mda" permutes a gene and measures the increase of the out-of-bag error. Here are the first 20 genes
one by one, with
all others as a group; then the first 200 as a group.
""")
    page.code("""
order = np.argsort(-mdi.values, kind="stable")
first = X.columns[order]
one_by_one = forest.importances(
    "mda", X, y, feature_groups={"all others": list(first[20:])}, random_state=0
)
parts = {"the first 200": list(first[:200]), "all others": list(first[200:])}
together = forest.importances("mda", X, y, feature_groups=parts, random_state=0)
print(f"the largest of 20: {one_by_one.values[one_by_one.names != 'all others'].max():.4f}")
print(together)
""")
    one, together = page["one_by_one"], page["together"]
    nothing = not one.replicates[:, one.names != "all others"].any()
    found = dict(zip(together.names, together.values, strict=True))
    must(nothing and found["the first 200"] > 0.1, "mda")
    page.text(f"""
The error does not depend on any single one of these genes. But if the first 200 are permuted
together, the error rises by {found["the first 200"]:.2f}; permute the
other {page["X"].shape[1] - 200:,} and it rises by {found["all others"]:.2f}. The genes can replace
each other, and "mda" is zero for information that the forest has twice.
""")


def tests(page: Page) -> None:
    page.text("""
## Tests against chance

"air" is the importance less that of a permuted copy, so that useless genes are below zero as often
as above. `one_forest_test` mirrors the negative ones to get a null distribution. It is meant for
tables with many useless variables of one kind.
""")
    page.code("""
from silvics.importance import one_forest_test

air = forest.importances("air", X, y, random_state=0)
test = one_forest_test(air)
print("\\n".join(str(test).splitlines()[:8]))
""")
    X, y = page["X"], page["y"]
    n_found = int(page["test"].mask().sum())
    page.text(f"""
{n_found} genes, of which one in twenty is false on average, if the test controls its error rate. To
check this, permute the labels of the patients: then no gene is relevant, and everything that is
found is false. In {N_PERMUTED} such tables, by three kinds of importance that are around zero for
noise
(1,000 trees each):
""")
    false: dict[str, list[int]] = {"air": [], "ufi": [], "mdi_oob": []}
    A, called_noise = X.to_numpy(), []
    for s in range(N_PERMUTED):
        permuted = np.random.default_rng(s).permutation(y)
        grown = RandomForestClassifier(1000, random_state=s, n_jobs=2).fit(A, permuted)
        plain = grown.importances().values
        for kind in false:
            more = {"random_state": s} if kind == "air" else {}
            values = grown.importances(kind, A, permuted, **more)
            false[kind].append(int(one_forest_test(values).mask().sum()))
            if kind == "air" and not s:
                page.names["air of noise"] = values.values
            if kind == "ufi":  # null="held_out" is "mdi" less "ufi"
                top = np.argsort(-plain)[:20]
                called_noise.append(1 - values.values[top].sum() / plain[top].sum())
            if kind == "ufi" and not s:
                mask = one_forest_test(values).mask()
                t = np.abs(ttest_ind(A[permuted == "ALL"], A[permuted == "AML"]).statistic)
                more_trees = RandomForestClassifier(2000, random_state=s, n_jobs=2).fit(A, permuted)
                again = one_forest_test(more_trees.importances("ufi", A, permuted)).mask().sum()
    found = {"air": n_found}
    for kind in ("ufi", "mdi_oob"):
        found[kind] = int(one_forest_test(page["forest"].importances(kind, X, y)).mask().sum())
    rows = [(f'"{kind}"', n, ", ".join(map(str, false[kind]))) for kind, n in found.items()]
    page.table(["kind", "genes found", "found with permuted labels"], rows, text_columns=1)
    must(max(false["air"]) <= 10 and min(false["ufi"] + false["mdi_oob"]) > 10, "one forest")
    must(max(called_noise) < 0.9, "what is called noise")
    must(t[mask].mean() > 1.5 * t.mean() and again > false["ufi"][0], "false genes")
    page.text(f"""
By "air" the answer is yes: {sum(false["air"])} false genes in {N_PERMUTED} tables. **By "ufi" and
"mdi_oob" it is no**: {min(false["ufi"] + false["mdi_oob"])} to
{max(false["ufi"] + false["mdi_oob"])} genes in tables of pure noise. A forest that searches
{X.shape[1]:,} columns most often chooses those that are correlated with the labels in all 72 rows
by
chance, and out-of-bag rows are among the 72. (The
false genes by "ufi" in the first table have t-statistics of {t[mask].mean():.1f} on average, all
genes {t.mean():.1f}. With 2,000 trees there are {again}.) Such importances reach further above zero
than below, and the mirror image is too small. A permuted copy is searched in the same way, so that
"air" does not have this problem. (For the same reason `null="auto"` calls only
{min(called_noise):.0%} to {max(called_noise):.0%} of the first 20 importances noise in these
tables, where all of it is.)
""")
    figure, axes = panels(8.6, 2.8, 2, sharey=True)
    bins = np.linspace(-0.0015, 0.005, 66)
    shown = {"the labels as they are": page["air"].values, "permuted": page["air of noise"]}
    for ax, (title, values) in zip(axes, shown.items(), strict=True):
        ax.hist(values[values != 0], bins, color="C0", log=True)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_xticks([-0.001, 0, 0.001, 0.002, 0.003, 0.004, 0.005])
        ax.tick_params(labelsize=8)
        ax.set_title(title, fontsize=10)
        ax.set_xlabel('importance ("air", Gini)')
    axes[0].set_ylabel("genes (log scale)")
    page.picture(figure, "genes-air", "Importances of all genes, with true and permuted labels")
    page.text("""
The other way needs no assumption, but many forests: grow one for each of 100 orders of the labels.
`selected()` then bounds the chance that any gene on the list is false.
""")
    page.code("""
from silvics.importance import permutation_test

small = RandomForestClassifier(300, n_jobs=2)
strict = permutation_test(small, X, y, n_permutations=100, random_state=0)
print(strict)
""")
    strict, test = page["strict"], page["test"]
    both = len(set(strict.selected()) & set(test.selected()))
    by_list = int((strict.fdr_of_list() <= 0.05).sum())
    page.text(f"""
{len(strict.selected())} genes; {both} of them are among the {n_found}. The lists answer different
questions: here at most one chance in twenty of *any* false gene, there one in twenty *of the list*.
The p-values that are printed are those of the decision, for all genes together. From the same 100
forests, `fdr_of_list` gives a list of {by_list} genes at 5 %.

`conditional_error_rate` and `boruta` grow forests for each rank, or on twice the columns, and take
minutes on a table like this one.
""")


def redundant(page: Page) -> None:
    page.text("""
## Genes that can replace each other

Surrogate splits measure how well another gene separates the same patients at each node. All pairs
of 7,129 genes are too many, so we take the first 200. They were chosen by their importances on the
same patients, so this is an exploration and not a test.
""")
    page.code("""
some = X[first[:200]]
of_some = RandomForestClassifier(1000, random_state=0, n_jobs=2).fit(some, y)
surrogate = of_some.importances("surrogate", some, y)
pairs = surrogate.redundancy()
best = pairs[pairs.variable.isin(first[:8])].drop_duplicates("variable")
print(best.round(2).to_string(index=False))
""")
    page.code("""
from silvics.importance import forest_masking

masked = forest_masking(RandomForestClassifier(1000, n_jobs=2), X[first[:50]], y, random_state=0)
hidden = pd.DataFrame({"gene": masked.names, "lost": masked.lost, "like": masked.stands_for})
print(hidden.sort_values("lost").tail(5).round(3).to_string(index=False))
""")
    figure = pyplot.figure(figsize=(6.8, 3.4), layout="constrained")
    ax = page["masked"].plot(figure.add_subplot(), top=10).ax_
    ax.set_xscale("log")
    ax.set_xticks(page["masked"].K, labels=map(str, page["masked"].K))
    ax.minorticks_off()
    page.picture(figure, "genes-masking", "Importances of the first genes over K")
    masked, best = page["masked"], page["best"]
    half = int((masked.lost > 0.5).sum())
    up = [str(n) for n in masked.names[masked.lost < -1]]
    one, last = masked.importances[0], masked.importances[-1]
    spread = [of.max() / np.median(of) for of in (one, last)]
    must(spread[1] > 5 * spread[0], "masking")
    page.text(f"""
For each of the first eight there is another gene that separates the patients in a similar way, by
{best.likeness.min():.2f} to {best.likeness.max():.2f} on a scale where 1 is a copy. So it matters
how many genes compete at a node (K, `max_features`). At K = 1 the largest of the 50 importances is
{spread[0]:.1f} times the median, at K = 50 it is {spread[1]:.0f} times: {half} of 50 genes lose
more than half of what they had, and {", ".join(up)} more than double it. A short list from trees
with large K has one gene of each group, and other genes could replace it.
""")


def selection(page: Page) -> None:
    page.text("""
## Selection inside the folds

A selection on all patients, followed by cross-validation, has already used the test patients.
Selection must be inside the folds, as in a pipeline:
""")
    page.code("""
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from silvics.importance import SelectByTest, SelectByThreshold, SelectTuned

A = X.to_numpy()  # is read faster than a wide frame
folds = StratifiedKFold(6, shuffle=True, random_state=0)
quick = RandomForestClassifier(200, random_state=0, n_jobs=2)
best_50 = SelectByThreshold(quick, threshold=-np.inf, max_features=50)
tuned = SelectTuned(quick, random_state=0)
by_test = SelectByTest(quick, test="one_forest", kind="air", random_state=0)
for select in (best_50, tuned, by_test):
    scores = cross_val_score(make_pipeline(select, quick), A, y, cv=folds)
    print(f"{type(select).__name__:18} {scores.mean():.3f}")
print(f"{'all genes':18} {cross_val_score(quick, A, y, cv=folds).mean():.3f}")
""")
    A, y, quick, folds = page["A"], page["y"], page["quick"], page["folds"]

    def score(model: Any, table: np.ndarray, labels: Any) -> float:
        return float(cross_val_score(model, table, labels, cv=folds).mean())

    names = ["all genes", "50, chosen outside", "50, chosen inside", "tuned, by its own score",
             "tuned, inside"]  # fmt: skip
    found: dict[bool, list[list[float]]] = {False: [], True: []}
    n_by_test = []
    for s in range(-1, N_PERMUTED):
        labels = y.to_numpy() if s < 0 else np.random.default_rng(s).permutation(y)
        outside = SelectByThreshold(quick, threshold=-np.inf, max_features=50).fit(A, labels)
        tuned = SelectTuned(quick, random_state=0).fit(A, labels)
        n_by_test.append(int(page["by_test"].fit(A, labels).support_.sum()))
        found[s >= 0].append(
            [
                score(quick, A, labels),
                score(quick, A[:, outside.support_], labels),
                score(make_pipeline(page["best_50"], quick), A, labels),
                float(tuned.scores_.max()),
                score(make_pipeline(page["tuned"], quick), A, labels),
            ]
        )
    real, noise = found[False][0], np.array(found[True])
    majority = float((y == "ALL").mean())
    figure = pyplot.figure(figsize=(7.2, 3.0), layout="constrained")
    ax = figure.add_subplot()
    ax.barh(np.arange(5), noise.mean(axis=0), color="0.75", height=0.6, label="permuted labels")
    for k in range(5):
        ax.plot(noise[:, k], [k] * len(noise), ".", color="0.35", markersize=4)
    ax.plot(real, np.arange(5), "D", color="C0", label="labels as they are")
    ax.axvline(majority, color="black", linewidth=0.8, linestyle=":", label="always ALL")
    ax.set_yticks(range(5), labels=names)
    ax.set(xlim=(0.4, 1.02), xlabel="share of right classes, as reported")
    ax.invert_yaxis()
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    page.text(f"""
With the true labels there are so many relevant genes that selection hardly matters. With
permuted labels ({N_PERMUTED} orders) no gene is relevant, and a score above {majority:.2f}, that of
always predicting ALL, is biased:
""")
    page.picture(figure, "genes-selection", "Scores with true and permuted labels")
    page.table(
        ["", "labels as they are", *(f"permuted {k + 1}" for k in range(N_PERMUTED)), "mean"],
        [
            (names[k], f"{real[k]:.2f}", *(f"{value:.2f}" for value in noise[:, k]),
             f"{noise[:, k].mean():.2f}")
            for k in range(5)
        ],
    )  # fmt: skip
    mean = noise.mean(axis=0)
    must(mean[1] > majority + 0.08 and mean[3] > majority + 0.04, "optimism")
    must(max(mean[0], mean[2], mean[4]) < majority + 0.04, "honesty")
    page.text(f"""
Chosen outside the folds, 50 genes seem right in {mean[1]:.0%} of cases for random labels. Chosen
inside they are right in {mean[2]:.0%}. `SelectTuned` compares numbers of genes
by out-of-bag scores, which costs nothing; but the ranking has seen these patients, and so its best
score is {mean[3]:.0%} on noise ({mean[4]:.0%} when all of it is cross-validated). Use it to choose,
not to report. `SelectByTest` selects {n_by_test[0]} genes with the true labels (by a forest of 200
trees), and {", ".join(map(str, n_by_test[1:]))} with the permuted ones; if it selects none, a
pipeline raises an error because no column is left.

The stability of the list: how many of the six folds choose each gene.
""")
    page.code("""
chosen = np.array([best_50.fit(A[rows], y[rows]).support_ for rows, _ in folds.split(A, y)])
counts = np.bincount(chosen.sum(axis=0), minlength=7)
print({f"in {k} of 6 folds": int(counts[k]) for k in range(6, 0, -1)})
""")
    counts = page["counts"]
    page.text(f"""
{counts[6]} genes are in all six lists, {counts[1]} in only one, and any two folds share four fifths
of their patients. The list depends on the patients in the study.
""")


def patients(page: Page) -> None:
    page.text("""
## Two patients

`"local"` shows which genes the forest uses for one patient. We take the patient that is
misclassified out of bag and the one with the largest probability of the right class, and a forest
that was not fitted on either.
""")
    page.code("""
right = forest.oob_decision_function_[np.arange(len(y)), (y == forest.classes_[1]).astype(int)]
two = [int(right.argmin()), int(right.argmax())]
others = np.delete(np.arange(len(y)), two)
unaware = RandomForestClassifier(2000, random_state=0, n_jobs=2).fit(X.iloc[others], y[others])
local = unaware.importances("local", X.iloc[two])
for row, name in enumerate(["unsure", "sure"]):
    p = unaware.predict_proba(X.iloc[[two[row]]])[0]
    print(f"{name}: patient {two[row]}, {y[two[row]]}, probabilities", p.round(2))
    for j in np.argsort(-local.local[row])[:5]:
        value, gene = X.iloc[two[row], j], X.columns[j]
        medians = X.iloc[others].groupby(y[others])[gene].median().to_dict()
        print(f"  {gene:16} {local.local[row, j]:.4f}  value {value:.0f}, medians {medians}")
""")
    two, local = page["two"], page["local"].local
    must(page["right"][two[0]] < 0.5, "the patient called wrong")
    figure, axes = panels(9.0, 3.0, 2)
    for k, (ax, title) in enumerate(zip(axes, ("unsure", "sure"), strict=True)):
        top = np.argsort(-local[k])[:10]
        ax.barh(range(10), local[k, top], color="C0")
        ax.set_yticks(range(10), labels=page["X"].columns[top], fontsize=7)
        ax.invert_yaxis()
        ax.set_title(f"{title}: patient {two[k]}", fontsize=10)
        ax.set_xlabel("local importance (Gini)")
    page.picture(figure, "genes-patients", "Local importances of two patients")
    shared = len(set(np.argsort(-local[0])[:10]) & set(np.argsort(-local[1])[:10]))
    negative = [(of < 0).sum() for of in local]
    page.text(f"""
Of the first ten genes of each, {shared} are the same. A local importance is the decrease of
impurity by tests on the gene on the path of this patient. It does not say which class the gene
supports. ({negative[0]} genes are below zero for the first patient, {negative[1]} for the second:
their tests led to nodes that are more mixed.) Compare the value with the medians of the classes to
see the direction.

## Conclusions

- The expression of these genes predicts the kind of leukemia, in these {len(page["y"])} patients,
  nearly always. With so few, one error more or less is {1 / len(page["y"]):.1%}.
- Hundreds of genes are related to it, by a test that passed its control. For a short list,
  with one chance in twenty that any gene on it is false, take the strict test.
- Which genes make up a short list is largely chance: they can replace each other, and the list
  changes with the patients.
- An importance describes prediction, not cause. A gene may be important because the disease affects
  it, because it affects the disease, or because of how samples were taken; the table cannot decide.
- Check any procedure on permuted labels. It took a few lines here, and it
  rejected a test with the wrong importances, and two ways to report a score.
""")


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    page = Page()
    the_table(page, Path(sys.argv[1]))
    for part in (accuracy, tests, redundant, selection, patients):
        part(page)
    page.write(HERE / "importances_genes.md")


if __name__ == "__main__":
    main()
