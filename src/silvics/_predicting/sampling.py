"""How the trees of a forest draw their rows, as a function of the seed of each tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silvics import _core

# Tolerance between the number of rows that a tree has and the number that it should have drawn:
# honest trees and balanced classes change the weights of rows.
_FACTOR, _MORE = 16.0, 100.0


@dataclass(frozen=True, eq=False)
class RowSampling:
    """Which rows each tree of a forest draws.

    Attributes
    ----------
    rows : {"all", "bootstrap", "subsample", "patches"}
        How they are drawn.
    n_samples : int
        The number of training rows.
    n_drawn : int or None
        The number of rows, or of groups, that a tree draws; None if it takes all.
    weights : ndarray of shape (n_samples,), or None
        Weights of the rows, including class weights. With "bootstrap" and without groups, rows are
        drawn with probabilities proportional to them.
    balanced : bool
        Whether each tree balances the weights of the classes in the rows that it has drawn.
    structure : float
        Fraction of a tree's rows that are structure samples; 0 if trees are not honest.
    n_held_out : int
        The number of rows that are held out for pruning.
    weights_given : bool
        Whether the user passed sample weights in addition to class weights.
    weights_known : bool
        False if the model was loaded from a file without the weights or the groups.
    groups : ndarray of shape (n_samples,), or None
        The number of the group of each row, if groups are drawn as a whole.
    n_groups : int
        The number of groups; 0 if rows are drawn one by one.
    replacement : bool
        Whether the rows of patches are drawn with replacement.
    strata : ndarray of shape (n_samples,), or None
        The number of the stratum of each row, if patches have the share of each stratum or rows
        are drawn by class.
    n_strata : int
        The number of strata; 0 if there are none.
    class_draws : tuple of int
        The number of rows drawn of each stratum; empty if patches have their shares.
    """

    rows: str
    n_samples: int
    n_drawn: int | None = None
    weights: np.ndarray | None = None
    balanced: bool = False
    structure: float = 0.0
    n_held_out: int = 0
    weights_given: bool = False
    weights_known: bool = True
    groups: np.ndarray | None = None
    n_groups: int = 0
    replacement: bool = False
    strata: np.ndarray | None = None
    n_strata: int = 0
    class_draws: tuple[int, ...] = ()

    @property
    def draws_known(self) -> bool:
        """Whether the rows of each tree are known: those of patches do not depend on weights."""
        if self.rows != "patches":
            return self.weights_known
        return not (self.n_groups and self.groups is None) and not (
            self.n_strata and self.strata is None
        )

    @property
    def n_rows_drawn(self) -> int:
        """The number of rows that a tree draws, or the number to expect if it draws groups."""
        if self.n_drawn is None:
            return self.n_samples
        if not self.n_groups:
            return self.n_drawn
        return max(round(self.n_drawn * self.n_samples / self.n_groups), 1)

    @property
    def leaves_rows_out(self) -> bool:
        """Whether trees leave rows out: whether rows can be out of bag."""
        if self.rows in ("all", "bootstrap"):
            return self.rows == "bootstrap"
        drawn = self.n_drawn or 0
        if self.replacement:
            return True
        if self.n_groups and self.rows == "patches":
            return drawn < self.n_groups
        if self.n_groups:
            return drawn < self._n_groups_with_weight
        if self.rows == "subsample" and self.weights is not None:  # draws none of weight zero
            drawn = min(drawn, int(np.count_nonzero(self.weights)))
        return drawn < self.n_samples - self.n_held_out

    @property
    def _n_groups_with_weight(self) -> int:
        if self.groups is None or self.weights is None:
            return self.n_groups
        return len(np.unique(self.groups[self.weights > 0]))

    def held_out(self, seed: int) -> np.ndarray:
        """Return the indices of the held-out rows, in ascending order, for the seed of a forest."""
        if self.n_held_out == 0:
            return np.array([], dtype=np.int64)
        return held_out_rows(seed, self.n_samples, self.n_held_out)

    def native(self, seed: int) -> _core.Sampling:
        """Return the sampling in the form of the core; ``seed`` is that of the forest."""
        return _core.Sampling(
            self.n_samples,
            self.rows == "bootstrap" or self.replacement,
            self.n_drawn or 0,
            self.balanced,
            self.weights,
            self.rows == "subsample" or (self.rows == "patches" and not self.replacement),
            self.structure,
            self.held_out(seed).tolist() if self.n_held_out else None,
            self.rows == "patches",
            self.groups,
            self.strata,
            self._stratum_draws,
        )

    @property
    def _stratum_draws(self) -> list[int]:
        if self.strata is None or self.class_draws:
            return list(self.class_draws) if self.strata is not None else []
        return rows_of_strata(np.bincount(self.strata, minlength=self.n_strata), self.n_drawn or 0)

    def check_against(self, tree: _core.Tree) -> None:
        """Raise ValueError if drawing rows would take far more memory than a tree has rows.

        The numbers may come from a damaged file, which must not cause a large allocation.
        """
        if self.n_groups:
            return  # at most as many groups are drawn as there are, and their rows are in the file
        if self.balanced and tree.n_outputs > 1:
            return  # products of class weights have no bound
        if self.weights is not None and self.rows != "bootstrap":
            return  # the weights already have the size of the rows
        root = max(float(tree.n_node_samples()[0]), float(tree.weighted_n_node_samples()[0]))
        drawn = self.n_samples if self.rows == "all" else self.n_drawn
        if drawn is None or drawn * (1.0 - self.structure) > _FACTOR * root + _MORE:
            raise ValueError(
                f"The model comes from a damaged file: each tree should have drawn {drawn} rows, "
                f"but the first tree has {np.format_float_positional(root, trim='-')}."
            )


def rows_of_strata(sizes: np.ndarray, n_drawn: int) -> list[int]:
    """Return the number of rows that a patch draws from each stratum.

    A stratum has its share, rounded down or up, and at least one row.
    """
    n_strata, n_rows = len(sizes), int(sizes.sum())
    if n_drawn < n_strata:
        raise ValueError(
            f"A patch of {n_drawn} rows cannot have a row of each of {n_strata} classes: raise "
            'max_samples, or set draw="uniform".'
        )
    whole = [int(size) * n_drawn // n_rows for size in sizes]
    # Remainders as whole numbers, so that they are equal on all platforms.
    rest = [int(size) * n_drawn % n_rows for size in sizes]
    drawn = [max(of, 1) for of in whole]
    more = n_drawn - sum(drawn)
    for s in sorted(range(n_strata), key=lambda s: (-rest[s], s)):
        if more > 0 and whole[s] >= 1 and rest[s]:
            drawn[s] += 1
            more -= 1
    while more != 0:  # few rows and many strata: the largest ones give what the others need
        step = 1 if more > 0 else -1
        s = max(
            (s for s in range(n_strata) if step < 0 or drawn[s] < sizes[s]), key=drawn.__getitem__
        )
        drawn[s] += step
        more -= step
    return drawn


def held_out_rows(seed: int, n_samples: int, n_held: int) -> np.ndarray:
    """Return the indices of the held-out rows, in ascending order, for the seed of a forest."""
    drawn = np.random.default_rng([seed, 0x9E37]).choice(n_samples, n_held, replace=False)
    return np.sort(drawn)


def require_rows_left_out(sampling: RowSampling, what: str) -> None:
    """Raise ValueError, in the name of a method, if every tree uses all rows."""
    if not sampling.leaves_rows_out:
        remedy = (
            "bootstrap=True (ForestClassifier and ForestRegressor: with "
            'rows="bootstrap", or with rows="subsample" and max_samples below 1.0)'
        )
        if sampling.rows == "patches":
            remedy = "max_samples below 1.0"
            if not sampling.n_groups:
                remedy += (
                    ' (RandomPatchesClassifier and RandomPatchesRegressor: or draw="bootstrap")'
                )
        raise ValueError(
            f"{what} needs out-of-bag rows, but every tree of this forest was grown on all rows. "
            f"Fit it with {remedy}."
        )


def unknown_draws(what: str) -> str:
    """Return the error text for a method that needs draws of rows which are not known."""
    return (
        f"{what} needs the rows that each tree has drawn. They are never known for a forest that "
        "was merged or converted from another library. A forest that was loaded from a file "
        "without training_rows=True, or fitted to a scan with groups or classes, knows them after "
        "attach_samples(X, y) with the rows of fit."
    )
