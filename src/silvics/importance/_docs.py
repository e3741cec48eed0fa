"""Paragraphs that docstrings of tests and selectors share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

_Documented = TypeVar("_Documented", bound=Callable[..., Any])

# Parameters of functions that fit copies of a forest.
REFITTING = {
    "<table>": """
forest : estimator
    A forest, fitted or not. Copies of it are fitted; the forest itself is not changed.
X : table of shape (n_rows, n_variables)
    Any data frame, array or sparse matrix.
y : array-like of shape (n_rows,) or (n_rows, n_outputs)
    The output.""",
    "<groups>": """
feature_groups : dict of str to list, list of lists, or None, default=None
    Groups of variables, by name or number, that are treated as one variable.
sample_weight : array-like of shape (n_rows,) or None, default=None
    Weights of the rows, as in ``fit``. They are not permuted.""",
    "<seeds>": """
random_state : int, RandomState or None, default=None
    Seed of the permutations and the forests.
n_jobs : int or None, default=None
    The number of threads. None is ``forest.n_jobs``. The result does not depend on it.
progress : callable or None, default=None
    Called with (done, total) after each forest. ``total`` is the largest number of forests that
    may be needed.""",
}

# Parameters and attributes of selectors.
SELECTORS = {
    "<forest>": """
forest : forest of silvics or None, default=None
    The forest whose importances are used; it is cloned. None is a RandomForestClassifier or a
    RandomForestRegressor, depending on ``task``.""",
    "<task>": """
task : {"classification", "regression"} or None, default=None
    The task, if ``forest`` is None. With None, text, booleans, categories and integers of at most
    20 distinct values are classes; other integers and all floats are numbers. A warning says which
    was chosen if y has 10 to 50 distinct integers.""",
    "<kind>": """
kind : str, default="mdi"
    The kind of importance, as in ``forest.importances(kind)``.""",
    "<seeds>": """
random_state : int, RandomState or None, default=None
    Seed of the selector, and of the forest if the forest has no seed.
n_jobs : int or None, default=None
    The number of threads. None is ``forest.n_jobs``. The result does not depend on it.""",
    "<attributes>": """
support_ : ndarray of bool
    Whether each variable is selected.
forest_ : forest
    The forest on all variables.
importances_ : Importances
    The importances of that forest.
n_features_in_ : int
    Number of variables seen in ``fit``.
feature_names_in_ : ndarray of str
    Names of the variables, if X had names.""",
}

# Parameters and attributes of selectors that compare scores.
SCORES = SELECTORS | {
    "<scores>": """
scoring : str, callable or None, default=None
    A scorer, as in scikit-learn; None is accuracy, or R2. Without ``cv``, the scorer must depend on
    predictions only, and not on X. Rows have their weights, if the scorer accepts weights. Rows of
    weight zero are left out, and, for out-of-bag scores, rows that all trees have drawn.
cv : int, splitter, iterable or None, default=None
    None scores forests on out-of-bag rows, at no extra cost. These rows took part in the ranking,
    so the scores are too optimistic: among many useless variables some look useful on any rows.
    Otherwise everything, including the ranking, is repeated in each fold and scored on rows that
    were not used: the scores are honest, and each fold costs another fit.
rule : {"best", "one_standard_error"}, default="best"
    "best" is the number of variables of the best score, the smallest of several.
    "one_standard_error" is the smallest number with a score at most one standard error worse.""",
    "<found>": """
n_features_ : int
    Number of selected variables.
n_features_grid_ : ndarray of int
    Numbers of variables that were compared, in decreasing order.
scores_ : ndarray
    The score of each; the mean over the folds with ``cv``.
standard_errors_ : ndarray
    Standard errors of the scores: over the folds; for out-of-bag scores by the jackknife over parts
    of the rows if ``rule`` needs them, else NaN.
path_ : list of Step
    The sets of variables, with ``features`` (numbers of the columns by decreasing importance),
    ``importances``, ``score`` and ``standard_error``.""",
}


def with_paragraphs(paragraphs: dict[str, str]) -> Callable[[_Documented], _Documented]:
    """Replace placeholders in the docstring of a function or a class."""

    def complete(documented: _Documented) -> _Documented:
        text = inspect.cleandoc(documented.__doc__ or "")
        for placeholder, paragraph in paragraphs.items():
            text = text.replace(placeholder, paragraph.strip())
        documented.__doc__ = text
        return documented

    return complete
