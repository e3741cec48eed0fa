"""Selection of variables by their importances (thesis, section 7.3.1), for scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from silvics._docs import keep_parameters
from silvics.importance.selection.selector import (
    SHARED_CONSTRAINTS,
    SHARED_WORDS,
    Sample,
    Selector,
    documented,
    falling,
)
from silvics.importance.significance.permutation_tests import (
    conditional_error_rate,
    one_forest_test,
    permutation_test,
)
from silvics.importance.significance.result import Significance
from silvics.importance.significance.shadow_tests import boruta, contrast_test

_KINDS = {  # by default, of each test
    "permutation": "ufi",
    "one_forest": "air",
    "contrasts": "mdi",
    "boruta": "ufi",
    "conditional_error": "mdi",
}
_AT_A_LEVEL = ("boruta", "conditional_error")  # that end where it is decided


# ---- by the importances of one forest


@documented(SHARED_WORDS)
class SelectByThreshold(Selector):
    """Variables whose importance is large enough.

    Parameters
    ----------
    <forest>
    <kind>
    threshold : float or str, default="mean"
        Least importance of what is selected: a number; "mean" or "median" of all importances, or
        "1.25*mean"; or "2*se", two standard errors above zero, of each variable. The last is for
        kinds that are around zero for useless variables, such as "mda", and not for "mdi", which
        is above zero for all.
    max_features : int or None, default=None
        Of more that are large enough, only so many, the largest, are selected. With
        ``threshold=-numpy.inf`` this alone decides.
    <task>
    <seeds>

    Attributes
    ----------
    threshold_ : float, or ndarray of one for each variable
        Least importance.
    <attributes>

    See Also
    --------
    sklearn.feature_selection.SelectFromModel : the same of any estimator, on arrays.

    Examples
    --------
    >>> import pandas as pd
    >>> from silvics.importance import SelectByThreshold
    >>> trees = pd.DataFrame({"leaf": ["needle", "broad"] * 20, "plot": range(40)})
    >>> select = SelectByThreshold(random_state=0).fit(trees, ["pine", "oak"] * 20)
    >>> select.get_feature_names_out()
    array(['leaf'], dtype=object)
    >>> select.transform(trees.head(2))
         leaf
    0  needle
    1   broad
    """

    threshold: float | str
    max_features: int | None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "threshold": [Interval(Real, None, None, closed="both"), str],
        "max_features": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        forest: Any = None,
        *,
        kind: str = "mdi",
        threshold: float | str = "mean",
        max_features: int | None = None,
        task: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    def _support(self, sample: Sample) -> np.ndarray:
        factor, reference = _parsed(self.threshold)
        self.forest_ = sample.forest()
        self.importances_ = sample.importances(self.forest_)
        values = self.importances_.values
        if reference == "se":
            scale = self.importances_.standard_errors
            if np.isnan(scale).any():
                raise ValueError(
                    f"threshold={self.threshold!r} needs standard errors, and of one tree there "
                    "are none: use more trees."
                )
        else:
            scale = {"": 1.0, "mean": values.mean(), "median": np.median(values)}[reference]
        self.threshold_ = factor * scale
        large = values >= self.threshold_
        if reference == "se":
            large &= values > 0  # what is never used has no error
        if self.max_features is not None:
            largest = falling(np.where(large, values, -np.inf))
            large[largest[self.max_features :]] = False
        return large


def _parsed(threshold: Any) -> tuple[float, str]:
    """A factor, and what it is a multiple of: "mean", "median", "se", or "" for itself."""
    if not isinstance(threshold, str):
        return float(threshold), ""
    *factor, reference = (part.strip() for part in threshold.split("*"))
    try:
        if reference not in ("mean", "median", "se") or len(factor) > 1:
            raise ValueError
        return float(factor[0]) if factor else 1.0, reference
    except ValueError:
        raise ValueError(
            'threshold must be a number, "mean", "median" or "se", or a multiple such as '
            f'"1.25*mean" or "2*se"; got {threshold!r}'
        ) from None


# ---- by a test


@documented(SHARED_WORDS)
class SelectByTest(Selector):
    """Variables whose importance is more than chance would give.

    Parameters
    ----------
    <forest>
    test : {"permutation", "one_forest", "contrasts", "boruta", "conditional_error"}, \
            default="permutation"
        How chance is estimated: see the functions of :mod:`silvics.importance`.
    level : float, default=0.05
        Of the test.
    how : {"auto", "fdr", "family"} or None, default="auto"
        The error that is meant by it, as in ``Significance.mask``.
    kind : str or None, default=None
        Of the importances; None: what suits the test: "ufi" for "permutation" and "boruta",
        "air" for "one_forest", else "mdi". There is a warning for "mdi" with
        "permutation" and "boruta".
    options : dict or None, default=None
        More for the function, such as ``{"n_permutations": 500}``.
    <task>
    <seeds>

    Attributes
    ----------
    significance_ : Significance
        What the test found.
    <attributes>

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestClassifier
    >>> from silvics.importance import SelectByTest
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> select = SelectByTest(RandomForestClassifier(20), random_state=0)
    >>> select.fit(X, X[:, 2] > X[:, 4]).get_support(indices=True)
    array([2, 4])
    """

    test: str
    level: float
    how: str | None
    options: dict[str, Any] | None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "kind": [str, None],
        "test": [StrOptions(set(_KINDS))],
        "level": [Interval(Real, 0, 1, closed="neither")],
        "how": [StrOptions({"auto", "fdr", "family"}), None],
        "options": [dict, None],
    }

    def __init__(
        self,
        forest: Any = None,
        *,
        test: str = "permutation",
        level: float = 0.05,
        how: str | None = "auto",
        kind: str | None = None,
        options: dict[str, Any] | None = None,
        task: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    def _kind(self) -> str:
        return self.kind or _KINDS[self.test]

    def _support(self, sample: Sample) -> np.ndarray:
        self.forest_ = sample.forest()
        self.importances_ = sample.importances(self.forest_)
        self.significance_ = self._tested(sample)
        mask = self.significance_.mask(None if self.test in _AT_A_LEVEL else self.level, self.how)
        if len(mask) != self.n_features_in_:
            raise ValueError("options has feature_groups, and variables are selected one by one.")
        return mask

    def _tested(self, sample: Sample) -> Significance:
        options = self.options or {}
        if self.test == "one_forest":
            return one_forest_test(self.importances_, **options)
        known: dict[str, Any] = {
            "kind": sample.kind,
            "sample_weight": sample.weight,
            "random_state": sample.seed,
        }
        if self.test in _AT_A_LEVEL:
            known["level"] = self.level
        functions: dict[str, Callable[..., Significance]] = {
            "permutation": permutation_test,
            "contrasts": contrast_test,
            "boruta": boruta,
            "conditional_error": conditional_error_rate,
        }
        return functions[self.test](self.forest_, sample.X, sample.y, **known, **options)
