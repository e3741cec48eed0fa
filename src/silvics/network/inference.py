"""GENIE3: a network from one forest for each variable (thesis 7.3.3, Huynh-Thu et al. 2010)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from silvics._estimators.base_forest import BaseForestRegressor
from silvics._fitting import parameters
from silvics._fitting.progress import PrintedProgress
from silvics._names import one_of
from silvics._tables.parts import part_of
from silvics._tables.table import Blocks, Variables
from silvics._tasks import running
from silvics._tasks.connecting import check_engine, connected
from silvics._tasks.growing import plain_settings
from silvics._tasks.running import Cluster
from silvics._threads import n_threads
from silvics._warnings import warn_user
from silvics.forests import ExtraTreesRegressor, RandomForestRegressor
from silvics.network.expression import open_expression
from silvics.network.forests import TargetForests
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
    engine: str | None = None,
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
    engine : str or None, default=None
        Where the forests are grown: None in this process, the address of a Dask scheduler, such as
        "tcp://10.0.0.1:8786", or "dask" for the current Dask client on the workers of that cluster,
        to which the table is sent once. The result does not depend on it.

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
        engine=engine,
    )
    forest._validate_params()
    check_engine(engine)
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
    error = found.compute() if engine is None else found.compute_on(engine)
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
        forests = TargetForests(self._forest, self._targets, self._variables, self._X)
        n_jobs = n_threads(self._forest.n_jobs)
        for some in forests.parts(np.arange(len(self.finished))):
            report = self._report if self._listeners else None
            values, done, error = forests.importances(some, n_jobs, report)
            self._put(some, values, done)
            if error is not None:
                return error
        return None

    def compute_on(self, engine: str) -> BaseException | None:
        """Compute the importances on a cluster."""
        job = TargetForests(
            plain_settings(self._forest), self._targets, self._variables, self._X,
            seed=parameters.seed_of(self._forest.random_state),
        )  # fmt: skip

        def receive(content: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[int]:
            del content
            some, values = arrays["targets"], arrays["values"]
            self._put(some, values, np.ones(len(some), dtype=bool))
            self._report(0, 0)
            return some.tolist()

        with connected(engine) as client:
            every = list(range(len(self.finished)))
            return running.run(Cluster(client), job, every, receive, n_rounds=8, what="targets")

    def _put(self, some: np.ndarray, values: np.ndarray, done: np.ndarray) -> None:
        self.values[some[done]] = values[done]
        self.finished[some[done]] = True

    def _report(self, done: int, _total: int) -> None:
        for listener in self._listeners:
            listener(int(self.finished.sum()) + done, len(self.finished))
