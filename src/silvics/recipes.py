"""Recipes: the algorithms of the thesis, each as a set of parameters.

``ForestClassifier`` and ``ForestRegressor`` take any recipe by name, and a parameter that is given
overrides the value of the recipe. The other estimators have a fixed recipe.

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
from dataclasses import dataclass, field, fields, replace
from math import ceil, log2
from typing import Any

from silvics._names import did_you_mean

__all__ = ["RECIPES", "ByRows", "Recipe", "get", "names", "table"]


@dataclass(frozen=True)
class ByRows:
    """A value that depends on the number of rows N, as in the consistency proofs of thesis 4.5.

    Attributes
    ----------
    text : str
        The formula, for printing.
    of : callable
        Function from the number of rows to the value.

    Examples
    --------
    >>> from math import isqrt
    >>> from silvics.recipes import ByRows
    >>> leaves = ByRows("sqrt(N)", isqrt)
    >>> str(leaves), leaves.of(100)
    ('sqrt(N)', 10)
    """

    text: str
    of: Callable[[int], int] = field(compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Recipe:
    """The parameters that define one algorithm.

    Most attributes have the names and the meaning of parameters of ``ForestClassifier``, where
    their values are described. If a value is a pair, the first element is for classification and
    the second for regression.

    Attributes
    ----------
    title, origin, section : str
        Name of the algorithm, its publication, and the section of the thesis that describes it;
        "-" if none does.
    complexity : str
        Average time complexity of training (thesis Table 5.1). N is the number of rows, p of
        columns, M of trees, and K of variables drawn at a node.
    n_estimators : int
        Number of trees.
    rows : {"all", "bootstrap", "subsample", "patches"}
        Rows that each tree is grown on.
    max_samples : float, int, ByRows or None
        Number, or fraction, of the rows that each tree draws. None draws as many as X has.
    columns : {"all", "subspace", "rotation", "rotation_by_class"}
        Columns that each tree is grown on.
    max_columns : float, int or None
        Number, or fraction, of the columns of a subspace or of a group of a rotation.
    variables : {"uniform", "unused", "poisson", "weighted"}
        How each node draws variables.
    max_features : int, float, str or pair
        Number of variables that each node draws.
    cut : str
        How a variable is cut.
    choice : {"best", "one_of_best", "near_best", "significant"}
        Which of the splits found at a node is made.
    split : {"binary", "multiway", "multiway_categories", "oblique"}
        Kind of the splits.
    criterion : pair of str
        Impurity that splits decrease.
    growth : str or None
        Order in which nodes are split.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf : int, ByRows or None
        Stopping rules.
    split_pure : bool
        Whether to split nodes whose samples all have the same output.
    significance : float or None
        Level of the test that a split must pass.
    honest : bool
        Whether different rows choose the splits and set the values of the leaves.
    range_sample : int or None
        Number of samples of a node whose range bounds the thresholds.
    pruning : {"none", "pessimistic", "reduced_error"} or pair
        How trees are pruned after they are grown.
    vote : {"soft", "majority"}
        How the predictions of the trees are combined.
    stages : int
        2 if the second half of the trees is grown on the out-of-bag residuals of the first half.

    Examples
    --------
    >>> from silvics import recipes
    >>> recipes.get("extra_trees").cut
    'uniform'
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
    stages: int = 1

    def for_task(self, axis: str, classification: bool) -> Any:
        """Return the value of a parameter for classification or for regression.

        Parameters
        ----------
        axis : str
            Name of the parameter.
        classification : bool
            True for classification, False for regression.

        Returns
        -------
        value : object
            The value, or the element of the pair that belongs to the task.

        Examples
        --------
        >>> from silvics import recipes
        >>> breiman = recipes.get("random_forest")
        >>> breiman.for_task("max_features", classification=True)
        'sqrt'
        """
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
    # ---- single trees (thesis ch. 3)
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
    # ---- not in the thesis
    "residual_forest": Recipe(
        "Residual forest", "Ghosal and Hooker 2021", "-", "M p N log² N",
        n_estimators=200, rows="bootstrap", stages=2,
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

# The choices of recipe "auto" before it has tuned them; see silvics.tuning.
_AUTO = replace(RECIPES["random_forest"], title="Random Forests or Extra-Trees, tuned", origin="")

# What "auto" begins with; what races against it, among trees that draw their rows and among trees
# that use all of them.
AUTO_FIRST = {"recipe": "random_forest", "rows": "bootstrap"}
AUTO_DRAWN = [{"recipe": "extra_trees", "rows": "bootstrap"}]
AUTO_ALL = [{"recipe": "extra_trees", "rows": "all"}, {"recipe": "random_forest", "rows": "all"}]

_AXES = tuple(f.name for f in fields(Recipe))[4:]


def names() -> list[str]:
    """Return the names of all recipes.

    Returns
    -------
    names : list of str
        The values that the parameter ``recipe`` accepts.

    Examples
    --------
    >>> from silvics import recipes
    >>> recipes.names()[:3]
    ['cart', 'extra_tree', 'id3']
    """
    return list(RECIPES)


def get(name: str) -> Recipe:
    """Return the recipe with the given name.

    Parameters
    ----------
    name : str
        One of :func:`names`, or "auto".

    Returns
    -------
    recipe : Recipe
        The parameters of the algorithm.

    Examples
    --------
    >>> from silvics import recipes
    >>> recipes.get("bagging").rows
    'bootstrap'
    """
    if name == "auto":
        return _AUTO
    if name not in RECIPES:
        raise ValueError(
            f"There is no recipe {name!r}.{did_you_mean(name, RECIPES)} The recipes are: "
            f"{', '.join(RECIPES)}."
        )
    return RECIPES[name]


def table() -> list[dict[str, str]]:
    """Return a table of all recipes as text.

    Returns
    -------
    rows : list of dict
        One dict per recipe, with the keys "name", "title", "origin", "section", "complexity" and
        "axes". The text of "axes" lists the parameters that differ from their defaults.

    Examples
    --------
    >>> from silvics import recipes
    >>> recipes.table()[0]["title"]
    'CART'
    """
    plain = {f.name: f.default for f in fields(Recipe)}

    def as_text(value: Any) -> str:
        if isinstance(value, tuple):
            return " / ".join(dict.fromkeys(as_text(part) for part in value))
        # 1.0 is a fraction and 1 a number, and must remain distinguishable.
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
