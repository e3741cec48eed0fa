"""Every algorithm as one row: the choices it makes on the engine's axes.

An estimator names its row; a parameter of the estimator overrides the row's choice.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """The choices of one algorithm.

    Attributes
    ----------
    rows : {"all", "bootstrap"}
        Rows of a tree.
    cut : {"best", "uniform"}
        How a variable is cut: the best threshold, or one uniform in its range.
    reference : str
        Where the algorithm is described.
    """

    rows: str
    cut: str
    reference: str


RECIPES = {
    "cart": Recipe(rows="all", cut="best", reference="Breiman et al. 1984; thesis ch. 3"),
    "extra_tree": Recipe(rows="all", cut="uniform", reference="Geurts et al. 2006; Alg. 4.3"),
    "random_forest": Recipe(rows="bootstrap", cut="best", reference="Breiman 2001; thesis 4.3.1"),
    "extra_trees": Recipe(rows="all", cut="uniform", reference="Geurts et al. 2006; thesis 4.3.1"),
}
