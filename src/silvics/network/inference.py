"""GENIE3: a network from one forest for each variable (thesis 7.3.3, Huynh-Thu et al. 2010)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from silvics import _core
from silvics._estimators.base_forest import BaseForestRegressor
from silvics._fitting import parameters
from silvics._fitting.progress import PrintedProgress
from silvics._fitting.targets import EncodedOutputs
from silvics._names import one_of
from silvics._predicting.sampling import RowSampling
from silvics._tables import inputs
from silvics._tables.parts import part_of
from silvics._tables.table import Blocks, Variables
from silvics._threads import n_threads
from silvics._warnings import warn_user
from silvics.forests import ExtraTreesRegressor, RandomForestRegressor
from silvics.network.expression import open_expression
from silvics.network.result import Network
from silvics.network.targets import Targets, targets_of

_FORESTS: dict[str, type[RandomForestRegressor] | type[ExtraTreesRegressor]] = {
    "random_forest": RandomForestRegressor,
    "extra_trees": ExtraTreesRegressor,
}
_MOST_NUMBERS = 1 << 22  # values of targets, and importances, in memory at a time: 32 MiB each


def genie3(
    expression: Any,
    regulators: Any = None,
    targets: Any = None,
    recipe: str = "random_forest",
    *,
    n_estimators: int = 1000,
    max_features: Any = "sqrt",
    max_depth: int | None = None,
    min_samples_split: float = 2,
    min_samples_leaf: float = 1,
    feature_names: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> Network:
    """Infer a network: the importance of each regulator for each target.

    Each target is predicted from the regulators, other than itself, by a forest of its own. The
    importance of a regulator is its mean decrease of impurity, divided by the variance of the
    target, so that the edges of all targets can be ranked together.

    The table is coded once for all forests, and no forest is kept. With
    ``recipe="random_forest"``, the importances of a target are those of ``RandomForestRegressor``
    with the same parameters, fitted on the other regulators.

    Parameters
    ----------
    expression : table of shape (n_samples, n_variables)
        The samples: a data frame, an array, a sparse matrix, an AnnData object, or what
        ``silvics.scan`` returns, of which only the regulators and the targets are read. Targets
        must be numbers without missing values. Regulators may be of any type.
    regulators : list of str or int, or None, default=None
        Names or numbers of the columns that may have an influence, such as transcription factors.
        None means all columns.
    targets : list of str or int, or None, default=None
        Names or numbers of the columns that are predicted. None means all columns.
    recipe : {"random_forest", "extra_trees"}, default="random_forest"
        The algorithm that grows the forests.
    n_estimators : int, default=1000
        Number of trees for each target.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Number of regulators that each node draws; None means all of them. A larger number hides
        indirect influences behind direct ones.
    max_depth : int or None, default=None
        Largest depth of the trees.
    min_samples_split : int or float, default=2
        Smallest number, or fraction, of samples of a node that is split.
    min_samples_leaf : int or float, default=1
        Smallest number, or fraction, of samples of a leaf.
    feature_names : array-like of str or None, default=None
        Names of the columns if the table is an array or a sparse matrix, or a scan of an array.
    random_state : int, RandomState or None, default=None
        Seed of the forests.
    n_jobs : int or None, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        Whether to print progress: 1 prints every tenth of the targets, 2 all of them.
    progress : callable or None, default=None
        Called as ``progress(done, total)`` with numbers of targets. Ctrl-C ends the work; the
        network of the targets that are finished is returned, with a warning.

    Returns
    -------
    network : Network
        The importances, with the methods ``edges()``, ``to_frame()``, ``plot()`` and
        ``accuracy()``.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics.network import genie3
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(80, 4))
    >>> X[:, 3] = X[:, 0] + 0.1 * random.normal(size=80)
    >>> names = ["a", "b", "c", "d"]
    >>> network = genie3(X, feature_names=names, n_estimators=50, random_state=0)
    >>> network.edges(top=2)[["regulator", "target"]].values.tolist()
    [['d', 'a'], ['a', 'd']]
    """
    forest = _FORESTS[one_of("recipe", recipe, _FORESTS)](
        n_estimators,
        max_features=max_features,
        max_depth=max_depth,
        min_samples_split=min_samples_split,
        min_samples_leaf=min_samples_leaf,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
        progress=progress,
    )
    forest._validate_params()
    opened = open_expression(expression, feature_names, regulators, targets)
    variables, X, names = opened.variables, opened.X, opened.names
    of_regulators, of_targets = opened.regulators, opened.targets
    if X.sparse is not None:
        X = Blocks([], [], X.shape, X.sparse.tocsc())  # columns are read one by one
    place = {column: k for k, column in enumerate(of_regulators.tolist())}
    own = np.array([place.get(column, -1) for column in of_targets.tolist()])
    if len(of_regulators) == 1 and (own == 0).any():
        raise ValueError(
            f"The target {names[of_regulators[0]]!r} is the only regulator, so there is nothing to "
            "predict it from. Name more regulators, or other targets."
        )
    found = _Importances(
        forest, targets_of(X, variables, of_targets, own), variables, part_of(X, of_regulators)
    )
    error = found.compute()
    if error is not None:
        if not isinstance(error, KeyboardInterrupt) or not found.finished.any():
            raise error
        warn_user(
            f"Interrupted: the network has {int(found.finished.sum()):,} of {len(of_targets):,} "
            "targets."
        )
    return Network(
        regulators=names[of_regulators],
        targets=names[of_targets][found.finished],
        importances=found.values[found.finished].T,
        recipe=recipe,
        n_estimators=n_estimators,
        interrupted=error is not None,
        _own=own[found.finished],
        _library=opened.library,
    )


class _Importances:
    """The importances of all targets, computed for some targets at a time."""

    def __init__(
        self, forest: BaseForestRegressor, targets: Targets, variables: Variables, X: Blocks
    ) -> None:
        self._forest, self._targets, self._variables, self._X = forest, targets, variables, X
        n = len(targets.names)
        self.values = np.zeros((n, X.shape[1]))
        self.finished = np.zeros(n, dtype=bool)
        self._listeners: list[Callable[[int, int], object]] = []
        if forest.verbose:
            self._listeners.append(PrintedProgress(forest.verbose, "targets"))
        if forest.progress is not None:
            self._listeners.append(forest.progress)

    def compute(self) -> BaseException | None:
        """Compute the importances; return the exception that has ended the work, if any."""
        forest, n_rows = self._forest, self._X.shape[0]
        axes = forest._choices(n_rows)
        n_drawn = None if axes.rows == "all" else parameters.n_rows_drawn(axes, n_rows, None)
        seed = parameters.seed_of(forest.random_state)
        sampling = RowSampling(axes.rows, n_rows, n_drawn).native(seed)
        seeds = _core.tree_seeds(seed, 0, forest.n_estimators)
        criterion = parameters.core_criterion(axes)
        n_jobs = n_threads(forest.n_jobs)
        coded = None
        for some, n_candidates in self._parts():
            rules = parameters.growth_rules(
                forest, axes, (n_rows, n_candidates), self._variables, _ONE_OUTPUT
            )
            if coded is None:  # the rules of all parts need the same form
                matrix = inputs.to_grow(self._X)
                coded = parameters.coded_table(forest, matrix, rules, n_jobs)
            y, variances = self._targets.values(some)
            values, finished, error = _core.target_importances(
                coded, y.ravel(), self._targets.own[some].tolist(), sampling, criterion, rules,
                seeds, n_jobs, self._report if self._listeners else None,
            )  # fmt: skip
            done = finished.astype(bool)
            scale = np.divide(1.0, variances, out=np.zeros_like(variances), where=variances > 0)
            self.values[some[done]] = (values * scale[:, np.newaxis])[done]
            self.finished[some[done]] = True
            if error is not None:
                assert isinstance(error, BaseException)
                return error
        return None

    def _parts(self) -> Iterator[tuple[np.ndarray, int]]:
        """Yield targets, and the number of regulators that each of them has."""
        own, (n_rows, n_regulators) = self._targets.own, self._X.shape
        at_once = max(_MOST_NUMBERS // max(n_rows, n_regulators), 1)
        for is_regulator in (True, False):
            chosen = np.flatnonzero((own >= 0) == is_regulator)
            for first in range(0, len(chosen), at_once):
                yield chosen[first : first + at_once], n_regulators - is_regulator

    def _report(self, done: int, _total: int) -> None:
        for listener in self._listeners:
            listener(int(self.finished.sum()) + done, len(self.finished))


_ONE_OUTPUT = EncodedOutputs(np.zeros((1, 1)), None)
