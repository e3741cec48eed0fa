"""Descriptions of the fitted attributes of the estimators."""

ATTRIBUTES = """
classes_ : ndarray, or list of ndarray
    Class labels; a list with one array per output if there are several.
n_classes_ : int, or ndarray of int
    Number of classes; an array with one number per output if there are several.
n_features_in_ : int
    Number of variables seen in ``fit``.
feature_names_in_ : ndarray of str
    Names of the variables seen in ``fit``. It exists only if X has names for all of its columns.
is_categorical_ : ndarray of bool
    Mask of the variables that are categories.
categories_ : list of (ndarray or None)
    Levels of each category, in the order of their codes; None for other variables.
n_outputs_ : int
    Number of outputs.
feature_importances_ : ndarray
    Mean decrease of impurity of each variable, normalized to a sum of one.
max_features_ : int
    Number of variables drawn at a node.
tree_ : silvics._predicting.tree_arrays.Tree
    The tree as arrays over its nodes, with scikit-learn's names.
estimator_ : estimator
    Unfitted tree of the class that the forest consists of.
estimators_ : list of trees
    The fitted trees. They are created on first access and share the memory of the forest.
estimators_samples_ : list of ndarray
    Indices of the rows drawn by each tree, with repetitions. They are drawn again on each access.
estimators_features_ : list of ndarray
    Indices of the columns drawn by each tree. They are drawn again on each access.
max_samples_ : int
    Number of rows drawn for each tree.
max_columns_ : int
    Number of columns drawn for each tree.
offset_ : float
    Difference of ``score_samples`` and ``decision_function``.
one_hot_encoder_ : OneHotEncoder
    Encoder that turns the result of ``apply`` into that of ``transform``. It is created on each
    access.
n_passes_ : int
    Number of passes over the scan in the last ``fit``; 0 for a table in memory.
bytes_read_ : int
    Number of bytes of files that the last ``fit`` has read, by the sizes that the files tell.
oob_score_ : float
    Score on the out-of-bag samples. It exists only if ``oob_score`` is set.
oob_decision_function_ : ndarray
    Class probabilities of each training row, predicted by the trees that did not draw it; NaN for
    rows that all trees have drawn. It exists only if ``oob_score`` is set.
calibration_ : Calibration
    How the class probabilities are calibrated, with the log-loss of each method and the reliability
    diagram; for several outputs, a list with one object per output. It exists only if ``calibrate``
    is set.
oob_prediction_ : ndarray
    Prediction for each training row by the trees that did not draw it; NaN for rows that all trees
    have drawn. It exists only if ``oob_score`` is set.
work_ : dict
    Counts of the work that growing took (samples visited, values read and sorted, cuts scored), the
    number of nodes, their depths, and the fraction of splits that have less than 5 % of the samples
    on one side.
interrupted_ : bool
    Whether Ctrl-C or an exception of ``progress`` stopped ``fit`` early. The trees that were
    finished by then are kept.
stopped_ : str or None
    Why growth ended before all trees were grown, if ``max_time``, ``max_memory``,
    ``early_stopping`` or ``target_score`` ended it.
best_params_ : dict
    The parameters that were chosen. A forest with these parameters is the same forest. It exists
    only after tuning.
best_score_ : float
    The out-of-bag score under ``best_params_``, less what the choice added to it. It exists only
    after tuning.
tuning_results_ : TuningResults
    What was compared: an object with ``to_frame()`` and ``plot()``. It exists only after tuning,
    and is not saved in files.
"""
