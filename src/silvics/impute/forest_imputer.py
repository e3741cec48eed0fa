"""Imputation by forests of each column on the others: MissForest (thesis, section 4.4.4)."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from silvics._docs import keep_parameters
from silvics._fitting.parameters import seed_of
from silvics.impute.coded_table import CodedTable
from silvics.impute.column_model import ColumnModel, ForestSettings
from silvics.impute.error_by_round import ErrorByRound
from silvics.impute.imputer import SHARED_CONSTRAINTS, Imputer


class ForestImputer(Imputer):
    """x"""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), None],
        "initial_strategy": [StrOptions({"median", "native"})],
        "sample_posterior": ["boolean"],
        "skip_complete": ["boolean"],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_iter: int = 10,
        tol: float = 1e-3,
        sample_posterior: bool = False,
        initial_strategy: str = "native",
        max_features: Any = 1 / 3,
        min_samples_leaf: int | None = None,
        categorical_features: Any = "from_dtype",
        skip_complete: bool = False,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        keep_parameters(self, locals())

    def _fit_coded(self, coded: CodedTable, y: Any) -> np.ndarray:
        del y
        schema = self._schema
        self._seed = seed_of(self.random_state)
        n_missing = coded.missing.sum(axis=0)
        usable = np.flatnonzero(~schema.is_empty)
        order = np.argsort(n_missing, kind="stable")
        order = np.array([j for j in order if n_missing[j] and not schema.is_empty[j]], dtype=np.intp)
        scale = np.ones(schema.n_features)
        for j in usable:
            spread = coded.values[~coded.missing[:, j], j]
            spread = spread[~np.isnan(spread)].std()
            scale[j] = spread if spread > 0 else 1.0
        self._scale, self._order = scale, order
        current = self._started(coded)
        previous = current
        models: dict[int, ColumnModel] = {}
        errors, changes = [], []
        kept = -1
        last = None
        self.history = []
        for r in range(self.max_iter if len(order) else 0):
            start = time.monotonic()
            previous, current = current, current.copy(order="F")
            for j in order:
                models[j] = self._model(current, coded, j, usable, r)
                rows = coded.missing[:, j]
                if self.sample_posterior:
                    random = np.random.default_rng([self._seed, 1, r, j])
                    current[rows, j] = models[j].draw(current[rows], random)
                else:
                    current[rows, j] = models[j].predict(current[rows])
            errors.append([models[j].oob_error for j in order])
            changes.append([self._change(previous, current, coded, j) for j in order])
            self.history.append((current, changes[-1], errors[-1]))
            if self.verbose:
                print(
                    f"silvics: round {r + 1} of at most {self.max_iter}, "
                    f"mean out-of-bag error {np.nanmean(errors[-1]):.4g}, "
                    f"mean change {np.mean(changes[-1]):.4g}, {time.monotonic() - start:.1f} s",
                    file=sys.stderr,
                )
            kept = r
            if self.sample_posterior:
                continue
            now = self._by_kind(changes[-1], n_missing)
            if last is not None and all(b > a for a, b in zip(last, now, strict=True)):
                current, kept = previous, r - 1
                break
            if all(b <= self.tol for b in now):
                break
            last = now if r else None
        if not self.skip_complete:
            for j in usable:
                if j not in models:
                    models[j] = self._model(current, coded, int(j), usable, 0)
        self._models = models
        self.n_iter_ = kept + 1
        self.oob_error_ = ErrorByRound(
            columns=[schema.names()[j] for j in order],
            measures=["pfc" if schema.is_class[j] else "nrmse" for j in order],
            n_missing=n_missing[order],
            errors=np.array(errors).reshape(-1, len(order)),
            changes=np.array(changes).reshape(-1, len(order)),
            kept=kept,
            _library=schema.library,
        )
        return current

    def _model(self, X, coded, j, usable, r):
        settings = ForestSettings(
            self.n_estimators, self.max_features, self.min_samples_leaf, self.n_jobs,
            self.sample_posterior,
        )
        seed = int(np.random.default_rng([self._seed, 0, j, r * self.sample_posterior]).integers(2**31))
        known = ~coded.missing[:, j] & ~np.isnan(X[:, j])
        return ColumnModel(X, j, known, usable[usable != j], self._schema.is_class, settings, seed)

    def _started(self, coded):
        values = coded.values.copy(order="F")
        if self.initial_strategy == "median" or self.sample_posterior:
            for j in range(values.shape[1]):
                values[coded.missing[:, j], j] = self._usual[j]
        return values

    def _change(self, before, after, coded, j):
        rows = coded.missing[:, j]
        if self._schema.is_class[j]:
            return float(np.mean(before[rows, j] != after[rows, j]))
        return float(np.sqrt(np.mean((before[rows, j] - after[rows, j]) ** 2))) / self._scale[j]

    def _by_kind(self, changes, n_missing):
        is_class = self._schema.is_class[self._order]
        weight = n_missing[self._order]
        changes = np.array(changes)
        return [
            np.average(changes[m] ** (1 if m is is_class else 2), weights=weight[m])
            for m in (is_class, ~is_class)
            if m.any()
        ]

    def _completed(self, coded: CodedTable) -> np.ndarray:
        values = coded.values.copy(order="F")
        for j in range(values.shape[1]):
            values[coded.missing[:, j], j] = self._usual[j]
        order = [j for j in np.argsort(coded.missing.sum(axis=0), kind="stable") if coded.missing[:, j].any()]
        for r in range(self.max_iter):
            before = values.copy()
            for j in order:
                if j in self._models:
                    rows = coded.missing[:, j]
                    values[rows, j] = self._models[j].predict(values[rows])
            if np.allclose(values, before, equal_nan=True):
                break
        return values

    def draws(self, X: Any, n: int = 20) -> Iterator[Any]:
        coded = self._read(X)
        for d in range(n):
            values = self._drawn(coded, d)
            yield self._wrapped(self._result(X, coded, values), X)

    def _drawn(self, coded, d):
        values = coded.values.copy(order="F")
        for j in range(values.shape[1]):
            values[coded.missing[:, j], j] = self._usual[j]
        order = [j for j in np.argsort(coded.missing.sum(axis=0), kind="stable") if coded.missing[:, j].any()]
        for r in range(1 if len(order) == 1 else self.max_iter):
            for j in order:
                random = np.random.default_rng([self._seed, 2, d, r, j])
                rows = coded.missing[:, j]
                values[rows, j] = self._models[j].draw(values[rows], random)
        return values
