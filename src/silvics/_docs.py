"""Paragraphs that several estimators share, written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from textwrap import indent
from typing import Any, TypeVar

_Class = TypeVar("_Class", bound=type)

PARAMETERS = {
    "n_estimators": ("int", "Number of trees, M."),
    "criterion": (
        "str",
        'Measure of a split\'s quality. For classes: "gini", "entropy" (or "log_loss"), in '
        'bits, or "misclassification". For real numbers: "squared_error", '
        '"absolute_error", "poisson" or "friedman_mse".',
    ),
    "splitter": (
        '{"best", "random"}',
        "How a variable is cut: at the best threshold, or at one uniform in its range.",
    ),
    "max_depth": ("int or None", "Largest depth of a tree; None for no limit."),
    "min_samples_split": (
        "int or float",
        "A node with fewer samples is a leaf; a float is a fraction of all samples.",
    ),
    "min_samples_leaf": (
        "int or float",
        "Each side of a split keeps at least so many samples; a float is a fraction of all.",
    ),
    "min_weight_fraction_leaf": (
        "float",
        "Each side of a split keeps at least this share of the tree's total sample weight.",
    ),
    "max_features": (
        'int, float, {"sqrt", "log2"} or None',
        "Variables drawn at a node, K; a float is a fraction of all, None is all.",
    ),
    "max_leaf_nodes": (
        "int or None",
        "Largest number of leaves; the most useful splits are made first.",
    ),
    "min_impurity_decrease": (
        "float",
        "A split must lower the impurity, weighted by its node's share of samples, by so much.",
    ),
    "bootstrap": ("bool", "Whether each tree draws its rows with replacement, or takes all."),
    "oob_score": (
        "bool or callable",
        "Whether to score the forest on out-of-bag samples; a callable ``f(y_true, y_pred)`` "
        "replaces accuracy or R2.",
    ),
    "keep_samples": (
        "bool",
        "Whether to keep the training rows by leaf, with in-bag weights and y (not X), for methods "
        "that need them; five bytes for each row and tree. See ``attach_samples``.",
    ),
    "n_jobs": (
        "int or None",
        "Threads; -1 for all cores, None for 1 unless in a joblib context. The result does not "
        "depend on it.",
    ),
    "random_state": ("int, RandomState instance or None", "Seed of all that is random."),
    "verbose": ("int", "Above 0, progress is printed to the standard error."),
    "warm_start": ("bool", "Whether ``fit`` keeps the trees there are and adds to them."),
    "class_weight": (
        'dict, list of dicts, "balanced", "balanced_subsample" or None',
        'Weights of the classes; "balanced" makes them weigh the same, '
        '"balanced_subsample" does so within each tree\'s rows (forests only).',
    ),
    "ccp_alpha": (
        "float",
        "Links of the tree that are worth at most this much are cut after growing.",
    ),
    "max_samples": (
        "int, float or None",
        "Rows drawn for a tree with ``bootstrap``; a float is a fraction of the rows, or of "
        "their total weight; None is as many as there are.",
    ),
    "monotonic_cst": (
        "array-like of int, dict of str to int, or None",
        "For each variable 1 where predictions may only rise with it, -1 where they may only "
        'fall, 0 otherwise; or by name, ``{"age": 1}``, the others being 0.',
    ),
    "constant_features": (
        '{"count", "skip"}',
        "Whether variables that are constant at a node count among the ``max_features`` drawn.",
    ),
    "search": (
        '{"auto", "sort", "bins"}',
        "How the best threshold is found. The result is the same, the time is not.",
    ),
    "max_bins": (
        "int or None",
        "Only cuts between so many groups of values are tried; None tries all.",
    ),
    "binning": (
        '{"frequency", "width"}',
        "Whether the groups of ``max_bins`` hold equally many rows or are equally wide.",
    ),
    "split_sample": (
        "int or None",
        "Nodes with more samples are searched on so many of them, drawn at random.",
    ),
    "growth": (
        '{"depth_first", "best_first", "breadth_first"} or None',
        "Which open node is split next; None is best-first with ``max_leaf_nodes``, else "
        "depth-first. Without such a limit the tree is the same.",
    ),
    "categorical_features": (
        '"from_dtype", array-like of str, int or bool, or None',
        "Which columns are categories: those whose type says so (text, categories), the named or "
        "numbered ones, or those of a mask. Their levels have no order and need no coding.",
    ),
    "min_category_frequency": (
        "int",
        "Levels of a category that are in fewer rows are taken as missing values: they say "
        "nothing of other rows.",
    ),
    "category_gain": (
        '{"adjusted", "plain"}',
        "What a split on a category counts for against other variables: its decrease of impurity "
        "less what as many levels would give by chance, or all of it.",
    ),
    "unknown_category": (
        '{"missing", "heavier", "error"}',
        "What a level is that was not seen in ``fit``: a missing value, one to go with the "
        "larger part of the samples, or an error.",
    ),
    "missing": (
        '{"learned", "error"}',
        "Whether missing values are taken, and go to the side that was better for them in "
        "``fit``; or are an error.",
    ),
    "recipe": (
        "str",
        "Name of the algorithm: a row of ``silvics.recipes``. Parameters that are None are the "
        "row's.",
    ),
    "rows": (
        '{"all", "bootstrap", "subsample"} or None',
        "Rows of a tree: all of them, as many drawn with replacement, or ``max_samples`` without.",
    ),
    "columns": (
        '{"all", "subspace", "rotation", "rotation_by_class"} or None',
        "Columns of a tree: all, ``max_columns`` of them drawn at random, or the principal\n"
        "components of groups of ``max_columns``, on the tree's rows or on rows of some classes.",
    ),
    "max_columns": (
        'int, float, "all" or None',
        "How many columns, a float being a share of all.",
    ),
    "variables": (
        '{"uniform", "unused", "poisson", "weighted"} or None',
        "How variables of a node are drawn: K of them; K not yet used on the branch; 1 + Poisson "
        "of mean K; K with the odds of ``feature_weights``.",
    ),
    "feature_weights": (
        "array-like of float, dict of str to float, or None",
        "Odds of the variables where those of a node are drawn, one for each column or by name, "
        '``{"age": 2.0}``, the others being 1. None is the same for all.',
    ),
    "cut": (
        '{"best", "uniform", "pair", "gap", "middle", "relevance", "cell_uniform", "cell_middle"} '
        "or None",
        "How a variable is cut: at the best threshold; or at one drawn in the node's range,\n"
        "between two samples of different output (PERT), in a gap between neighbours; in the\n"
        "middle of the range; there for ``relevant`` variables and anywhere for others; anywhere\n"
        "in, or in the middle of, the node's cell, whether samples are there or not.",
    ),
    "relevant": (
        "array-like of bool, int or str, or None",
        'Variables that ``cut="relevance"`` cuts in the middle; None is all.',
    ),
    "range_sample": (
        "int or None",
        "So many samples of a larger node, drawn at random, bound where cuts may be.",
    ),
    "choice": (
        '{"best", "one_of_best", "near_best", "significant"} or None',
        "Which split is taken: the best; one of the ``n_best``; near the root, one variable of "
        "almost the largest decrease; the variable that depends on the output the most.",
    ),
    "n_best": ("int", 'Splits that ``choice="one_of_best"`` draws from.'),
    "near_best": (
        "float",
        'What a split of ``choice="near_best"`` may lose, as a share of the best decrease.',
    ),
    "near_best_depth": ("int", "Levels from the root on in which it may."),
    "split": (
        '{"binary", "multiway", "multiway_categories", "oblique"} or None',
        "What a split is: in two; a child for each value (of numbers, for each of ``max_values`` "
        "groups of them); the same of categories only; in two on random combinations of "
        "``n_combined`` variables.",
    ),
    "n_combined": ("int", "Variables in a combination."),
    "max_values": ("int", "Groups of values of a number that a multiway split tells apart."),
    "split_pure": ("bool or None", "Whether nodes of one output are split all the same."),
    "significance": (
        "float or None",
        "A node is split only if the output depends on one of its variables at this level, "
        "corrected for their number.",
    ),
    "n_permutations": (
        "int",
        "Permutations of the outputs by which dependence is judged; 0 is the asymptotic test.",
    ),
    "honest": (
        "bool, float or None",
        "Whether other rows fill the leaves than those that find the splits; a float is the share "
        "of the latter, one half for True.",
    ),
    "pruning": (
        '{"none", "pessimistic", "reduced_error"} or None',
        "What becomes of a grown tree: nothing; nodes become leaves where the bound on their "
        "errors (C4.5) or their errors on rows held out are not larger so.",
    ),
    "validation_fraction": (
        "float",
        'Share of the rows held out, once for all trees, for ``pruning="reduced_error"``.',
    ),
    "confidence": (
        "float",
        'Level of the bound of ``pruning="pessimistic"``; smaller prunes more.',
    ),
    "vote": (
        '{"soft", "majority"} or None',
        "How trees predict classes together: by the mean of their shares, or by a vote each.",
    ),
    "contamination": (
        '"auto" or float',
        'Share of outliers in X, by which ``offset_`` is set; "auto" is the original paper\'s '
        "threshold.",
    ),
    "sparse_output": ("bool", "Whether the embedding is a sparse matrix, or a dense array."),
    "progress": (
        "callable or None",
        "Called as ``progress(done, total)`` while trees are grown.",
    ),
}

ATTRIBUTES = {
    "classes_": ("ndarray, or list of them", "Class labels of each output."),
    "n_classes_": ("int, or array of them", "Number of classes of each output."),
    "n_features_in_": ("int", "Number of variables seen in ``fit``."),
    "feature_names_in_": ("ndarray of str", "Their names, where X had any."),
    "is_categorical_": ("ndarray of bool", "Which variables are categories."),
    "categories_": (
        "list of ndarray or None",
        "Levels of each category in the order of their numbers; None for other variables.",
    ),
    "n_outputs_": ("int", "Number of outputs."),
    "feature_importances_": ("ndarray", "Mean decrease of impurity by each variable."),
    "max_features_": ("int", "Variables drawn at a node, K."),
    "tree_": ("silvics._predicting.tree_arrays.Tree", "The tree as arrays."),
    "estimator_": ("estimator", "The kind of tree that the forest is made of."),
    "estimators_": ("list of trees", "The trees, made when first asked for."),
    "estimators_samples_": ("list of ndarray", "Rows drawn by each tree, with repetitions."),
    "estimators_features_": ("list of ndarray", "Columns drawn by each tree."),
    "max_samples_": ("int", "Rows drawn for a tree."),
    "offset_": ("float", "``decision_function`` is ``score_samples`` less this."),
    "one_hot_encoder_": ("OneHotEncoder", "The encoder of leaves, made when asked for."),
    "oob_score_": ("float", "Score on out-of-bag samples, with ``oob_score``."),
    "oob_decision_function_": ("ndarray", "Out-of-bag class shares, with ``oob_score``."),
    "oob_prediction_": ("ndarray", "Out-of-bag predictions, with ``oob_score``."),
    "work_": (
        "dict",
        "What growing has taken: nodes, samples visited, values read and sorted, cuts scored, "
        "depths, and the share of splits with less than 5 % of the samples on one side.",
    ),
    "interrupted_": ("bool", "Whether Ctrl-C cut the growing short; the trees so far are kept."),
}


def keep_parameters(estimator: object, given: dict[str, Any]) -> None:
    """Store a constructor's ``locals()`` under their names, as scikit-learn wants it."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def documented(
    attributes: str, example: str, own: dict[str, tuple[str, str]] | None = None
) -> Callable[[_Class], _Class]:
    """Complete a class's one-paragraph docstring with parameters, attributes and an example.

    ``own`` describes parameters that mean something else in this class than in others.
    """
    described = PARAMETERS | (own or {})

    def complete(cls: _Class) -> _Class:
        lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Parameters", "----------"]
        for name, parameter in inspect.signature(cls).parameters.items():
            kind, meaning = described[name]
            default = parameter.default
            shown = f'"{default}"' if isinstance(default, str) else default
            lines += [f"{name} : {kind}, default={shown}", indent(meaning, "    ")]
        lines += ["", "Attributes", "----------"]
        for name in attributes.split():
            kind, meaning = ATTRIBUTES[name]
            lines += [f"{name} : {kind}", indent(meaning, "    ")]
        lines += ["", "Examples", "--------", inspect.cleandoc(example), ""]
        cls.__doc__ = "\n".join(lines)
        return cls

    return complete
