"""Tests against shadows, permuted copies of the columns, in the same forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binom
from scipy.stats import t as student
from sklearn.utils import check_random_state

from silvics._frames import library_of
from silvics._names import one_of
from silvics.importance._checks import number_of_repeats
from silvics.importance._docs import REFITTING, with_paragraphs
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


@with_paragraphs(REFITTING)
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

    Each forest is fitted on X and a shadow of each column: a copy with permuted rows, in the same
    order for all columns. A shadow competes with the useful variables for splits as a useless
    variable does.

    Parameters
    ----------
    <table>
    kind : str, default="mdi"
        The kind of importance, as in ``forest.importances``.
    n_repeats : int, default=20
        The number of forests, each with other permutations of the shadows.
    against : {"own", "all"}, default="own"
        "own" compares a variable with its own shadow, which has the same values. "all" compares it
        with a ``quantile`` of all shadows in the same forest, as in the paper.
    over : {"data", "repeats"}, default="data"
        The variation that the test considers. "data": the column counts as one more shadow, and is
        significant if it is further above the mean of the shadows than they vary. This tests
        whether a variable is informative. "repeats": only the forests and shadows vary, as in the
        paper, which is a paired t-test of the differences over the repeats. All repeats have the
        same rows, so a useless variable that correlates with Y by chance in these rows is found
        with certainty as the repeats grow. **This finds false variables far more often than its
        level** (of 20 useless ones in 100 rows, 10 to 20 in 100 at a level of 0.05), and shows only
        that more repeats would not change the result.
    null : {"normal", "empirical"}, default="normal"
        The null distribution over "data". "normal" assumes that importances of shadows, or their
        logarithms if none is negative, are normal. The smallest p-values can then be too small: at
        a false discovery rate of 0.05, variables were found in up to one of eight tables of noise.
        "empirical" is the share of shadows that are at least as large; no p-value is below
        1 / (n_repeats + 1), so it takes many repeats.
    quantile : float, default=0.75
        The quantile for "all"; 1 is the maximum.
    <groups>
    <seeds>

    Returns
    -------
    significance : Significance
        A result whose ``importances`` are means over the repeats; ``null`` has the importances of
        the shadows, or their quantile, in each repeat.

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
    """Return one-sided p-values of the t-test that the mean is zero."""
    n, mean, spread = len(differences), differences.mean(axis=0), differences.std(axis=0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = student.sf(mean / (spread / np.sqrt(n)), n - 1)
    return np.where(spread > 0, p_values, np.where(mean > 0, 1 / (1 + n), 1.0))


@with_paragraphs(REFITTING)
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
    """Find all relevant variables by comparison with the best shadow (Kursa et al. 2010).

    In each round a forest is fitted on the variables that are not rejected and on a shadow of each:
    a copy with permuted rows, in another order for each column. A variable has a hit if its
    importance is above that of all shadows. It is confirmed if it has significantly more hits than
    half of the rounds, and rejected and left out if it has significantly fewer. The binomial test
    is two-sided, at ``level`` divided by the number of variables.

    A useless variable is seldom above the best of many shadows. But all rounds have the same rows:
    the p-values show whether more rounds would change the result, and not whether other rows would.
    ``level`` is therefore no error rate of the variables. Of 20 useless variables in 100 rows,
    about 3 in 100 are confirmed, at least one in every third table. Few useful variables are
    missed. If false ones matter, use :func:`permutation_test` or :func:`conditional_error_rate`.

    Parameters
    ----------
    <table>
    kind : str, default="ufi"
        The kind of importance, as in ``forest.importances``. There is a warning for "mdi", which is
        larger for variables, and shadows, of many values. The default needs out-of-bag rows
        (``bootstrap=True``); use "air" for forests without them.
    n_rounds : int, default=100
        The largest number of rounds. The test stops once all variables are decided.
    level : float, default=0.05
        The level of the decisions.
    <groups>
    <seeds>

    Returns
    -------
    significance : Significance
        A result with ``decision``: "confirmed", "tentative" or "rejected"; ``hits`` by round;
        ``importances``, means over the rounds with the variable; ``null``, the largest importance
        of a shadow in each round; and ``p_values``, one-sided binomial p-values of the hits when
        the variable was decided. The printed form shows the two-sided p-value that the decision
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
        open_ = np.flatnonzero(decision == "tentative")  # decided variables keep their p-values
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
    """Return the importances of groups of columns in one forest, and of their shadows."""
    shadows = [*groups]
    while sum(map(len, shadows)) < _LEAST_SHADOWS:  # the maximum of few shadows is too small
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
    """Return two-sided p-values from both one-sided ones, times the number of variables."""
    return np.minimum(2 * np.minimum(more, fewer) * n_variables, 1.0)
