"""Descriptions of the parameters of forests on random patches, and of those that mean something
else there than in other forests.
"""

from __future__ import annotations

PATCHES_VARIANTS = """
max_samples : int, float, {"all", "auto"} or None
    Number of rows of a patch. A float is a fraction of all rows, and "all" takes all rows. "auto"
    chooses it by a race of shapes on rows that are out of the patches. None takes a quarter of the
    rows, or fewer if the patches and the trees would not fit into ``max_memory``, or the value of a
    recipe that draws rows or columns for each tree: "pasting", "random_subspace", "subbag" and
    "random_patches". With groups, it is the number or the fraction of groups.
max_columns : int, float, {"all", "auto"} or None
    Number of columns of a patch. A float is a fraction of all columns, and "all" takes all columns.
    "auto" chooses it by a race, as for ``max_samples``. None takes half of the columns, or the
    value of a recipe that draws rows or columns for each tree.
max_features : int, float, {"sqrt", "log2", "all"} or None
    Number of variables, K, drawn at each node among the columns of the patch. A float is a fraction
    of them. None takes all columns of the patch (thesis 8.1), or the recipe's value if that is a
    fixed number.
max_memory : int, float, str or None
    Limit of the resident memory of the process in bytes, or as a text such as "1GB" or "500MiB".
    It determines the number of passes over a scan. Patches that do not fit are refused. None uses
    up to half of the free memory.
draw : {"uniform", "bootstrap", "stratified", "importance"} or None
    How the rows of a patch are drawn. "uniform" draws all sets of rows with the same probability.
    "bootstrap" draws rows with replacement; rows that are drawn several times have a larger weight.
    "stratified" draws the share of each class, and at least one row of it (classification).
    "importance" is Ivotes (Breiman 1999): it prefers rows that earlier trees predict wrongly
    (classification). Trees then depend on earlier trees, and are grown in blocks of ten, with a
    pass over a scan for each block. The rows that trees have drawn are not known afterwards. None
    is "bootstrap" for the recipe "subbag", and "uniform" for the others.
max_time : float or None
    Seconds from the start of ``fit`` after which no more trees are begun. The trees so far are
    kept; they are those of a forest with a smaller ``n_estimators``, and ``stopped_`` says so. None
    sets no limit.
min_samples_split : int, float or None
    Minimum number of samples that a node needs to be split. A float is a fraction of the number of
    rows of a patch, rounded up. None takes the recipe's value.
min_samples_leaf : int, float or None
    Minimum number of samples in each child of a split. A float is a fraction of the number of rows
    of a patch, rounded up. None takes the recipe's value.
oob_score : bool or callable
    Whether to estimate the score of the forest on rows that are predicted by the trees whose
    patches do not have them. True scores the predictions by accuracy (classification) or R2
    (regression); a callable ``f(y_true, y_pred)`` replaces these scores. It takes one more pass
    over a scan, of which ``oob_score_`` alone is kept.
oob_rows : int
    Maximum number of rows of a scan on which ``oob_score`` is estimated, drawn at random. In tables
    in memory all rows are used.
progress : callable or None
    Function that is called as ``progress(done, total)`` while the trees are grown, with the number
    of finished trees and the number of all trees, and by predictions of a scan with numbers of
    rows. An exception in it stops ``fit``.
engine : str or None
    Where the trees are grown. None grows them in this process. The address of a Dask scheduler,
    such as "tcp://10.0.0.1:8786", or "dask" for the current Dask client, grows them on the workers
    of that cluster, which read the files of a scan themselves. ``max_memory`` is then the limit of
    each worker process. The forest does not depend on the engine. It needs the extra
    ``silvics[dask]``, and cannot be combined with ``draw="importance"``.
"""
