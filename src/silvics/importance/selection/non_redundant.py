"""Selection without redundant variables (Tuv et al. 2009; thesis L3297, section 7.3.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.stats import t as student
from sklearn.base import clone, is_classifier
from sklearn.utils._param_validation import Interval

from silvics._docs import keep_parameters
from silvics._fitting import targets
from silvics.forests import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.importance._docs import SELECTORS, with_paragraphs
from silvics.importance.forest.permuted_columns import for_columns
from silvics.importance.forest.refitting import ForestRefitter
from silvics.importance.selection.selector import (
    SHARED_CONSTRAINTS,
    Sample,
    Selector,
    columns_of,
    falling,
)
from silvics.importance.significance.permutation_tests import seed_from
from silvics.importance.significance.result import Significance
from silvics.importance.significance.shadow_tests import contrast_test
from silvics.recipe_forests import ForestClassifier, ForestRegressor

_MOST_COMPARED = 1_000  # relevant variables; with shadows, the limit of kind="surrogate"
_REGRESSORS = {
    RandomForestClassifier: RandomForestRegressor,
    ExtraTreesClassifier: ExtraTreesRegressor,
    ForestClassifier: ForestRegressor,
}


@dataclass(frozen=True, eq=False)
class Round:
    """One round of the selection; variables are numbers of columns.

    Attributes
    ----------
    significance : Significance
        The test of all variables against shadows: of the output in the first round, and of
        residuals in the others.
    relevant : ndarray of int
        The significant variables, by decreasing importance.
    selected : ndarray of int
        Those of them that were not selected before and that no selected variable masks.
    masked_by : dict of int to int
        The selected variable that masks each of the others.
    """

    significance: Significance
    relevant: np.ndarray
    selected: np.ndarray
    masked_by: dict[int, int]


@with_paragraphs(SELECTORS)
class SelectNonRedundant(Selector):
    """Select relevant variables without those that others stand for (Tuv et al. 2009).

    Each round has three steps. Variables are relevant if their importance exceeds that of permuted
    copies (:func:`contrast_test`). Going down in importance, a relevant variable is selected unless
    a variable selected before masks it: unless splits on that variable reproduce its splits better
    than splits on permuted copies do. Then the output is replaced by what the selected variables do
    not explain, the residuals of out-of-bag predictions, in which weaker effects can be seen. The
    rounds end when no variable is added.

    For classes, the residuals are those of the indicator of each class, which are predicted
    together by a regression forest with the same parameters.

    A round grows ``2 * n_repeats`` forests, half of them to compare the splits of relevant
    variables and of permuted copies at every node, which takes most of the time. It is proportional
    to the numbers of repeats, trees, rows and relevant variables: two rounds on 1,000 rows of 20
    mixed columns take about 10 s of processor time with 50 trees. To take less, set ``n_jobs``,
    a smaller ``n_repeats``, or ``min_samples_leaf`` of the forest.

    Parameters
    ----------
    <forest>
    <kind>
    level : float, default=0.05
        The false discovery rate of relevant variables in each round, and the level of the t-tests
        of masking over the repeats.
    n_repeats : int, default=20
        The number of forests with permuted copies in each test.
    max_rounds : int, default=10
        The largest number of rounds. With 1, there are no residuals.
    <task>
    <seeds>

    Attributes
    ----------
    rounds_ : list of Round
        The rounds, with ``significance``, ``relevant``, ``selected`` and ``masked_by``.
    <attributes>

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestRegressor
    >>> from silvics.importance import SelectNonRedundant
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(150, 6))
    >>> X[:, 1] = X[:, 0] + 0.05 * random.normal(size=150)  # nearly a copy
    >>> y = X[:, 0] + X[:, 3]
    >>> select = SelectNonRedundant(RandomForestRegressor(30), n_repeats=10, random_state=0)
    >>> select.fit(X, y).get_support(indices=True)
    array([0, 3])
    """

    level: float
    n_repeats: int
    max_rounds: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "level": [Interval(Real, 0, 1, closed="neither")],
        "n_repeats": [Interval(Integral, 2, 1_000_000, closed="both")],
        "max_rounds": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        forest: Any = None,
        *,
        kind: str = "mdi",
        level: float = 0.05,
        n_repeats: int = 20,
        max_rounds: int = 10,
        task: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    def _support(self, sample: Sample) -> np.ndarray:
        self.forest_ = sample.forest()
        self.importances_ = sample.importances(self.forest_)
        self.rounds_: list[Round] = []
        generator = np.random.RandomState(sample.seed)
        chosen: list[int] = []
        while len(self.rounds_) < self.max_rounds:
            if self.rounds_:
                sample = _with_residuals(sample, np.array(chosen), seed_from(generator))
            found = self._round(sample, chosen, generator)
            self.rounds_.append(found)
            if not found.selected.size:
                break
            chosen += found.selected.tolist()
        support = np.zeros(self.n_features_in_, dtype=bool)
        support[chosen] = True
        return support

    def _round(self, sample: Sample, chosen: list[int], generator: np.random.RandomState) -> Round:
        significance = contrast_test(
            sample.prototype, sample.X, sample.y, kind=sample.kind, n_repeats=self.n_repeats,
            sample_weight=sample.weight, random_state=seed_from(generator),
        )  # fmt: skip
        order = falling(significance.importances)
        relevant = order[significance.mask(self.level)[order]]
        compared = [*chosen, *(j for j in relevant.tolist() if j not in chosen)]
        if len(compared) > _MOST_COMPARED:
            raise ValueError(
                f"{len(compared):,} variables are relevant, but masking can be computed for at "
                f"most {_MOST_COMPARED:,}. Set a smaller level, or select variables first."
            )
        kept, masked_by = list(range(len(chosen))), {}
        if len(compared) > len(chosen):
            masks = self._masks(sample, compared, generator)
            for i in range(len(chosen), len(compared)):
                by = next((j for j in kept if masks[i, j]), None)
                if by is None:
                    kept.append(i)
                else:
                    masked_by[compared[i]] = compared[by]
        selected = [compared[i] for i in kept[len(chosen) :]]
        return Round(significance, relevant, np.array(selected, dtype=np.intp), masked_by)

    def _masks(
        self, sample: Sample, compared: list[int], generator: np.random.RandomState
    ) -> np.ndarray:
        """Return whether each variable (row) is masked by each other one (column)."""
        k = len(compared)
        if k == 1:
            return np.zeros((1, 1), dtype=bool)
        grow = ForestRefitter(
            sample.prototype, sample.X, sample.y, sample.weight, None, None, self.n_repeats
        )
        above = np.empty((self.n_repeats, k, k))
        for scores in above:
            rows = generator.permutation(grow.table.shape[0])
            shadowed = grow.table.with_shadows(compared, compared, [rows] * k)
            found = grow.importances(
                "surrogate", seed_from(generator), shadowed, columns=[*compared, *compared]
            )
            likeness = found._mimicry
            assert likeness is not None
            # The best of the shadows is what a useless variable reaches.
            scores[:] = likeness[:k, :k] - likeness[:k, k:].max(axis=1, keepdims=True)
        mean, spread = above.mean(axis=0), above.std(axis=0, ddof=1) / np.sqrt(self.n_repeats)
        with np.errstate(invalid="ignore", divide="ignore"):
            p_values = student.sf(mean / spread, self.n_repeats - 1)
        masks = np.where(spread > 0, p_values < self.level, mean > 0)
        np.fill_diagonal(masks, False)
        return np.asarray(masks)


def _with_residuals(sample: Sample, chosen: np.ndarray, seed: int) -> Sample:
    """Replace the output by what the chosen variables do not explain."""
    forest = for_columns(sample.prototype, sample.table, chosen.tolist())
    known = forest.get_params(deep=False)
    drawn = {"bootstrap": True} if "bootstrap" in known else {"rows": "bootstrap"}
    wanted: dict[str, Any] = {"oob_score": True, "random_state": seed, "warm_start": False}
    wanted |= drawn
    forest.set_params(**wanted)
    weight = {} if sample.weight is None else {"sample_weight": sample.weight}
    forest.fit(columns_of(sample.X, chosen), sample.y, **weight)
    if not is_classifier(forest):
        explained = forest.oob_prediction_
        residuals = np.asarray(sample.y, dtype=np.float64) - explained
        return replace(sample, y=np.nan_to_num(residuals))
    outputs = targets.as_columns(np.asarray(sample.y))
    several = outputs.shape[1] > 1
    classes = forest.classes_ if several else [forest.classes_]
    shares = forest.oob_decision_function_
    parts = []
    for k, levels in enumerate(classes):
        of_output = shares[:, : len(levels), k] if several else shares
        parts.append((outputs[:, k : k + 1] == levels) - of_output)
    residuals = np.nan_to_num(np.concatenate(parts, axis=1))
    return replace(sample, y=residuals, prototype=_regressor(sample.prototype))


def _regressor(forest: Any) -> Any:
    """Return a regression forest with the parameters of a classification forest."""
    kind = next(made for given, made in _REGRESSORS.items() if isinstance(forest, given))
    known = kind().get_params(deep=False)
    for_classes = {"criterion", "monotonic_cst", "oob_score"}
    given = clone(forest).get_params(deep=False)
    return kind(**{k: v for k, v in given.items() if k in known and k not in for_classes})
