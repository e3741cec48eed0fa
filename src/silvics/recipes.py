"""Every algorithm of the thesis as one row: the choices it makes on the engine's axes.

An estimator names its row; a parameter of the estimator overrides the row's choice.
``ForestClassifier`` and ``ForestRegressor`` take any row by name, the classic estimators are the
same with a fixed one.

Examples
--------
>>> from silvics import ForestClassifier, recipes
>>> "pert" in recipes.names()
True
>>> recipes.get("pert").cut
'pair'
>>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
>>> ForestClassifier("pert", random_state=0).fit(X, y).predict([[0.5], [2.5]])
array([0, 1])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from math import ceil, log2
from typing import Any

from silvics._names import did_you_mean

__all__ = ["RECIPES", "ByRows", "Recipe", "get", "names", "table"]


@dataclass(frozen=True)
class ByRows:
    """A choice that grows with the number of rows N, as the theory of consistency asks."""

    text: str
    of: Callable[[int], int] = field(compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Recipe:
    """The choices of one algorithm.

    Of a pair, the first is for classification and the second for regression.

    Attributes
    ----------
    title, origin, section : str
        What it is called, where it comes from, where the thesis speaks of it.
    complexity : str
        Time to build it, on average (Table 5.1).
    n_estimators : int
        Trees.
    rows : {"all", "bootstrap", "subsample"}
        Rows of a tree: all, as many drawn with replacement, or some without.
    max_samples : float, int or None
        How many are drawn.
    columns : {"all", "subspace", "rotation", "rotation_by_class"}
        Columns of a tree: all, some, or principal components of groups of them, found on the
        tree's rows or, for each group, on rows of some classes.
    max_columns : float, int or None
        How many of a subspace, or in a group.
    variables : {"uniform", "unused", "poisson", "weighted"}
        How variables of a node are drawn.
    max_features : int, float, str or pair
        K, how many are drawn.
    cut : str
        How a variable is cut: "best", or drawn ("uniform", "pair", "gap", "middle", "relevance",
        "cell_uniform", "cell_middle").
    choice : {"best", "one_of_best", "near_best", "significant"}
        Which of the splits found is taken.
    split : {"binary", "multiway", "multiway_categories", "oblique"}
        What a split is.
    criterion : pair of str
        Impurity, and for C4.5 what is made of it.
    growth : str or None
        Which node is split next.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf : int, ByRows or None
        Where growing stops.
    split_pure : bool
        Whether nodes of one output are split all the same.
    significance : float or None
        Level of the test that a split must pass.
    honest : bool
        Whether the rows that fill leaves are others than those that find splits.
    range_sample : int or None
        Rows whose range bounds the cuts.
    pruning : {"none", "pessimistic", "reduced_error"}
        What happens to a grown tree.
    vote : {"soft", "majority"}
        How trees are put together.
    """

    title: str
    origin: str
    section: str
    complexity: str
    n_estimators: int = 100
    rows: str = "all"
    max_samples: float | ByRows | None = None
    columns: str = "all"
    max_columns: float | None = None
    variables: str = "uniform"
    max_features: Any = "all"
    cut: str = "best"
    choice: str = "best"
    split: str = "binary"
    criterion: tuple[str, str] = ("gini", "squared_error")
    growth: str | None = None
    max_depth: int | ByRows | None = None
    max_leaf_nodes: int | ByRows | None = None
    min_samples_split: int | ByRows = 2
    min_samples_leaf: int | ByRows = 1
    split_pure: bool = False
    significance: float | None = None
    honest: bool = False
    range_sample: int | None = None
    pruning: str | tuple[str, str] = "none"
    vote: str = "soft"

    def for_task(self, axis: str, classification: bool) -> Any:
        """The choice on an axis, for classification or regression."""
        value = getattr(self, axis)
        return value[0 if classification else 1] if isinstance(value, tuple) else value


_K = ("sqrt", 1.0)
_PER_TREE = "p N log² N"
_BEST, _DRAWN = "M K N log² N", "M K N log N"


def _power(exponent: str, of: Callable[[int], float]) -> ByRows:
    return ByRows(exponent, lambda n: max(2, ceil(of(n))))


_LEAVES = _power("N^(2/3)", lambda n: n ** (2 / 3))
_LEVELS = ByRows("log2 N^(2/3)", lambda n: max(1, ceil(log2(n ** (2 / 3)))))
_CUBE_ROOT = _power("N^(1/3)", lambda n: n ** (1 / 3))

RECIPES: dict[str, Recipe] = {
    # ---- single trees (ch. 3)
    "cart": Recipe(
        "CART", "Breiman et al. 1984", "3", _PER_TREE, n_estimators=1
    ),
    "extra_tree": Recipe(
        "Extra-Tree", "Geurts et al. 2006", "4.3.1", "K N log N",
        n_estimators=1, max_features=_K, cut="uniform",
    ),
    "id3": Recipe(
        "ID3", "Quinlan 1986", "3.6", "p N log N",
        n_estimators=1, split="multiway", criterion=("entropy", "squared_error"),
    ),
    "c4.5": Recipe(
        "C4.5", "Quinlan 1993", "3.6", _PER_TREE,
        n_estimators=1, split="multiway_categories",
        criterion=("gain_ratio", "squared_error"), pruning=("pessimistic", "none"),
    ),
    "conditional_inference": Recipe(
        "Conditional inference tree", "Hothorn et al. 2006", "7.2.2", _PER_TREE,
        n_estimators=1, choice="significant", significance=0.05,
    ),
    "reduced_error": Recipe(
        "Reduced-error pruned tree", "Quinlan 1987", "3.5", _PER_TREE,
        n_estimators=1, pruning="reduced_error",
    ),
    # ---- forests (4.3.1, 8.1)
    "kwok_carter": Recipe(
        "Kwok & Carter", "Kwok and Carter 1990", "4.3.1", "M p N log N",
        split="multiway", choice="near_best", criterion=("entropy", "squared_error"),
    ),
    "bagging": Recipe(
        "Bagging", "Breiman 1994", "4.3.1", "M p N log² N", rows="bootstrap"
    ),
    "dietterich_kong": Recipe(
        "Dietterich & Kong", "Dietterich and Kong 1995", "4.3.1", "M p N log² N",
        choice="one_of_best", criterion=("entropy", "squared_error"),
    ),
    "amit": Recipe(
        "Amit et al.", "Amit et al. 1997", "4.3.1", _BEST, max_features=("sqrt", 1 / 3),
        criterion=("entropy", "squared_error"),
    ),
    "random_subspace": Recipe(
        "Random Subspace", "Ho 1998", "4.3.1", "M p' N log² N",
        columns="subspace", max_columns=0.5,
    ),
    "random_forest": Recipe(
        "Random Forests", "Breiman 2001", "4.3.1", _BEST,
        rows="bootstrap", max_features=("sqrt", 1 / 3),
    ),
    "forest_rc": Recipe(
        "Forest-RC", "Breiman 2001", "3.6.1", "M K L N log² N",
        rows="bootstrap", max_features=("sqrt", 1 / 3), split="oblique",
    ),
    "pert": Recipe(
        "PERT", "Cutler and Zhao 2001", "4.3.1", "M N log N", max_features=1, cut="pair"
    ),
    "extra_trees": Recipe(
        "Extra-Trees", "Geurts et al. 2006", "4.3.1", _DRAWN, max_features=_K, cut="uniform"
    ),
    "totally_randomized": Recipe(
        "Totally Randomized Trees", "Geurts et al. 2006", "4.3.1", "M N log N",
        max_features=1, cut="uniform",
    ),
    "totally_randomized_multiway": Recipe(
        "Totally Randomized Trees, multiway", "Louppe et al. 2013", "6.1", "M p N",
        variables="unused", max_features=1, split="multiway",
        criterion=("entropy", "squared_error"), split_pure=True, min_samples_split=1,
    ),
    "rotation_forest": Recipe(
        "Rotation Forest", "Rodriguez et al. 2006", "4.3.1", "M p N log² N",
        rows="bootstrap", columns="rotation", max_columns=3,
    ),
    "rotation_forest_original": Recipe(
        "Rotation Forest, original form", "Rodriguez et al. 2006", "4.3.1", "M p N log² N",
        columns="rotation_by_class", max_columns=3,
    ),
    "pasting": Recipe(
        "Pasting", "Breiman 1999", "8.1", "M p N' log² N", rows="subsample", max_samples=0.5
    ),
    "subbag": Recipe(
        "SubBag", "Panov and Džeroski 2007", "8.1", "M p' N log² N",
        rows="bootstrap", columns="subspace", max_columns=0.75,
    ),
    "random_patches": Recipe(
        "Random Patches", "Louppe and Geurts 2012", "8.1", "M p' N' log² N",
        rows="subsample", max_samples=0.75, columns="subspace", max_columns=0.75,
    ),
    # ---- consistent variants (4.5)
    "pert_stopped": Recipe(
        "PERT stopped early", "Zhao 2000", "4.5", "M N log N",
        max_features=1, cut="pair", min_samples_split=_power("√N", lambda n: n**0.5),
    ),
    "breiman_2004": Recipe(
        "Breiman 2004", "Breiman 2004", "4.5", "M N log N",
        variables="weighted", max_features=1, cut="relevance",
        max_depth=_LEVELS, split_pure=True,
    ),
    "purely_random": Recipe(
        "Purely Random Forests", "Breiman 2000; Biau et al. 2008", "4.5", "M N log N",
        max_features=1, cut="cell_uniform", growth="random", max_leaf_nodes=_LEAVES,
        split_pure=True, min_samples_split=1,
    ),
    "random_gap": Recipe(
        "Random-gap forest", "Biau et al. 2008", "4.5", "M N log N",
        max_features=1, cut="gap", growth="random", max_leaf_nodes=_LEAVES, split_pure=True,
    ),
    "biau_2012": Recipe(
        "Biau 2012", "Biau 2012", "4.5", "M N log N",
        variables="weighted", max_features=1, cut="cell_middle", growth="breadth_first",
        max_depth=_LEVELS, split_pure=True, min_samples_split=1,
    ),
    "biau_2012_halves": Recipe(
        "Biau 2012, two halves", "Biau 2012", "4.5", _DRAWN,
        max_features=("sqrt", 1 / 3), cut="cell_middle", max_depth=_LEVELS, honest=True,
    ),
    "denil_2013": Recipe(
        "Denil et al. 2013", "Denil et al. 2013", "4.5", _BEST,
        variables="poisson", max_features=("sqrt", 1 / 3), honest=True,
        min_samples_leaf=_CUBE_ROOT, range_sample=100,
    ),
    "scornet_2014": Recipe(
        "Scornet et al. 2014", "Scornet et al. 2014", "4.5", _BEST,
        rows="subsample", max_samples=_power("N^(3/4)", lambda n: n**0.75),
        max_features=("sqrt", 1 / 3),
    ),
}  # fmt: skip

_AXES = tuple(f.name for f in fields(Recipe))[4:]


def names() -> list[str]:
    """Names of all recipes.

    Returns
    -------
    names : list of str
    """
    return list(RECIPES)


def get(name: str) -> Recipe:
    """The recipe of this name.

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Returns
    -------
    recipe : Recipe
    """
    if name not in RECIPES:
        raise ValueError(
            f"There is no recipe {name!r}.{did_you_mean(name, RECIPES)} Recipes are: "
            f"{', '.join(RECIPES)}."
        )
    return RECIPES[name]


def table() -> list[dict[str, str]]:
    """All recipes, their choices as text; those that are nobody's choice are left out.

    Returns
    -------
    rows : list of dict
        With the keys name, title, origin, section, complexity and axes.
    """
    plain = {f.name: f.default for f in fields(Recipe)}

    def as_text(value: Any) -> str:
        if isinstance(value, tuple):
            return " / ".join(dict.fromkeys(as_text(part) for part in value))
        # 1.0 is a share, 1 is a number.
        return str(round(value, 3)) if isinstance(value, float) else str(value)

    return [
        {
            "name": name,
            "title": recipe.title,
            "origin": recipe.origin,
            "section": recipe.section,
            "complexity": recipe.complexity,
            "axes": ", ".join(
                f"{axis}={as_text(getattr(recipe, axis))}"
                for axis in _AXES
                if getattr(recipe, axis) != plain[axis]
            ),
        }
        for name, recipe in RECIPES.items()
    ]
