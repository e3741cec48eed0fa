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
    "cart": "The best split in two of every node, until leaves are pure.",
    "extra_tree": "One tree of Extra-Trees: of a few variables, each cut anywhere, the best.",
    "id3": "A child for every value, the variable of the largest gain of information.",
    "c4.5": "ID3's heir: numbers cut in two, categories parted by value, the gain over what the "
    "split itself tells, then pruned by a bound on the errors.",
    "conditional_inference": "A node is split only where the output depends on a variable by a "
    "test, and on the variable that it depends on the most.",
    "reduced_error": "CART, cut back to what does well on a quarter of the rows held out.",
    "kwok_carter": "Near the root one of the variables that are almost the best, ID3 below.",
    "bagging": "Whole trees, each on rows drawn with replacement.",
    "dietterich_kong": "At each node one of the twenty best splits.",
    "amit": "At each node the best split of a few variables; all rows.",
    "random_subspace": "Each tree sees half of the columns.",
    "random_forest": "Rows with replacement for each tree, a few variables for each node.",
    "forest_rc": "Random Forests on random combinations of three variables.",
    "pert": "Any variable, cut between two samples of different output; no impurity is computed.",
    "extra_trees": "A few variables for each node, each cut anywhere in its range, the best taken.",
    "totally_randomized": "Any variable, cut anywhere: the output is looked at in the leaves only.",
    "totally_randomized_multiway": "Any variable, once on a branch, a child for each value: the "
    "trees of the theory of importances.",
    "rotation_forest_original": "The same as first published: components of a group are found "
    "on rows of some classes, trees grow on all rows.",
    "rotation_forest": "Each tree on principal components of groups of three variables.",
    "pasting": "Each tree on half of the rows, without replacement.",
    "subbag": "Bagging and three quarters of the columns together.",
    "random_patches": "Each tree on a patch: some of the rows, some of the columns.",
    "pert_stopped": "PERT, stopped at √N samples.",
    "breiman_2004": "Any variable; relevant ones cut in the middle, others anywhere; all leaves at "
    "one depth, as far as samples reach.",
    "purely_random": "Any leaf, any side of its cell, cut anywhere; data play no part.",
    "random_gap": "Any leaf, any variable, a gap between two neighbours.",
    "biau_2012": "All cells of a level halved, variables drawn with given odds.",
    "biau_2012_halves": "The best of a few variables, cells halved; one half of the rows finds the "
    "splits, the other fills the leaves.",
    "denil_2013": "One half of the rows finds the splits, the other fills the leaves; a random "
    "number of variables at each node.",
    "scornet_2014": "Random Forests on fewer rows without replacement.",
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
    "kwok_carter": "near_best=0.1",
    "breiman_2004": "relevant=[0, 2]",
    "biau_2012": "feature_weights=[3, 1, 3, 1]",
    "denil_2013": "min_samples_leaf=10",
    "scornet_2014": "max_samples=0.2",
}
INTRO = """\
# Recipes

Every algorithm of the thesis is a row of choices on one engine. One word picks it:

```python
from silvics import ForestClassifier, ForestRegressor, recipes

ForestClassifier("extra_trees").fit(X, y)  # Extra-Trees
ForestClassifier("c4.5").fit(X, y)  # a single C4.5 tree
ForestRegressor("denil_2013").fit(X, y)  # honest leaves
recipes.names()  # all of them
```

A parameter of the estimator takes the place of the row's choice; `None`, the default, leaves it. So
a recipe is a start, and choices can be mixed:

```python
ForestClassifier("random_patches", cut="uniform")  # Random Patches of Extra-Trees
ForestClassifier("random_forest", honest=True)  # Random Forests with honest leaves
ForestRegressor("cart", n_estimators=100, rows="bootstrap")  # CART that became bagging
```

`"all"` says "no limit" where a recipe has one (`max_features="all"`, `max_samples="all"`). Choices
that contradict each other are refused, with the reason. Categories and missing values are taken by
every recipe.

Where a choice shows two values with a slash, the first is for classification and the second for
regression. N is the number of rows, p of columns, M of trees, K of variables drawn at a node, N'
and p' of rows and columns of a tree; L is the number of variables in a combination. Complexity is
the average time to build (Table 5.1). How the definitions were read:
[decision 14](decisions/014-recipes.md); how they do on real tables: [study](studies/recipes.md);
how the consistent ones do as N grows: [study](studies/consistency.md)."""

GROUPS = {
    "Single trees": "Chapter 3, and 7.2.2. More of them (`n_estimators`) are worth it only where "
    "something is drawn.",
    "Forests": "Sections 4.3.1, 6.1 and 8.1.",
    "Consistent variants": "Section 4.5: what theory can follow as N grows. Limits grow with N.",
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
    return f'ForestClassifier("{name}"{more}).fit(X, y)'


def as_code(value: Any) -> str:
    """As it is written in a call; what grows with N as its formula."""
    if isinstance(value, tuple):
        return " / ".join(dict.fromkeys(as_code(part) for part in value))
    if value == 1 / 3:
        return "1/3"
    return str(value) if isinstance(value, recipes.ByRows) else json.dumps(value)


def choices(row: dict[str, str]) -> Iterator[str]:
    """Those of a recipe that are its own."""
    recipe = recipes.get(row["name"])
    for axis in [text.partition("=")[0] for text in row["axes"].split(", ") if text]:
        if axis != "n_estimators":
            value = getattr(recipe, axis)
            told = "True" if value is True else as_code(value)
            yield f"`{axis}={told}`"


def entry(row: dict[str, str]) -> Iterator[str]:
    """One recipe."""
    name = row["name"]
    yield from [f"### {name}", ""]
    yield f"**{row['title']}** · {row['origin']} · thesis {row['section']} · {row['complexity']}"
    yield ""
    if name in IN_WORDS:
        yield from [IN_WORDS[name], ""]
    yield "Choices: " + (", ".join(choices(row)) or "none but the defaults")
    yield from ["", "```python", example(name), "```", ""]


def axes() -> Iterator[str]:
    """From the docstring of ``Recipe``: name, values, what it is."""
    lines = cleandoc(recipes.Recipe.__doc__ or "").splitlines()
    lines = lines[lines.index("Attributes") + 2 :]
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
        yield from header(["recipe", "what it is", "origin", "thesis", "time to build"], [])
        for row in rows:
            if group_of(row) == group:
                link = f"[`{row['name']}`](#{anchor(row['name'])})"
                cells = (row["title"], row["origin"], row["section"], row["complexity"])
                yield line([link, *cells])
        yield ""
    yield from ["## Axes", "", "What a recipe chooses, and what `None` in an estimator leaves."]
    yield from ["", *header(["axis", "values", "what it is"], []), *axes(), ""]
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
