"""What a grown forest says of itself: the importances of its variables."""

from __future__ import annotations

from typing import Any, cast

from sklearn.utils.validation import check_is_fitted

from silvics._state import reads_one_state
from silvics.importance._types import FittedForest
from silvics.importance.forest.compute import importances
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.forest.result import Importances


class HasImportances:
    """The method ``importances`` of forests."""

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
        null: str | None = None,
        n_repeats: int | None = None,
        loss: Any = None,
        sample_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> Importances:
        """Importances of the variables, with what is known about them.

        Parameters
        ----------
        kind : {"mdi", "mda", "mda_tree", "surrogate", "mdi_oob", "ufi", "air", "local"}
            How they are measured. "permutation" is another name of "mda".

            - "mdi": mean decrease of impurity (equation 6.2), in the units of the criterion: what
              the variable's tests lower the impurity by, times the share of rows that meet them.
              Larger for variables of many values, even if they tell nothing; see ``null``.
            - "mda": mean decrease of accuracy (equation 6.3): by how much the loss grows when the
              variable is permuted over all rows, each predicted by the trees that did not draw it.
            - "mda_tree": the same of each tree by itself, permuted over the rows that it did not
              draw; mean over the trees.
            - "surrogate": equation 6.1: at every node, what the variable would lower the impurity
              by with the split that is most like the one taken. Not lowered by copies.
            - "mdi_oob": mean decrease of impurity by the rows that trees did not draw (Li et al.
              2019), in Gini's index or the variance. About zero for variables that tell nothing.
            - "ufi": from both kinds of rows, cross-fitted (Zhou and Hooker 2021); likewise.
            - "air": "mdi" less that of a permuted copy of the variable, in a forest that is grown
              again with such copies (Nembrini et al. 2018).
            - "local": of each row of X, how the impurity falls on its way down, by variable
              (Sutera et al. 2021).
        X : array-like of shape (n_samples, n_features), or None
            The samples that the forest was fitted on, or others, if ``rows`` says so; for "local",
            any. Only "mdi" needs none.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), or None
            Their outputs.
        feature_groups : dict of str to list, list of lists, or None
            Variables, by name or place, that are told of as one, and permuted together; others
            stay by themselves.
        rows : {"oob", "held_out"}
            What X and y are, for "mda", "mda_tree", "mdi_oob" and "ufi". "oob": the samples of
            ``fit``; each tree counts those that it did not draw. "held_out": samples that the
            forest was not fitted on; every tree counts all of them.
        by : {"degree", "context", "class", "output"} or None
            Decompose them: "mdi" by how many other variables had been tested above, or by which;
            "mdi", "mda", "mda_tree", "mdi_oob" and "ufi" by class or by output.
        normalize : bool
            Whether those of "mdi" are parts of one. (``feature_importances_`` is scikit-learn's
            form, which normalizes each tree first.)
        max_degree : int
            Contexts of more variables than this are told of by degree only.
        min_samples : int
            Count only nodes of at least so many samples: what small ones tell is mostly noise
            (section 7.2.2). For "mdi", "mdi_oob" and "ufi".
        null : {"auto", "exact", "held_out", "permuted"} or None
            Tell also which part of "mdi" noise would get; needs X and y. "exact": the mean over
            permutations of Y at each node, for splits that are chosen without a look at Y.
            "held_out": what rows that the trees have not drawn do not confirm; what goes with Y by
            chance in the whole sample they confirm as well, so with few rows and many variables it
            is too little. "permuted": what ``n_repeats`` forests grown on permuted Y give. "auto":
            the first that can be.
        n_repeats : int or None
            Permutations; None: 5 for "mda" and ``null``, 1 for "mda_tree" and "air".
        loss : {"error", "log_loss", "squared_error", "absolute_error"}, callable or None
            Of "mda" and "mda_tree". None: the share of wrong classes, or the squared error. A
            callable gets y and what ``predict`` would say out of bag, and returns a number.
        sample_weight : array-like of shape (n_samples,), or None
            The weights of fit, where the forest is grown again ("air", ``null="permuted"``).
        random_state : int, RandomState or None
            Seed of the permutations, for the kinds that draw any. None: the seed of the forest, so
            that two calls agree.
        n_jobs : int or None
            Threads; None is the forest's ``n_jobs``. The result is the same for any number.
        progress : callable or None
            Called with (done, total), from time to time.

        Returns
        -------
        importances : Importances
            With ``names``, ``values``, ``std``, ``to_frame()`` and ``plot()``.
        """
        check_is_fitted(self)
        request = ImportanceRequest(
            cast(FittedForest, self), kind, X, y, feature_groups, rows, by, normalize, max_degree,
            min_samples, null, n_repeats, loss, sample_weight, random_state, n_jobs, progress,
        )  # fmt: skip
        return importances(request)
