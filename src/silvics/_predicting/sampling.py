"""How the trees of a forest draw their rows: a function of the seed of each tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silvics import _core

# How far the rows of a tree may be from those that it is to have drawn: honest leaves and
# balanced classes change the weights of rows.
_FACTOR, _MORE = 16.0, 100.0


@dataclass(frozen=True, eq=False)
class RowSampling:
    """Which rows each tree of a forest draws.

    Attributes
    ----------
    rows : {"all", "bootstrap", "subsample"}
        How they are drawn.
    n_samples : int
        The number of training rows.
    n_drawn : int or None
        The number of rows that a tree draws; None where it takes all.
    weights : ndarray of shape (n_samples,), or None
        Weights of the rows, class weights included: with "bootstrap" the odds of being drawn.
    balanced : bool
        Whether each tree balances the classes of the rows that it has drawn.
    structure : float
        The share of a tree's rows that find its splits, of honest trees; 0: all do both.
    n_held_out : int
        The number of rows that are held out to prune on.
    weights_given : bool
        Whether the user gave weights besides class weights.
    weights_known : bool
        False for a model from a file that does not have the weights.
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

    def held_out(self, seed: int) -> np.ndarray:
        """The rows, in order, that a forest of this seed prunes its trees on."""
        if self.n_held_out == 0:
            return np.array([], dtype=np.int64)
        return held_out_rows(seed, self.n_samples, self.n_held_out)

    def native(self, seed: int) -> _core.Sampling:
        """The same for the core; ``seed`` is that of the forest."""
        return _core.Sampling(
            self.n_samples,
            self.rows == "bootstrap",
            self.n_drawn or 0,
            self.balanced,
            self.weights,
            self.rows == "subsample",
            self.structure,
            self.held_out(seed).tolist() if self.n_held_out else None,
        )

    def check_against(self, tree: _core.Tree) -> None:
        """Raise ValueError where drawing would take far more memory than a tree had rows.

        The numbers may come from a file that was damaged, and its few bytes can ask for any memory.
        """
        if self.balanced and tree.n_outputs > 1:
            return  # products of class weights are of any size
        if self.weights is not None and self.rows != "bootstrap":
            return  # the weights are as many as the rows
        root = max(float(tree.n_node_samples()[0]), float(tree.weighted_n_node_samples()[0]))
        drawn = self.n_samples if self.rows == "all" else self.n_drawn
        if drawn is None or drawn * (1.0 - self.structure) > _FACTOR * root + _MORE:
            raise ValueError(
                f"The model says that each tree has drawn {drawn} rows, and its first tree has "
                f"{np.format_float_positional(root, trim='-')}: it comes from a damaged file."
            )


def held_out_rows(seed: int, n_samples: int, n_held: int) -> np.ndarray:
    """The rows, in order, that a forest of this seed prunes its trees on."""
    drawn = np.random.default_rng([seed, 0x9E37]).choice(n_samples, n_held, replace=False)
    return np.sort(drawn)
