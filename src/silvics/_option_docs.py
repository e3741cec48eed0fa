"""Descriptions of the options that only ``ForestClassifier`` and ``ForestRegressor`` have.

The texts have the form of numpydoc sections; ``_docs`` reads them.
"""

from __future__ import annotations

OPTIONS = """
class_samples : int, dict, array-like, "balanced" or None
    Number of rows that each tree draws of each class, instead of ``max_samples``. "balanced" draws
    as many rows of every class as the rarest class has. An array has one number for each class, in
    the order of ``classes_``. A dict maps classes to numbers; of other classes as many rows are
    drawn as there are. Floats are fractions of the rows of a class. None draws rows whatever their
    class.
always_split : array-like of bool, int or str, or None
    Variables that every node tries in addition to the ``max_features`` that it draws: a mask, or
    indices or names of columns. None adds no variable.
interaction_cst : {"pairwise", "no_interactions"}, sequence of lists, tuples or sets, or None
    Which variables may be together on a path from the root to a leaf, as in scikit-learn's
    ``HistGradientBoostingClassifier``. Each item is a set of columns, by index or name; a node is
    split on variables of the sets that contain all variables above it. Columns that are in no set
    form one more. "pairwise" allows any two variables, and "no_interactions" only one. None
    constrains no variable.
relief_samples : int
    Number of samples of a node, drawn at random, whose neighbours ``choice="relief"`` compares.
relief_neighbors : int
    Number of neighbours of each class that ``choice="relief"`` compares a sample with; in
    regression, the number of neighbours.
min_score : float or None
    Lowest value of the split that a node makes; if it is less, the node is a leaf. The value is
    what ``choice`` compares: the decrease of impurity at the node, the gain ratio, or Relief's
    weight. Unlike ``min_impurity_decrease``, it does not depend on the size of the node. None sets
    no limit.
max_splits : int or None
    Maximum number of splits of a tree. The nodes with the largest decrease of impurity are split
    first, unless ``growth`` has another order. None means no limit.
min_impurity_split : float
    Nodes whose impurity is not larger than this are leaves.
max_majority : float
    Nodes are leaves if their most frequent class has at least this share of the weight; with
    several outputs, if that is so for every output. 1 does not stop nodes that are not pure.
target_score : float or None
    Out-of-bag score at which ``fit`` ends growth (the rule of OpenCV): that of ``scoring``, or else
    as in ``oob_score_``. The trees that are kept are those of a forest with a smaller
    ``n_estimators``, and ``stopped_`` says so. With few trees the score is that of the rows that
    are out of bag so far. The trees must draw their rows. None does not end growth.
"""
