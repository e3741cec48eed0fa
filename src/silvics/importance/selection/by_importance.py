"""Selection of variables by importances or tests (thesis, section 7.3.1)."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from silvics._docs import keep_parameters
from silvics.importance._docs import SELECTORS, with_paragraphs
from silvics.importance.selection.selector import (
    SHARED_CONSTRAINTS,
    Sample,
    Selector,
    falling,
)
from silvics.importance.significance.permutation_tests import (
    conditional_error_rate,
    one_forest_test,
    permutation_test,
)
from silvics.importance.significance.result import Significance
from silvics.importance.significance.shadow_tests import boruta, contrast_test

_KINDS = {  # the default kind of each test
    "permutation": "ufi",
    "one_forest": "air",
    "contrasts": "mdi",
    "boruta": "ufi",
    "conditional_error": "mdi",
}
_AT_A_LEVEL = ("boruta", "conditional_error")  # tests that stop at a level


# ---- by the importances of one forest


@with_paragraphs(SELECTORS)
class SelectByThreshold(Selector):
    """Select variables whose importance is at least a threshold.

    Parameters
    ----------
    <forest>
    <kind>
    threshold : float or str, default="mean"
        The smallest importance of a selected variable: a number; "mean" or "median" of all
        importances, or a multiple such as "1.25*mean"; or "2*se", two standard errors above zero,
        for each variable. The last is for kinds that are about zero for useless variables, such as
        "mda", and not for "mdi", which is above zero for all variables.
    max_features : int or None, default=None
        The largest number of selected variables. With ``threshold=-numpy.inf``, exactly this many
        are selected.
    <task>
    <seeds>

    Attributes
    ----------
    threshold_ : float, or ndarray of one for each variable
        The threshold that was used.
    <attributes>

    See Also
    --------
    sklearn.feature_selection.SelectFromModel : Selection by any estimator, on arrays.

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
                    f"threshold={self.threshold!r} needs standard errors, which one tree does not "
                    "have: use more trees."
                )
        else:
            scale = {"": 1.0, "mean": values.mean(), "median": np.median(values)}[reference]
        self.threshold_ = factor * scale
        large = values >= self.threshold_
        if reference == "se":
            large &= values > 0  # unused variables have a standard error of zero
        if self.max_features is not None:
            largest = falling(np.where(large, values, -np.inf))
            large[largest[self.max_features :]] = False
        return large


def _parsed(threshold: Any) -> tuple[float, str]:
    """Return a factor and its reference: "mean", "median", "se", or "" for a plain number."""
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


@with_paragraphs(SELECTORS)
class SelectByTest(Selector):
    """Select variables whose importance is significant.

    Parameters
    ----------
    <forest>
    test : {"permutation", "one_forest", "contrasts", "boruta", "conditional_error"}, \
            default="permutation"
        The test. See the functions of :mod:`silvics.importance`.
    level : float, default=0.05
        The level of the test.
    how : {"auto", "fdr", "family"} or None, default="auto"
        The error rate that is controlled, as in ``Significance.mask``.
    kind : str or None, default=None
        The kind of importance. None is "ufi" for "permutation" and "boruta", "air" for
        "one_forest", and "mdi" otherwise. There is a warning for "mdi" with "permutation" and
        "boruta".
    options : dict or None, default=None
        Further arguments of the test, such as ``{"n_permutations": 500}``.
    <task>
    <seeds>

    Attributes
    ----------
    significance_ : Significance
        The result of the test.
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
            raise ValueError("options must not have feature_groups: variables are selected singly.")
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
