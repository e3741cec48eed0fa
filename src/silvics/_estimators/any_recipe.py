"""Base class of the forests that grow any recipe."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from silvics import _core
from silvics._estimators.base_tree import BaseTree
from silvics._estimators.declared import RecipeParameters
from silvics._fitting import parameters
from silvics._fitting.axes import Axes, axes_of, recipe_of
from silvics._fitting.stages import check_stages
from silvics.recipes import get

_FRACTION = Interval(RealNotInt, 0.0, 1.0, closed="right")


def _at_least(n: int) -> Interval:
    return Interval(Integral, n, None, closed="left")


CONSTRAINTS: dict[str, list[Any]] = {
    **parameters.TREE_CONSTRAINTS,
    **parameters.FOREST_CONSTRAINTS,
    "recipe": [str],
    "n_estimators": [*parameters.FOREST_CONSTRAINTS["n_estimators"], None],
    "rows": [StrOptions({"all", "bootstrap", "subsample", "patches"}), None],
    "max_samples": [_FRACTION, _at_least(1), StrOptions({"all"}), None],
    "columns": [StrOptions({"all", "subspace", "rotation", "rotation_by_class"}), None],
    "max_columns": [_FRACTION, _at_least(1), StrOptions({"all"}), None],
    "variables": [StrOptions({"uniform", "unused", "poisson", "weighted"}), None],
    "max_features": [_FRACTION, _at_least(1), StrOptions({"sqrt", "log2", "all"}), None],
    "cut": [
        StrOptions(
            {
                "best",
                "uniform",
                "pair",
                "gap",
                "middle",
                "relevance",
                "cell_uniform",
                "cell_middle",
            }
        ),
        None,
    ],
    "choice": [StrOptions({"best", "one_of_best", "near_best", "significant", "relief"}), None],
    "split": [StrOptions({"binary", "multiway", "multiway_categories", "oblique"}), None],
    "growth": [StrOptions(set(_core.Growth.__members__)), None],
    "min_samples_split": [_at_least(1), _FRACTION, None],
    "min_samples_leaf": [_at_least(1), Interval(RealNotInt, 0.0, 1.0, closed="neither"), None],
    "split_pure": ["boolean", None],
    "significance": [Interval(Real, 0.0, 1.0, closed="right"), None],
    "n_permutations": [Interval(Integral, 0, parameters.MAX_PERMUTATIONS, closed="both")],
    "honest": ["boolean", Interval(RealNotInt, 0.0, 1.0, closed="neither"), None],
    "range_sample": [_at_least(2), None],
    "pruning": [StrOptions({"none", "pessimistic", "reduced_error"}), None],
    "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
    "confidence": [Interval(Real, 0.0, 1.0, closed="neither")],
    "vote": [StrOptions({"soft", "majority"}), None],
    "stages": [Interval(Integral, 1, 2, closed="both"), None],
    "missing": [StrOptions({"learned", "apart", "both", "error"})],
    "n_best": [_at_least(1)],
    "near_best": [Interval(Real, 0.0, 1.0, closed="both")],
    "near_best_depth": [_at_least(0)],
    "n_combined": [_at_least(1)],
    "max_values": [_at_least(2)],
    "relevant": ["array-like", None],
}
del CONSTRAINTS["bootstrap"]

# Parameters that only ``ForestClassifier`` and ``ForestRegressor`` have.
OPTION_CONSTRAINTS: dict[str, list[Any]] = {
    "relief_samples": [_at_least(1)],
    "relief_neighbors": [_at_least(1)],
    "min_score": [Real, None],
    "min_impurity_split": [Interval(Real, 0.0, None, closed="left")],
    "max_splits": [_at_least(1), None],
    "always_split": ["array-like", None],
    "target_score": [Real, None],
}
CLASS_CONSTRAINTS: dict[str, list[Any]] = {
    "max_majority": [Interval(Real, 0.0, 1.0, closed="right")],
    "class_samples": [_at_least(1), StrOptions({"balanced"}), dict, "array-like", None],
}


class AnyRecipe(RecipeParameters):
    """Mixin that combines a recipe with the parameters that are not None."""

    n_estimators: Any
    oob_score: Any
    monotonic_cst: Any
    _classification: ClassVar[bool]
    _tree_class: ClassVar[type[BaseTree]]

    def _check_sampling(self) -> None:
        get(self.recipe)

    def _choices(self, n_samples: int) -> Axes:
        axes = axes_of(self, n_samples)
        check_stages(axes, self, self._n_trees())
        if axes.rows == "all" and self.oob_score:
            raise ValueError(
                f"oob_score={self.oob_score} needs out-of-bag rows, but recipe "
                f'{recipe_of(self)!r} grows every tree on all rows. Set rows="bootstrap" or '
                'rows="subsample".'
            )
        if axes.rows == "all" and axes.max_samples is not None:
            raise ValueError(
                f"max_samples={axes.max_samples} needs trees that draw their rows, but recipe "
                f'{recipe_of(self)!r} grows every tree on all rows. Set rows="bootstrap" or '
                'rows="subsample".'
            )
        return axes

    def _n_trees(self) -> int:
        if self.n_estimators is None:
            return get(self.recipe).n_estimators
        return int(self.n_estimators)

    def _own_parameters(self, tree: BaseTree) -> dict[str, Any]:
        """Return the parameters that have the same meaning in a single tree."""
        names = {
            "categorical_features",
            "min_category_frequency",
            "category_gain",
            "unknown_category",
        }
        return {name: getattr(self, name) for name in names & tree.get_params(deep=False).keys()}
