"""Tests against shadows that are in the same forest: contrasts, and Boruta."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binom
from scipy.stats import t as student
from sklearn.utils import check_random_state

from silvics._frames import library_of
from silvics._names import one_of
from silvics.importance._checks import number_of_repeats
from silvics.importance._types import Progress
from silvics.importance.forest.refitting import ForestRefitter
from silvics.importance.significance.permutation_tests import (
    members_of,
    of_normal_draws,
    seed_from,
    share_as_large,
    warn_of_decrease,
)
from silvics.importance.significance.result import Significance, checked_level

_LEAST_SHADOWS = 5


def contrast_test(
    forest: Any,
    X: Any,
    y: Any,
    *,
    kind: str = "mdi",
    n_repeats: int = 20,
    against: str = "own",
    over: str = "data",
    null: str = "normal",
    quantile: float = 0.75,
    feature_groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Significance:
    """Test importances against those of shadows in the same forest (Tuv et al. 2009).

    Each forest is grown on X and a shadow of each column: the same values, with the rows in another
    order, one for all columns. A shadow competes with the useful variables for splits as a useless
    variable does.

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
    n_repeats : int, default=20
        Forests, each with shadows in an order of their own.
    against : {"own", "all"}, default="own"
        "own": a variable is compared with its own shadow, which has as many values. "all": with a
        ``quantile`` of all shadows in the same forest, as in the paper.
    over : {"data", "repeats"}, default="data"
        What could have been otherwise. "data": the column itself. It counts as one more shadow,
        and the question is whether it is further above their mean than shadows vary; this is a
        test of whether a variable tells something. "repeats": the forests and the shadows only, as
        in the paper: a paired t-test of the differences over the repeats. All repeats have the
        same rows, so a useless variable that goes with Y in these rows by chance is found in all
        of them, and the more repeats, the surer: **this finds false variables far more often than
        its level says** (of 20 useless ones in 100 rows, 10 to 20 in 100 at a level of 0.05), and
        tells only that more repeats would not change the picture.
    null : {"normal", "empirical"}, default="normal"
        How p-values over "data" are taken from the importances of shadows. "normal": as if these
        were normal, or their logarithms if none is negative. That is a guess, and the smallest
        p-values can be too small: at a false discovery rate of 0.05, something was found in up to
        one of eight tables of noise. "empirical": the share of shadows that are as large, without
        a guess; no p-value is below 1 / (n_repeats + 1), so it takes many repeats.
    quantile : float, default=0.75
        Of "all"; 1 is the largest.
    feature_groups : dict of str to list, list of lists, or None, default=None
        Variables that are told of, and tested, as one.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        As for ``fit``. They stay with the rows of X, and of shadows, as y does.
    random_state : int, RandomState or None, default=None
        Seed of the shadows and the forests.
    n_jobs : int or None, default=None
        Threads; None is the forest's ``n_jobs``. The result is the same for any number.
    progress : callable or None, default=None
        Called with (done, total) after each forest.

    Returns
    -------
    significance : Significance
        ``importances`` are means over the repeats; ``null`` are those of the shadows, or their
        quantile, in each.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestClassifier
    >>> from silvics.importance import contrast_test
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> forest = RandomForestClassifier(50, random_state=0)
    >>> contrast_test(forest, X, X[:, 2] > 0, random_state=0).selected().tolist()
    ['x2']
    """
    n_repeats = number_of_repeats("n_repeats", n_repeats, 2)
    one_of("against", against, ["own", "all"])
    one_of("over", over, ["data", "repeats"])
    one_of("null", null, ["normal", "empirical"])
    if quantile != 1:
        checked_level(quantile, "quantile")
    grow = ForestRefitter(forest, X, y, sample_weight, n_jobs, progress, n_repeats)
    table = grow.table
    n, p = table.shape
    names, members = members_of(table.labels, feature_groups)
    places = [*members, *([p + j for j in group] for group in members)]
    parts = {str(k): places[k] for k in range(len(places))}
    generator = check_random_state(random_state)
    found = np.empty((n_repeats, 2 * len(names)))
    for row in found:
        rows = generator.permutation(n)
        shadowed = table.with_shadows(range(p), range(p), [rows] * p)
        row[:] = grow.importances(
            kind, seed_from(generator), shadowed, columns=[*range(p)] * 2, feature_groups=parts
        ).values
    values, shadows = np.split(found, 2, axis=1)
    if against == "all":
        limit = np.quantile(shadows, quantile, axis=1)
        shadows = np.repeat(limit[:, np.newaxis], len(names), axis=1)
    mean = values.mean(axis=0)
    if over == "repeats":
        p_values = _paired(values - shadows)
    else:
        p_values = (of_normal_draws if null == "normal" else share_as_large)(shadows, mean)
    exact = over == "data" and null == "empirical"
    what = "its shadow" if against == "own" else f"the {quantile:g} quantile of shadows"
    return Significance(
        method=f"{kind} against {what}, {n_repeats:,} times, over {over}",
        names=names,
        importances=mean,
        p_values=p_values,
        null=shadows,
        _sort="joint" if exact and against == "own" else "plain",
        _least=1 / (1 + n_repeats) if exact else 0.0,
        _library=library_of(X),
    )


def _paired(differences: np.ndarray) -> np.ndarray:
    """p-values of the t-test that they are not above zero on average."""
    n, mean, spread = len(differences), differences.mean(axis=0), differences.std(axis=0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = student.sf(mean / (spread / np.sqrt(n)), n - 1)
    return np.where(spread > 0, p_values, np.where(mean > 0, 1 / (1 + n), 1.0))


def boruta(
    forest: Any,
    X: Any,
    y: Any,
    *,
    kind: str = "ufi",
    n_rounds: int = 100,
    level: float = 0.05,
    feature_groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Significance:
    """Find all relevant variables, by how often they are above all shadows (Kursa et al. 2010).

    In each round a forest is grown on the variables that are not rejected and on a shadow of each:
    its values, with the rows in another order, one for each column. A variable has a hit if its
    importance is above that of all shadows. One that has more hits than a coin would have heads is
    confirmed, one that has fewer is rejected, and takes no part any more; the binomial test is
    two-sided, at ``level`` over the number of variables.

    To beat the best of many shadows half of the time is much for a useless variable. But all
    rounds have the same rows: the p-values tell whether more rounds would change the picture, not
    whether other rows would, and ``level`` is no error rate of the variables. Of 20 useless
    variables in 100 rows, some 3 in 100 are confirmed, at least one in every third table. Little
    that is useful is missed; where false ones matter, use :func:`permutation_test` or
    :func:`conditional_error_rate`.

    Parameters
    ----------
    forest : estimator
        Fitted or not. Forests like it are grown; it is not changed.
    X : table of shape (n_rows, n_variables)
        Any data frame, array or sparse matrix.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        The output.
    kind : str, default="ufi"
        Of importance, as in ``forest.importances``. There is a warning for "mdi", which is larger
        for variables, and shadows, of many values. The default needs rows that trees have not drawn
        (``bootstrap=True``); use "air" for forests without such rows.
    n_rounds : int, default=100
        The most there are; it ends as soon as all variables are decided on.
    level : float, default=0.05
        Of the decisions.
    feature_groups : dict of str to list, list of lists, or None, default=None
        Variables that are told of, and decided on, as one; the shadow of a group has its rows in
        one order.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        As for ``fit``. They stay with the rows of y.
    random_state : int, RandomState or None, default=None
        Seed of the shadows and the forests.
    n_jobs : int or None, default=None
        Threads; None is the forest's ``n_jobs``. The result is the same for any number.
    progress : callable or None, default=None
        Called with (done, total) after each forest; ``total`` is ``n_rounds``.

    Returns
    -------
    significance : Significance
        With ``decision``: "confirmed", "tentative" or "rejected"; ``hits`` by round;
        ``importances``, means over the rounds that a variable took part in; ``null``, the largest
        importance of a shadow in each round; and ``p_values``, of as many hits of a coin, when
        the variable was decided on. What is printed is the two-sided p-value that the decision
        used, times the number of variables (Bonferroni).

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestClassifier
    >>> from silvics.importance import boruta
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> forest = RandomForestClassifier(50, random_state=0)
    >>> boruta(forest, X, X[:, 2] > 0, random_state=0).decision.tolist()
    ['rejected', 'rejected', 'confirmed', 'rejected']
    """
    warn_of_decrease(kind, "boruta")
    n_rounds = number_of_repeats("n_rounds", n_rounds)
    level = checked_level(level)
    grow = ForestRefitter(forest, X, y, sample_weight, n_jobs, progress, n_rounds)
    table = grow.table
    names, members = members_of(table.labels, feature_groups)
    generator = check_random_state(random_state)
    decision = np.full(len(names), "tentative", dtype=object)
    hits = np.full((n_rounds, len(names)), np.nan)
    found = np.full((n_rounds, len(names)), np.nan)
    best = np.empty(n_rounds)
    p_values, used = np.ones(len(names)), np.ones(len(names))
    n_done = 0
    while n_done < n_rounds and (decision == "tentative").any():
        left = np.flatnonzero(decision != "rejected")
        values, shadows = _round(grow, kind, generator, [members[g] for g in left])
        best[n_done] = shadows.max()
        found[n_done, left] = values
        hits[n_done, left] = values > best[n_done]
        n_done += 1
        open_ = np.flatnonzero(decision == "tentative")  # what is decided keeps its p-value
        n_hits = np.nansum(hits[:n_done, open_], axis=0)
        p_values[open_] = binom.sf(n_hits - 1, n_done, 0.5)
        fewer = binom.cdf(n_hits, n_done, 0.5)
        used[open_] = _two_sided(p_values[open_], fewer, len(names))
        decided = open_[used[open_] < level]
        decision[decided] = np.where(p_values[decided] < 0.5, "confirmed", "rejected")
    return Significance(
        method=f"Boruta, {kind}, {n_done:,} rounds",
        names=names,
        importances=np.nanmean(found[:n_done], axis=0),
        p_values=p_values,
        null=np.broadcast_to(best[:n_done, np.newaxis], (n_done, len(names))),
        level=level,
        decision=decision,
        hits=hits[:n_done],
        _sort="hits",
        _used=used,
        _library=library_of(X),
    )


def _round(
    grow: ForestRefitter, kind: str, generator: np.random.RandomState, groups: list[list[int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Importances of groups of columns in one forest, and of their shadows."""
    shadows = [*groups]
    while sum(map(len, shadows)) < _LEAST_SHADOWS:  # the best of few is not much
        shadows += groups
    orders = []
    for group in shadows:
        orders += [generator.permutation(grow.table.shape[0])] * len(group)
    columns = sorted(j for group in groups for j in group)
    sources = [j for group in shadows for j in group]
    at = {j: place for place, j in enumerate(columns)}
    places = [[at[j] for j in group] for group in groups]
    first = len(columns)
    for group in shadows:
        places.append([*range(first, first + len(group))])
        first += len(group)
    values = grow.importances(
        kind,
        seed_from(generator),
        grow.table.with_shadows(columns, sources, orders),
        columns=[*columns, *sources],
        feature_groups={str(k): places[k] for k in range(len(places))},
    ).values
    return values[: len(groups)], values[len(groups) :]


def _two_sided(more: np.ndarray, fewer: np.ndarray, n_variables: int) -> np.ndarray:
    """The p-value of as many hits or more, and as few or fewer, for all variables (Bonferroni)."""
    return np.minimum(2 * np.minimum(more, fewer) * n_variables, 1.0)
