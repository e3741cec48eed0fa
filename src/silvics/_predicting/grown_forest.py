"""A forest once it is grown: an object that estimators have."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from silvics import _core
from silvics._predicting.prediction import Trees
from silvics._predicting.sampling import RowSampling
from silvics._predicting.training_samples import TrainingSamples, missing_samples

# What growing a tree has taken: samples visited, values read, values sorted, cuts scored.
Work = tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class GrownForest:
    """Trees, and how they were grown.

    Attributes
    ----------
    trees : Trees
        The trees, and what predicts with them.
    seed : int or None
        The seed of the forest; None for a forest that was not grown here, or merged.
    sampling : RowSampling or None
        How the trees drew their rows; None where there is no seed.
    work : list of Work
        What growing each tree has taken.
    samples : TrainingSamples or None
        The training rows by leaf, where they were kept or attached.
    """

    trees: Trees
    seed: int | None = None
    sampling: RowSampling | None = None
    work: list[Work] = field(default_factory=list)
    samples: TrainingSamples | None = None

    @property
    def knows_draws(self) -> bool:
        """Whether it is known which rows each tree has drawn."""
        return self.sampling is not None and self.sampling.weights_known

    def tree_seeds(self, first: int = 0, count: int | None = None) -> list[int]:
        """Seeds of some trees; of all from the first one on, unless there is a count."""
        assert self.seed is not None
        n = len(self.trees) - first if count is None else count
        return _core.tree_seeds(self.seed, first, n)

    def native_sampling(self) -> _core.Sampling:
        """How the trees drew their rows, for the core."""
        assert self.seed is not None
        assert self.sampling is not None
        return self.sampling.native(self.seed)

    def rows_drawn(self) -> list[np.ndarray]:
        """Rows that each tree has drawn, with repetitions."""
        if self.sampling is None:
            raise AttributeError(
                "The rows drawn are not known of a forest from elsewhere, or merged."
            )
        if not self.sampling.weights_known:
            raise AttributeError(
                "The weights by which rows were drawn are not in the file that this model is from: "
                "save it with training_rows=True."
            )
        self.sampling.check_against(self.trees[0])
        n_samples = self.sampling.n_samples
        dtype = np.int32 if n_samples <= np.iinfo(np.int32).max else np.int64
        if self.sampling.rows == "all":
            return [np.arange(n_samples, dtype=dtype) for _ in self.trees]
        native = self.native_sampling()
        return [native.rows(seed).astype(dtype) for seed in self.tree_seeds()]

    def feature_importances(self) -> np.ndarray:
        """Mean over the trees of each variable's decrease of impurity, summing to one."""
        importances = [t.impurity_decrease(True) for t in self.trees if t.node_count > 1]
        if not importances:
            return np.zeros(self.trees[0].n_features)
        mean = np.mean(importances, axis=0)
        whole = mean.sum()
        return mean / whole if whole > 0 else mean

    def total_work(self) -> dict[str, float]:
        """What growing the trees has taken, and what shape they have (thesis ch. 5)."""
        if self.seed is None:
            raise AttributeError(
                "What growing took is not known of a forest from elsewhere, or merged."
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
        """The training rows by leaf, for a method of this name; ValueError if there are none."""
        if self.samples is None:
            raise ValueError(missing_samples(what))
        return self.samples

    def require_one_leaf_each(self, what: str) -> None:
        """Refuse what needs the leaf of a sample where a sample may be in several."""
        if self.trees.packed.both_children:
            raise ValueError(
                f'{what} asks for the leaf of a sample, and with missing="both" a sample is in '
                'several: use missing="learned".'
            )
