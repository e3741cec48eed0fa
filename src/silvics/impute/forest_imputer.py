"""Imputation by forests of each column on the others: MissForest (thesis, section 4.4.4)."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from silvics._docs import keep_parameters
from silvics._fitting.parameters import seed_of
from silvics.impute.cells import Cells
from silvics.impute.coded_table import CodedTable
from silvics.impute.column_model import ColumnModel, ForestSettings
from silvics.impute.error_by_round import ErrorByRound
from silvics.impute.imputer import SHARED_CONSTRAINTS, Imputer
from silvics.proximity.forest_proximity import checked_number

# Trees of the rounds before the last one with sample_posterior=True, which use one of them.
_TREES_TO_DRAW = 10
# The smallest leaf that values are drawn from: closer to the data than one value (decision 35).
_LEAF_TO_DRAW = 3
# Streams of random numbers of an imputer.
_FORESTS, _ROUNDS, _DRAWS, _TREES = 0, 1, 2, 3


class ForestImputer(Imputer):
    """Fill in missing values by a forest for each column on the others (MissForest).

    Missing values start as the median or the most frequent level. In each round, every column with
    missing values, by rising number of them, is predicted by a forest that is fitted on the rows in
    which it is known, with the completed other columns as inputs. The rounds end when the imputed
    values change more than in the round before (numbers or classes, the others not less); then the
    table of the round before is returned.

    With ``sample_posterior=True``, values are drawn instead: from the known values in the leaf of
    one tree, which has been grown on a bootstrap sample. Draws vary as the data do, and so suit
    statistical inference from several completed tables (``draws``). Means suit prediction.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees of each forest.
    max_iter : int, default=10
        The largest number of rounds. With ``sample_posterior=True`` it is the number of rounds.
    tol : float, default=0.001
        The rounds also end when the values change less than this: the mean squared change of
        numbers, in units of the variance of the known values, and the share of changed classes.
    sample_posterior : bool, default=False
        Whether to draw values instead of predicting means and most probable classes.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Number of variables that are tried at a node, as for forests. None tries half of them, and
        all of them with ``sample_posterior=True``.
    min_samples_leaf : int or None, default=None
        The smallest number of samples in a leaf. None means 1, and 3 with
        ``sample_posterior=True``, so that there are several values to draw from.
    max_samples : int, float or None, default=None
        The number, or the fraction, of the known rows that are drawn for each tree. None draws as
        many as there are up to 2,000, and beyond a third of them, but at least 2,000: with many
        rows this costs little accuracy. With ``sample_posterior=True`` it draws as many as there
        are.
    categorical_features : "from_dtype", None, or array-like of str, int or bool, \
            default="from_dtype"
        Columns that are categories. "from_dtype" means those of text and category types. Only the
        256 most frequent levels of a category are imputed.
    skip_complete : bool, default=False
        If False, ``fit`` ends with forests for the columns without missing values, so that
        ``transform`` can impute them. If True, ``transform`` fills them with the median or the most
        frequent level.
    add_indicator : bool, default=False
        Whether to append a column for each column with missing values in ``fit``, which marks the
        rows in which it was missing.
    keep_empty_features : bool, default=False
        Whether to keep columns without any known value in ``fit``. Numbers in them become zero, and
        other types remain missing.
    random_state : int, RandomState instance or None, default=None
        Seed of the forests and draws. Pass an int for the same result in every call.
    n_jobs : int or None, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        Whether to print a line to the standard error after each round.

    Attributes
    ----------
    n_iter_ : int
        The number of rounds that led to the table that was returned.
    oob_error_ : ErrorByRound
        Out-of-bag errors of the forests, by column and round.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str objects
        Names of the columns, if X has names.

    See Also
    --------
    ProximityImputer : Means that the proximities of a forest for y weight.
    sklearn.impute.IterativeImputer : The same rounds with any regressor, on arrays of numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from silvics.impute import ForestImputer
    >>> tree = ["oak", "oak", "oak", "fir", "fir", "fir"] * 5
    >>> height = [21.0, 22, 23, 34, 35, 36] * 5
    >>> X = pd.DataFrame({"tree": tree, "height": height})
    >>> X.loc[0, "tree"], X.loc[4, "height"] = None, None
    >>> filled = ForestImputer(random_state=0).fit_transform(X)
    >>> filled.loc[0, "tree"], bool(33 < filled.loc[4, "height"] < 37)
    ('oak', True)
    """

    n_estimators: int
    max_iter: int
    tol: float
    sample_posterior: bool
    max_features: Any
    min_samples_leaf: int | None
    max_samples: Any
    skip_complete: bool
    random_state: Any
    n_jobs: int | None
    verbose: int
    n_iter_: int
    oob_error_: ErrorByRound
    _models: dict[int, ColumnModel]
    _seed: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "sample_posterior": ["boolean"],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), None],
        "max_samples": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            None,
        ],
        "skip_complete": ["boolean"],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_iter: int = 10,
        tol: float = 1e-3,
        sample_posterior: bool = False,
        max_features: Any = None,
        min_samples_leaf: int | None = None,
        max_samples: Any = None,
        categorical_features: Any = "from_dtype",
        skip_complete: bool = False,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        keep_parameters(self, locals())

    def draws(self, X: Any, n_draws: int = 20) -> Iterator[Any]:
        """Complete a table several times, with values that are drawn independently.

        Analyse each table, and combine the results by Rubin's rules. The imputer must have been
        fitted with ``sample_posterior=True``.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The table of ``fit``, or another one with the same columns.
        n_draws : int, default=20
            Number of completed tables.

        Returns
        -------
        tables : iterator
            The completed tables, one after the other, in the form of ``transform``. The first one
            is the result of ``transform``.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics.impute import ForestImputer
        >>> X = np.random.default_rng(0).normal(size=(100, 3))
        >>> X[:20, 0] = np.nan
        >>> imputer = ForestImputer(sample_posterior=True, random_state=0).fit(X)
        >>> means = [table[:, 0].mean() for table in imputer.draws(X, 5)]
        >>> len(set(means))
        5
        """
        coded = self._read(X)  # checks the arguments before the first table is asked for
        if not self.sample_posterior:
            raise ValueError(
                "draws needs an imputer that was fitted with sample_posterior=True, but it is "
                "False: the forests have not kept the values to draw from."
            )
        count = checked_number("n_draws", n_draws)
        return (
            self._wrapped(self._result(X, coded, self._drawn(coded, d)), X) for d in range(count)
        )

    # ---- rounds

    def _fit_coded(self, coded: CodedTable, y: Any) -> np.ndarray:
        del y
        self._seed = seed_of(self.random_state)
        self._models = {}
        cells = Cells(self._schema, coded, self._usual)
        rounds = _Rounds()
        values = cells.started()
        for r in range(self.max_iter if len(cells.order) else 0):
            start = time.monotonic()
            before, values = values, self._one_round(coded, cells, values, r)
            errors = np.array([self._models[j].oob_error for j in cells.order])
            rounds.add(cells, errors, cells.changes(before, values))
            if self.verbose:
                rounds.report(self.max_iter, time.monotonic() - start)
            if self.sample_posterior:
                continue
            if rounds.have_grown():
                values, rounds.kept = before, r - 1
                break
            if rounds.totals[-1].max() <= self.tol:
                break
        if not self.skip_complete:
            complete = ~self._schema.is_empty & ~coded.missing.any(axis=0)
            for j in map(int, np.flatnonzero(complete)):
                self._models[j] = self._model(coded, values, j, self.max_iter - 1)
        self.n_iter_ = rounds.kept + 1
        self.oob_error_ = self._errors_of(cells, rounds)
        return values

    def _one_round(self, coded: CodedTable, cells: Cells, values: np.ndarray, r: int) -> np.ndarray:
        """Fit a forest for each column with missing values, and impute it at once."""
        values = values.copy(order="F")
        for j in map(int, cells.order):
            model = self._models[j] = self._model(coded, values, j, r)
            rows = cells.rows(j)
            if self.sample_posterior:
                values[rows, j] = model.draw(values[rows], self._random(_ROUNDS, r, j))
            else:
                values[rows, j] = model.predict(values[rows])
        return values

    def _model(self, coded: CodedTable, values: np.ndarray, j: int, r: int) -> ColumnModel:
        draws = self.sample_posterior
        is_last = not draws or r == self.max_iter - 1
        settings = ForestSettings(
            self.n_estimators if is_last else min(self.n_estimators, _TREES_TO_DRAW),
            self.max_features or (1.0 if draws else 0.5),
            self.min_samples_leaf or (_LEAF_TO_DRAW if draws else 1),
            self.max_samples,
            self.n_jobs,
            keeps_donors=draws,
        )
        # The same seed in all rounds of means: values then change because of the table alone.
        seed = int(self._random(_FORESTS, r if draws else 0, j).integers(2**31))
        known = ~np.isnan(coded.values[:, j])
        usable = np.flatnonzero(~self._schema.is_empty)
        is_class = self._schema.is_class
        return ColumnModel(values, j, known, usable[usable != j], is_class, settings, seed)

    def _random(self, *stream: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, *map(int, stream)])

    def _errors_of(self, cells: Cells, rounds: _Rounds) -> ErrorByRound:
        names, is_class = self._schema.names(), self._schema.is_class
        shape = (-1, len(cells.order)) if rounds.errors else (0, 0)
        return ErrorByRound(
            columns=[names[j] for j in cells.order],
            measures=["pfc" if is_class[j] else "nrmse" for j in cells.order],
            n_missing=cells.n_missing,
            errors=np.array(rounds.errors).reshape(shape),
            changes=np.array(rounds.changes).reshape(shape),
            kept=rounds.kept,
            _library=self._schema.library,
        )

    # ---- other tables

    def _completed(self, coded: CodedTable) -> np.ndarray:
        if self.sample_posterior:
            return self._drawn(coded, 0)
        cells = Cells(self._schema, coded, self._usual)
        values = cells.started()
        for _ in range(self.max_iter):
            before, values = values, values.copy(order="F")
            for j in cells.order:
                if j in self._models:
                    rows = cells.rows(j)
                    values[rows, j] = self._models[j].predict(values[rows])
            if len(cells.order) < 2 or cells.change(before, values) <= self.tol:
                break
        return values

    def _drawn(self, coded: CodedTable, draw: int) -> np.ndarray:
        """Complete a table by rounds of draws from the fitted forests."""
        cells = Cells(self._schema, coded, self._usual)
        values = cells.started()
        for r in range(1 if len(cells.order) < 2 else self.max_iter):
            for j in cells.order:
                if j in self._models:
                    rows, random = cells.rows(j), self._random(_DRAWS, draw, r, j)
                    tree = self._models[j].tree_of(draw, self._random(_TREES, r, j))
                    values[rows, j] = self._models[j].draw(values[rows], random, tree)
        return values


@dataclass
class _Rounds:
    """What the rounds of a fit have given so far."""

    errors: list[np.ndarray] = field(default_factory=list)
    changes: list[np.ndarray] = field(default_factory=list)
    totals: list[np.ndarray] = field(default_factory=list)
    kept: int = -1

    def add(self, cells: Cells, errors: np.ndarray, changes: np.ndarray) -> None:
        self.errors.append(errors)
        self.changes.append(changes)
        self.totals.append(cells.by_kind(changes))
        self.kept = len(self.errors) - 1

    def have_grown(self) -> bool:
        """Return whether a change has grown, that of classes or of numbers, and none has fallen."""
        if len(self.totals) < 2:
            return False
        growth = self.totals[-1] - self.totals[-2]
        return bool((growth >= 0).all() and (growth > 0).any())

    def report(self, max_iter: int, seconds: float) -> None:
        known = self.errors[-1][~np.isnan(self.errors[-1])]
        error = f"{known.mean():.4g}" if len(known) else "unknown"
        print(
            f"silvics: round {len(self.errors)} of at most {max_iter}, mean out-of-bag error "
            f"{error}, change {self.totals[-1].max():.4g}, {seconds:.1f} s",
            file=sys.stderr,
        )
