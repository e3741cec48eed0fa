"""Tests of importances by permutations, and by the negative importances of one forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import t as student
from sklearn.utils import check_random_state

from silvics._frames import library_of
from silvics._names import one_of
from silvics._warnings import warn_user
from silvics.importance._checks import number_of_repeats, whole_number
from silvics.importance._docs import REFITTING, with_paragraphs
from silvics.importance._types import Progress
from silvics.importance.forest.grouping import grouped
from silvics.importance.forest.refitting import SEEDS, ForestRefitter
from silvics.importance.forest.result import Importances
from silvics.importance.significance.result import Significance, checked_level

_ONE_SIDED = ("mdi_oob", "ufi")
_MIN_NEGATIVE = 100  # negative importances, below which they are a poor null distribution


@with_paragraphs(REFITTING)
def permutation_test(
    forest: Any,
    X: Any,
    y: Any,
    *,
    kind: str = "ufi",
    n_permutations: int = 100,
    null: str = "empirical",
    feature_groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Significance:
    """Test importances against those of forests on permuted outputs (Altmann et al. 2010).

    Permuting the rows of y makes it independent of X, and keeps the dependence between the
    variables. The p-value of a variable is the share of forests in which its importance is at least
    as large as the observed one; the observed forest counts as one of them. If y is independent of
    X, the p-values are exact for any kind of importance and any variables.

    If some variables are informative, the others compete with them for splits, which they do not in
    permuted data. This matters for "mdi", which adds up to the impurity of y, permuted or not: weak
    variables then look worse than noise and are not found. The default "ufi" is about zero for
    useless variables, keeps the level and finds more variables (docs/studies/test_kinds.md). It
    needs out-of-bag rows (``bootstrap=True``); use "air" for forests without them.

    Parameters
    ----------
    <table>
    kind : str, default="ufi"
        The kind of importance, as in ``forest.importances``. There is a warning for "mdi".
    n_permutations : int, default=100
        The number of forests on permuted outputs. No p-value is below 1 / (n_permutations + 1). A
        hundred are enough for ``selected()``, which controls the family-wise error rate. To select
        one of p variables at a false discovery rate of 0.05 takes 20 p permutations, or
        ``null="normal"``.
    null : {"empirical", "normal"}, default="empirical"
        The null distribution. "normal" assumes that the null importances, or their logarithms if
        none is negative, are normal with estimated mean and variance (so it uses a t-distribution).
        It can give small p-values for few permutations, but these are rough and often too small.
    <groups>
    <seeds>

    Returns
    -------
    significance : Significance
        A result with ``p_values``, ``adjusted()``, ``selected()`` and ``fdr_of_list()``.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestClassifier
    >>> from silvics.importance import permutation_test
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> forest = RandomForestClassifier(30)
    >>> found = permutation_test(forest, X, X[:, 0] > 0, n_permutations=99, random_state=0)
    >>> found.selected()
    array(['x0'], dtype=object)
    """
    one_of("null", null, ["empirical", "normal"])
    warn_of_decrease(kind, "permutation_test")
    least = 2 if null == "normal" else 1
    n_permutations = number_of_repeats("n_permutations", n_permutations, least)
    grow = ForestRefitter(forest, X, y, sample_weight, n_jobs, progress, n_permutations + 1)
    generator = check_random_state(random_state)
    observed = grow.importances(kind, seed_from(generator), feature_groups=feature_groups)
    draws = np.empty((n_permutations, len(observed.names)))
    for draw in draws:
        permuted = grow.y[generator.permutation(len(grow.y))]
        draw[:] = grow.importances(
            kind, seed_from(generator), y=permuted, feature_groups=feature_groups
        ).values
    test = of_normal_draws if null == "normal" else share_as_large
    return Significance(
        method=f"{kind} against {n_permutations:,} permutations of y",
        names=observed.names,
        importances=observed.values,
        p_values=test(draws, observed.values),
        null=draws,
        _sort="joint",
        _least=0.0 if null == "normal" else 1 / (1 + n_permutations),
        _library=library_of(X),
    )


def warn_of_decrease(kind: str, test: str) -> None:
    """Warn if the kind is "mdi", which misses weak variables."""
    if kind == "mdi":
        warn_user(
            f'{test} with kind="mdi" misses weak variables: the decreases of impurity add up to '
            "the impurity of y for any y, and grow with the number of values, so that weak "
            'variables can look worse than noise. Use kind="ufi", the default.'
        )


def seed_from(generator: np.random.RandomState) -> int:
    return int(generator.randint(SEEDS))


def share_as_large(draws: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return p-values; the observed values count as one draw."""
    return (1 + (draws >= values).sum(axis=0)) / (1 + len(draws))


def of_normal_draws(draws: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return p-values for normal draws, or for normal logarithms if no value is negative.

    Decreases of impurity of useless variables have a long tail, which their logarithms do not have.
    Variables whose draws do not vary have the empirical p-values.
    """
    n, otherwise = len(draws), share_as_large(draws, values)
    if (draws >= 0).all() and (values >= 0).all():
        smallest = np.where(draws > 0, draws, np.inf).min(axis=0)
        gap = np.where((draws > 0).all(axis=0), 0.0, np.minimum(smallest, 1.0) / 2)
        with np.errstate(divide="ignore"):
            draws, values = np.log(draws + gap), np.log(values + gap)
    spread = draws.std(axis=0, ddof=1) * np.sqrt(1 + 1 / n)  # of one more draw around the mean
    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = student.sf((values - draws.mean(axis=0)) / spread, n - 1)
    return np.where(spread > 1e-12 * np.abs(draws).max(axis=0), p_values, otherwise)


def one_forest_test(importances: Importances) -> Significance:
    """Test importances of one forest by the negative ones among them (Janitza et al. 2018).

    Importances that are symmetric around 0 for useless variables are negative for half of these.
    The negative importances, their mirror images and those that are 0 estimate the null
    distribution. No other forest is fitted, so the test is fast. It needs many useless variables
    with similar distributions, such as hundreds of measurements of one kind.

    The test assumes symmetric importances. Of 300 useless variables in 100 rows, a level of 0.05
    finds 5 in 100 with "air", and 7 to 9 in 100 with "mda", whose distribution has a longer
    positive tail. "ufi" and "mdi_oob" are not suitable for wide tables: a variable that correlates
    with Y by chance in the sample does so in the out-of-bag rows as well, which makes its
    importance larger but never smaller. On 7,129 genes of 72 patients with permuted labels, they
    find about 60 and 40 at a false discovery rate of 0.05, and "air" finds none.

    Parameters
    ----------
    importances : Importances
        A result of ``forest.importances(kind, X, y)`` for a kind that is about 0 for useless
        variables, preferably "air"; not "mdi", which is never negative.

    Returns
    -------
    significance : Significance
        A p-value is the share of the null importances that are at least as large. The importance
        itself counts as one of them (unlike in ranger), so no p-value is 0. With p useless
        variables, no p-value is below about 1 / p: at a false discovery rate of 0.05, variables are
        selected only if at least twenty are above all null importances.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestClassifier
    >>> from silvics.importance import one_forest_test
    >>> X = np.random.default_rng(0).normal(size=(100, 500))
    >>> y = X[:, 2] > 0
    >>> forest = RandomForestClassifier(200, random_state=0).fit(X, y)
    >>> found = one_forest_test(forest.importances("air", X, y, random_state=0))
    >>> bool(found.p_values[2] < 0.01)
    True
    """
    if not isinstance(importances, Importances):
        raise TypeError(
            "importances must be what forest.importances(kind, X, y) gives, got "
            f"{type(importances).__name__}"
        )
    if importances.kind == "mdi":
        raise ValueError(
            'Importances of kind "mdi" are never negative, so they give no null distribution: use '
            'a kind that is about 0 for useless variables, as forest.importances("air", X, y), or '
            "permutation_test, which accepts any kind."
        )
    if importances.kind in _ONE_SIDED:
        warn_user(
            f'Importances of kind "{importances.kind}" have a longer tail above zero than below, '
            'so p-values are too small, especially in wide tables: use kind "air".'
        )
    values = importances.values
    negative = values[values < 0]
    if not negative.size:
        raise ValueError(
            "No importance is negative, so there is no null distribution: use permutation_test, or "
            "a table with many more useless variables."
        )
    if negative.size < _MIN_NEGATIVE:
        warn_user(
            f"Only {negative.size} importances are negative, so p-values are rough. With fewer "
            f"than {_MIN_NEGATIVE}, use permutation_test."
        )
    null = np.concatenate([negative, values[values == 0], -negative])
    draws = np.broadcast_to(null[:, np.newaxis], (len(null), len(values)))
    return Significance(
        method=f"{importances.kind} against {len(null):,} mirrored importances of one forest",
        names=importances.names,
        importances=values,
        p_values=share_as_large(draws, values),
        null=draws,
        _least=1 / (1 + len(null)),
        _library=importances._library,
    )


def members_of(labels: np.ndarray, groups: Any) -> tuple[np.ndarray, list[list[int]]]:
    """Return the names of the groups of variables, and the columns of each."""
    names, group_of = grouped(labels, groups)
    return names, [np.flatnonzero(group_of == g).tolist() for g in range(len(names))]


@with_paragraphs(REFITTING)
def conditional_error_rate(
    forest: Any,
    X: Any,
    y: Any,
    *,
    kind: str = "mdi",
    n_permutations: int = 100,
    level: float = 0.05,
    max_rank: int | None = None,
    feature_groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Significance:
    """Test the ranked variables in turn, until one is not significant (Huynh-Thu et al. 2012).

    The null hypothesis at rank i is that the variables from rank i on are independent of Y and of
    the variables before. Their rows are then permuted, in the same order for all of them, while the
    variables before are not changed. The conditional error rate of rank i is the share of
    permutations in which the largest importance of the permuted variables is at least the i-th
    observed importance. The test stops at the first rank whose rate is above ``level``.

    Parameters
    ----------
    <table>
    kind : str, default="mdi"
        The kind of importance, as in ``forest.importances``.
    n_permutations : int, default=100
        The number of permutations for each rank. No rate is below 1 / (n_permutations + 1).
    level : float, default=0.05
        The rate above which the test stops.
    max_rank : int or None, default=None
        The last rank that is tested; None tests all variables.
    <groups>
    <seeds>

    Returns
    -------
    significance : Significance
        A result whose ``p_values`` are the rates, which do not decrease with the rank. The rate of
        the first variable that is not selected is a lower bound, because the test stops once it is
        known to be above ``level``; rates of later variables are NaN. The rates are family-wise
        error rates and are not adjusted further.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestClassifier
    >>> from silvics.importance import conditional_error_rate
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> forest = RandomForestClassifier(50, random_state=0)
    >>> conditional_error_rate(forest, X, X[:, 2] > 0, random_state=0).selected().tolist()
    ['x2']
    """
    level = checked_level(level)
    n_permutations = number_of_repeats("n_permutations", n_permutations)
    if 1 / (1 + n_permutations) > level:
        raise ValueError(
            f"With {n_permutations} permutations no rate is below {1 / (1 + n_permutations):.2g}, "
            f"so none is below level={level:g}: use n_permutations={int(np.ceil(1 / level - 1))} "
            "or more."
        )
    grow = ForestRefitter(forest, X, y, sample_weight, n_jobs, progress)
    table = grow.table
    names, members = members_of(table.labels, feature_groups)
    n_ranks = len(names)
    if max_rank is not None:
        n_ranks = whole_number("max_rank", max_rank, 1, len(names), ", the number of variables")
    grow.total = 1 + n_ranks * n_permutations
    generator = check_random_state(random_state)
    observed = grow.importances(kind, seed_from(generator), feature_groups=feature_groups).values
    order = np.argsort(-observed, kind="stable")
    rates = np.full(len(names), np.nan)
    highest = 0.0
    for rank, j in enumerate(order[:n_ranks]):
        rest = order[rank:]
        columns = [place for g in rest for place in members[g]]
        above = 0
        for _ in range(n_permutations):
            permuted = table.with_permuted(columns, generator.permutation(table.shape[0]))
            draw = grow.importances(
                kind,
                seed_from(generator),
                permuted,
                columns=range(table.shape[1]),
                feature_groups=feature_groups,
            )
            above += bool(draw.values[rest].max() >= observed[j])
            if (1 + above) / (1 + n_permutations) > level:
                break
        highest = max(highest, (1 + above) / (1 + n_permutations))
        rates[j] = highest
        if highest > level:
            break
    return Significance(
        method=f"conditional error rate of {kind}, {n_permutations:,} permutations a rank",
        names=names,
        importances=observed,
        p_values=rates,
        level=level,
        _sort="family",
        _library=library_of(X),
    )
