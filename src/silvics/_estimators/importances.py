"""The method ``importances`` of forests."""

from __future__ import annotations

from typing import Any, cast

from sklearn.utils.validation import check_is_fitted

from silvics._state import reads_one_state
from silvics.importance._types import FittedForest
from silvics.importance.forest.compute import importances
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.forest.result import Importances


class HasImportances:
    """Mixin with the method ``importances``."""

    @reads_one_state
    def importances(
        self,
        kind: str = "mdi",
        X: Any = None,
        y: Any = None,
        *,
        feature_groups: Any = None,
        rows: str = "oob",
        by: str | None = None,
        normalize: bool = False,
        max_degree: int = 3,
        min_samples: int = 0,
        min_correlation: float = 0.2,
        null: str | None = None,
        errors: str = "trees",
        n_repeats: int | None = None,
        loss: Any = None,
        sample_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> Importances:
        """Compute the importances of the variables.

        Parameters
        ----------
        kind : {"mdi", "mda", "mda_tree", "conditional", "surrogate", "mdi_oob", "ufi", "air", \
                "local"}, default="mdi"
            How importance is measured. "permutation" is another name for "mda".

            - "mdi": mean decrease of impurity (equation 6.2), in the units of the criterion. It is
              the sum of the decreases of impurity at the variable's nodes, weighted by the
              fraction of rows that reach them. It favours variables with many values, even if they
              are not related to the output; see ``null``.
            - "mda": mean decrease of accuracy (equation 6.3). It is the increase of the out-of-bag
              loss when the values of the variable are permuted over all rows.
            - "mda_tree": the mean over the trees of the increase of each tree's out-of-bag loss
              when the variable is permuted over the rows that the tree did not draw.
            - "conditional": "mda_tree", permuted only among rows that agree in the variables that
              correlate with the permuted one (Strobl et al. 2008). Rows agree if no threshold, or
              subset of levels, by which the tree tests these variables separates them. What a
              variable shares with others does not count, so that a useless variable that
              correlates with useful ones is close to zero. See ``min_samples``.
            - "surrogate": the measure of equation 6.1. At every node it adds the decrease of
              impurity of the variable's split that is most similar to the actual one. Copies of a
              variable do not lower it.
            - "mdi_oob": mean decrease of impurity computed on out-of-bag rows (Li et al. 2019), in
              units of the Gini index or the variance. It is close to zero for variables that are
              not related to the output.
            - "ufi": unbiased importance from both in-bag and out-of-bag rows (Zhou and Hooker
              2021). It is close to zero for variables that are not related to the output.
            - "air": "mdi" minus that of a permuted copy of the variable, in a forest grown again
              with such copies (Nembrini et al. 2018).
            - "local": the decreases of impurity on the path of each row of X, by variable (Sutera
              et al. 2021).
        X : array-like of shape (n_samples, n_features), default=None
            The samples that the forest was fitted to, in the same order, or other samples if
            ``rows="held_out"``. For "local", any samples. Only "mdi" does not need X.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            The outputs of the samples X.
        feature_groups : dict of str to list, list of lists, or None, default=None
            Groups of variables, given by name or index. Each group has one importance, and its
            variables are permuted together. Variables outside of all groups are reported
            individually.
        rows : {"oob", "held_out"}, default="oob"
            The kind of samples that X and y are, for "mda", "mda_tree", "mdi_oob" and "ufi". "oob":
            the samples of ``fit``; each tree is evaluated on those that it did not draw.
            "held_out": samples that were not used in ``fit``; each tree is evaluated on all of
            them.
        by : {"degree", "context", "class", "output"} or None, default=None
            How to decompose the importances. "degree" and "context" decompose "mdi" by the number,
            or by the set, of other variables used above the node. "class" and "output" decompose
            "mdi", "mda", "mda_tree", "conditional", "mdi_oob" and "ufi". None does not decompose.
        normalize : bool, default=False
            Whether to normalize "mdi" to a sum of one. (``feature_importances_`` normalizes each
            tree first, as in scikit-learn.)
        max_degree : int, default=3
            Largest number of variables in a context of ``by="context"``. Larger contexts are
            reported by their number of variables only.
        min_samples : int, default=0
            Minimum number of samples of a node. Smaller nodes, whose decreases are mostly noise
            (section 7.2.2), are ignored. For "mdi", "mdi_oob" and "ufi". For "conditional", tests
            of smaller nodes do not separate rows: fully grown trees test so many thresholds that
            almost no rows agree, and 20 to 50 samples are a better minimum.
        min_correlation : float, default=0.2
            For "conditional": the smallest correlation of variables whose tests separate rows. It
            is the rank correlation of numbers, the correlation ratio of a number with a category,
            and Cramer's V of categories.
        null : {"auto", "exact", "gamma", "held_out", "permuted"} or None, default=None
            How to estimate the part of "mdi" that is due to noise. It needs X and y, except for
            "gamma".

            - "exact": the mean over all permutations of y at each node. It is available if the
              splits do not depend on y.
            - "gamma": equation 7.19, the mean information of a useless variable in a large sample,
              summed over the nodes. It needs trees grown by entropy. It is too small for nodes of a
              handful of samples, and for splits that are chosen as the best of several.
            - "held_out": the part that out-of-bag rows do not confirm. It is too small if there are
              few rows and many variables, because out-of-bag rows confirm chance associations of
              the whole sample.
            - "permuted": the mean "mdi" of ``n_repeats`` forests grown on permuted y.
            - "auto": the first of these that is available.

            None makes no estimate.
        errors : {"trees", "rows"}, default="trees"
            What the standard errors of "mdi" are about: how much another forest on the same rows
            would differ, or a forest on other rows of the same population. The latter are computed
            from the rows that each tree has drawn (infinitesimal jackknife), without new forests;
            they need several hundred trees that draw rows with equal probability.
        n_repeats : int or None, default=None
            Number of permutations. None means 5 for "mda" and ``null``, and 1 for "mda_tree",
            "conditional" and "air".
        loss : {"error", "log_loss", "squared_error", "absolute_error"}, callable or None, \
                default=None
            Loss of "mda", "mda_tree" and "conditional". None means the error rate for
            classification and the squared error for regression. A callable ``f(y_true, y_pred)``
            gets the outputs and the out-of-bag predictions and returns a number.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights that were passed to ``fit``, for kinds that grow the forest again ("air" and
            ``null="permuted"``).
        random_state : int, RandomState or None, default=None
            Seed of the permutations. None takes the seed of the forest, so that repeated calls
            agree.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``. The result does not
            depend on it.
        progress : callable or None, default=None
            Function that is called as ``progress(done, total)`` during the computation.

        Returns
        -------
        importances : Importances
            Object with the attributes ``names``, ``values`` and ``std`` and the methods
            ``to_frame()`` and ``plot()``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
        >>> result = forest.importances("mda", X, y)
        >>> str(result.names[result.values.argmax()])
        'petal width (cm)'
        """
        check_is_fitted(self)
        request = ImportanceRequest(
            cast(FittedForest, self), kind, X, y, feature_groups, rows, by, normalize, max_degree,
            min_samples, min_correlation, null, errors, n_repeats, loss, sample_weight,
            random_state, n_jobs, progress,
        )  # fmt: skip
        return importances(request)
