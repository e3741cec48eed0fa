"""Importances of all randomized trees on a distribution, by sets of variables or by nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting.parameters import seed_of
from silvics._names import one_of
from silvics._warnings import warn_user
from silvics.importance._checks import whole_number
from silvics.importance._types import Progress
from silvics.importance.theory.contexts import OfSets, OfTests
from silvics.importance.theory.distribution import Distribution
from silvics.importance.theory.lattice import (
    MOST_VARIABLES,
    Lattice,
    n_cells,
    subspace_weights,
    term_weights,
)
from silvics.importance.theory.result import AsymptoticImportances

_SPLITS = {
    "multiway": _core.TreeSplits.multiway,
    "encoded": _core.TreeSplits.multiway,
    "extra": _core.TreeSplits.random_cut,
    "best": _core.TreeSplits.best_cut,
}
_MOST_CELLS = 3e10  # cells of a lattice, about a minute; beyond, trees are sampled
_MOST_WORK = 500_000_000  # rows read by a recursion, about ten seconds; beyond, sampled
_NO_LIMIT = 2**63
_MOST_SUBSPACES = 10_000
_MOST_SETS = 1 << 26  # sets of variables in a recursion
_MOST_TREES = 100_000_000
_CONTEXT_SIZE_OF_SAMPLES = 3  # larger sets are too rare to be estimated


def checked_settings(p: int, **settings: Any) -> dict[str, Any]:
    """Check the settings of trees on p variables and return them."""
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
            'splits="encoded" draws one variable at each node: for K > 1 use splits="extra".'
        )
    return settings


class ExactImportanceSolver:
    """Chooses the method of one computation, and runs it."""

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
        """Compute by sets of variables if trees depend only on these, otherwise by nodes."""
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
        return self._result(by_degree, OfSets(lattice, weights))

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
                    f"There are too many trees on {d.n_variables} variables and {d.n_rows:,} "
                    'distinct rows for the exact method. Use method="sampled", which estimates '
                    "standard errors, limit depth, or select columns."
                )
            self._warn_of_samples()
        return self._of_trees(self._sampled(problem), s["n_trees"])

    def _problem(self, columns: Sequence[int]) -> _Problem | None:
        """Return the trees on some variables, for the core; None if all variables are constant."""
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
        small = s["splits"] == "multiway" and len(problem.places) <= 12
        if s["splits"] == "multiway" and self._n_sets() > _MOST_SETS:
            return None
        if s["method"] == "exact" or small:
            most = _NO_LIMIT
        elif s["splits"] == "multiway" and self._work_of_multiway() > 100 * _MOST_WORK:
            return None  # would exceed the limit
        else:
            most = _MOST_WORK
        found = _core.expected_importances(
            problem.native, problem.trees, most, self.n_jobs, self.progress
        )
        return None if found is None else self._of_all_variables(found, problem)

    def _n_sets(self) -> int:
        """Return the number of sets of variables that may be tested above a node."""
        p = self.distribution.n_variables
        levels = min(self.settings["depth"] or p, p)
        return sum(comb(p, k) for k in range(levels))

    def _work_of_multiway(self) -> int:
        """Return the number of rows that a recursion reads if no node is pure."""
        return self._n_sets() * self.distribution.n_variables * self.distribution.n_rows

    def _warn_of_samples(self) -> None:
        s, d = self.settings, self.distribution
        warn_user(
            f"There are too many {s['splits']} trees on {d.n_variables} variables and {d.n_rows:,} "
            f"distinct rows: the importances are the mean of {s['n_trees']:,} sampled trees, with "
            "standard errors in standard_errors. Pass method='sampled' to avoid this warning, or "
            "method='exact' to compute the expectation, which may take long."
        )

    def _sampled(self, problem: _Problem) -> dict[str, Any]:
        problem.trees.most_in_context = _CONTEXT_SIZE_OF_SAMPLES
        seed, n_trees = seed_of(self.random_state), self.settings["n_trees"]
        found = _core.sampled_importances(
            problem.native, problem.trees, seed, n_trees, self.n_jobs, self.progress
        )
        return self._of_all_variables(found, problem)

    def _of_all_variables(self, found: dict[str, Any], problem: _Problem) -> dict[str, Any]:
        """Translate what the core computed for some variables to the numbers of all variables."""
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
        contexts = OfTests(
            found["variable"], found["set"], found["weight"], found["decrease"] * d.unit
        )
        result = self._result(found["by_degree"] * d.unit, contexts)
        if n_trees:
            result.n_trees = n_trees
            with np.errstate(invalid="ignore", divide="ignore"):
                squares = ((found["of_trees"] - found["of_trees"].mean(axis=0)) ** 2).sum(axis=0)
                spread = np.sqrt(squares / np.float64(n_trees - 1))  # NaN for one tree
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
        """Compute the mean over all subspaces of the importances of their variables."""
        d, s = self.distribution, self.settings
        p, q = d.n_variables, s["subspace"]
        n = comb(p, q)
        if s["method"] == "sampled":
            raise ValueError(
                'method="sampled" cannot be combined with subspace, which enumerates all of '
                f"them. Use depth={q}, which for K=1 multiway trees gives the same importances."
            )
        if n > _MOST_SUBSPACES:
            raise ValueError(
                f"{p} variables have {n:,} subspaces of {q}, but at most {_MOST_SUBSPACES:,} can "
                f"be enumerated. Use depth={q}, which for K=1 multiway trees gives the same "
                "importances, or select columns."
            )
        inner = ExactImportanceSolver(d, dict(s, method="exact"), self.n_jobs, None, None)
        mean = _nothing(d)
        sums: dict[tuple[int, bytes], np.ndarray] = {}
        for done, columns in enumerate(combinations(range(p), q)):
            problem = inner._problem(columns)
            found = _nothing(d) if problem is None else inner._expected(problem)
            if found is None:
                raise ValueError("The subspaces are too large for the exact method: limit depth.")
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
    """Trees to enumerate: their variables, and the variable of each binary variable."""

    native: _core.Distribution
    trees: _core.RandomizedTrees
    places: list[int]
    part_of: np.ndarray | None = None


def _nothing(d: Distribution) -> dict[str, Any]:
    """Return the result for trees without tests."""
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
    """Scale values so that differences do not overflow; only shares of the range matter."""
    with np.errstate(over="ignore"):
        return values if np.isfinite(values[-1] - values[0]) else values / 2


def _spread(sets: np.ndarray, places: np.ndarray, n_words: int) -> np.ndarray:
    """Move the bits of some variables to their places among all variables."""
    wide = np.zeros((len(sets), n_words), dtype=np.uint64)
    for i, j in enumerate(places.tolist()):
        bit = sets[:, i // 64] >> np.uint64(i % 64) & np.uint64(1)
        wide[:, j // 64] |= bit << np.uint64(j % 64)
    return wide
