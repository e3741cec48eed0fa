"""Importances of randomized trees on a known distribution (thesis, chapter 6 and section 7.2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from silvics import _core, plots
from silvics._fit.parameters import seed_of
from silvics._fit.warning import warn_user
from silvics._frames import frame_of
from silvics.importance._checks import checked_top, one_of, threads, whole_number
from silvics.importance.distribution import Distribution, distribution_of
from silvics.importance.lattice import (
    MOST_VARIABLES,
    Lattice,
    Progress,
    n_cells,
    numbers_of,
    set_of,
    subspace_weights,
    term_weights,
)

_SPLITS = {
    "multiway": _core.TreeSplits.multiway,
    "encoded": _core.TreeSplits.multiway,
    "extra": _core.TreeSplits.random_cut,
    "best": _core.TreeSplits.best_cut,
}
_MOST_CELLS = 3e10  # of a lattice, before trees are sampled instead: a minute
_MOST_WORK = 500_000_000  # rows looked at by a recursion, likewise: some ten seconds
_NO_LIMIT = 2**63
_MOST_SUBSPACES = 10_000
_MOST_SETS = 1 << 26  # of variables, that any recursion may go through
_MOST_TREES = 100_000_000
_MOST_CONTEXTS = 2_000_000  # rows of a frame, unless fewer are asked for
_CONTEXT_SIZE_OF_SAMPLES = 3  # larger sets are met too seldom


@dataclass(repr=False, eq=False)
class AsymptoticImportances:
    """Importances of infinitely many randomized trees on a known distribution.

    Attributes
    ----------
    names : ndarray of str objects
        The variables.
    importances : ndarray of shape (n_variables,)
        Mean decrease of impurity of each, in the units of the criterion: bits, for entropy.
    by_degree : ndarray of shape (n_variables, n_variables)
        The same by degree: how many other variables had been tested above. Rows add up to
        ``importances``.
    standard_errors : ndarray of shape (n_variables,)
        Zero where ``exact``.
    exact : bool
        Whether this is the expectation over all trees, and not the mean over ``n_trees``.
    n_trees : int
        How many trees were sampled; 0 if none.
    impurity : float
        That of Y before anything is known, i(Y).
    total : float
        Sum of the importances. For trees grown in full, what the variables tell of Y together:
        I(X_1, ..., X_p; Y), whatever the trees (Theorem 6.2).
    settings : dict
        What was asked for.

    See Also
    --------
    asymptotic_importances : makes it.
    """

    names: np.ndarray
    by_degree: np.ndarray
    impurity: float
    settings: dict[str, Any]
    standard_errors: np.ndarray
    n_trees: int = 0
    _library: str | None = None
    _contexts: Any = None
    _cuts: list[np.ndarray] = field(default_factory=list)
    _thresholds: list[np.ndarray] = field(default_factory=list)
    _labels: list[list[str]] = field(default_factory=list)

    @property
    def importances(self) -> np.ndarray:
        """Of each variable."""
        return self.by_degree.sum(axis=1)

    @property
    def total(self) -> float:
        """Their sum."""
        return float(self.by_degree.sum())

    @property
    def exact(self) -> bool:
        """Whether nothing was sampled."""
        return self.n_trees == 0

    def to_frame(self) -> Any:
        """The importances as a data frame.

        Returns
        -------
        frame : data frame
            In the library of X (pandas, for an array): variable, importance, standard_error.
        """
        columns = {
            "variable": self.names.tolist(),
            "importance": self.importances,
            "standard_error": self.standard_errors,
        }
        return frame_of(columns, self._library)

    def by_context(self, top: int | None = None) -> Any:
        """The third level of the decomposition: each variable, given each set of others.

        Parameters
        ----------
        top : int or None, default=None
            Only so many rows, those of the largest importance; None: all.

        Returns
        -------
        frame : data frame
            By falling importance. ``variable``; ``given``, the names of the other variables that
            had been tested above, and no others; ``degree``, how many those are; ``weight``, the
            probability that a row meets a test of the variable there; ``information``, the mean
            decrease of impurity of such tests (for totally randomized multiway trees,
            I(X_j; Y | B)); ``importance``, their product. Of sampled trees, only sets of up to
            three variables.
        """
        top = checked_top(top)
        if top is None and (n := self._contexts.n_rows()) > _MOST_CONTEXTS:
            raise ValueError(
                f"There are {n:,} pairs of a variable and a set: pass top=, for example top=100, "
                "to get those of the largest importance."
            )
        variable, sets, degree, weight, importance = self._contexts.rows(top)
        order = np.lexsort((degree, -importance))[:top]
        with np.errstate(invalid="ignore"):
            information = np.where(weight > 0, importance / weight, 0.0)
        columns = {
            "variable": self.names[variable[order]].tolist(),
            "given": [set_of(bits, self.names) for bits in sets[order]],
            "degree": degree[order].astype(np.int64),
            "weight": weight[order],
            "information": information[order],
            "importance": importance[order],
        }
        return frame_of(columns, self._library)

    def by_cut(self) -> Any:
        """The importance of each cut, of binary trees.

        Returns
        -------
        frame : data frame
            ``variable``; ``at_most``, the largest value, or level, on the left; ``threshold``, the
            number in the middle between it and the next (for categories, of their places);
            ``importance``: of the binary variable "at most the threshold". Those of a variable
            add up to its importance (box "Encoding L-ary variables into binary variables").
        """
        if not self._cuts:
            raise ValueError(
                "Multiway trees have no cuts: by_cut() needs splits of 'extra', 'best' or "
                f"'encoded', not {self.settings['splits']!r}."
            )
        columns = {
            "variable": np.repeat(self.names, [len(of) for of in self._cuts]).tolist(),
            "at_most": [label for of in self._labels for label in of[:-1]],
            "threshold": np.concatenate(self._thresholds),
            "importance": np.concatenate(self._cuts),
        }
        return frame_of(columns, self._library)

    def plot(self, kind: str = "degrees", ax: Any = None) -> Any:
        """A picture of the importances.

        Parameters
        ----------
        kind : {"degrees", "importances"}, default="degrees"
            "degrees": a square for each variable and degree, as in Figure 6.3; "importances": a
            bar for each variable, stacked by degree.
        ax : matplotlib axes or None, default=None
            Where to draw; None: a new figure.

        Returns
        -------
        ax : matplotlib axes
        """
        if kind == "degrees":
            return plots.degrees(self.by_degree, self.names, self._unit, ax)
        if kind == "importances":
            return plots.stacked(self.by_degree, self.names, self.standard_errors, self._unit, ax)
        raise ValueError(f"kind must be 'degrees' or 'importances', got {kind!r}")

    @property
    def _unit(self) -> str:
        units = {"entropy": "bits", "log_loss": "bits", "gini": "Gini"}
        return units.get(self.settings["criterion"], "variance")

    def __repr__(self) -> str:
        s = self.settings
        kind = f"{s['splits']} trees, K={s['K']}"
        kind += "".join(f", {n}={s[n]}" for n in ("depth", "subspace") if s[n] is not None)
        how = "exact" if self.exact else f"mean of {self.n_trees:,} sampled trees"
        lines = [
            f"Importances for Y ({self._unit}; {kind}; {how})",
            f"  all together {self.total:.4g} of {self.impurity:.4g}",
        ]
        order = np.argsort(-self.importances, kind="stable")
        width = max(len(str(name)) for name in self.names)
        for j in order[:20]:
            error = "" if self.exact else f" +- {self.standard_errors[j]:.2g}"
            lines.append(f"  {self.names[j]!s:<{width}} {self.importances[j]:.4g}{error}")
        if len(order) > 20:
            lines.append(f"  ... and {len(order) - 20} more")
        return "\n".join(lines)


def asymptotic_importances(
    X: Any,
    y: Any,
    *,
    criterion: str = "entropy",
    K: int = 1,
    depth: int | None = None,
    subspace: int | None = None,
    splits: str = "multiway",
    sample_weight: Any = None,
    constant_features: str = "count",
    method: str = "auto",
    n_trees: int = 1000,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: Progress = None,
) -> AsymptoticImportances:
    """Importances that infinitely many randomized trees give on a known distribution.

    The table is taken as the distribution: a row is as probable as its weight says, and there is
    nothing else. Each distinct value of a column is a level, and a missing value is a level of its
    own. For totally randomized multiway trees (the default) this is Theorem 6.1, and equation 6.31
    for other criteria than entropy. Two consequences hold for every table: the importances add up
    to what all variables together tell of Y, and a variable has none if and only if it is
    irrelevant in every context.

    A sample is not the distribution that it comes from: on a small sample, noise looks like
    information (section 7.2.2, :func:`null_information`).

    Parameters
    ----------
    X : table of shape (n_rows, n_variables)
        Any data frame or array.
    y : array-like of shape (n_rows,)
        Classes; numbers for the criterion "variance".
    criterion : {"entropy", "gini", "variance"}, default="entropy"
        The impurity; entropy is in bits. scikit-learn's "log_loss" and "squared_error" are other
        names of the first and the last.
    K : int, default=1
        Variables drawn at each node, of which the one is taken that lowers the impurity most; ties
        are broken at random. Multiway trees draw among those not yet used on the branch, whether
        they are constant at the node or not.
    depth : int or None, default=None
        At most so many tests on a branch (Proposition 6.6); None: until nothing is left to test.
    subspace : int or None, default=None
        Each tree is grown on so many variables, drawn before (Proposition 6.7); None: on all.
    splits : {"multiway", "extra", "best", "encoded"}, default="multiway"
        "multiway": a branch for each level, and each variable once on a branch (Definition 6.1).
        The others are binary, need variables with an order, and end at pure nodes. "extra": a cut
        uniform between the least and the largest value at the node, as in Extra-Trees; "best": the
        best cut of each variable drawn, the lowest of several, as in Random Forests; "encoded":
        each variable of L levels as L - 1 binary ones, of which one is drawn after the variable
        (K = 1).
    sample_weight : array-like of shape (n_rows,) or None, default=None
        How probable each row is, in any unit.
    constant_features : {"count", "skip"}, default="count"
        Whether variables that are constant at a node count among the K, as they do in
        scikit-learn's forests; only for binary splits.
    method : {"auto", "exact", "sampled"}, default="auto"
        "exact": the expectation over all trees; "sampled": the mean over ``n_trees`` random trees,
        with its standard error; "auto": exact where that is a matter of seconds or a minute (K = 1:
        some 20 variables; K > 1: 12), else sampled, with a warning.
    n_trees : int, default=1000
        How many trees are sampled, where they are.
    n_jobs : int or None, default=None
        Threads; the result is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of the sampled trees.
    progress : callable or None, default=None
        Called with (done, total) as the work goes on; anew, if trees are sampled after all.

    Returns
    -------
    importances : AsymptoticImportances
        With ``importances``, ``by_degree``, ``by_context()``, ``total`` and ``plot()``.

    Examples
    --------
    Y is the exclusive or of two variables: neither tells anything alone, and each a bit when the
    other is known.

    >>> from silvics.importance import asymptotic_importances
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    >>> found = asymptotic_importances(X, [0, 1, 1, 0])
    >>> found
    Importances for Y (bits; multiway trees, K=1; exact)
      all together 1 of 1
      x0 0.5
      x1 0.5
      x2 0
    >>> found.by_degree.round(3)
    array([[0.   , 0.167, 0.333],
           [0.   , 0.167, 0.333],
           [0.   , 0.   , 0.   ]])
    """
    distribution = distribution_of(X, y, criterion, sample_weight, "asymptotic_importances")
    settings = _checked_settings(
        distribution.n_variables,
        criterion=criterion,
        K=K,
        depth=depth,
        subspace=subspace,
        splits=splits,
        constant_features=constant_features,
        method=method,
        n_trees=n_trees,
    )
    run = Run(distribution, settings, threads(n_jobs), random_state, progress)
    return run.importances()


def _checked_settings(p: int, **settings: Any) -> dict[str, Any]:
    choices = {
        "splits": list(_SPLITS),
        "constant_features": ["count", "skip"],
        "method": ["auto", "exact", "sampled"],
    }
    for name, known in choices.items():
        one_of(name, settings[name], known)
    of_variables = (p, ", the number of variables")
    settings["K"] = whole_number("K", settings["K"], 1, *of_variables)
    settings["n_trees"] = whole_number("n_trees", settings["n_trees"], 1, _MOST_TREES)
    if settings["depth"] is not None:
        settings["depth"] = whole_number("depth", settings["depth"], 1)
    if settings["subspace"] is not None:
        settings["subspace"] = whole_number("subspace", settings["subspace"], 1, *of_variables)
    if settings["splits"] == "encoded" and settings["K"] != 1:
        raise ValueError(
            'splits="encoded" draws one variable at a node; for K > 1 use splits="extra".'
        )
    return settings


class Run:
    """One computation: which way is taken, and what comes of it."""

    def __init__(
        self,
        distribution: Distribution,
        settings: dict[str, Any],
        n_jobs: int,
        random_state: Any,
        progress: Progress,
    ) -> None:
        self.distribution = distribution
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress
        self.hidden: np.ndarray | None = None
        self.wants_hidden = False

    def importances(self) -> AsymptoticImportances:
        """By the sets of variables, where that is all that trees depend on; else by their nodes."""
        s, p = self.settings, self.distribution.n_variables
        levels = min(s["subspace"] or p, s["depth"] or p)
        plain = s["splits"] == "multiway" and s["K"] == 1
        if plain and s["method"] != "sampled" and self._fits_lattice(levels):
            return self._from_sets(levels)
        if s["subspace"] is None:
            return self._from_nodes()
        return self._from_subspaces()

    # ---- by sets

    def _fits_lattice(self, levels: int) -> bool:
        p = self.distribution.n_variables
        if p > MOST_VARIABLES:
            return False
        return (
            self.settings["method"] == "exact" or n_cells(self.distribution, levels) < _MOST_CELLS
        )

    def _from_sets(self, levels: int) -> AsymptoticImportances:
        s, p = self.settings, self.distribution.n_variables
        lattice = Lattice(self.distribution, levels, self.n_jobs, self.progress)
        weights = term_weights(p) if s["subspace"] is None else subspace_weights(p, s["subspace"])
        weights[levels:] = 0.0
        by_degree = np.array([lattice.sums_by_size(j) * weights for j in range(p)])
        return self._result(by_degree, _OfSets(lattice, weights))

    # ---- by nodes

    def _from_nodes(self) -> AsymptoticImportances:
        d, s = self.distribution, self.settings
        problem = self._problem(range(d.n_variables))
        if problem is None:
            return self._of_trees(_nothing(d))
        if s["method"] != "sampled":
            found = self._expected(problem)
            if found is not None:
                return self._of_trees(found)
            if s["method"] == "exact":
                raise ValueError(
                    f"All trees on {d.n_variables} variables and {d.n_rows:,} distinct rows are "
                    'too many to go through. Use method="sampled", which tells its standard '
                    "errors; or limit depth; or choose columns."
                )
            self._warn_of_samples()
        return self._of_trees(self._sampled(problem), s["n_trees"])

    def _problem(self, columns: Sequence[int]) -> _Problem | None:
        """Trees on some of the variables, for the core; None if there is nothing to test."""
        d, s = self.distribution, self.settings
        trees = _core.RandomizedTrees()
        trees.splits = _SPLITS[s["splits"]]
        trees.n_drawn = min(s["K"], len(columns))
        trees.depth = min(s["depth"] or 2**31, 2**31)
        trees.constants_count = s["constant_features"] == "count"
        trees.wants_hidden = self.wants_hidden
        if s["splits"] == "multiway":
            return _Problem(d.native(columns), trees, list(columns))
        values = d.ordered_values(f"splits={s['splits']!r}")
        if s["splits"] != "encoded":
            of_columns = [_with_finite_range(values[j]).tolist() for j in columns]
            return _Problem(d.native(columns, of_columns), trees, list(columns))
        places = [j for j in columns if d.n_levels[j] > 1]
        if not places:
            return None
        part_of = np.repeat(np.arange(len(places)), [d.n_levels[j] - 1 for j in places])
        trees.part_of = part_of.tolist()
        levels = [d.levels[j] > level for j in places for level in range(d.n_levels[j] - 1)]
        native = _core.Distribution(
            np.array(levels, dtype=np.uint32), [2] * len(levels), d.statistics, d.impurity_name, []
        )
        return _Problem(native, trees, places, part_of)

    def _expected(self, problem: _Problem) -> dict[str, Any] | None:
        s = self.settings
        few = s["splits"] == "multiway" and len(problem.places) <= 12
        if s["splits"] == "multiway" and self._n_sets() > _MOST_SETS:
            return None
        if s["method"] == "exact" or few:
            most = _NO_LIMIT
        elif s["splits"] == "multiway" and self._work_of_multiway() > 100 * _MOST_WORK:
            return None  # no use to begin
        else:
            most = _MOST_WORK
        found = _core.expected_importances(
            problem.native, problem.trees, most, self.n_jobs, self.progress
        )
        return None if found is None else self._of_all_variables(found, problem)

    def _n_sets(self) -> int:
        """How many sets of variables there may be above a test."""
        p = self.distribution.n_variables
        levels = min(self.settings["depth"] or p, p)
        return sum(comb(p, k) for k in range(levels))

    def _work_of_multiway(self) -> int:
        """Rows that a recursion over nodes would look at, were no node ever pure."""
        return self._n_sets() * self.distribution.n_variables * self.distribution.n_rows

    def _warn_of_samples(self) -> None:
        s, d = self.settings, self.distribution
        warn_user(
            f"All {s['splits']} trees on {d.n_variables} variables and {d.n_rows:,} distinct rows "
            f"are too many to go through: the importances are the mean of {s['n_trees']:,} sampled "
            "trees, and standard_errors says how far off they may be. Pass method='sampled' to say "
            "that this is meant, or method='exact' to wait."
        )

    def _sampled(self, problem: _Problem) -> dict[str, Any]:
        problem.trees.most_in_context = _CONTEXT_SIZE_OF_SAMPLES
        seed, n_trees = seed_of(self.random_state), self.settings["n_trees"]
        found = _core.sampled_importances(
            problem.native, problem.trees, seed, n_trees, self.n_jobs, self.progress
        )
        return self._of_all_variables(found, problem)

    def _of_all_variables(self, found: dict[str, Any], problem: _Problem) -> dict[str, Any]:
        """What the core found of some variables, in the numbers of all of them."""
        d, p = self.distribution, self.distribution.n_variables
        places = np.array(problem.places)
        wide = _nothing(d)
        wide["by_degree"][places, : len(places)] = found["by_degree"]
        if self.wants_hidden:
            wide["hidden"] = found["hidden"]
        wide["variable"] = places[found["variable"]]
        if len(places) == p:
            wide["set"] = found["set"]
        else:
            wide["set"] = _spread(found["set"], places, wide["set"].shape[1])
        wide |= {name: found[name] for name in ("weight", "decrease")}
        n_trees = len(found["of_trees"])
        wide["of_trees"] = np.zeros((n_trees, p))
        wide["of_trees"][:, places] = found["of_trees"]
        of_parts = found["by_cut"]
        if problem.part_of is not None:
            ends = np.cumsum(np.bincount(problem.part_of))[:-1]
            of_parts = np.split(of_parts[0], ends)
        for j, of in zip(problem.places, of_parts, strict=bool(of_parts)):
            wide["by_cut"][j] = of
        return wide

    def _of_trees(self, found: dict[str, Any], n_trees: int = 0) -> AsymptoticImportances:
        d = self.distribution
        self.hidden = found["hidden"] * d.unit if self.wants_hidden else None
        contexts = _OfTests(
            found["variable"], found["set"], found["weight"], found["decrease"] * d.unit
        )
        result = self._result(found["by_degree"] * d.unit, contexts)
        if n_trees:
            result.n_trees = n_trees
            with np.errstate(invalid="ignore", divide="ignore"):
                squares = ((found["of_trees"] - found["of_trees"].mean(axis=0)) ** 2).sum(axis=0)
                spread = np.sqrt(squares / np.float64(n_trees - 1))  # of one tree, unknown
            result.standard_errors = spread * d.unit / np.sqrt(n_trees)
        if self.settings["splits"] != "multiway":
            values = d.ordered_values("by_cut")
            result._cuts = [of * d.unit for of in found["by_cut"]]
            result._thresholds = [of[:-1] / 2 + of[1:] / 2 for of in values]
            result._labels = [v.labels for v in d.variables]
        return result

    def _result(self, by_degree: np.ndarray, contexts: Any) -> AsymptoticImportances:
        d = self.distribution
        return AsymptoticImportances(
            names=d.names,
            by_degree=by_degree,
            impurity=d.impurity_given([]),
            settings=self.settings,
            standard_errors=np.zeros(d.n_variables),
            _library=d.library,
            _contexts=contexts,
        )

    # ---- by subspaces

    def _from_subspaces(self) -> AsymptoticImportances:
        """Mean over all subspaces, of which each gives the importances of its own variables."""
        d, s = self.distribution, self.settings
        p, q = d.n_variables, s["subspace"]
        n = comb(p, q)
        if s["method"] == "sampled":
            raise ValueError(
                'method="sampled" does not go with subspace: all subspaces are gone through. Use '
                f"depth={q}, which for K=1 multiway trees gives the same importances."
            )
        if n > _MOST_SUBSPACES:
            raise ValueError(
                f"{p} variables have {n:,} subspaces of {q}, and these are gone through one by "
                f"one, up to {_MOST_SUBSPACES:,}. Use depth={q} (for K=1 multiway trees it gives "
                "the same importances), or choose columns."
            )
        inner = Run(d, dict(s, method="exact"), self.n_jobs, None, None)
        mean = _nothing(d)
        sums: dict[tuple[int, bytes], np.ndarray] = {}
        for done, columns in enumerate(combinations(range(p), q)):
            problem = inner._problem(columns)
            found = _nothing(d) if problem is None else inner._expected(problem)
            if found is None:
                raise ValueError("The subspaces are too large to go through: limit depth.")
            mean["by_degree"] += found["by_degree"] / n
            for to, of in zip(mean["by_cut"], found["by_cut"], strict=True):
                to += of / n
            rows = zip(
                found["variable"], found["set"], found["weight"], found["decrease"], strict=True
            )
            for j, words, weight, decrease in rows:
                pair = sums.setdefault((int(j), words.tobytes()), np.zeros(2))
                pair += weight / n, decrease / n
            if self.progress is not None:
                self.progress(done + 1, n)
        keys = sorted(sums)
        pairs = np.array([sums[key] for key in keys]).reshape(-1, 2)
        words = np.frombuffer(b"".join(of for _, of in keys), dtype=np.uint64)
        mean["variable"] = np.array([j for j, _ in keys], dtype=np.int64)
        mean["set"] = words.reshape(len(keys), mean["set"].shape[1])
        mean["weight"], mean["decrease"] = pairs.T
        return self._of_trees(mean)


@dataclass
class _Problem:
    """Trees to go through: on which variables, and which binary ones are parts of which."""

    native: _core.Distribution
    trees: _core.RandomizedTrees
    places: list[int]
    part_of: np.ndarray | None = None


def _nothing(d: Distribution) -> dict[str, Any]:
    """What trees without a test would give."""
    p = d.n_variables
    return {
        "by_degree": np.zeros((p, p)),
        "hidden": np.zeros((p, p)),
        "by_cut": [np.zeros(n_levels - 1) for n_levels in d.n_levels],
        "variable": np.zeros(0, dtype=np.int64),
        "set": np.zeros((0, (p + 63) // 64), dtype=np.uint64),
        "weight": np.zeros(0),
        "decrease": np.zeros(0),
        "of_trees": np.zeros((0, p)),
    }


def _with_finite_range(values: np.ndarray) -> np.ndarray:
    """Values whose differences do not overflow; only shares of the range count."""
    with np.errstate(over="ignore"):
        return values if np.isfinite(values[-1] - values[0]) else values / 2


def _spread(sets: np.ndarray, places: np.ndarray, n_words: int) -> np.ndarray:
    """Bits of some variables, at the places that these have among all."""
    wide = np.zeros((len(sets), n_words), dtype=np.uint64)
    for i, j in enumerate(places.tolist()):
        bit = sets[:, i // 64] >> np.uint64(i % 64) & np.uint64(1)
        wide[:, j // 64] |= bit << np.uint64(j % 64)
    return wide


# ---- where contexts come from: (variable, set, degree, weight, importance), arrays


@dataclass
class _OfSets:
    """Of every set, by the terms of equation 6.10."""

    lattice: Lattice
    weights: np.ndarray

    def n_rows(self) -> int:
        p = self.lattice.n_variables
        return p * sum(comb(p - 1, k) for k in range(p) if self.weights[k] > 0)

    def rows(self, top: int | None) -> tuple[np.ndarray, ...]:
        """All, or at least those that are among the first."""
        lattice = self.lattice
        numbers = np.arange(1 << lattice.n_variables)
        parts = []
        for j in range(lattice.n_variables):
            degree = lattice.without(j, lattice.sizes)
            weight = self.weights[degree]
            importance = np.where(weight > 0, lattice.information(j) * weight, -1.0)
            there = _at_least(importance, top) & (weight > 0)
            sets = lattice.without(j, numbers)[there]
            variable = np.full(len(sets), j)
            parts.append((variable, sets, degree[there], weight[there], importance[there]))
        return tuple(np.concatenate(of) for of in zip(*parts, strict=True))


def _at_least(importance: np.ndarray, top: int | None) -> np.ndarray:
    """Which are among the largest so many, or equal to one of those."""
    if top is None or top >= len(importance):
        return np.ones(len(importance), dtype=bool)
    if top == 0:
        return np.zeros(len(importance), dtype=bool)
    place = len(importance) - top
    return importance >= np.partition(importance, place)[place]


@dataclass
class _OfTests:
    """Of the tests that trees have."""

    variable: np.ndarray
    words: np.ndarray
    weight: np.ndarray
    importance: np.ndarray

    def n_rows(self) -> int:
        return len(self.variable)

    def rows(self, top: int | None) -> tuple[np.ndarray, ...]:
        there = _at_least(self.importance, top)
        words = self.words[there]
        degree = np.bitwise_count(words).sum(axis=1)
        return (
            self.variable[there],
            numbers_of(words),
            degree,
            self.weight[there],
            self.importance[there],
        )
