"""Base class of the forests on random patches."""

from __future__ import annotations

import time
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from silvics._estimators.any_recipe import CONSTRAINTS, AnyRecipe
from silvics._estimators.base_forest import BaseForest
from silvics._fitting import growing as fitting
from silvics._fitting import parameters
from silvics._fitting.amounts import bytes_of
from silvics._fitting.axes import Axes, axes_of
from silvics._fitting.footprint import footprint_of
from silvics._fitting.growing import Growth
from silvics._fitting.learning_task import LearningTask
from silvics._fitting.stopping import TimeBudget
from silvics._fitting.targets import EncodedOutputs
from silvics._predicting.grown_forest import GrownForest, GrowthRun
from silvics._predicting.sampling import RowSampling, require_rows_left_out
from silvics._sklearn import fit_context, with_callbacks
from silvics._sources.named import with_names
from silvics._sources.scanning import Scan, is_mapped, is_read_in_pieces, scan
from silvics._state import fit_aside
from silvics._tables import inputs
from silvics._tables.table import Blocks, Variables
from silvics._tasks.choosing import check_tasks, grower_in_tasks, in_tasks
from silvics._threads import n_threads
from silvics.patches import ivotes, out_of_patch
from silvics.patches.growing import (
    PatchTask,
    grow,
    memory_of_patches,
    n_units_drawn,
    patch_task,
    shaped,
    with_fewer_rows,
)
from silvics.patches.in_tasks import choices_of
from silvics.patches.racing import raced
from silvics.patches.rows import RowsInMemory
from silvics.patches.scanned import ScannedRows, learned
from silvics.recipes import get

# Rows on which the out-of-patch score of a scan is estimated.
_OOB_ROWS = 10_000

PATCH_CONSTRAINTS: dict[str, list[Any]] = {
    **CONSTRAINTS,
    "max_memory": [str, Interval(Real, 0, None, closed="neither"), None],
    "oob_rows": [Interval(Integral, 1, None, closed="left"), None],
}
for _name in ("max_samples", "max_columns"):
    PATCH_CONSTRAINTS[_name] = [*CONSTRAINTS[_name], StrOptions({"auto"})]
_EARLY_STOPPING = ("early_stopping", "n_iter_no_change", "tol")
_FORESTS_ONLY = (
    "rows", "columns", "keep_samples", "interaction_cst", "stages", "tune", "scoring",
)  # fmt: skip
for _name in (*_FORESTS_ONLY, *_EARLY_STOPPING):
    del PATCH_CONSTRAINTS[_name]


class BasePatches(AnyRecipe, BaseForest):
    """Base class of the forests whose trees are grown on random patches."""

    # What the steps of fit read from forests of any recipe.
    rows: ClassVar[str | None] = None  # type: ignore[misc]
    columns: ClassVar[str | None] = None  # type: ignore[misc]
    stages: ClassVar[int | None] = None  # type: ignore[misc]
    keep_samples = False

    draw: str | None
    oob_rows: int | None
    max_samples_: int
    max_columns_: int
    n_passes_: int
    bytes_read_: int

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        feature_names: Any = None,
    ) -> Self:
        """Fit the forest to a training set, which may be larger than the memory.

        Ctrl-C or an exception of ``progress`` stops the fit. The trees that are finished by then
        are kept and can be used, ``interrupted_`` is set to True, and the exception is raised.

        Parameters
        ----------
        X : table, scan, or path
            The training samples: any table in memory that is not sparse, a :func:`silvics.scan`,
            or paths of files, a dataset of pyarrow or a lazy frame of polars, of which a scan is
            made.
        y : str, list of str, or array-like of shape (n_samples,) or (n_samples, n_outputs)
            The outputs, or the names of the columns of X that have them.
        sample_weight : str or array-like of shape (n_samples,), default=None
            Non-negative weights of the samples, or the name of the column of X that has them. The
            weights do not change which rows are drawn.
        groups : str or array-like of shape (n_samples,), default=None
            The group of each sample, such as a patient or a day, or the name of the column of X
            that has it. Patches have groups as a whole: ``max_samples`` is then the number or the
            fraction of groups. None draws single samples.
        feature_names : array-like of str, default=None
            Names of the columns if X is an array or a ``.npy`` file. ``y``, ``sample_weight`` and
            ``groups`` of a file may then be among them.

        Returns
        -------
        self : object
            The fitted forest.

        Examples
        --------
        >>> import pandas as pd
        >>> import silvics
        >>> table = pd.DataFrame({"size": [70.0, 90.0, 80.0, 60.0], "price": [1.0, 2.0, 2.0, 1.0]})
        >>> forest = silvics.RandomPatchesRegressor(n_estimators=5, random_state=0)
        >>> forest.fit(silvics.scan(table), y="price").n_features_in_
        1
        """
        if is_read_in_pieces(X) or (isinstance(y, str) and not isinstance(X, Scan)):
            X = scan(X)
        if feature_names is None and not self.oob_score and is_mapped(X):
            X = scan(X)  # whose pages are released after each batch
        named = (with_names if isinstance(X, Scan) else inputs.named)(X, feature_names)
        return fit_aside(self, lambda copy: copy._fit(named, y, sample_weight, groups))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    # ---- choices

    def _check_sampling(self) -> None:
        if self.recipe == "auto":
            raise ValueError(
                'recipe="auto" tunes a forest by its out-of-bag rows, but forests on patches are '
                'not tuned. Name a recipe, such as "extra_trees". max_samples="auto" and '
                'max_columns="auto" choose the shape of the patches.'
            )
        super()._check_sampling()

    def _choices(self, n_samples: int) -> Axes:
        axes = axes_of(self, n_samples)
        if axes.rotates:
            raise ValueError(
                f"recipe {self.recipe!r} rotates the columns of each tree, which random patches "
                "do not support. Use ForestClassifier or ForestRegressor."
            )
        if axes.stages > 1:
            raise ValueError(
                f"recipe {self.recipe!r} grows the second half of its trees on the residuals of "
                "the first, which random patches do not support. Use ForestRegressor."
            )
        if axes.pruning == "reduced_error":
            raise ValueError(
                'pruning="reduced_error" holds out rows for all trees, which random patches do '
                "not support. Use ccp_alpha."
            )
        # Shapes that a race decides have the usual values until then.
        sizes = {"max_samples": 0.25, "max_columns": 0.5}
        auto: dict[str, Any] = {
            name: value for name, value in sizes.items() if getattr(axes, name) == "auto"
        }
        axes = replace(axes, **auto)
        own = self._has_own_sizes
        max_samples = axes.max_samples if own or self.max_samples is not None else 0.25
        max_columns = axes.max_columns if own or self.max_columns is not None else 0.5
        max_features = axes.max_features
        if self.max_features is None and not isinstance(max_features, Integral):
            max_features = None  # all columns of the patch (thesis 8.1)
        return replace(
            axes, rows="patches", columns="subspace", max_samples=max_samples,
            max_columns=max_columns, max_features=max_features,
        )  # fmt: skip

    @property
    def _has_own_sizes(self) -> bool:
        """Whether the recipe brings its own sizes of patches."""
        recipe = get(self.recipe)
        return recipe.rows == "subsample" or recipe.columns == "subspace"

    @property
    def _draw(self) -> str:
        """How rows are drawn: by the parameter, or by the recipe."""
        if self.draw is not None:
            return self.draw
        recipe = get(self.recipe)
        with_replacement = recipe.rows == "bootstrap" and recipe.columns == "subspace"
        return "bootstrap" if with_replacement else "uniform"

    # ---- growth

    def _learning_task(self, *given: Any) -> LearningTask:
        """Return the task of a table in memory, whose patches are copied from it."""
        return self._raced(self._unshaped_task(*given))

    def _task_again(self, *given: Any) -> LearningTask:
        """Return the task of ``fit`` again, of the shape that it has decided."""
        task = self._unshaped_task(*given)
        axes = replace(task.axes, max_samples=self.max_samples_, max_columns=self.max_columns_)
        return shaped(task, axes)

    def _unshaped_task(self, *given: Any) -> PatchTask:
        task = super()._learning_task(*given)
        if task.X.sparse is not None:
            raise ValueError(
                "Random patches need a dense table, but X is sparse. Use ForestClassifier or "
                'ForestRegressor with rows="patches" and columns="subspace".'
            )
        outputs, sampling = task.outputs, task.sampling
        weights, n_classes = sampling.weights, None
        if outputs.classes is not None:
            n_classes = len(outputs.classes[0])
        sampling = self._with_draw(sampling, n_classes, outputs.n_outputs)
        if sampling.n_strata:
            sampling = replace(sampling, strata=outputs.values[:, 0].astype(np.uint32))
        rows = RowsInMemory(task.X, outputs.values, weights, sampling.groups, n_classes)
        task = replace(task, sampling=sampling)
        return patch_task(task, rows, weighted=weights is not None)

    def _with_draw(
        self, sampling: RowSampling, n_classes: int | None, n_outputs: int
    ) -> RowSampling:
        """Return the sampling of rows by the parameter ``draw``."""
        if self._draw in ("bootstrap", "stratified", "importance") and sampling.n_groups:
            raise ValueError(
                f"draw={self._draw!r} draws single rows, but groups are drawn as a whole. Set "
                'draw="uniform", or fit without groups.'
            )
        if self._draw == "bootstrap":
            return replace(sampling, replacement=True)
        if self._draw != "stratified":
            return sampling
        if n_outputs > 1:
            raise ValueError(
                'draw="stratified" draws rows by the classes of one output, and y has several '
                "outputs."
            )
        return replace(sampling, n_strata=n_classes or 0)

    def _raced(self, task: PatchTask) -> PatchTask:
        """Decide the shapes that are "auto", and keep the shape as attributes."""
        before = getattr(self, "_grown", None) if self.warm_start else None
        auto = {name: getattr(self, name) == "auto" for name in ("max_samples", "max_columns")}
        if any(auto.values()) and before is not None:
            axes = replace(task.axes, max_samples=self.max_samples_, max_columns=self.max_columns_)
            task = shaped(task, axes)
        elif any(auto.values()):
            task = raced(
                task, self._n_trees(), rows_auto=auto["max_samples"],
                columns_auto=auto["max_columns"], n_jobs=n_threads(self.n_jobs),
                budget=bytes_of(self.max_memory),
            )  # fmt: skip
        elif self.max_samples is None and not self._has_own_sizes and not task.sampling.n_groups:
            task = with_fewer_rows(task, self._n_trees(), bytes_of(self.max_memory))
        n_features = task.X.shape[1]
        self.max_samples_ = int(task.sampling.n_drawn or task.sampling.n_samples)
        self.max_columns_ = parameters.n_columns_drawn(task.axes, n_features) or n_features
        return task

    def _growth(
        self, task: LearningTask, seeds: list[int], before: GrownForest | None, begin: float
    ) -> Growth:
        assert isinstance(task, PatchTask)
        n_jobs = n_threads(self.n_jobs)
        rules = [] if self.max_time is None else [TimeBudget(self.max_time, begin)]
        by_importance = self._draw == "importance"
        if by_importance:
            self._check_importance(task)
        if in_tasks(self):
            return self._growth_in_tasks(task, seeds, before, begin, n_jobs)
        started, cpu = time.monotonic(), time.process_time()
        growth = (ivotes.grow if by_importance else grow)(
            task, seeds, n_jobs=n_jobs, budget=bytes_of(self.max_memory),
            progress=self._progress(n_jobs, rules), rules=rules,
        )  # fmt: skip
        growth.trees = self._finished(task, growth.trees)
        needs = footprint_of(self, task, memory_of_patches(task, seeds, n_jobs), n_jobs)
        growth.run = GrowthRun(
            started - begin, time.monotonic() - started, time.process_time() - cpu,
            needs.fixed, needs.per_tree, needs.per_node,
        )  # fmt: skip
        return growth

    def _growth_in_tasks(
        self,
        task: LearningTask,
        seeds: list[int],
        before: GrownForest | None,
        begin: float,
        n_jobs: int,
    ) -> Growth:
        """Grow trees on a cluster, whose workers read the rows, or keep them in a folder."""
        assert isinstance(task, PatchTask)
        first = 0 if before is None else len(before.trees)
        rules = [] if self.max_time is None else [TimeBudget(self.max_time, begin, first)]
        started, cpu = time.monotonic(), time.process_time()
        budget = bytes_of(self.max_memory)
        numbers = {seed: number for number, seed in enumerate(seeds, start=first)}
        with grower_in_tasks(self, choices_of(task, numbers, budget, n_jobs), n_jobs) as at:
            growth = fitting.grow(at[0], seeds, at[1], self._progress(at[1], rules), rules)
        growth.run = GrowthRun(
            started - begin, time.monotonic() - started, time.process_time() - cpu, 0, 0.0, 0.0
        )
        return growth

    def _check_tasks(self) -> None:
        check_tasks(self)  # max_memory is the memory of each worker

    def _check_importance(self, task: PatchTask) -> None:
        """Raise ValueError for what ``draw="importance"`` does not support."""
        for wrong, why in [
            (task.outputs.n_outputs > 1, "predicts one output, and y has several outputs"),
            (bool(self.oob_score), "has no out-of-patch score: set oob_score=False"),
            (in_tasks(self), "grows trees one after another: set engine=None and resume=None"),
            (self.warm_start, "cannot add trees to a forest: set warm_start=False"),
        ]:
            if wrong:
                raise ValueError(f'draw="importance" {why}.')

    def _grow(
        self, task: LearningTask, given: Any, before: GrownForest | None, n_more: int, begin: float
    ) -> BaseException | None:
        error = super()._grow(task, given, before, n_more, begin)
        if self._draw == "importance":  # the rows are not a function of the seed
            self._grown = replace(self._grown, seed=None, sampling=None)
        return error

    # ---- scans

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> bool:
        if isinstance(X, Scan):
            return self._fit_scan(X, y, sample_weight, groups)
        changed = super()._fit(X, y, sample_weight, groups)
        self.n_passes_, self.bytes_read_ = 0, 0
        return changed

    @with_callbacks
    def _fit_scan(self, X: Scan, y: Any, sample_weight: Any, groups: Any) -> bool:
        begin = time.monotonic()
        bytes_of(self.max_memory)
        self._check_sampling()
        self._check_tasks()
        before, seed, n_more = self._to_grow()
        if before is not None and n_more == 0:
            return False
        rows = learned(self, X, y, sample_weight, groups)
        if before is not None:
            _check_same(self._variables, getattr(self, "classes_", None), rows)
        self._keep_columns(rows)
        task = self._task_of(rows, seed)
        if self.oob_score:
            require_rows_left_out(task.sampling, f"oob_score={self.oob_score}")
        self._keep_outputs(task.outputs)
        self.interrupted_, self.stopped_ = False, None
        error = self._grow(task, X, before, n_more, begin)
        self._keep_weights(rows)
        if self.oob_score and error is None:
            score = self.oob_score if callable(self.oob_score) else None
            found = out_of_patch.score(
                self._grown, task, self.oob_rows or _OOB_ROWS, score, n_threads(self.n_jobs)
            )
            self.oob_score_, self._oob_stats = found.score, found.stats
        self.n_passes_, self.bytes_read_ = rows.reading.n_passes, rows.reading.n_bytes
        if error is not None:
            raise error
        return True

    def _keep_weights(self, rows: ScannedRows) -> None:
        """Keep the weights that the passes have read, if they are few."""
        sampling, weights = self._grown.sampling, rows.kept_weights.all()
        if sampling is not None and weights is not None:
            known = not (sampling.n_groups or sampling.n_strata)
            sampling = replace(sampling, weights=weights, weights_known=known)
            self._grown = replace(self._grown, sampling=sampling)

    def _keep_columns(self, rows: ScannedRows) -> None:
        """Set the attributes that describe the columns."""
        self._variables, self._frame_library = rows.variables, rows.scan.source.library
        self.n_features_in_ = len(rows.names)
        vars(self).pop("feature_names_in_", None)
        if rows.variables.names is not None:
            self.feature_names_in_ = rows.variables.names

    def _task_of(self, rows: ScannedRows, seed: int) -> PatchTask:
        """Return the task of growing trees on patches of a scan."""
        axes = self._choices(rows.n_rows)
        n_features = len(rows.names)
        n_groups = 0 if rows.group_sizes is None else len(rows.group_sizes)
        n_classes = None if rows.classes is None else len(rows.classes[0])
        sampling = RowSampling(
            rows="patches",
            n_samples=rows.n_rows,
            n_drawn=n_units_drawn(axes, rows.n_rows, n_groups),
            weights_given=rows.weighted and rows.class_weights is not None,
            weights_known=not rows.weighted and not n_groups,
            n_groups=n_groups,
        )
        sampling = self._with_draw(sampling, n_classes, rows.n_outputs)
        empty = Blocks([], rows.variables.n_levels, (rows.n_rows, n_features))
        outputs = EncodedOutputs(np.empty((0, rows.n_outputs)), rows.classes)
        task = LearningTask(self, axes, rows.variables, empty, outputs, seed, sampling)
        return self._raced(patch_task(task, rows, weighted=rows.weighted))


def _check_same(variables: Variables, classes: Any, rows: ScannedRows) -> None:
    """Raise ValueError unless more trees can be added to a forest that was fitted before."""
    same = variables.kinds == rows.variables.kinds and all(
        a is b or (a is not None and b is not None and np.array_equal(a, b))
        for a, b in zip(variables.levels, rows.variables.levels, strict=True)
    )
    if rows.classes is not None and classes is not None:
        known = [classes] if isinstance(classes, np.ndarray) else classes
        same = same and len(known) == len(rows.classes)
        same = same and all(map(np.array_equal, known, rows.classes))
    if not same:
        raise ValueError(
            "warm_start=True adds trees to the existing ones, so the scan must have the same "
            "columns, levels and classes as in the previous fit. Set warm_start=False to grow a "
            "new forest."
        )
