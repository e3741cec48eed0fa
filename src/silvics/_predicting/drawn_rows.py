"""Whether the numbers of rows that a forest says it has drawn are those of its trees."""

from __future__ import annotations

from typing import Any

import numpy as np

# How far the two may be apart: honest leaves and balanced classes change the weights of rows.
_FACTOR, _MORE = 16.0, 100.0


def check_drawn(forest: Any) -> None:
    """Raise ValueError where drawing would take far more memory than the trees had rows.

    The numbers may come from a file that was damaged, and its few bytes can ask for any memory.
    """
    if forest._balanced_subsample and forest.n_outputs_ > 1:
        return  # products of class weights are of any size
    if forest._sample_weight is not None and forest._rows != "bootstrap":
        return  # the weights are as many as the rows
    tree = forest._trees[0]
    root = max(float(tree.n_node_samples()[0]), float(tree.weighted_n_node_samples()[0]))
    drawn = forest._n_samples if forest._rows == "all" else forest._n_samples_bootstrap
    if drawn is None or drawn * (1.0 - forest._structure) > _FACTOR * root + _MORE:
        raise ValueError(
            f"The model says that each tree has drawn {drawn} rows, and its first tree has "
            f"{np.format_float_positional(root, trim='-')}: it comes from a damaged file."
        )
