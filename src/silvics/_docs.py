"""Paragraphs that several estimators share, written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from textwrap import indent
from typing import Any

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
        "array-like of int or None",
        "For each variable 1 where predictions may only rise with it, -1 where they may only "
        "fall, 0 otherwise.",
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
    "tree_": ("silvics.tree_arrays.Tree", "The tree as arrays."),
    "estimator_": ("estimator", "The kind of tree that the forest is made of."),
    "estimators_": ("list of trees", "The trees, made when first asked for."),
    "estimators_samples_": ("list of ndarray", "Rows drawn by each tree, with repetitions."),
    "oob_score_": ("float", "Score on out-of-bag samples, with ``oob_score``."),
    "oob_decision_function_": ("ndarray", "Out-of-bag class shares, with ``oob_score``."),
    "oob_prediction_": ("ndarray", "Out-of-bag predictions, with ``oob_score``."),
    "interrupted_": ("bool", "Whether Ctrl-C cut the growing short; the trees so far are kept."),
}


def keep_parameters(estimator: object, given: dict[str, Any]) -> None:
    """Store a constructor's ``locals()`` under their names, as scikit-learn wants it."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def documented(attributes: str, example: str) -> Callable[[type], type]:
    """Complete a class's one-paragraph docstring with parameters, attributes and an example."""

    def complete(cls: type) -> type:
        lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Parameters", "----------"]
        for name, parameter in inspect.signature(cls).parameters.items():
            kind, meaning = PARAMETERS[name]
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
