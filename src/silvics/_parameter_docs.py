"""Descriptions of the parameters and attributes that several estimators share.

Each text has the form of a numpydoc section; ``_docs`` reads it.
"""

from __future__ import annotations

SAMPLING_AND_RUNNING = """
n_estimators : int
    Number of trees in the forest.
bootstrap : bool
    If True, each tree is grown on as many rows as X has (or ``max_samples``), drawn with
    replacement. If False, every tree is grown on all rows.
max_samples : int, float or None
    Number of rows drawn for each tree if ``bootstrap=True``. An int is the number of rows, a float
    is a fraction of the number of rows, or of their total weight if there are weights. None draws
    as many rows as X has.
oob_score : bool or callable
    Whether to estimate the score of the forest on out-of-bag samples. Each training row is
    predicted by the trees that did not draw it. True scores the predictions by accuracy
    (classification) or R2 (regression); a callable ``f(y_true, y_pred)`` replaces these scores. It
    needs ``bootstrap=True``.
calibrate : {"oob"} or None
    Whether to calibrate the class probabilities. "oob" compares several methods by the out-of-bag
    log-loss, and uses the best one in ``predict_proba`` and ``predict``; ``calibration_`` has the
    methods. The trees must have drawn their rows. None predicts the mean over the trees.
keep_samples : bool
    Whether to keep the training rows of every leaf, with their in-bag weights and y, for the
    methods that need them. X is not kept. The memory needed is about five bytes per row and tree.
    ``attach_samples`` adds the rows to a forest that was fitted with False.
n_jobs : int or None
    Number of threads. None means 1 unless in a ``joblib.parallel_config`` context, -1 means all
    cores. The result does not depend on it.
random_state : int, RandomState instance or None
    Seed of all random draws. Pass an int for the same result in every call; None draws a new seed
    in each call of ``fit``.
verbose : int
    If 0, nothing is printed. If 1, a line of progress is printed to the standard error after every
    tenth of the trees; if larger, after every tree.
warm_start : bool
    If True, ``fit`` keeps the existing trees and adds new ones until there are ``n_estimators``. If
    False, it grows a new forest.
progress : callable or None
    Function that is called as ``progress(done, total)`` while the trees are grown, with the number
    of finished trees and the number of all trees. An exception in it stops ``fit``.
max_time : float or None
    Seconds after which ``fit`` ends growth. The trees that are finished by then are kept, as in a
    forest of fewer trees, and ``stopped_`` says so. It is an error if there is none. None sets no
    limit.
max_memory : float, str or None
    Bytes that ``fit`` may need besides X and y, as a number or as text such as "500 MB". Growth
    ends before a tree that might not fit. It is an error if no tree fits. None sets no limit.
early_stopping : bool
    Whether ``fit`` ends growth when the out-of-bag score no longer improves. The score is that of
    ``scoring``, or else of a callable ``oob_score``, or else R2 for numbers and the Brier score for
    classes. The trees that are kept are those of a forest with a smaller ``n_estimators``, and
    ``stopped_`` says so. The trees must draw their rows.
n_iter_no_change : int
    The number of trees in which the score has to improve, if ``early_stopping`` is True. With few
    trees, chance ends growth early.
tol : float
    How much better a score has to be to count as an improvement, if ``early_stopping`` is True.
engine : str or None
    Where the trees are grown. None grows them in this process. The address of a Dask scheduler,
    such as "tcp://10.0.0.1:8786", or "dask" for the current Dask client, grows them on the workers
    of that cluster, to which X is sent once. The workers use all of their threads, and ``n_jobs``
    counts for what is computed in this process. The forest does not depend on the engine. It needs
    the extra ``silvics[dask]``, and cannot be combined with ``max_memory``.
resume : str, path or None
    Folder to which every finished tree is written. If it has trees of the same task, they are read
    and not grown again, so that a fit that was stopped continues. A folder of other data or
    parameters is refused. It needs an int as ``random_state``. None writes no trees.
tune : "oob", dict or None
    Which parameters ``fit`` chooses by out-of-bag rows. "oob" searches those that are at their
    defaults. A dict has a list of values for each parameter to search, and may have "shrinkage",
    the strength of hierarchical shrinkage. None chooses nothing. See :doc:`/tuning`.
scoring : str, callable or None
    The out-of-bag score by which ``tune`` chooses and ``early_stopping`` ends growth: a scorer of
    scikit-learn. For ``tune``, None is the Brier score for classes and R2 for numbers, both for the
    number of trees of the forest.
class_weight : dict, list of dicts, "balanced", "balanced_subsample" or None
    Weights of the classes. A dict maps class labels to weights; for several outputs, pass a list
    with one dict per output. "balanced" weights each class inversely to its frequency in y.
    "balanced_subsample", for forests only, does so in the rows that each tree has drawn. None gives
    all classes the weight 1.
contamination : "auto" or float
    Expected fraction of outliers in X, at most 0.5. ``offset_`` is set so that ``predict`` finds
    this fraction of the training rows to be outliers. "auto" sets the threshold of the original
    paper, ``offset_ = -0.5``.
sparse_output : bool
    If True, ``transform`` returns a sparse matrix in CSR format. If False, it returns an array.
"""

GROWTH = """
criterion : str
    Impurity that splits decrease.

    - For classification: "gini", "entropy" (in bits; "log_loss" is another name for it) or
      "misclassification".
    - For regression: "squared_error", "absolute_error", "poisson" or "friedman_mse".
splitter : {"best", "random"}
    How a variable is cut at a node. "best" takes the threshold with the largest decrease of
    impurity. "random" takes one threshold that is drawn uniformly between the smallest and the
    largest value at the node.
max_depth : int or None
    Maximum depth of a tree. If None, nodes are split until they are pure or until another limit
    applies.
min_samples_split : int or float
    Minimum number of samples that a node needs to be split. A float is a fraction of the number of
    training rows, rounded up.
min_samples_leaf : int or float
    Minimum number of samples in each child of a split. A float is a fraction of the number of
    training rows, rounded up.
min_weight_fraction_leaf : float
    Minimum weight of the samples in each child of a split, as a fraction of the total weight of the
    tree's samples. At most 0.5.
max_features : int, float, {"sqrt", "log2"} or None
    Number of variables drawn at each node to search for a split. A float is a fraction of the
    number of variables. "sqrt" and "log2" are the square root and the binary logarithm of that
    number. None means all variables.
max_leaf_nodes : int or None
    Maximum number of leaves of a tree. The nodes with the largest decrease of impurity are split
    first, unless ``growth`` has another order. None means no limit.
min_impurity_decrease : float
    Minimum decrease of impurity of a split. The decrease is weighted by the fraction of the tree's
    samples that are at the node.
ccp_alpha : float
    Complexity parameter of minimal cost-complexity pruning. After a tree is grown, subtrees whose
    effective alpha is at most ``ccp_alpha`` are replaced by leaves, the smallest alpha first. 0
    does not prune. See ``cost_complexity_pruning_path`` of trees.
monotonic_cst : array-like of int, dict of str to int, or None
    Monotonicity constraint of each variable: 1 if predictions may only increase with the variable,
    -1 if they may only decrease, 0 for no constraint. A dict maps names of columns to constraints,
    as in ``{"age": 1}``; other columns have none. Constraints are supported for regression with one
    output and for two classes. None constrains no variable.
constant_features : {"count", "skip"}
    Whether variables that are constant at a node count among the ``max_features`` that it draws.
    "count" counts them, as scikit-learn does, but continues to draw until one variable is not
    constant. "skip" draws ``max_features`` variables that are not constant, or all of these if
    there are fewer.
search : {"auto", "sort", "presort", "bins"}
    Algorithm that finds the best threshold: sorting the samples of a node, sorting the samples of a
    tree once ("presort"), or adding them up in the bins of a histogram. "auto" chooses by the size
    of the node. All of them find the same splits and differ in time; "presort" may choose
    differently among splits that are equal but for rounding.
max_bins : int or None
    Maximum number of groups into which the values of a variable are binned. Only thresholds between
    groups are tried, which is faster and approximate. None tries all thresholds.
binning : {"frequency", "width", "node_frequency", "node_width"}
    How ``max_bins`` forms its groups. "frequency" puts about the same number of rows into each,
    "width" makes their ranges equally wide; both are made once, before training. "node_frequency"
    and "node_width" do the same with the values of the samples at each node.
split_sample : int or None
    If a node has more samples than this, its split is searched on as many samples, drawn at random.
    None searches on all samples.
growth : {"depth_first", "best_first", "impurity_first", "size_first", "breadth_first"} or None
    Order in which nodes are split. "best_first" splits the node with the largest weighted decrease
    of impurity first, "impurity_first" that with the largest impurity, "size_first" that with the
    largest weight. The order changes the tree only if ``max_leaf_nodes`` is set. None means
    "best_first" if ``max_leaf_nodes`` is set and "depth_first" otherwise.
categorical_features : "from_dtype", array-like of str, int or bool, or None
    Columns of X that are categories, whose levels have no order. "from_dtype" takes the columns
    whose type is text or categorical. An array has names of columns, their indices, or a boolean
    mask. None takes no column. The levels need no encoding.
min_category_frequency : int
    Minimum number of rows in which a level of a category must occur. Less frequent levels are
    treated as missing values.
category_gain : {"adjusted", "plain"}
    How splits on a category are compared with splits on other variables. "plain" compares decreases
    of impurity. "adjusted" first subtracts the decrease that a category with the same number of
    levels is expected to reach by chance, so that categories with many levels are not preferred.
unknown_category : {"missing", "heavier", "error"}
    How ``predict`` treats levels of a category that were not seen in ``fit``. "missing" treats them
    as missing values, "heavier" sends them to the child with the larger training weight, and
    "error" raises a ValueError.
missing : {"learned", "error"}
    How missing values in X are treated. "learned" accepts them: each split sends them to the child
    that gave the larger decrease of impurity in ``fit``. "error" raises a ValueError.
feature_weights : array-like of float, dict of str to float, or None
    Weights by which nodes draw variables; a variable with a larger weight is drawn more often. An
    array has one weight per column. A dict maps names of columns to weights, as in
    ``{"age": 2.0}``; other columns have the weight 1. None draws all variables with the same
    probability.
"""

RECIPES = """
recipe : str
    Name of the algorithm, one of ``silvics.recipes.names()``. The recipe sets every parameter below
    that is None.
rows : {"all", "bootstrap", "subsample", "patches"} or None
    Rows that each tree is grown on.

    - "all": all rows.
    - "bootstrap": ``max_samples`` rows, drawn with replacement.
    - "subsample": ``max_samples`` rows of positive weight, drawn without replacement.
    - "patches": ``max_samples`` rows, drawn without replacement as in ``RandomPatchesClassifier``:
      which rows they are depends on the seed and on the number of rows of X alone.

    None takes the recipe's value.
columns : {"all", "subspace", "rotation", "rotation_by_class"} or None
    Columns that each tree is grown on.

    - "all": all columns.
    - "subspace": ``max_columns`` columns, drawn at random for each tree.
    - "rotation": principal components of random groups of ``max_columns`` columns, computed on the
      tree's rows.
    - "rotation_by_class": the same, but computed for each group on a sample of the rows of randomly
      drawn classes.

    None takes the recipe's value.
max_columns : int, float, "all" or None
    Number of columns that ``columns="subspace"`` draws for a tree, or number of columns in a group
    of a rotation. A float is a fraction of all columns. None takes the recipe's value.
variables : {"uniform", "unused", "poisson", "weighted"} or None
    How each node draws the variables among which it searches for a split; K is the number set by
    ``max_features``.

    - "uniform": K variables, all with the same probability.
    - "unused": K of the variables that no node above has used. It needs ``split="multiway"``.
    - "poisson": 1 + P variables, where P has a Poisson distribution with mean K.
    - "weighted": K variables, with the weights of ``feature_weights``.

    None takes the recipe's value, or "weighted" if ``feature_weights`` is set.
cut : str or None
    How a variable is cut at a node.

    - "best": at the threshold with the largest decrease of impurity.
    - "uniform": uniformly between the smallest and the largest value at the node (Extra-Trees).
    - "pair": between the values of two samples with different outputs (PERT).
    - "gap": in a random gap between neighbouring values.
    - "middle": in the middle of the range of values at the node.
    - "relevance": as "middle" for the ``relevant`` variables and as "uniform" for the others.
    - "cell_uniform": uniformly in the node's cell of the input space, whether or not it has samples
      there.
    - "cell_middle": in the middle of the cell.

    None takes the recipe's value.
relevant : array-like of bool, int or str, or None
    Variables that ``cut="relevance"`` cuts in the middle: a mask, or indices or names of columns.
    None means all variables.
range_sample : int or None
    If a node has more samples than this, thresholds are only searched within the range of as many
    samples, drawn at random. It needs ``cut="best"``. None takes the recipe's value, which is the
    range of all samples unless the recipe limits it.
choice : {"best", "one_of_best", "near_best", "significant", "relief"} or None
    Which of the splits found at a node is made.

    - "best": the split with the largest decrease of impurity.
    - "one_of_best": one of the ``n_best`` best splits, drawn at random. It needs ``cut="best"``.
    - "near_best": at depths less than ``near_best_depth``, the split of a variable drawn among
      those whose decrease is close to the largest (see ``near_best``); below, the best split.
    - "significant": the split of the variable with the smallest p-value of a test of association
      with the output. It needs ``significance``.
    - "relief": the best split of the variable with the largest Relief weight at the node.

    None takes the recipe's value.
n_best : int
    Number of splits from which ``choice="one_of_best"`` draws one.
near_best : float
    Fraction of the largest decrease of impurity by which a split of ``choice="near_best"`` may fall
    short. At 0.25, splits with at least 75 % of the largest decrease are candidates.
near_best_depth : int
    Number of levels of the tree, counted from the root, in which ``choice="near_best"`` draws a
    split at random. Deeper nodes make the best split.
split : {"binary", "multiway", "multiway_categories", "oblique"} or None
    Kind of the splits.

    - "binary": two children.
    - "multiway": one child for each value at the node; numbers are first grouped into
      ``max_values`` intervals.
    - "multiway_categories": one child for each level of a category, two children for numbers.
    - "oblique": two children, by a threshold on a random linear combination of ``n_combined``
      variables.

    None takes the recipe's value.
n_combined : int
    Number of variables in a combination of ``split="oblique"``.
max_values : int
    Maximum number of intervals into which ``split="multiway"`` groups the values of a number.
split_pure : bool or None
    Whether to split nodes whose samples all have the same output. None takes the recipe's value.
significance : float or None
    Level of the test that a split must pass. A node becomes a leaf unless the output depends on one
    of its variables at this level, corrected for the number of variables. None takes the recipe's
    value, or makes no test if the recipe has none.
n_permutations : int
    Number of permutations of the outputs in the test of ``significance``. 0 uses the asymptotic
    distribution of the test statistic.
honest : bool, float or None
    Whether to grow honest trees, in which different rows choose the splits and set the values of
    the leaves. A float is the fraction of a tree's rows that choose the splits; True means 0.5.
    None takes the recipe's value.
pruning : {"none", "pessimistic", "reduced_error"} or None
    How trees are pruned after they are grown. A subtree is replaced by a leaf if that does not
    increase an estimate of the errors.

    - "none": no pruning.
    - "pessimistic": the estimate is an upper confidence bound on the training errors, as in C4.5.
      For classification only; see ``confidence``.
    - "reduced_error": the estimate is the number of errors on held-out rows; see
      ``validation_fraction``.

    None takes the recipe's value.
validation_fraction : float
    Fraction of the rows that ``pruning="reduced_error"`` holds out. The same rows are held out for
    all trees.
confidence : float
    Confidence level of the bound of ``pruning="pessimistic"``. A smaller value prunes more.
vote : {"soft", "majority"} or None
    How a forest combines the predictions of its trees for classes. "soft" takes the mean of the
    class probabilities of the trees; "majority" counts one vote per tree. None takes the recipe's
    value.
stages : int or None
    2 grows the first half of the trees on the outputs, and the second half on the out-of-bag
    residuals of the first (Ghosal and Hooker 2021); the forest predicts the sum. This is for
    regression, with an even number of trees that draw their rows. Limits such as
    ``min_impurity_decrease`` refer to the outputs, or the residuals, that a tree is grown on. After
    an interruption only trees of the first stage are kept, as by ``stages=1``. Trees of
    ``estimators_`` have doubled values, so that their mean is the sum. 1 grows all trees on the
    outputs. None takes the recipe's value.
"""

# Parameters that mean something else in forests of any recipe than in the other estimators.
RECIPE_VARIANTS = """
n_estimators : int or None
    Number of trees in the forest. None takes the recipe's value.
criterion : str, callable or None
    Impurity that splits decrease.

    - For classification: "gini", "entropy" (in bits; "log_loss" is another name for it),
      "misclassification" or "gain_ratio" (the rule of C4.5).
    - For regression: "squared_error", "absolute_error", "poisson" or "friedman_mse".
    - A function ``f(rows)`` that returns the impurity of each row of an array. For classification a
      row has the weight of each class, for regression the weight, the mean and the variance.

    None takes the recipe's value.
max_samples : int, float, "all" or None
    Number of rows that each tree draws unless ``rows`` is "all". A float is a fraction of all
    rows, and "all" draws as many rows as X has. None takes the recipe's value.
max_features : int, float, {"sqrt", "log2", "all"} or None
    Number of variables, K, drawn at each node to search for a split. A float is a fraction of the
    number of the tree's columns. "sqrt" and "log2" are the square root and the binary logarithm of
    that number. "all" means all columns of the tree. None takes the recipe's value.
missing : {"learned", "apart", "both", "error"}
    How missing values in X are treated.

    - "learned": each split sends them to the child that gave the larger decrease of impurity in
      ``fit``.
    - "apart": each split sends them to a third child.
    - "both": each split sends them to both children, with half of their weight.
    - "error": they raise a ValueError.
growth : str or None
    Order in which nodes are split: "depth_first", "best_first" (by the weighted decrease of
    impurity), "impurity_first", "size_first" (by the weight of the samples), "breadth_first" or
    "random". It changes the tree only if ``max_leaf_nodes`` or ``max_splits`` is set, which
    "random" needs. None takes the recipe's value; if the recipe has none, it means "best_first" if
    one of them is set and "depth_first" otherwise.
max_depth : int or None
    Maximum depth of a tree. None takes the recipe's value, or no limit if the recipe has none.
max_leaf_nodes : int or None
    Maximum number of leaves of a tree. None takes the recipe's value, or no limit if the recipe has
    none.
min_samples_split : int, float or None
    Minimum number of samples that a node needs to be split. A float is a fraction of the number of
    training rows, rounded up. None takes the recipe's value.
min_samples_leaf : int, float or None
    Minimum number of samples in each child of a split. In honest trees only the rows that set the
    values of the leaves are counted. A float is a fraction of the number of training rows, rounded
    up. None takes the recipe's value.
oob_score : bool or callable
    Whether to estimate the score of the forest on out-of-bag samples. Each training row is
    predicted by the trees that did not draw it. True scores the predictions by accuracy
    (classification) or R2 (regression); a callable ``f(y_true, y_pred)`` replaces these scores. It
    needs trees that do not use all rows: ``rows="bootstrap"`` or ``rows="subsample"``.
"""

# Parameters that mean something else in isolation forests than in the other estimators.
ISOLATION_VARIANTS = """
max_samples : "auto", int or float
    Number of rows drawn for each tree. A float is a fraction of all rows. "auto" draws 256 rows, or
    all rows if there are fewer.
max_features : int or float
    Number of columns drawn for each tree. A float is a fraction of all columns. Each node splits on
    one of them, drawn at random.
bootstrap : bool
    Whether the rows of a tree are drawn with replacement (True) or without (False).
missing : {"learned", "error"}
    How missing values in X are treated. "learned" accepts them: each split sends them to one of the
    two children, chosen in ``fit``. "error" raises a ValueError.
"""
