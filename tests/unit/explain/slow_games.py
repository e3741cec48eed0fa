"""Shapley values from their definition, over all subsets of variables, on plain nodes."""

from itertools import combinations
from math import factorial

import numpy as np

from silvics._tables import inputs
from silvics.interop.plain_model import plain_model


class SlowForest:
    """A forest as plain nodes, whose expectations are computed by recursion."""

    def __init__(self, forest):
        self.forest = forest
        self.model = plain_model(forest)
        self.values = dict(
            zip(np.flatnonzero(self.model.is_leaf), self.model.leaf_predictions(), strict=True)
        )
        self.cover = np.concatenate([t.weighted_n_node_samples() for t in forest._trees])

    def cells(self, X):
        """X as numbers, with NaN for missing values; -2 is a level that was not seen."""
        read = inputs.prediction_blocks(self.forest, X)
        cells = np.hstack([np.asarray(block, dtype=float) for block in read.blocks])
        if self.forest._trees.as_float32:
            cells = cells.astype(np.float32).astype(float)
        category = np.array([n >= 0 for n in read.n_levels or [-1] * cells.shape[1]])
        cells[:, category] = np.where(cells[:, category] == -1, np.nan, cells[:, category])
        return cells

    def children(self, t):
        split = self.model.splits.get(t)
        return split.children if split else [self.model.left[t], self.model.right[t]]

    def shares(self, t, x):
        """(child, share) of a row."""
        model, value = self.model, x[self.model.feature[t]]
        split = model.splits.get(t)
        if split is None:
            if np.isnan(value):
                if model.both_children:
                    return [(model.left[t], 0.5), (model.right[t], 0.5)]
                return [(model.left[t] if model.missing_left[t] else model.right[t], 1.0)]
            return [(model.left[t] if value <= model.threshold[t] else model.right[t], 1.0)]
        if np.isnan(value):
            if model.goes_to_both_children(split):
                return [(child, 0.5) for child in split.children]
            return [(split.children[split.missing], 1.0)]
        if split.levels is None:
            return [(split.children[int(np.searchsorted(split.thresholds, value))], 1.0)]
        if value == -2:
            return [(split.children[split.unknown], 1.0)]
        for k, levels in enumerate(split.levels):
            if value in levels:
                return [(split.children[k], 1.0)]
        return [(split.children[split.rest], 1.0)]

    def expectation(self, t, x, known):
        """The prediction of node t if only some variables are known."""
        if self.model.is_leaf[t]:
            return self.values[t]
        if self.model.feature[t] in known:
            parts = self.shares(t, x)
        else:
            children = self.children(t)
            total = sum(self.cover[c] for c in children)
            even = 1 / len(children)
            parts = [(c, self.cover[c] / total if total > 0 else even) for c in children]
        return sum(share * self.expectation(c, x, known) for c, share in parts)

    def game(self, x):
        """The value of each subset of variables, by bits."""
        p = self.model.n_features
        return np.array([
            sum(self.expectation(root, x, {j for j in range(p) if bits >> j & 1})
                for root in self.model.roots[:-1]) / self.model.n_trees
            for bits in range(2**p)
        ])  # fmt: skip

    def game_against(self, x, background):
        """The same if the other variables have the values of rows of the background."""
        p = self.model.n_features
        values = []
        for bits in range(2**p):
            known = np.array([bits >> j & 1 for j in range(p)], dtype=bool)
            rows = np.where(known, x, background)
            everything = set(range(p))
            values.append(np.mean([
                sum(self.expectation(root, row, everything) for root in self.model.roots[:-1])
                / self.model.n_trees for row in rows
            ], axis=0))  # fmt: skip
        return np.array(values)


def shapley(game, p):
    """Shapley values of a game, variables x outputs."""
    found = np.zeros((p, game.shape[1]))
    for j in range(p):
        for size in range(p):
            weight = factorial(size) * factorial(p - size - 1) / factorial(p)
            for others in combinations([k for k in range(p) if k != j], size):
                bits = sum(1 << k for k in others)
                found[j] += weight * (game[bits | 1 << j] - game[bits])
    return found


def interactions(game, p):
    """Shapley interaction values: half of the index of each pair, and the rest."""
    found = np.zeros((p, p, game.shape[1]))
    for i, j in combinations(range(p), 2):
        both = 1 << i | 1 << j
        for size in range(p - 1):
            weight = factorial(size) * factorial(p - size - 2) / factorial(p - 1)
            for others in combinations([k for k in range(p) if k not in (i, j)], size):
                bits = sum(1 << k for k in others)
                change = game[bits | both] - game[bits | 1 << i] - game[bits | 1 << j] + game[bits]
                found[i, j] += weight * change / 2
        found[j, i] = found[i, j]
    values = shapley(game, p)
    for i in range(p):
        found[i, i] = values[i] - found[i].sum(axis=0)
    return found
