"""Selection of the number of variables that predicts best, by ranking or elimination."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from numbers import Integral
from typing import Any, ClassVar

import joblib
import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from silvics._docs import keep_parameters
from silvics._warnings import warn_user
from silvics.importance._checks import MOST_REPEATS, whole_number
from silvics.importance._docs import SCORES, with_paragraphs
from silvics.importance.selection.scoring import Judge
from silvics.importance.selection.selector import (
    SHARED_CONSTRAINTS,
    Sample,
    Selector,
    columns_of,
    falling,
)

_CONSTRAINTS: dict[str, list[Any]] = {
    **SHARED_CONSTRAINTS,
    "scoring": [StrOptions(set(get_scorer_names())), callable, None],
    "cv": ["cv_object"],
    "rule": [StrOptions({"best", "one_standard_error"})],
}


@dataclass(eq=False)
class Step:
    """A set of variables, with the score of a forest on them."""

    features: np.ndarray
    importances: np.ndarray
    score: float = nan
    standard_error: float = nan


class _BySize(Selector):
    """The base class of selectors of a number of ranked variables."""

    cv: Any
    rule: str
    scoring: Any

    @abstractmethod
    def _path(
        self, sample: Sample, forest: Any, values: np.ndarray, grown: bool
    ) -> Iterator[tuple[Step, Any]]:
        """Yield sets of variables in decreasing size, with forests on them if requested."""

    def _wanted(self) -> Any:
        """Return the requested number of variables; None for that of the best score."""
        return None

    def _support(self, sample: Sample) -> np.ndarray:
        self._walk(sample)
        return self._choose()

    def _walk(self, sample: Sample) -> None:
        """Compute all sets of variables and their scores."""
        if sample.y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, to score forests.")
        judge = Judge(self.scoring, sample.prototype, self.rule != "best")
        self.forest_ = sample.forest()
        self.importances_ = sample.importances(self.forest_)
        out_of_bag = self.cv is None and self.forest_._grown.sampling.rows != "all"
        if self.cv is None and not out_of_bag and self._wanted() is None:
            raise ValueError(
                "cv=None scores forests on out-of-bag rows, and trees of this forest draw all "
                "rows: use a forest with bootstrap=True, or pass cv, such as cv=5."
            )
        self.path_ = []
        start = self.forest_, self.importances_.values
        for step, forest in self._path(sample, *start, out_of_bag):
            if out_of_bag:
                places = np.sort(step.features)
                step.score, step.standard_error = judge.out_of_bag(forest, sample, places)
            self.path_.append(step)
        if self.cv is not None:
            folds = self._folds(sample, judge)
            n = len(folds)
            for step, scores in zip(self.path_, folds.T, strict=True):
                step.score = float(scores.mean())
                step.standard_error = float(scores.std(ddof=1)) / np.sqrt(n) if n > 1 else nan
        self.n_features_grid_ = np.array([len(step.features) for step in self.path_])
        self.scores_ = np.array([step.score for step in self.path_])
        self.standard_errors_ = np.array([step.standard_error for step in self.path_])
        order = self.path_[-1].features
        for step in reversed(self.path_[:-1]):
            order = np.append(order, step.features[~np.isin(step.features, order)])
        self._order = order

    def _folds(self, sample: Sample, judge: Judge) -> np.ndarray:
        """Return the scores of each fold, on rows that were not used in it."""
        splitter = check_cv(self.cv, sample.y, classifier=is_classifier(sample.prototype))
        scores = []
        for learning, testing in splitter.split(sample.X, sample.y):
            if sample.weight is not None:
                testing = testing[sample.weight[testing] > 0]
            part, other = sample.rows(learning), sample.rows(testing)
            forest = part.forest()
            start = forest, part.importances(forest).values
            scores.append(
                [
                    judge(grown, columns_of(other.X, np.sort(step.features)), other.y, other.weight)
                    for step, grown in self._path(part, *start, True)
                ]
            )
        return np.array(scores)

    def _choose(self) -> np.ndarray:
        """Choose the number of variables."""
        wanted = self._wanted()
        if wanted is None:
            scores = np.nan_to_num(self.scores_, nan=-np.inf)
            least = scores.max()
            if self.rule == "one_standard_error":
                best = np.flatnonzero(scores == least)[-1]  # the fewest variables of these
                least -= np.nan_to_num(self.standard_errors_[best])
            wanted = int(self.n_features_grid_[scores >= least].min())
        self.n_features_ = wanted
        return self.at(wanted)

    def at(self, n_features: int) -> np.ndarray:
        """Return the selection of another size, without fitting a forest.

        Parameters
        ----------
        n_features : int
            How many variables; any number will do.

        Returns
        -------
        support : ndarray of bool of shape (n_columns,)

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> from silvics.importance import SelectByElimination
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> select = SelectByElimination(RandomForestClassifier(20), random_state=0)
        >>> select = select.set_params(n_features_to_select=1).fit(X, X[:, 2] > 0)
        >>> select.at(2)
        array([ True, False,  True])
        """
        check_is_fitted(self)
        why = ", the number of variables"
        n = whole_number("n_features", n_features, 1, self.n_features_in_, why)
        return np.isin(np.arange(self.n_features_in_), self._order[:n])


# ---- ranked once


@with_paragraphs(SCORES)
class SelectTuned(_BySize):
    """Select the number of most important variables that predicts best.

    The variables are ranked once; forests on the first k of them are compared for a geometric grid
    of k.

    Parameters
    ----------
    <forest>
    <kind>
    n_steps : int, default=10
        The number of sizes that are compared, on a geometric grid from one variable to all.
    <scores>
    <task>
    <seeds>

    Attributes
    ----------
    <found>
    <attributes>

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestClassifier
    >>> from silvics.importance import SelectTuned
    >>> X = np.random.default_rng(0).normal(size=(100, 8))
    >>> select = SelectTuned(RandomForestClassifier(50), random_state=0)
    >>> select = select.fit(X, X[:, 2] > X[:, 5])
    >>> select.get_support(indices=True), select.n_features_grid_
    (array([2, 5]), array([8, 6, 5, 4, 3, 2, 1]))
    """

    n_steps: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_CONSTRAINTS,
        "n_steps": [Interval(Integral, 1, MOST_REPEATS, closed="both")],
    }

    def __init__(
        self,
        forest: Any = None,
        *,
        kind: str = "mdi",
        n_steps: int = 10,
        scoring: Any = None,
        cv: Any = None,
        rule: str = "best",
        task: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    def _path(
        self, sample: Sample, forest: Any, values: np.ndarray, grown: bool
    ) -> Iterator[tuple[Step, Any]]:
        order = falling(values)
        sizes = np.unique(np.geomspace(len(order), 1, self.n_steps).round().astype(int))
        for n in sizes[::-1]:
            if grown and n < len(order):
                forest = sample.forest(np.sort(order[:n]))
            yield Step(order[:n], values[order[:n]]), forest


# ---- eliminated step by step


@with_paragraphs(SCORES)
class SelectByElimination(_BySize):
    """Select variables by recursive elimination of the least important ones.

    Importances are computed again at each step, on the remaining variables, down to the last one.
    One fit therefore gives the selection of every size: see ``at``.

    Parameters
    ----------
    <forest>
    <kind>
    step : float or int, default=0.2
        The share or the number of the remaining variables that is dropped at a step, at least one.
    n_features_to_select : int, float or None, default=None
        The number of variables, or their share. None is the number with the best score.
    <scores>
    warm_start : bool, default=False
        Whether ``fit`` reuses the path of the previous fit if the table and all parameters except
        ``n_features_to_select`` are the same.
    <task>
    <seeds>

    Attributes
    ----------
    ranking_ : ndarray of int
        1 for selected variables, 2 for those dropped last, and so on.
    <found>
    <attributes>

    See Also
    --------
    sklearn.feature_selection.RFE : Elimination with any estimator, on arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestClassifier
    >>> from silvics.importance import SelectByElimination
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> select = SelectByElimination(RandomForestClassifier(50), n_features_to_select=2)
    >>> select = select.set_params(random_state=0).fit(X, X[:, 2] > X[:, 4])
    >>> select.get_support(indices=True), select.ranking_
    (array([2, 4]), array([3, 4, 1, 2, 1]))
    >>> select.at(3)
    array([False, False,  True,  True,  True])
    """

    step: float
    n_features_to_select: float | None
    warm_start: bool

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_CONSTRAINTS,
        "step": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
        ],
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
            None,
        ],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        forest: Any = None,
        *,
        kind: str = "mdi",
        step: float = 0.2,
        n_features_to_select: float | None = None,
        scoring: Any = None,
        cv: Any = None,
        rule: str = "best",
        warm_start: bool = False,
        task: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    def _wanted(self) -> int | None:
        wanted, p = self.n_features_to_select, self.n_features_in_
        if wanted is None:
            return None
        if not isinstance(wanted, Integral):
            return max(1, int(wanted * p))
        if int(wanted) > p:
            warn_user(f"n_features_to_select={wanted}, but X has {p} variables: all are kept.")
        return min(int(wanted), p)

    def _support(self, sample: Sample) -> np.ndarray:
        grown_from = self._all_that_counts(sample) if self.warm_start else None
        if grown_from is None or not _same(grown_from, getattr(self, "_grown_from", None)):
            self._walk(sample)
        self._grown_from = grown_from
        return self._choose()

    def _choose(self) -> np.ndarray:
        support = super()._choose()
        rank = np.empty(self.n_features_in_, dtype=int)
        n, sizes = self.n_features_, self.n_features_grid_
        for place, j in enumerate(self._order):
            rank[j] = 1 if place < n else 2 + ((sizes > n) & (sizes <= place)).sum()
        self.ranking_ = rank
        return support

    def set_n_features(self, n_features: int) -> SelectByElimination:
        """Select another number of variables, without a new fit.

        Parameters
        ----------
        n_features : int
            The number of variables, which is stored as ``n_features_to_select``.

        Returns
        -------
        self : object

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> from silvics.importance import SelectByElimination
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> select = SelectByElimination(RandomForestClassifier(20), random_state=0)
        >>> select = select.set_params(n_features_to_select=1).fit(X, X[:, 2] > 0)
        >>> select.set_n_features(2).support_
        array([ True, False,  True])
        """
        self.at(n_features)  # checks it
        self.n_features_to_select = int(n_features)
        self.support_ = self._choose()
        return self

    def _all_that_counts(self, sample: Sample) -> dict[str, Any]:
        """Return everything that the path depends on."""
        parameters = self.get_params()
        for name in ("forest", "n_features_to_select", "n_jobs", "warm_start"):
            del parameters[name]
        data = joblib.hash((sample.X, sample.y, sample.weight))
        return parameters | {"the forest": type(self.forest), "the table": data}

    def _path(
        self, sample: Sample, forest: Any, values: np.ndarray, grown: bool
    ) -> Iterator[tuple[Step, Any]]:
        del grown  # the importances are always needed
        places = np.arange(len(values))
        while True:
            order = falling(values)
            yield Step(places[order], values[order]), forest
            if (n := len(places)) == 1:
                return
            dropped = self.step if isinstance(self.step, Integral) else int(self.step * n)
            places = np.sort(places[order[: max(1, n - max(1, int(dropped)))]])
            forest = sample.forest(places)
            values = sample.importances(forest, places).values


def _same(a: dict[str, Any], b: dict[str, Any] | None) -> bool:
    """Return whether parameters are the same objects or equal."""
    if b is None or a.keys() != b.keys():
        return False
    return all(
        a[name] is b[name] or (type(a[name]) is type(b[name]) and np.array_equal(a[name], b[name]))
        for name in a
    )
