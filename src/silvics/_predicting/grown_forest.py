"""The grown forest, which estimators hold as an attribute."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from silvics import _core
from silvics._predicting.prediction import Trees
from silvics._predicting.sampling import RowSampling, require_rows_left_out, unknown_draws
from silvics._predicting.training_samples import TrainingSamples, missing_samples

# The work of growing a tree: samples visited, values read, values sorted, cuts scored.
Work = tuple[int, int, int, int]


@dataclass(frozen=True)
class GrowthRun:
    """What growing took. It is not saved.

    Attributes
    ----------
    prepare, grow : float
        Seconds from the start of ``fit`` until growth began, and of growth.
    grow_cpu : float
        Seconds of the processors during growth, of all threads.
    fixed_bytes : int
        Memory besides the trees: the coded table, outputs and working memory.
    bytes_per_tree, bytes_per_node : float
        Memory besides the trees for what is computed afterwards.
    """

    prepare: float
    grow: float
    grow_cpu: float
    fixed_bytes: int
    bytes_per_tree: float
    bytes_per_node: float


@dataclass(frozen=True, eq=False)
class GrownForest:
    """The trees of a forest, and how they were grown.

    Attributes
    ----------
    trees : Trees
        The trees.
    seed : int or None
        Seed of the forest; None if the forest was merged or converted from scikit-learn.
    sampling : RowSampling or None
        How the trees drew their rows; None if ``seed`` is None.
    work : list of Work
        Work of growing each tree.
    samples : TrainingSamples or None
        The training rows of every leaf, if they were kept or attached.
    run : GrowthRun or None
        What growing took in the last fit; None if the forest was loaded or converted.
    stages : int
        1 if each tree estimates the output. 2 if half of the trees, the first half unless forests
        were merged, estimate twice the output and the others twice what these leave; see
        ``silvics._fitting.stages``.
    """

    trees: Trees
    seed: int | None = None
    sampling: RowSampling | None = None
    work: list[Work] = field(default_factory=list)
    samples: TrainingSamples | None = None
    run: GrowthRun | None = None
    stages: int = 1

    @property
    def knows_draws(self) -> bool:
        """Whether the rows that each tree has drawn are known."""
        return self.sampling is not None and self.sampling.draws_known

    def tree_seeds(self, first: int = 0, count: int | None = None) -> list[int]:
        """Return the seeds of ``count`` trees from ``first`` on; of all remaining ones if None."""
        assert self.seed is not None
        n = len(self.trees) - first if count is None else count
        if self.stages == 1:
            return _core.tree_seeds(self.seed, first, n)
        of_stage = _core.tree_seeds(self.seed, 0, len(self.trees) // self.stages)
        return (of_stage * self.stages)[first : first + n]

    def native_sampling(self) -> _core.Sampling:
        """Return the sampling of rows in the form of the core."""
        assert self.seed is not None
        assert self.sampling is not None
        return self.sampling.native(self.seed)

    def rows_drawn(self) -> list[np.ndarray]:
        """Return the rows that each tree has drawn, with repetitions."""
        if self.sampling is None:
            raise AttributeError(
                "estimators_samples_ is not available for a forest that was merged, converted from "
                "scikit-learn or saved with for_prediction=True: the rows that its trees have "
                "drawn are not known."
            )
        if not self.sampling.draws_known:
            raise AttributeError(
                "estimators_samples_ is not available: the file of this model does not have the "
                "weights, groups or classes by which rows were drawn, or it was fitted to a scan. "
                "Save the model with training_rows=True, or call attach_samples."
            )
        self.sampling.check_against(self.trees[0])
        n_samples = self.sampling.n_samples
        dtype = np.int32 if n_samples <= np.iinfo(np.int32).max else np.int64
        if self.sampling.rows == "all":
            return [np.arange(n_samples, dtype=dtype) for _ in self.trees]
        native = self.native_sampling()
        return [native.rows(seed).astype(dtype) for seed in self.tree_seeds()]

    def in_bag_counts(self) -> np.ndarray:
        """Return how often each tree has drawn each row, rows by trees."""
        if not self.knows_draws or self.sampling is None:
            raise ValueError(unknown_draws("in_bag_counts"))
        counts = np.zeros((self.sampling.n_samples, len(self.trees)), dtype=np.int32)
        if self.sampling.rows == "all":
            counts[:] = 1
            if self.sampling.weights is not None:
                counts[self.sampling.weights == 0] = 0
            return counts
        counts[:] = self.draw_counts().T
        return counts

    def draw_counts(self, first: int = 0, size: int | None = None, threads: int = 1) -> np.ndarray:
        """Return how often each tree has drawn each row from ``first`` on, trees by rows."""
        assert self.sampling is not None
        self.sampling.check_against(self.trees[0])
        n = self.sampling.n_samples - first if size is None else size
        return self.native_sampling().counts(self.tree_seeds(), first, n, threads)

    def feature_importances(self) -> np.ndarray:
        """Return the mean decrease of impurity of each variable, normalized to a sum of one."""
        importances = [t.impurity_decrease(True) for t in self.trees if t.node_count > 1]
        if not importances:
            return np.zeros(self.trees[0].n_features)
        mean = np.mean(importances, axis=0)
        whole = mean.sum()
        return mean / whole if whole > 0 else mean

    def total_work(self) -> dict[str, float]:
        """Return the total work of growing, and the shape of the trees (thesis ch. 5)."""
        if self.seed is None:
            raise AttributeError(
                "work_ is not available for a forest that was merged, converted from scikit-learn "
                "or saved with for_prediction=True."
            )
        trees = self.trees
        samples, values, sorts, cuts = (sum(of) for of in zip(*self.work, strict=True))
        splits, ends = (sum(of) for of in zip(*(t.end_cuts(0.05) for t in trees), strict=True))
        leaf_depths = [t.depths()[t.feature() == -2].mean() for t in trees]
        return {
            "trees": len(trees),
            "nodes": sum(t.node_count for t in trees),
            "samples_visited": samples,
            "values_read": values,
            "values_sorted": sorts,
            "cuts_scored": cuts,
            "max_depth": max(t.max_depth for t in trees),
            "mean_leaf_depth": float(np.mean(leaf_depths)),
            "end_cut_share": ends / splits if splits else 0.0,
        }

    def require_samples(self, what: str) -> TrainingSamples:
        """Return the training rows of every leaf; ValueError, naming a method, if it has none."""
        if self.samples is None:
            raise ValueError(missing_samples(what, has_own=self.sampling is not None))
        return self.samples

    def require_out_of_bag(self, what: str) -> RowSampling:
        """Return how rows were drawn; ValueError, naming a method, if no row is out of bag."""
        if self.sampling is None or not self.knows_draws:
            raise ValueError(unknown_draws(what))
        require_rows_left_out(self.sampling, what)
        return self.sampling

    def require_whole_trees(self, what: str) -> None:
        """Raise ValueError, in the name of a method, if a tree alone does not estimate the output.

        Sums over all trees do, and out-of-bag predictions are such sums.
        """
        if self.stages > 1:
            raise ValueError(
                f"{what} needs trees that each estimate the output, but in a forest of two stages "
                "one half estimates the outputs and the other half their residuals. Fit a forest "
                "with stages=1."
            )

    def require_one_leaf_each(self, what: str) -> None:
        """Raise ValueError, in the name of a method, if a sample can be in several leaves."""
        if self.trees.packed.both_children:
            raise ValueError(
                f'{what} needs one leaf for each sample, but with missing="both" a sample can be '
                'in several leaves: use missing="learned".'
            )
