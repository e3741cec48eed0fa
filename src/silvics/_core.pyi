"""The native core of silvics: grows, predicts, counts."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray

class Matrix:
    """X: blocks of columns side by side, or sparse."""

    def __init__(self, blocks: list, n_levels: Sequence[int] = []) -> None: ...
    @staticmethod
    def sparse(
        starts: object, places: object, values: object, shape: tuple[int, int], by_columns: bool
    ) -> Matrix:
        """
        Compressed by columns or by rows; vectors are given as columns, of shape (n, 1).
        """

    @property
    def shape(self) -> tuple[int, int]: ...

class Tree:
    """A grown tree, immutable."""

    @property
    def n_features(self) -> int: ...
    @property
    def n_outputs(self) -> int: ...
    @property
    def n_classes(self) -> list[int]:
        """Classes of each output; empty for regression."""

    @property
    def value_width(self) -> int: ...
    @property
    def max_depth(self) -> int: ...
    @property
    def node_count(self) -> int: ...
    @property
    def n_leaves(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...
    def children_left(self) -> NDArray[numpy.int64]: ...
    def children_right(self) -> NDArray[numpy.int64]: ...
    def feature(self) -> NDArray[numpy.int64]: ...
    def threshold(self) -> NDArray[numpy.float64]: ...
    def n_node_samples(self) -> NDArray[numpy.int64]: ...
    def weighted_n_node_samples(self) -> NDArray[numpy.float64]: ...
    def impurity(self) -> NDArray[numpy.float64]: ...
    def missing_go_to_left(self) -> NDArray[numpy.uint8]: ...
    def left_levels(self, node: int, n_levels: int) -> NDArray[numpy.int64]:
        """Which of so many levels go left at a category node."""

    def values(self) -> NDArray[numpy.float64]:
        """What every node predicts: class shares of all outputs, or means."""

    def depths(self) -> NDArray[numpy.int64]: ...
    def impurity_decrease(self, normalize: bool) -> NDArray[numpy.float64]: ...
    def pruning_path(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]: ...
    def expanded(self) -> Tree:
        """The same tree, everything told of every node."""

    def stored_arrays(self) -> dict:
        """Everything the tree holds, by name."""

    def __getstate__(self) -> dict: ...
    def __setstate__(self, arg: dict, /) -> None: ...
    @staticmethod
    def from_stored_arrays(arrays: dict) -> Tree:
        """The tree of stored_arrays(); ValueError if they are not a valid tree."""

class Growth(enum.Enum):
    """Which open node is split next."""

    depth_first = 0

    best_first = 1

    breadth_first = 2

class Search(enum.Enum):
    """How the best cut on a variable is found."""

    auto = 0

    sort = 1

    bins = 2

class Table:
    """X as it is searched: small integer codes, or its values."""

    @property
    def n_rows(self) -> int: ...
    @property
    def n_features(self) -> int: ...

def code_table(X: Matrix, max_bins: int, equal_width: bool, n_jobs: int) -> Table: ...
def table_of_values(X: Matrix, n_jobs: int) -> Table: ...

class Target:
    """The output variables, as the core sums them."""

    @staticmethod
    def of_classes(
        y: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_rows: int,
        n_classes: Sequence[int],
    ) -> Target: ...
    @staticmethod
    def of_values(
        y: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_rows: int,
        n_outputs: int,
        criterion: str,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
    ) -> Target: ...

class Sampling:
    """How the rows of a tree are drawn."""

    def __init__(
        self,
        n_rows: int,
        bootstrap: bool,
        n_draws: int,
        balanced_subsample: bool,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
    ) -> None: ...
    def rows(self, seed: int) -> NDArray[numpy.int64]:
        """The rows that the tree of this seed draws, in the order drawn."""

class GrowthRules:
    """Everything that decides the shape of a tree."""

    def __init__(self) -> None: ...
    @property
    def growth(self) -> Growth: ...
    @growth.setter
    def growth(self, arg: Growth, /) -> None: ...
    @property
    def ccp_alpha(self) -> float: ...
    @ccp_alpha.setter
    def ccp_alpha(self, arg: float, /) -> None: ...
    @property
    def min_weight_fraction_leaf(self) -> float: ...
    @min_weight_fraction_leaf.setter
    def min_weight_fraction_leaf(self, arg: float, /) -> None: ...
    @property
    def max_features(self) -> int: ...
    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...
    @property
    def constants_count(self) -> bool: ...
    @constants_count.setter
    def constants_count(self, arg: bool, /) -> None: ...
    @property
    def adjust_levels(self) -> bool: ...
    @adjust_levels.setter
    def adjust_levels(self, arg: bool, /) -> None: ...
    @property
    def random_cut(self) -> bool: ...
    @random_cut.setter
    def random_cut(self, arg: bool, /) -> None: ...
    @property
    def search(self) -> Search: ...
    @search.setter
    def search(self, arg: Search, /) -> None: ...
    @property
    def split_sample(self) -> int: ...
    @split_sample.setter
    def split_sample(self, arg: int, /) -> None: ...
    @property
    def shared_from(self) -> int: ...
    @shared_from.setter
    def shared_from(self, arg: int, /) -> None: ...
    @property
    def min_samples_leaf(self) -> int: ...
    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: int, /) -> None: ...
    @property
    def monotonic(self) -> list[int]: ...
    @monotonic.setter
    def monotonic(self, arg: Sequence[int], /) -> None: ...
    @property
    def max_depth(self) -> int: ...
    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...
    @property
    def min_samples_split(self) -> int: ...
    @min_samples_split.setter
    def min_samples_split(self, arg: int, /) -> None: ...
    @property
    def min_impurity_decrease(self) -> float: ...
    @min_impurity_decrease.setter
    def min_impurity_decrease(self, arg: float, /) -> None: ...
    @property
    def max_leaf_nodes(self) -> int: ...
    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

def tree_seeds(forest_seed: int, first: int, count: int) -> list[int]:
    """Seeds of a forest's trees first .. first + count - 1, all different."""

def grow(
    table: Table,
    target: Target,
    sampling: Sampling,
    criterion: str,
    rules: GrowthRules,
    seeds: Sequence[int],
    n_jobs: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[list[Tree], BaseException | None]:
    """
    Trees of the seeds, and the exception that cut the growing short, if any: then the trees are the first so many.
    """

class Walker:
    """Trees made ready to be walked by samples."""

    def __init__(self, trees: Sequence[Tree], as_float32: bool) -> None: ...
    @property
    def n_trees(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_steps(self) -> int:
        """Steps that a sample takes at most."""

    def predict(self, X: Matrix, n_jobs: int) -> NDArray[numpy.float64]:
        """Mean prediction of the trees: rows x value width."""

    def apply(self, X: Matrix, n_jobs: int) -> NDArray[numpy.int64]:
        """Leaf of every sample in every tree: rows x trees."""

    def decision_paths(
        self, X: Matrix, n_jobs: int
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """Row starts and columns of the sparse matrix of visited nodes."""

    def out_of_bag(
        self, X: Matrix, seeds: Sequence[int], sampling: Sampling, n_jobs: int
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64]]:
        """
        Sums of out-of-bag predictions, and how many trees gave one, for every row.
        """

class RowWalker:
    """Trees walked by one row at a time."""

    def __init__(
        self, walker: Walker, names: object | None, levels: list, missing: bool
    ) -> None: ...
    def values(self, row: object | None) -> object:
        """What the trees predict; None if the row is not plain."""

    def likeliest(self, row: object | None) -> int:
        """Number of the largest value, the first of equals; -1 if not plain."""

    def number(self, row: object | None) -> object:
        """The first value; None if the row is not plain."""
