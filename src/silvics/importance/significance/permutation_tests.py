"""Tests of importances: whether a variable that tells nothing could have as large a one."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import t as student
from sklearn.utils import check_random_state

from silvics._frames import library_of
from silvics._names import one_of
from silvics._warnings import warn_user
from silvics.importance._checks import number_of_repeats, whole_number
from silvics.importance._types import Progress
from silvics.importance.forest.grouping import grouped
from silvics.importance.forest.refitting import SEEDS, ForestRefitter
from silvics.importance.forest.result import Importances
from silvics.importance.significance.result import Significance, checked_level

_ONE_SIDED = ("mdi_oob", "ufi")
_MIN_NEGATIVE = 100  # negative importances, below which they are a poor null distribution


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

    With the rows of y in another order, no variable tells anything about it, while the variables
    stay as they are and depend on each other as they do. The p-value of a variable is the share of
    such forests in which its importance is as large as in the real one, which counts as one of
    them. Under the hypothesis that y has nothing to do with X, these are exact for any kind of
    importance and any variables.

    Where some variables do tell something, those that do not compete with them for the splits,
    which they need not in permuted data. This matters for "mdi", which adds up to the impurity of
    y, permuted or not: weak variables then look worse than noise, and are not found. The default
    "ufi" is about zero for useless variables, keeps the level and finds more
    (docs/studies/test_kinds.md). It needs rows that trees have not drawn (``bootstrap=True``); use
    "air" for forests without such rows.

    Parameters
    ----------
    forest : estimator
        Fitted or not. Forests like it are grown; it is not changed.
    X : table of shape (n_rows, n_variables)
        Any data frame, array or sparse matrix.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        The output; several are permuted together.
    kind : str, default="ufi"
        Of importance, as in ``forest.importances``. There is a warning for "mdi".
    n_permutations : int, default=100
        Forests on permuted outputs. No p-value is below 1 / (n_permutations + 1): a hundred do for
        ``selected()``, which bounds the chance of any false variable; to select one of p variables
        at a false discovery rate of 0.05 takes 20 p permutations, or ``null``.
    null : {"empirical", "normal"}, default="empirical"
        "normal": p-values from a normal distribution of the null importances, or of their
        logarithms if none is negative; with the mean and variance that they have, which are
        estimates (so it is a t-distribution). For few permutations: p-values may be small, but
        those that are are rough, and often too small.
    feature_groups : dict of str to list, list of lists, or None, default=None
        Variables that are told of, and tested, as one.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        As for ``fit``. They stay with the rows of X when y is permuted.
    random_state : int, RandomState or None, default=None
        Seed of the permutations and the forests.
    n_jobs : int or None, default=None
        Threads; None is the forest's ``n_jobs``. The result is the same for any number.
    progress : callable or None, default=None
        Called with (done, total) after each forest.

    Returns
    -------
    significance : Significance
        With ``p_values``, ``adjusted()``, ``selected()``, ``fdr_of_list()`` and ``plot()``.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestClassifier
    >>> from silvics.importance.significance.permutation_tests import permutation_test
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
    """Warn of the kind that misses weak variables."""
    if kind == "mdi":
        warn_user(
            f'{test} with kind="mdi" misses weak variables: the decreases of impurity add up to '
            "the impurity of y whatever y is, and grow with the number of values, so that weak "
            'variables can look worse than noise. Use kind="ufi", the default.'
        )


def seed_from(generator: np.random.RandomState) -> int:
    return int(generator.randint(SEEDS))


def share_as_large(draws: np.ndarray, values: np.ndarray) -> np.ndarray:
    """p-values; what was observed counts as a draw."""
    return (1 + (draws >= values).sum(axis=0)) / (1 + len(draws))


def of_normal_draws(draws: np.ndarray, values: np.ndarray) -> np.ndarray:
    """How likely one more draw is that large, if they are normal; their logarithms, if positive.

    Decreases of impurity are: those of useless variables have a long tail, which logarithms do
    not have. Draws that do not vary say nothing of how far away a value is.
    """
    n, otherwise = len(draws), share_as_large(draws, values)
    if (draws >= 0).all() and (values >= 0).all():
        smallest = np.where(draws > 0, draws, np.inf).min(axis=0)
        gap = np.where((draws > 0).all(axis=0), 0.0, np.minimum(smallest, 1.0) / 2)
        with np.errstate(divide="ignore"):
            draws, values = np.log(draws + gap), np.log(values + gap)
    spread = draws.std(axis=0, ddof=1) * np.sqrt(1 + 1 / n)  # of one more, from the mean of these
    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = student.sf((values - draws.mean(axis=0)) / spread, n - 1)
    return np.where(spread > 1e-12 * np.abs(draws).max(axis=0), p_values, otherwise)


def one_forest_test(importances: Importances) -> Significance:
    """Test importances of one forest by those of them that are negative (Janitza et al. 2018).

    Importances that are around 0 for useless variables are as often below it as above. Those that
    are negative are therefore of useless variables, and with their mirror images, and those that
    are 0, they show how importances of useless variables vary. No other forest is grown, so it is
    quick; it takes many useless variables, all alike: hundreds of measurements of one sort.

    It is as good as the importances are symmetric. Of 300 useless variables in 100 rows, a level of
    0.05 finds 5 in 100 by "air", and 7 to 9 in 100 by "mda", whose positive values reach further.
    "ufi" and "mdi_oob" are unsuited to wide tables: a variable that happens to go with Y in the
    sample does so in the rows held out as well, and its importance grows, where there is no such
    thing below zero. On 7,129 genes of 72 patients with permuted labels, they find some 60 and 40
    at a false discovery rate of 0.05, "air" none.

    Parameters
    ----------
    importances : Importances
        What ``forest.importances(kind, X, y)`` gave for a kind that is around 0 for useless
        variables, best "air"; not "mdi", which is never negative.

    Returns
    -------
    significance : Significance
        A p-value is the share of the null importances that are as large; the importance itself
        counts as one of them (as ranger does not have it), so that none is 0. With p useless
        variables, none is then below about 1 / p: a false discovery rate of 0.05 needs at least
        twenty variables above all null importances, and with fewer nobody could tell.

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
            'Importances of kind "mdi" are never negative, so those of useless variables cannot be '
            'told: use a kind that is around 0 for them, such as forest.importances("air", X, y), '
            "or permutation_test, which takes any."
        )
    if importances.kind in _ONE_SIDED:
        warn_user(
            f'Importances of kind "{importances.kind}" reach further above zero than below, and '
            'p-values come out too small, much so in wide tables: use kind "air".'
        )
    values = importances.values
    negative = values[values < 0]
    if not negative.size:
        raise ValueError(
            "No importance is negative, so there is nothing that shows how those of useless "
            "variables vary: use permutation_test, or a table with many more useless variables."
        )
    if negative.size < _MIN_NEGATIVE:
        warn_user(
            f"Only {negative.size} importances are negative, and they stand for all useless "
            f"variables: p-values are rough. With fewer than {_MIN_NEGATIVE}, use permutation_test."
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
    """Names of what is told of, and the columns of each."""
    names, group_of = grouped(labels, groups)
    return names, [np.flatnonzero(group_of == g).tolist() for g in range(len(names))]


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
    """Go down the ranking of variables, as far as the next is more than chance.

    Of the variables from rank i on, suppose that none tells anything, of Y or of those before: then
    their rows may be in another order, the same for all of them. The conditional error rate of
    rank i is how often the largest of their importances is then as large as the i-th is
    (Huynh-Thu et al. 2012). The first variables stay as they are, and take the splits that they
    take. It ends at the first rank whose rate is above ``level``.

    Parameters
    ----------
    forest : estimator
        Fitted or not. Forests like it are grown; it is not changed.
    X : table of shape (n_rows, n_variables)
        Any data frame, array or sparse matrix.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        The output.
    kind : str, default="mdi"
        Of importance, as in ``forest.importances``.
    n_permutations : int, default=100
        For each rank. No rate is below 1 / (n_permutations + 1).
    level : float, default=0.05
        Where to end.
    max_rank : int or None, default=None
        Where to end at the latest; None: at the last variable.
    feature_groups : dict of str to list, list of lists, or None, default=None
        Variables that are told of, ranked, and permuted as one.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        As for ``fit``. They stay with the rows of y.
    random_state : int, RandomState or None, default=None
        Seed of the permutations and the forests.
    n_jobs : int or None, default=None
        Threads; None is the forest's ``n_jobs``. The result is the same for any number.
    progress : callable or None, default=None
        Called with (done, total) after each forest; ``total`` is the most that there can be.

    Returns
    -------
    significance : Significance
        ``p_values`` are the rates, none smaller than those of ranks before; that of the first
        variable that is not selected is a lower bound, as no more forests are grown than it takes
        to see that it is above ``level``; NaN beyond. They are chances of any false variable, so
        nothing remains to be adjusted.

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
            f"No rate of {n_permutations} permutations is below {1 / (1 + n_permutations):.2g}, so "
            f"none is below level={level:g}: ask for n_permutations={int(np.ceil(1 / level - 1))} "
            "at least."
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
