"""Write importances_nursery.md: what eight answers tell of a decision.

    python docs/gallery/importances_nursery.py FOLDER

FOLDER has nursery.parquet: eight columns of answers, and "target". Code on the page is run as it is
shown; figures in the text come out of it.
"""

from __future__ import annotations

import sys
from contextlib import chdir
from pathlib import Path

import numpy as np
from importances_led import HERE, Page, panels
from matplotlib import pyplot
from matplotlib.colors import LogNorm

from silvics.importance import asymptotic_importances, null_information, redundant, relevance

PAGE = HERE / "importances_nursery.md"
SWITCHED_OFF = {  # as the text says
    ("has_nurs", "very_crit"): ["parents"],
    ("form", "foster"): ["children"],
    ("children", "3"): ["form"],
    ("children", "more"): ["form"],
    ("housing", "less_conv"): ["finance"],
    ("housing", "critical"): ["finance"],
    ("health", "priority"): ["social"],
    ("health", "not_recom"): [
        "parents", "has_nurs", "form", "children", "housing", "finance", "social",
    ],
}  # fmt: skip
N_SAMPLES = 100  # of 200 rows
N_COLUMNS = 1000  # of noise, for each of five samples


def the_table(page: Page, folder: Path) -> None:
    page.text("""
# The nursery table: exact importances of real decisions

<!-- Written by docs/gallery/importances_nursery.py: change that, and run `make gallery`. -->

In the 1980s applications to the nursery schools of Ljubljana were ranked by an expert system. The
UCI repository has the [table](https://archive.ics.uci.edu/dataset/76/nursery) of its decisions:
eight answers of a family, and one of five classes, from "not_recom" to "spec_prior". Every
combination of answers occurs once. The table is therefore the whole distribution, and importances
are exact, for a family whose answers are uniform and independent.
""")
    with chdir(folder):
        page.code("""
import numpy as np
import pandas as pd
from silvics.importance import asymptotic_importances

ORDER = {  # from easy to hard
    "parents": ["usual", "pretentious", "great_pret"],
    "has_nurs": ["proper", "less_proper", "improper", "critical", "very_crit"],
    "form": ["complete", "completed", "incomplete", "foster"],
    "children": ["1", "2", "3", "more"],
    "housing": ["convenient", "less_conv", "critical"],
    "finance": ["convenient", "inconv"],
    "social": ["nonprob", "slightly_prob", "problematic"],
    "health": ["recommended", "priority", "not_recom"],
}
table = pd.read_parquet("nursery.parquet")  # your copy
X = pd.DataFrame({c: pd.Categorical(table[c], ORDER[c], ordered=True) for c in ORDER})
y = table["target"].astype(str)
found = asymptotic_importances(X, y)
print(found)
""")
    X, y, found = page["X"], page["y"], page["found"]
    if X.isna().any(axis=None) or len(X) != X.drop_duplicates().shape[0]:
        raise SystemExit("This is not the nursery table that the page tells of.")
    shares = found.importances / found.impurity
    order = np.argsort(-found.importances)
    sick = y[X.health == "not_recom"]
    share = len(sick) / len(y)
    rule = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
    if sick.nunique() != 1 or (y == sick.iloc[0]).sum() != len(sick):
        raise SystemExit("The text on health does not hold.")
    rest = found.impurity - page["found"].by_context(top=None).query(
        "variable == 'health' and degree == 0"
    ).information.iloc[0]  # fmt: skip
    page.text(f"""
{len(X):,} rows, {y.nunique()} decisions, {found.impurity:.4f} bits of uncertainty about the
decision, of which the eight answers explain {found.total / found.impurity:.0%}: the system is a
function of them. {found.names[order[0]]} has {shares[order[0]]:.0%} of it, {found.names[order[1]]}
{shares[order[1]]:.0%} and {found.names[order[2]]} {shares[order[2]]:.0%}; the other five share
{shares[order[3:]].sum():.0%}. Health is that large because of one rule, which alone gives
{rule:.3f} bits: all {len(sick):,} families with health "not_recom" get "{sick.iloc[0]}", and no
others do. Once health is known, {rest:.3f} bits are left.
""")


def by_degree(page: Page) -> None:
    found, names = page["found"], page["found"].names
    page.text("""
## Alone and together

The same importances by degree: how many other answers were known before (the colours on the left
are on a logarithmic scale).
""")
    figure, axes = panels(9.4, 3.5, width_ratios=(1, 1.25))
    found.plot(axes[0], kind="degrees")
    axes[0].images[0].set_norm(LogNorm(found.by_degree.min(), found.by_degree.max()))
    if not (np.diff(found.by_degree, axis=1) > 0).all():
        raise SystemExit("The text on degrees does not hold.")
    found.plot(axes[1], kind="importances")
    page.picture(figure, "nursery-degrees", "Importances by degree")
    page.code("""
contexts = found.by_context()
alone = contexts[contexts.degree == 0].set_index("variable").information
last = contexts[contexts.degree == 7].set_index("variable").information
pairs = contexts[contexts.degree == 1].copy()
pairs["given"] = pairs.given.str[0]
pairs["gain"] = pairs.information - pairs.variable.map(alone)
best = pairs.sort_values("gain", ascending=False).drop_duplicates("variable")
""")
    alone, last = page["alone"], page["last"]
    best = page["best"].set_index("variable")
    page.table(
        ["answer", "best partner", "alone", "given the partner", "given all others", "times"],
        [
            (name, best.given[name], f"{alone[name]:.4f}", f"{best.information[name]:.4f}",
             f"{last[name]:.4f}", f"{last[name] / alone[name]:.1f}")
            for name in names[np.argsort(-found.importances)]
        ],
        text_columns=2,
    )  # fmt: skip
    times = last / alone
    pair = page["pairs"].sort_values("gain", ascending=False).iloc[0]
    page.text(f"""
Every row increases from left to right, because the answers are independent of each other: none
repeats the information of another, and the gain is interaction. {times.idxmax()} has
{alone[times.idxmax()]:.4f} bits alone and {times.max():.0f} times as much when all else is known;
by itself it looks like noise. {times.idxmin()} gains least. The strongest pair is
{pair.variable} and {pair.given}: together they have {pair.gain:.4f} bits more than the sum of both.
""")


def rules(page: Page) -> None:
    page.text("""
## Relevance

Over the whole table every answer is strongly relevant: none can be left out.
""")
    page.code("""
from silvics.importance import relevance

print(relevance(X, y))
for name in X:
    for level in ORDER[name]:
        rows = (X[name] == level).to_numpy()
        inside = relevance(X[rows].drop(columns=name), y[rows])
        if not inside.relevant.all():
            print(f"{name} = {level}: irrelevant are", *inside.names[~inside.relevant])
""")
    if not relevance(page["X"], page["y"]).strongly.all() or switched_off(page) != SWITCHED_OFF:
        raise SystemExit("The text on relevance does not hold.")
    page.text("""
Within parts of the table, some answers are irrelevant, which reveals the structure of the system. A
very critical
nursery makes the parents' occupation irrelevant, a foster family the number of children (and three
children or more the form of the family), housing that is less than convenient the finances, a
health of "priority" the social conditions. The published model has these groups: employment
(parents, has_nurs), structure (form, children), joined by housing and finance, and social and
health conditions. Here they come from the decisions alone.

Which levels make a difference? Two levels may be joined if no information is lost, whatever else is
known
(the conditions of Lemma 7.1):
""")
    page.code("""
from silvics.importance import redundant

for name in X:
    others = X.drop(columns=name)
    for one, two in zip(ORDER[name], ORDER[name][1:]):
        joined = X[name].astype(str).replace(two, one)
        same = redundant(X[name].astype(str), joined, y, given=others)
        lost = found.total - asymptotic_importances(others.assign(joined=joined), y).total
        if lost < 0.001:
            print(f"{name}: {one} and {two} are", "the same" if same else f"not: {lost:.5f} bits")
""")
    lost = redundant_pairs(page)
    n_special = int((page["y"] == "recommend").sum())
    page.text(f"""
{lost} Exchanging one for the other changes no decision. The levels
"proper" and "less_proper" of has_nurs hardly differ: the decision "recommend", which
{n_special} of {len(page["X"]):,} rows have, is for the first of them only.
""")


def switched_off(page: Page) -> dict[tuple[str, str], list[str]]:
    """What is irrelevant where an answer has some level."""
    X, y = page["X"], page["y"]
    found = {}
    for name in X:
        for level in page["ORDER"][name]:
            rows = (X[name] == level).to_numpy()
            inside = relevance(X[rows].drop(columns=name), y[rows])
            if not inside.relevant.all():
                found[name, level] = inside.names[~inside.relevant].tolist()
    return found


def redundant_pairs(page: Page) -> str:
    """The levels that are never distinguished, as text."""
    X, y, order = page["X"], page["y"], page["ORDER"]
    same = []
    for name in X:
        for one, two in zip(order[name], order[name][1:], strict=False):
            joined = X[name].astype(str).replace(two, one)
            if redundant(X[name].astype(str), joined, y, given=X.drop(columns=name)):
                same.append(f'"{one}" and "{two}" of {name}')
    only = X.has_nurs[y == "recommend"].astype(str).unique().tolist()
    if only != ["proper"]:
        raise SystemExit("The text on has_nurs does not hold.")
    return f"{' and '.join(same)} are never distinguished."


def masks(page: Page) -> None:
    page.text("""
## Masking in forests that choose the best variable

Forests draw K variables at a node and choose the best. The larger K, the more the order of the
tests is fixed, and with it the importances:
""")
    page.code("""
from silvics.importance import masking

masked = masking(X, y)
print(masked)
""")
    masked = page["masked"]
    ax = masked.plot().ax_
    ax.set_yscale("log")
    ax.set_ylim(0.02, 1.3)
    ticks = [0.02, 0.05, 0.1, 0.2, 0.5, 1]
    ax.set_yticks(ticks, labels=[f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    page.picture(ax.figure, "nursery-masking", "Importances over K, on a logarithmic scale")
    one, last = masked.importances[0], masked.importances[-1]
    names = list(masked.names)
    j = int(np.argmax(last / one))
    place = [int(np.argsort(np.argsort(-of))[j]) + 1 for of in (one, last)]
    page.text(f"""
{names[j]} has {one[j]:.4f} bits at K = 1 and {last[j]:.4f} at K = {len(names)}: from place
{place[0]} to place {place[1]} of {len(names)}. In trees that always choose the best answer it is
tested late, when most is known, which is where it has information. A strongly relevant variable is
never masked completely; a column that repeats others may be. For example, a column "nursery_ok"
that says whether the nursery is proper or less proper:
""")
    page.code("""
more = X.assign(nursery_ok=X.has_nurs.isin(["proper", "less_proper"]))
hidden = masking(more, y)
kinds = relevance(more, y)
place = list(hidden.names).index("nursery_ok")
print(kinds.kind[place], hidden.importances[[0, -1], place].round(4))
print(hidden.pairs(top=30).query("variable == 'nursery_ok'").to_string(index=False))
""")
    hidden, at = page["hidden"], page["place"]
    nurs = list(hidden.names).index("has_nurs")
    kind = page["kinds"].kind[at]
    page.text(f"""
It is {kind}: it has information, but none that has_nurs does not have. At K = 1 it has
{hidden.importances[0, at]:.4f} bits, while has_nurs falls from
{one[names.index("has_nurs")]:.4f} to {hidden.importances[0, nurs]:.4f}; at K = {len(hidden.names)}
it has {abs(hidden.importances[-1, at]):.4f}, as if it were noise. Both values are right: they
answer different questions.
""")


def binary(page: Page) -> None:
    page.text("""
## Binary trees

The answers have an order, so that binary forests can cut them. "extra" draws the cut, as
Extra-Trees do, "best" searches for it, as Random Forests do. Computing all trees takes from a
tenth of a second (the best cut of all answers leaves little randomness) to many minutes (random
cuts
of random answers), so that of the latter 2,000 are sampled.
""")
    page.code("""
extra = asymptotic_importances(
    X, y, splits="extra", method="sampled", n_trees=2000, random_state=0, n_jobs=2
)
best_1 = asymptotic_importances(X, y, splits="best", K=1, method="exact", n_jobs=2)
best_8 = asymptotic_importances(X, y, splits="best", K=8)
cuts = best_8.by_cut()
print(cuts[cuts.variable.isin(["has_nurs", "social", "health"])].round(4).to_string(index=False))
""")
    found, extra = page["found"], page["extra"]
    results = [found, extra, page["best_1"], page["best_8"]]
    if not (page["best_1"].exact and page["best_8"].exact):
        raise SystemExit("The importances of best cuts should be exact.")
    levels = [page["X"][name].nunique() for name in found.names]
    rows = []
    for j in np.argsort(-found.importances):
        cells = [f"{of.importances[j]:.4f}" for of in results]
        cells[1] += f" ± {extra.standard_errors[j]:.4f}"
        rows.append((found.names[j], levels[j], *cells))
    rows.append(("all", "", *(f"{of.total:.4f}" for of in results)))
    page.table(
        ["answer", "levels", "multiway, K = 1", "extra, K = 1", "best, K = 1", "best, K = 8"], rows
    )
    change = extra.importances / found.importances
    least, most = int(change.argmin()), int(change.argmax())
    cuts = page["cuts"]
    nurs = cuts[cuts.variable == "has_nurs"].sort_values("importance").iloc[-1]
    social = cuts[cuts.variable == "social"].sort_values("threshold").importance.to_numpy()
    at = int(nurs.threshold)
    order = page["ORDER"]["has_nurs"]
    page.text(f"""
The sum is the same for all kinds of trees, but the parts differ: {found.names[least]}, with
{levels[least]}
levels, has {change[least] - 1:+.0%} in Extra-Trees, {found.names[most]}, with {levels[most]},
{change[most] - 1:+.0%}. Binary trees also show the cuts: the one of has_nurs that matters most is
between "{order[at]}" and "{order[at + 1]}", and the cut of social between its first two levels has
{social[0]:.4f} bits: these are the levels that make no difference.
""")


def samples(page: Page) -> None:
    page.text("""
## Importances in a sample

Now take a sample of 200 rows, and add a column of noise: a ticket number between 0 and 39.
""")
    page.code("""
rng = np.random.default_rng(0)
rows = rng.choice(len(X), 200, replace=False)
sample = X.iloc[rows].assign(ticket=rng.integers(0, 40, 200))
print(asymptotic_importances(sample, y.iloc[rows]))
""")
    X, y = page["X"], page["y"]
    second = 0
    for seed in range(N_SAMPLES):
        rng = np.random.default_rng([1, seed])
        rows = rng.choice(len(X), 200, replace=False)
        drawn = X.iloc[rows].assign(ticket=rng.integers(0, 40, 200))
        of_drawn = asymptotic_importances(drawn, y.iloc[rows]).importances
        second += int((of_drawn[-1] < of_drawn).sum() <= 1)
    page.text(f"""
The ticket explains as much as health. This is not an unlucky sample: in {second} of {N_SAMPLES}
other samples
it is first or second as well. With 40 levels, 200 rows fall into groups of five, and in a group
that small the decisions look alike by chance. `relevance` calls it relevant, too: both functions
take their rows as the distribution. For a sample, first compute what noise would give:
""")
    page.code("""
from silvics.importance import null_information

for name in sample:
    null = null_information(sample[name], y.iloc[rows])
    print(f"{name:9} {null.observed:.4f} bits, noise {null.expected:.4f}, p = {null.p_value:.2g}")
""")
    if not relevance(page["sample"], page["y"].iloc[page["rows"]]).relevant[-1]:
        raise SystemExit("The text on the ticket does not hold.")
    sample, of_sample = page["sample"], page["y"].iloc[page["rows"]]
    nulls = {name: null_information(sample[name], of_sample) for name in sample}
    figure = pyplot.figure(figsize=(7.0, 3.4), layout="constrained")
    ax = figure.add_subplot()
    for place, null in enumerate(nulls.values()):
        top = null.gamma.ppf(0.95)
        ax.barh(
            place, top, height=0.6, color="0.82", label="noise, up to 95 %" if not place else None
        )
        ax.plot(
            [null.expected] * 2, [place - 0.3, place + 0.3], color="0.35", linewidth=2,
            label="noise, expected" if not place else None,
        )  # fmt: skip
        ax.plot(
            null.observed, place, "o", color="C0" if null.observed > top else "C3", markersize=7
        )
    ax.plot([], [], "o", color="C0", label="observed, beyond noise")
    ax.plot([], [], "o", color="C3", label="observed, within noise")
    ax.set_yticks(range(len(nulls)), labels=list(nulls))
    ax.invert_yaxis()
    ax.set_xlabel("information on the decision in 200 rows, alone (bits)")
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    page.picture(figure, "nursery-null", "Information in a sample, and what noise would have")
    shown = [name for name, null in nulls.items() if null.p_value < 0.05]
    not_shown = [name for name, null in nulls.items() if null.p_value >= 0.05 and name != "ticket"]
    ticket = nulls["ticket"]
    means, called = [], []
    for seed in range(5):
        rng = np.random.default_rng([2, seed])
        of_rows = y.iloc[rng.choice(len(X), 200, replace=False)]
        columns = rng.integers(0, 40, (N_COLUMNS, 200))
        noise = [null_information(column, of_rows) for column in columns]
        means.append(np.mean([(null.observed, null.expected) for null in noise], axis=0))
        called.append(np.mean([null.p_value < 0.05 for null in noise]))
    furthest = max(abs(observed - expected) for observed, expected in means)
    page.text(f"""
The ticket has {ticket.observed:.4f} bits, and noise with as many levels has {ticket.expected:.4f}
on average. {", ".join(shown)} are significant; {", ".join(not_shown)} are not, though they are
relevant: 200 rows are too few to show it for one answer alone.

`expected` is exact, over all permutations of the decisions: in five more samples,
the means over {N_COLUMNS:,} random columns are within {furthest:.4f} bits of it. The p-value comes
from the gamma distribution of equation 7.18, which is for many rows. At the level of 5 % it calls
{min(called):.1%} to {max(called):.1%} of these columns significant, depending on the sample. With
five rows per level it is only an indication.
""")


def lessons(page: Page) -> None:
    found = page["found"]
    order = [str(found.names[j]) for j in np.argsort(-found.importances)]
    page.text(f"""
## Summary

- {order[0].capitalize()} decides first, then {order[1]} and {order[2]}, which act as a pair; five
  more answers matter little each, and only together.
- No answer can be left out, but parents, form, children, finance and social are each irrelevant for
  some value of another answer.
- Some levels make no difference, and could be joined.
- A forest with large K would rank the small answers differently. The order of the tests causes
  this, not the answers.
- These results are exact because the table is complete. For a sample, begin with
  `null_information`.

[The seven segments](importances_led.md) show the same tools on a smaller example.
""")


def main() -> None:
    if len(sys.argv) != 2 or not Path(sys.argv[1], "nursery.parquet").exists():
        sys.exit("usage: importances_nursery.py FOLDER, where FOLDER has nursery.parquet")
    page = Page()
    the_table(page, Path(sys.argv[1]))
    for part in (by_degree, rules, masks, binary, samples, lessons):
        part(page)
    page.write(PAGE)


if __name__ == "__main__":
    main()
