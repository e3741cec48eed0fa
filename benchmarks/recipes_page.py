"""The page of all recipes, from ``silvics.recipes.table()``.

python benchmarks/recipes_page.py docs/recipes.md
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from inspect import cleandoc
from itertools import pairwise
from pathlib import Path
from typing import Any

from tables import header, line, publish

from silvics import recipes

IN_WORDS = {
    "cart": "Every node makes the best split, until the leaves are pure.",
    "extra_tree": "A single tree of Extra-Trees.",
    "id3": "One child for every value; the variable has the largest information gain.",
    "c4.5": "The successor of ID3: thresholds for numbers, one child for each level of a category, "
    "the gain ratio, and pruning by an upper bound on the error.",
    "conditional_inference": "A node is split only if a test finds that the output depends on a "
    "variable, and on the variable with the smallest p-value.",
    "reduced_error": "CART, pruned by the error on a quarter of the rows, which are held out.",
    "kwok_carter": "Near the root, one of the almost best splits drawn at random; ID3 below.",
    "bagging": "Full trees, each on rows drawn with replacement.",
    "dietterich_kong": "Each node makes one of the twenty best splits, drawn at random.",
    "amit": "Each node makes the best split of a few variables; all rows.",
    "random_subspace": "Each tree uses half of the columns.",
    "random_forest": "Rows drawn with replacement for each tree, a few variables for each node.",
    "forest_rc": "Random forests on random combinations of three variables.",
    "pert": "A random variable, cut between two samples with different outputs; no impurity is "
    "computed.",
    "extra_trees": "A few variables for each node, each cut at random in its range; the best of "
    "these splits is made.",
    "totally_randomized": "A random variable, cut at random; the output is used in leaves only.",
    "totally_randomized_multiway": "A random variable, once per path, with one child for each "
    "value: the trees of the theory of importances.",
    "rotation_forest_original": "Rotation Forest as first published: the components of a group are "
    "computed on the rows of some classes, and trees grow on all rows.",
    "rotation_forest": "Each tree grows on principal components of groups of three variables.",
    "pasting": "Each tree uses half of the rows, drawn without replacement.",
    "subbag": "Bagging on three quarters of the columns.",
    "random_patches": "Each tree uses some of the rows and some of the columns.",
    "residual_forest": "Bagging in two stages, for regression: 100 trees of the output, and 100 "
    "trees of the out-of-bag residuals of the first; the forest predicts the sum. See [the "
    "guide](tuning.md#forests-of-two-stages).",
    "pert_stopped": "PERT with nodes of at most √N samples as leaves.",
    "breiman_2004": "A random variable; relevant variables are cut in the middle, others at "
    "random; all leaves have the same depth, as far as samples reach.",
    "purely_random": "A random leaf is cut at random in its cell; the data are not used.",
    "random_gap": "A random leaf and a random variable, cut between two neighbouring values.",
    "biau_2012": "All cells of a level are cut in the middle; variables are drawn with given "
    "weights.",
    "biau_2012_halves": "The best of a few variables, cut in the middle; one half of the rows "
    "finds the splits, and the other sets the values of the leaves.",
    "denil_2013": "One half of the rows finds the splits, and the other sets the values of the "
    "leaves; a random number of variables at each node.",
    "scornet_2014": "Random forests on fewer rows, drawn without replacement.",
}
EXAMPLES = {
    "c4.5": "confidence=0.1",
    "conditional_inference": "significance=0.01",
    "reduced_error": "validation_fraction=0.3",
    "bagging": "oob_score=True",
    "dietterich_kong": "n_best=10",
    "amit": 'max_features="log2"',
    "random_subspace": "max_columns=0.3",
    "random_forest": "n_estimators=500, oob_score=True",
    "forest_rc": "n_combined=2",
    "extra_trees": "min_samples_leaf=5",
    "totally_randomized_multiway": "max_values=4",
    "rotation_forest": "max_columns=2",
    "pasting": "max_samples=0.2",
    "random_patches": 'max_samples=0.3, max_columns=0.6, cut="uniform"',
    "residual_forest": "max_features=1 / 3",
    "kwok_carter": "near_best=0.1",
    "breiman_2004": "relevant=[0, 2]",
    "biau_2012": "feature_weights=[3, 1, 3, 1]",
    "denil_2013": "min_samples_leaf=10",
    "scornet_2014": "max_samples=0.2",
}
INTRO = """\
# Recipes

`ForestClassifier` and `ForestRegressor` grow every algorithm of the thesis. A recipe is the name of
an algorithm; it sets the parameters that define it.

```python
from sklearn.datasets import load_iris

from silvics import ForestClassifier, ForestRegressor, recipes

X, y = load_iris(return_X_y=True)
ForestClassifier("extra_trees").fit(X, y)  # Extra-Trees
ForestClassifier("c4.5").fit(X, y)  # a single C4.5 tree
ForestRegressor("denil_2013").fit(X, y)  # a forest with honest leaves
recipes.names()  # the names of all recipes
```

A parameter that is not `None` replaces the value of the recipe, so algorithms can be combined:

```python
ForestClassifier("random_patches", cut="uniform").fit(X, y)  # patches of Extra-Trees
ForestClassifier("random_forest", honest=True).fit(X, y)  # honest leaves
ForestRegressor("cart", n_estimators=100, rows="bootstrap").fit(X, y)  # CART becomes bagging
ForestRegressor("extra_trees", rows="bootstrap", stages=2).fit(X, y)  # and trees of residuals
```

`"all"` means "no limit" for parameters that a recipe limits (`max_features="all"`,
`max_samples="all"`). Values that contradict each other raise an error with the reason. Every recipe
supports categories and missing values.

If a parameter has two values with a slash, the first is for classification and the second for
regression. N is the number of rows, p of columns, M of trees, and K of variables drawn at a node;
N' and p' are the numbers of rows and columns of a tree, and L is the number of variables in a
combination. Complexity is the average time to build (Table 5.1 of the thesis).
[Decision 14](decisions/014-recipes.md) says how definitions were interpreted. Measurements compare
the recipes [on real tables](studies/recipes.md) and the consistent variants
[as N grows](studies/consistency.md)."""

GROUPS = {
    "Single trees": "Chapter 3, and section 7.2.2. More trees (`n_estimators`) differ only if "
    "something is drawn at random.",
    "Forests": "Sections 4.3.1, 6.1 and 8.1, and residual forests, which are not in the thesis.",
    "Consistent variants": "Section 4.5: variants for which consistency has been proved, with "
    "limits that grow with N.",
}


def group_of(row: dict[str, str]) -> str:
    if recipes.get(row["name"]).n_estimators == 1:
        return "Single trees"
    return "Consistent variants" if row["section"] == "4.5" else "Forests"


def anchor(name: str) -> str:
    """What GitHub makes of the heading."""
    return name.replace(".", "")


def example(name: str) -> str:
    more = f", {EXAMPLES[name]}" if name in EXAMPLES else ""
    kind = "ForestClassifier" if recipes.get(name).stages == 1 else "ForestRegressor"
    return f'{kind}("{name}"{more}).fit(X, y)'


def as_code(value: Any) -> str:
    """A value as it is written in a call; a formula if it grows with N."""
    if isinstance(value, tuple):
        return " / ".join(dict.fromkeys(as_code(part) for part in value))
    if value == 1 / 3:
        return "1/3"
    return str(value) if isinstance(value, recipes.ByRows) else json.dumps(value)


def choices(row: dict[str, str]) -> Iterator[str]:
    """The values of a recipe that differ from the defaults."""
    recipe = recipes.get(row["name"])
    for axis in [text.partition("=")[0] for text in row["axes"].split(", ") if text]:
        if axis != "n_estimators":
            value = getattr(recipe, axis)
            text = "True" if value is True else as_code(value)
            yield f"`{axis}={text}`"


def entry(row: dict[str, str]) -> Iterator[str]:
    """One recipe."""
    name = row["name"]
    yield from [f"### {name}", ""]
    section = "" if row["section"] == "-" else f" · thesis {row['section']}"
    yield f"**{row['title']}** · {row['origin']}{section} · {row['complexity']}"
    yield ""
    if name in IN_WORDS:
        yield from [IN_WORDS[name], ""]
    yield "Parameters: " + (", ".join(choices(row)) or "the defaults")
    yield from ["", "```python", example(name), "```", ""]


def axes() -> Iterator[str]:
    """From the docstring of ``Recipe``: name, values, what it is."""
    lines = cleandoc(recipes.Recipe.__doc__ or "").splitlines()
    lines = lines[lines.index("Attributes") + 2 :]
    if "Examples" in lines:
        lines = lines[: lines.index("Examples")]
    heads = [i for i, text in enumerate(lines) if text and not text.startswith(" ")]
    for start, end in pairwise([*heads, len(lines)]):
        names, _, values = lines[start].partition(" : ")
        text = " ".join(part.strip() for part in lines[start + 1 : end])
        if "title" not in names and names != "complexity":
            yield line([f"`{names.replace(', ', '`, `')}`", values.replace("|", "or"), text])


def page() -> Iterator[str]:
    rows = recipes.table()
    yield from INTRO.splitlines()
    yield ""
    for group, what in GROUPS.items():
        yield from [f"**{group}.** {what}", ""]
        yield from header(["recipe", "algorithm", "origin", "thesis", "time to build"], [])
        for row in rows:
            if group_of(row) == group:
                link = f"[`{row['name']}`](#{anchor(row['name'])})"
                cells = (row["title"], row["origin"], row["section"], row["complexity"])
                yield line([link, *cells])
        yield ""
    yield from ["## Parameters of a recipe", "", "`None` in an estimator keeps the recipe's value."]
    yield from ["", *header(["parameter", "values", "meaning"], []), *axes(), ""]
    for group in GROUPS:
        yield from [f"## {group}", ""]
        for row in rows:
            if group_of(row) == group:
                yield from entry(row)
    yield "---"
    yield ""
    yield "Written by `python benchmarks/recipes_page.py docs/recipes.md`."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("to", metavar="FILE", type=Path, help="the page to write")
    publish(list(page()), parser.parse_args().to)


if __name__ == "__main__":
    main()
