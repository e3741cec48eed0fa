"""The native core of silvics: growth, prediction and importances."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray

class Growth(enum.Enum):
    """Which open node is split next."""

    depth_first = 0

    best_first = 1

    impurity_first = 2

    size_first = 3

    breadth_first = 4

    random = 5

class CutDraw(enum.Enum):
    """How a cut is drawn."""

    uniform = 0

    gap = 1

    pair = 2

    middle = 3

    relevance = 4

    cell_uniform = 5

    cell_middle = 6

class VariableDraw(enum.Enum):
    """How the variables of a node are drawn."""

    uniform = 0

    unused = 1

    poisson = 2

    weighted = 3

class Choice(enum.Enum):
    """Which of the splits found at a node is taken."""

    best = 0

    gain_ratio = 1

    one_of_best = 2

    near_best = 3

    significant = 4

    relief = 5

class NodeBins(enum.Enum):
    """Groups of a node's own values, between which it is cut."""

    none = 0

    width = 1

    frequency = 2

class SplitKind(enum.Enum):
    """The kind of a split."""

    binary = 0

    multiway = 1

    multiway_categories = 2

    oblique = 3

class MissingRule(enum.Enum):
    """Where samples go whose value is missing."""

    learned = 0

    apart = 1

    both = 2

class Search(enum.Enum):
    """How the best cut on a variable is found."""

    auto = 0

    sort = 1

    bins = 2

class Matrix:
    """X: blocks of columns side by side, or a sparse matrix."""

    def __init__(self, blocks: list, n_levels: Sequence[int] = []) -> None: ...
    @staticmethod
    def sparse(
        starts: object, places: object, values: object, shape: tuple[int, int], by_columns: bool
    ) -> Matrix:
        """
        A matrix compressed by columns or by rows. The vectors have shape (n, 1).
        """

    @property
    def shape(self) -> tuple[int, int]: ...

class Table:
    """
    X in the form in which splits are searched: small integer codes, or its values.
    """

    @property
    def n_rows(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...

def code_table(X: Matrix, max_bins: int, equal_width: bool, n_jobs: int) -> Table: ...
def table_of_values(X: Matrix, n_jobs: int, rarely_read: bool) -> Table: ...

class Target:
    """The output variables in the form that the criteria sum."""

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
    def set_impurity(self, function: Callable[[numpy.ndarray], numpy.ndarray]) -> None:
        """
        The function that criteria of a user's own call: of class weights, or of moments.
        """

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
        subsample: bool = False,
        structure: float = 0.0,
        held_out: Sequence[int] | None = None,
        patches: bool = False,
        groups: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        strata: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        stratum_draws: Sequence[int] = [],
    ) -> None: ...
    def rows(self, seed: int) -> NDArray[numpy.int64]:
        """The rows that the tree of this seed draws, in the order drawn."""

    def counts(self, seeds: Sequence[int], first: int, size: int, n_jobs: int) -> Any:
        """
        How often the trees of these seeds draw the rows from `first` on, trees x rows: of 8 bits if they fit, or of 32.
        """

def add_count_products(
    counts: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
    n_jobs: int,
) -> bool:
    """
    Add the sums over rows of the products of the counts of each pair of trees. False if the processor or the counts do not allow it; then nothing is added.
    """

class PatchRows:
    """The rows of the random patch of a tree, one by one."""

    def __init__(
        self, seed: int, n_rows: int, n_drawn: int, replacement: bool = False, stratum: int = 0
    ) -> None: ...
    def below(self, end: int) -> NDArray[numpy.int64]:
        """
        The rows below `end` that were not returned yet, ascending; with replacement, as often as they were drawn.
        """

def tree_seeds(forest_seed: int, first: int, count: int) -> list[int]:
    """Seeds of a forest's trees first .. first + count - 1, all different."""

def tree_columns(seed: int, n_features: int, wanted: int) -> NDArray[numpy.int64]:
    """Columns that the tree of this seed draws, ascending."""

class GrowthRules:
    """The rules by which trees grow."""

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
    def columns_of_tree(self) -> int: ...
    @columns_of_tree.setter
    def columns_of_tree(self, arg: int, /) -> None: ...
    @property
    def needs_general_splitter(self) -> bool: ...
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
    def cut_draw(self) -> CutDraw: ...
    @cut_draw.setter
    def cut_draw(self, arg: CutDraw, /) -> None: ...
    @property
    def variable_draw(self) -> VariableDraw: ...
    @variable_draw.setter
    def variable_draw(self, arg: VariableDraw, /) -> None: ...
    @property
    def choice(self) -> Choice: ...
    @choice.setter
    def choice(self, arg: Choice, /) -> None: ...
    @property
    def kind(self) -> SplitKind: ...
    @kind.setter
    def kind(self, arg: SplitKind, /) -> None: ...
    @property
    def missing(self) -> MissingRule: ...
    @missing.setter
    def missing(self, arg: MissingRule, /) -> None: ...
    @property
    def n_best(self) -> int: ...
    @n_best.setter
    def n_best(self, arg: int, /) -> None: ...
    @property
    def near_best(self) -> float: ...
    @near_best.setter
    def near_best(self, arg: float, /) -> None: ...
    @property
    def near_best_depth(self) -> int: ...
    @near_best_depth.setter
    def near_best_depth(self, arg: int, /) -> None: ...
    @property
    def n_combined(self) -> int: ...
    @n_combined.setter
    def n_combined(self, arg: int, /) -> None: ...
    @property
    def range_sample(self) -> int: ...
    @range_sample.setter
    def range_sample(self, arg: int, /) -> None: ...
    @property
    def max_values(self) -> int: ...
    @max_values.setter
    def max_values(self, arg: int, /) -> None: ...
    @property
    def significance(self) -> float: ...
    @significance.setter
    def significance(self, arg: float, /) -> None: ...
    @property
    def n_permutations(self) -> int: ...
    @n_permutations.setter
    def n_permutations(self, arg: int, /) -> None: ...
    @property
    def honest(self) -> bool: ...
    @honest.setter
    def honest(self, arg: bool, /) -> None: ...
    @property
    def general(self) -> bool: ...
    @general.setter
    def general(self, arg: bool, /) -> None: ...
    @property
    def probabilities(self) -> list[float]: ...
    @probabilities.setter
    def probabilities(self, arg: Sequence[float], /) -> None: ...
    @property
    def relevant(self) -> list[int]: ...
    @relevant.setter
    def relevant(self, arg: Sequence[int], /) -> None: ...
    @property
    def relief_samples(self) -> int: ...
    @relief_samples.setter
    def relief_samples(self, arg: int, /) -> None: ...
    @property
    def relief_neighbors(self) -> int: ...
    @relief_neighbors.setter
    def relief_neighbors(self, arg: int, /) -> None: ...
    @property
    def min_score(self) -> float: ...
    @min_score.setter
    def min_score(self, arg: float, /) -> None: ...
    @property
    def node_bins(self) -> NodeBins: ...
    @node_bins.setter
    def node_bins(self, arg: NodeBins, /) -> None: ...
    @property
    def n_node_bins(self) -> int: ...
    @n_node_bins.setter
    def n_node_bins(self, arg: int, /) -> None: ...
    @property
    def presort(self) -> bool: ...
    @presort.setter
    def presort(self, arg: bool, /) -> None: ...
    @property
    def custom_criterion(self) -> bool: ...
    @custom_criterion.setter
    def custom_criterion(self, arg: bool, /) -> None: ...
    @property
    def always(self) -> list[int]: ...
    @always.setter
    def always(self, arg: Sequence[int], /) -> None: ...
    @property
    def interactions(self) -> list[list[int]]: ...
    @interactions.setter
    def interactions(self, arg: Sequence[Sequence[int]], /) -> None: ...
    @property
    def pairwise(self) -> bool: ...
    @pairwise.setter
    def pairwise(self, arg: bool, /) -> None: ...
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
    @property
    def split_pure(self) -> bool: ...
    @split_pure.setter
    def split_pure(self, arg: bool, /) -> None: ...
    @property
    def max_splits(self) -> int: ...
    @max_splits.setter
    def max_splits(self, arg: int, /) -> None: ...
    @property
    def min_impurity_split(self) -> float: ...
    @min_impurity_split.setter
    def min_impurity_split(self, arg: float, /) -> None: ...
    @property
    def max_majority(self) -> float: ...
    @max_majority.setter
    def max_majority(self, arg: float, /) -> None: ...

class Tree:
    """A grown tree, immutable."""

    @property
    def n_features(self) -> int: ...
    @property
    def n_outputs(self) -> int: ...
    @property
    def n_classes(self) -> list[int]:
        """Number of classes of each output; empty for regression."""

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
    @property
    def is_binary(self) -> bool:
        """Whether every inner node has two children."""

    @property
    def both_children(self) -> bool: ...
    def children(self, node: int) -> NDArray[numpy.int64]:
        """The children of a node, in their order."""

    def record(self, node: int) -> dict[str, Any] | None:
        """
        The branch record of a node as a dict, or None if the node is a plain binary split.
        """

    def on_combinations(
        self, combinations: Sequence[Sequence[tuple[int, float, float]]], n_features: int
    ) -> Tree:
        """
        A tree that was grown on these combinations of variables, as a tree with oblique splits on the variables.
        """

    def relabelled(
        self,
        n_classes: Sequence[int],
        classes: Sequence[Sequence[int]],
        levels: Sequence[
            Annotated[
                NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
            ]
        ],
    ) -> Tree:
        """
        The tree with new numbers for classes and levels; the same object if no number changes.
        """

    def doubled(self, impurity_degree: int) -> Tree:
        """
        The regression tree of outputs that are twice as large. Impurities have the unit of outputs to this power.
        """

    def end_cuts(self, share: float) -> tuple[int, int]:
        """
        The number of splits of nodes that are large enough for an end cut, and how many of them have a side with less than this share of the weight.
        """

    def pruned_by_errors(
        self,
        errors: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        slack: float,
    ) -> Tree: ...
    def left_levels(self, node: int, n_levels: int) -> NDArray[numpy.int64]:
        """The levels below `n_levels` that go left at a category node."""

    def others_left(self, node: int) -> bool:
        """Whether unseen levels go left at a category node."""

    def impurity_decrease(
        self, normalize: bool, min_samples: int = 0
    ) -> NDArray[numpy.float64]: ...
    def pruning_path(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]: ...
    def children_left(self) -> NDArray[numpy.int64]: ...
    def children_right(self) -> NDArray[numpy.int64]: ...
    def feature(self) -> NDArray[numpy.int64]: ...
    def threshold(self) -> NDArray[numpy.float64]: ...
    def n_node_samples(self) -> NDArray[numpy.int64]: ...
    def weighted_n_node_samples(self) -> NDArray[numpy.float64]: ...
    def impurity(self) -> NDArray[numpy.float64]: ...
    def missing_go_to_left(self) -> NDArray[numpy.uint8]: ...
    def values(self) -> NDArray[numpy.float64]:
        """The prediction of every node: class shares of all outputs, or means."""

    def depths(self) -> NDArray[numpy.int64]: ...
    def expanded(self) -> Tree:
        """The same tree in plain form, with the statistics of every node."""

    def stored_arrays(self) -> dict:
        """All arrays of the tree, by name."""

    def __getstate__(self) -> dict: ...
    def __setstate__(self, arg: dict, /) -> None: ...
    @staticmethod
    def from_stored_arrays(arrays: dict) -> Tree:
        """
        The tree of stored_arrays(). Raises ValueError if they are not a valid tree.
        """

def grow(
    table: Table,
    target: Target,
    sampling: Sampling,
    criterion: str,
    rules: GrowthRules,
    seeds: Sequence[int],
    n_jobs: int,
    progress: Callable[[int, int], object] | None,
    seconds: float = float("inf"),
) -> tuple[list[Tree], list[tuple[int, int, int, int]], BaseException | None]:
    """
    The trees of the seeds, the work of each (samples, values, sorted, cuts), and the exception that interrupted the growth, or None. After an interruption, or after so many seconds, the trees are those of the first seeds.
    """

def grow_detailed(
    table: Table,
    target: Target,
    sampling: Sampling,
    criterion: str,
    rules: GrowthRules,
    seeds: Sequence[int],
    n_jobs: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[list[DetailedTree], list[tuple[int, int, int, int]]]:
    """
    As `grow`, with the statistics of the inner nodes; an interruption is raised.
    """

def grow_patches(
    patches: list[tuple[Table, Target, Sampling]],
    criterion: str,
    rules: GrowthRules,
    seeds: Sequence[int],
    n_jobs: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[list[Tree], list[tuple[int, int, int, int]], BaseException | None]:
    """
    As `grow`, with one tree for each seed and patch: a table, its outputs, and the draw of their rows.
    """

class PackedForest:
    """Trees in the form that predicts, as flat arrays."""

    @staticmethod
    def of(trees: Sequence[Tree], n_jobs: int = 0) -> PackedForest:
        """The trees, packed by this many threads."""

    @staticmethod
    def from_arrays(
        arrays: dict, n_features: int, n_outputs: int, n_classes: Sequence[int], both_children: bool
    ) -> PackedForest:
        """
        The forest of arrays(), which it reads in place. Raises ValueError if it is not valid.
        """

    def arrays(self) -> dict[str, Any]:
        """All arrays of the forest, by name."""

    @property
    def n_trees(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_outputs(self) -> int: ...
    @property
    def n_classes(self) -> list[int]:
        """Number of classes of each output; empty for regression."""

    @property
    def both_children(self) -> bool: ...
    @property
    def node_counts(self) -> list[int]:
        """Number of nodes of each tree."""

    def leaves(self, tree: int) -> NDArray[numpy.int64]:
        """The node numbers of the leaves, ascending."""

class TrainingStats:
    """Statistics of nodes that prediction does not need."""

    @staticmethod
    def of(forest: PackedForest, trees: Sequence[Tree]) -> TrainingStats: ...
    @staticmethod
    def from_arrays(forest: PackedForest, arrays: dict) -> TrainingStats:
        """
        The statistics of arrays(), which are read in place. Raises ValueError if they are not valid.
        """

    def arrays(self) -> dict[str, Any]:
        """All arrays of the statistics, by name."""

    def trees(self, forest: PackedForest) -> list[Tree]:
        """The trees that the statistics were computed from."""

def checksum(
    head: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    rest: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> int:
    """
    A checksum of bytes in two parts. The length of the first is a multiple of 64.
    """

class Predictor:
    """A forest packed for prediction."""

    def __init__(
        self, forest: PackedForest, as_float32: bool, by_majority: bool = False
    ) -> None: ...
    @property
    def n_trees(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def value_width(self) -> int:
        """Number of values that are predicted for a sample."""

    @property
    def n_steps(self) -> int:
        """Maximum number of steps that a sample takes through all trees."""

    def predict(self, X: Matrix, n_jobs: int) -> NDArray[numpy.float64]:
        """Mean prediction of the trees: rows x value width."""

    def predict_trees(
        self, X: Matrix, n_jobs: int, first: int, size: int
    ) -> NDArray[numpy.float64]:
        """Predictions of every tree for some rows: rows x trees x value width."""

    def apply(self, X: Matrix, n_jobs: int) -> NDArray[numpy.int64]:
        """Leaf of every sample in every tree: rows x trees."""

    def decision_paths(
        self, X: Matrix, n_jobs: int
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """Row starts and columns of the sparse matrix of visited nodes."""

    def out_of_bag(
        self, X: Matrix, seeds: Sequence[int], sampling: Sampling, n_jobs: int, first: int = 0
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64]]:
        """
        Sums of out-of-bag predictions of every row, and the number of trees in each sum. The seeds are those of tree `first` and the trees after it.
        """

    def permuted_out_of_bag(
        self,
        X: Matrix,
        seeds: Sequence[int],
        sampling: Sampling,
        variables: Sequence[Sequence[int]],
        rows: Annotated[
            NDArray[numpy.uint32],
            dict(shape=(None, None, None), order="C", device="cpu", writable=False),
        ],
        n_jobs: int,
        first: int = 0,
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.int64]]:
        """
        Changes of the sums of out-of-bag predictions when each group of variables takes its values from other rows: groups x repeats x rows x value width. Then the sums and counts of `out_of_bag`.
        """

    def permuted_losses(
        self,
        X: Matrix,
        seeds: Sequence[int],
        sampling: Sampling,
        variables: Sequence[Sequence[int]],
        rows: Annotated[
            NDArray[numpy.uint32],
            dict(shape=(None, None, None), order="C", device="cpu", writable=False),
        ],
        target: Target,
        loss: str,
        by: str,
        n_jobs: int,
        first: int = 0,
    ) -> NDArray[numpy.float64]:
        """
        Changes of the losses of single trees when each group of variables takes its values from other rows, summed over the rows that a tree did not draw: groups x repeats x classes or outputs.
        """

class LeafMembership:
    """The training rows of every tree, grouped by leaf."""

    @staticmethod
    def of(
        predictor: Predictor,
        X: Matrix,
        target: Target,
        seeds: Sequence[int],
        sampling: Sampling,
        n_jobs: int,
    ) -> LeafMembership:
        """
        The membership of the rows of fit, by one descent; the seeds are those of all trees.
        """

    @staticmethod
    def from_arrays(
        forest: PackedForest, arrays: dict, n_rows: int, n_parts: int
    ) -> LeafMembership:
        """
        The membership of arrays(), which it reads in place. Raises ValueError if the arrays are not valid for the forest.
        """

    def arrays(self) -> dict[str, Any]:
        """All arrays of the membership, by name."""

    @property
    def n_rows(self) -> int: ...
    @property
    def n_parts(self) -> int:
        """
        Parts of a leaf: 2, or 3 if some rows are neither in bag nor out of bag.
        """

    @property
    def n_trees(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def leaf_stats(self, tree: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.float64]]:
        """The number of rows in bag and their weight, for every leaf of a tree."""

    def in_bag(
        self, tree: int
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64]]:
        """
        The rows in bag of a tree, the number of the leaf of each, and its weight.
        """

    def out_of_bag(
        self, predictor: Predictor, n_jobs: int
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64]]:
        """
        Sums of out-of-bag predictions of every row, and the number of trees in each sum.
        """

    def add_out_of_bag(
        self,
        predictor: Predictor,
        first: int,
        size: int,
        sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
        counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        n_jobs: int,
    ) -> None:
        """
        Adds the out-of-bag predictions of some trees to sums and counts, in place.
        """

def rows_by_leaf(predictor: Predictor, X: Matrix, n_jobs: int) -> LeafMembership:
    """
    Any rows by leaf, all in one part, for proximities of the original kind.
    """

class Proximity:
    """
    Proximities of rows to columns, which are the rows of a membership. X is None if the rows are the columns.
    """

    def __init__(
        self,
        predictor: Predictor,
        columns: LeafMembership,
        kind: str,
        leaf_sizes: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        min_samples: int,
        max_depth: int,
        n_jobs: int,
    ) -> None: ...
    @property
    def n_columns(self) -> int: ...
    def dense(
        self, X: Matrix | None, n_jobs: int, progress: object | None = None
    ) -> NDArray[numpy.float64]:
        """Rows x columns."""

    def sparse(
        self, X: Matrix | None, n_jobs: int, progress: object | None = None
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """Row starts, columns and values of the sparse matrix."""

    def neighbors(
        self, X: Matrix | None, n_neighbors: int, n_jobs: int, progress: object | None = None
    ) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        The columns of the largest values of every row, descending, and these values.
        """

    def product(
        self,
        X: Matrix | None,
        factors: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        squares: bool,
        without_diagonal: bool,
        n_jobs: int,
        progress: object | None = None,
    ) -> NDArray[numpy.float64]:
        """The matrix, or its squared elements, times a dense matrix."""

    def limit_leaves(self, max_rows: int, n_jobs: int) -> None:
        """
        Let a row meet at most this number of rows of each leaf; zero means all.
        """

    def work(self, n_jobs: int) -> float:
        """The number of rows met for all training rows together."""

    def has_rows(self, X: Matrix, n_jobs: int) -> bool:
        """Whether X has the leaves of the training rows, in the same order."""

class LeafQuantiles:
    """Quantiles of the training outputs in the leaves of rows."""

    def __init__(
        self,
        predictor: Predictor,
        membership: LeafMembership,
        outputs: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        n_jobs: int,
    ) -> None: ...
    def quantiles(
        self,
        X: Matrix | None,
        levels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        interpolation: str,
        n_jobs: int,
        progress: object | None = None,
    ) -> NDArray[numpy.float64]:
        """
        Rows x levels x outputs. X is None for the training rows, with out-of-bag trees.
        """

    def quantiles_of_row(
        self,
        row: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        levels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        interpolation: str,
    ) -> NDArray[numpy.float64]:
        """Levels x outputs of one row, in this thread."""

def path_shap(
    predictor: Predictor,
    trees: Sequence[Tree],
    X: Matrix,
    interactions: bool,
    n_jobs: int,
    progress: object | None = None,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Values (rows x variables x value width), base and interactions of path-dependent Shapley values.
    """

def background_shap(
    predictor: Predictor, X: Matrix, background: Matrix, n_jobs: int, progress: object | None = None
) -> NDArray[numpy.float64]:
    """Interventional Shapley values: rows x variables x value width."""

def average_dependence(
    predictor: Predictor,
    X: Matrix,
    variables: Sequence[int],
    points: Sequence[
        Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
    ],
    centered: bool,
    n_jobs: int,
    progress: object | None = None,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    The mean prediction at each point of a grid (points of the last variable, then value width, change fastest), and sums over trees of squared differences from it.
    """

def individual_dependence(
    predictor: Predictor,
    X: Matrix,
    variables: Sequence[int],
    points: Sequence[
        Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
    ],
    n_jobs: int,
    progress: object | None = None,
) -> NDArray[numpy.float64]:
    """The same for each row: rows x (points x value width)."""

class RowPredictor:
    """Predicts one row at a time."""

    def __init__(
        self, predictor: Predictor, names: object | None, levels: list, missing: bool
    ) -> None: ...
    def values(self, row: object | None) -> object:
        """The mean prediction of the trees; None if the row is not plain."""

    def sample(self, row: object | None) -> object:
        """The numbers of a row; None if the row is not plain."""

    def likeliest(self, row: object | None) -> int:
        """
        The index of the largest value, the first of ties; -1 if the row is not plain.
        """

    def number(self, row: object | None) -> object:
        """The first predicted value; None if the row is not plain."""

class Distribution:
    """The distinct rows of a table, and the statistics of Y in each."""

    def __init__(
        self,
        levels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        n_levels: Sequence[int],
        statistics: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        impurity: str,
        values: Sequence[Sequence[float]],
    ) -> None:
        """
        `levels` has one row per variable, `statistics` one row per distinct row of the table.
        """

class TreeSplits(enum.Enum):
    """The kind of split of randomized trees."""

    multiway = 0

    random_cut = 1

    best_cut = 2

class RandomizedTrees:
    """How randomized trees are grown."""

    def __init__(self) -> None: ...
    @property
    def splits(self) -> TreeSplits: ...
    @splits.setter
    def splits(self, arg: TreeSplits, /) -> None: ...
    @property
    def n_drawn(self) -> int: ...
    @n_drawn.setter
    def n_drawn(self, arg: int, /) -> None: ...
    @property
    def depth(self) -> int: ...
    @depth.setter
    def depth(self, arg: int, /) -> None: ...
    @property
    def constants_count(self) -> bool: ...
    @constants_count.setter
    def constants_count(self, arg: bool, /) -> None: ...
    @property
    def part_of(self) -> list[int]: ...
    @part_of.setter
    def part_of(self, arg: Sequence[int], /) -> None: ...
    @property
    def wants_hidden(self) -> bool: ...
    @wants_hidden.setter
    def wants_hidden(self, arg: bool, /) -> None: ...
    @property
    def most_in_context(self) -> int: ...
    @most_in_context.setter
    def most_in_context(self, arg: int, /) -> None: ...

def subset_impurities(
    distribution: Distribution, max_size: int, n_jobs: int, progress: object | None
) -> NDArray[numpy.float64]:
    """
    Weight times i(Y|B) of every set B, at the index whose bits are the variables of B.
    """

def expected_importances(
    distribution: Distribution,
    trees: RandomizedTrees,
    max_work: int,
    n_jobs: int,
    progress: Callable[[int, int], object] | None,
) -> dict | None:
    """
    Expected importances over all trees; None if more than `max_work` rows would be read.
    """

def sampled_importances(
    distribution: Distribution,
    trees: RandomizedTrees,
    seed: int,
    n_trees: int,
    n_jobs: int,
    progress: object | None,
) -> dict:
    """Mean importances over `n_trees` random trees."""

def decompose_importances(
    trees: Sequence[Tree],
    group_of: Sequence[int],
    most_in_context: int,
    n_jobs: int,
    min_samples: int = 0,
) -> tuple:
    """
    Importances of trees by degree, and by context: variables, starts of the sets, variables of the sets, weights and decreases.
    """

class NodeMeasure(enum.Enum):
    """The quantity that is computed at every node."""

    out_of_bag = 0

    cross_fitted = 1

    drawn = 2

    null_part = 3

    null_entropy = 4

@overload
def node_importances(
    predictor: Predictor,
    trees: Sequence[Tree],
    first: int,
    rows: Matrix,
    target: Target,
    seeds: Sequence[int],
    sampling: Sampling,
    measure: NodeMeasure,
    group_of: Sequence[int],
    n_groups: int,
    min_samples: int,
    by_output: bool,
    n_jobs: int,
) -> NDArray[numpy.float64]:
    """From the rows of fit, which descend the trees."""

@overload
def node_importances(
    predictor: Predictor,
    trees: Sequence[Tree],
    first: int,
    rows: LeafMembership,
    target: Target,
    seeds: Sequence[int],
    sampling: Sampling,
    measure: NodeMeasure,
    group_of: Sequence[int],
    n_groups: int,
    min_samples: int,
    by_output: bool,
    n_jobs: int,
) -> NDArray[numpy.float64]:
    """From the leaf membership of the rows of fit."""

def add_local_importances(
    predictor: Predictor,
    trees: Sequence[Tree],
    first: int,
    X: Matrix,
    group_of: Sequence[int],
    sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
    n_jobs: int,
) -> None:
    """
    Adds the decrease of impurity along the decision path of each sample, summed over trees.
    """

def surrogate_importances(
    predictor: Predictor,
    trees: Sequence[Tree],
    first: int,
    X: Matrix,
    target: Target,
    seeds: Sequence[int],
    sampling: Sampling,
    categories: Sequence[bool],
    impurity: str,
    wants_mimicry: bool,
    n_jobs: int,
) -> tuple:
    """
    Importances from surrogate splits (trees x variables), and how well variables mimic each other.
    """

def target_importances(
    table: Table,
    values: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    columns: Sequence[int],
    sampling: Sampling,
    criterion: str,
    rules: GrowthRules,
    seeds: Sequence[int],
    n_jobs: int,
    progress: object | None,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.uint8], object]:
    """
    Importances of the variables for each target (targets x variables), which targets are finished, and the exception that interrupted the others, or None.
    """

def impurity_decrease_by_output(
    tree: Tree, impurity: str, min_samples: int = 0
) -> NDArray[numpy.float64]:
    """Mean decrease of impurity of one tree: variables x classes or outputs."""

class DetailedTree:
    """A grown tree with the statistics of its inner nodes."""

    @property
    def tree(self) -> Tree: ...
    @property
    def memory_bytes(self) -> int: ...
    def decrease(self) -> NDArray[numpy.float64]: ...
    def collapse(self, limits: tuple[int, int, float, int, float]) -> Tree:
        """The tree as it would have grown under the limits."""

class LimitScores:
    """Sums of votes and of squared errors, for many limits of growth."""

    def __init__(
        self,
        limits: Sequence[tuple[int, int, float, int, float]],
        outputs: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        scale: Sequence[float],
        n_classes: Sequence[int],
        by_majority: bool,
    ) -> None: ...
    def add(
        self,
        trees: Sequence[DetailedTree],
        as_float32: bool,
        X: Matrix,
        rows: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        counted: Annotated[
            NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        sampling: Sampling | None,
        seeds: Sequence[int],
        n_jobs: int,
    ) -> None:
        """Adds the votes of trees for rows that they have not drawn."""

    def votes(self) -> NDArray[numpy.float64]: ...
    def squares(self) -> NDArray[numpy.float64]: ...
    def counts(self) -> NDArray[numpy.int64]: ...
    def n_leaves(self) -> NDArray[numpy.int64]: ...
