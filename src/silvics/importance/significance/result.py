"""The result of a test of importances: p-values, and the variables that they select."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control

from silvics._names import did_you_mean
from silvics._results.base import Result
from silvics.importance._checks import checked_top
from silvics.plots import charts
from silvics.plots.display import Display

_ERROR_RATES = {
    "fdr": "false discovery rate",
    "family": "family-wise error rate",
    None: "false positive rate",
}


@dataclass(repr=False, eq=False)
class Significance(Result):
    """Importances with p-values.

    ``to_frame()`` has one row for each variable, sorted by increasing p-value: ``variable``,
    ``importance`` and ``p_value``; ``adjusted_p_value``, on which the selection is based;
    ``q_value``, which is ``adjusted("fdr")``; ``list_fdr``, where ``fdr_of_list`` is defined; and
    ``decision`` for :func:`boruta`.

    Attributes
    ----------
    method : str
        A description of the test.
    names : ndarray of str objects
        The variables, or the groups of variables that were requested.
    importances : ndarray of shape (n_variables,)
        The observed importances.
    p_values : ndarray of shape (n_variables,)
        Unadjusted p-values; NaN where the method stopped before the variable. The documentation of
        each test defines them.
    null : ndarray of shape (n_null, n_variables), or None
        Importances of the same variables, or of their shadows, under the null hypothesis.
    level : float
        The level of the method, which is the default of ``selected``.
    decision : ndarray of str objects, or None
        For :func:`boruta`: "confirmed", "tentative" or "rejected".
    hits : ndarray of shape (n_rounds, n_variables), or None
        For :func:`boruta`: 1 where a variable was above all shadows, 0 where it was not, NaN where
        it had been rejected before.

    See Also
    --------
    permutation_test, one_forest_test, contrast_test, conditional_error_rate, boruta : The tests.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestClassifier
    >>> from silvics.importance import permutation_test
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> forest = RandomForestClassifier(10)
    >>> found = permutation_test(forest, X, X[:, 0] > 0, n_permutations=39, random_state=0)
    >>> found.method, found.p_values.shape
    ('ufi against 39 permutations of y', (3,))
    """

    method: str
    names: np.ndarray
    importances: np.ndarray
    p_values: np.ndarray
    null: np.ndarray | None = None
    level: float = 0.05
    decision: np.ndarray | None = None
    hits: np.ndarray | None = None
    # The meaning of the p-values: "plain", "joint" (null draws are of all variables together),
    # "family" (adjusted for any false variable already, and known up to `level`), or "hits".
    _sort: str = "plain"
    _least: float = 0.0  # the smallest possible p-value
    _used: np.ndarray | None = None  # the p-values on which the method based its decisions
    _library: str | None = None

    def adjusted(self, how: str | None = "fdr") -> np.ndarray:
        """Adjust the p-values for multiple tests.

        Parameters
        ----------
        how : {"fdr", "family"} or None, default="fdr"
            "fdr" controls the expected share of false variables among those selected
            (Benjamini-Hochberg). "family" controls the probability that any selected variable is
            false: by the step-down method of Westfall and Young if the null draws are of all
            variables together, else by Holm's method. None does not adjust. The p-values of
            :func:`conditional_error_rate` are family-wise already and are not changed.

        Returns
        -------
        p_values : ndarray of shape (n_variables,)

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> from silvics.importance import permutation_test
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> forest = RandomForestClassifier(10)
        >>> found = permutation_test(forest, X, X[:, 0] > 0, n_permutations=39, random_state=0)
        >>> found.adjusted().round(3)
        array([0.075, 0.375, 0.775])
        """
        if how not in _ERROR_RATES:
            names = [name for name in _ERROR_RATES if name]
            raise ValueError(
                f"how must be None or one of {names}, got {how!r}.{did_you_mean(how, names)}"
            )
        found = np.array(self.p_values, dtype=np.float64)
        if how is None or self._sort == "family":
            return found
        if how == "family" and self._sort == "joint" and self.null is not None:
            return step_down(self.importances, self.null)
        known = ~np.isnan(found)
        if known.any():
            adjust = false_discovery_control if how == "fdr" else _holm
            found[known] = adjust(found[known])
        return found

    def mask(self, level: float | None = None, how: str | None = "auto") -> np.ndarray:
        """Return a mask of the selected variables.

        Parameters
        ----------
        level : float or None, default=None
            The allowed error rate. None is ``self.level``.
        how : {"auto", "fdr", "family"} or None, default="auto"
            The error rate that is controlled, as in ``adjusted``. "auto" depends on the method.
            It is "family" if the null draws are of all variables together, as in
            :func:`permutation_test` (a hundred draws are enough, where "fdr" would need
            thousands), and for :func:`conditional_error_rate`. For :func:`boruta` it selects the
            confirmed variables. Otherwise it is "fdr".

        Returns
        -------
        mask : ndarray of bool of shape (n_variables,)

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> from silvics.importance import permutation_test
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> forest = RandomForestClassifier(10)
        >>> found = permutation_test(forest, X, X[:, 0] > 0, n_permutations=39, random_state=0)
        >>> found.mask(level=0.1)
        array([ True, False, False])
        """
        if how == "auto" and level is None and self.decision is not None:
            return self.decision == "confirmed"
        level = self.level if level is None else checked_level(level)
        if self._sort == "family" and level > self.level:
            raise ValueError(
                f"The test stopped at the level {self.level}, so the selection at the level "
                f"{level} is unknown: run it again with level={level}."
            )
        with np.errstate(invalid="ignore"):
            return self.adjusted(self._how(how)) <= level

    def _how(self, how: str | None) -> str | None:
        return how if how != "auto" else "family" if self._sort in ("family", "joint") else "fdr"

    def selected(self, level: float | None = None, how: str | None = "auto") -> np.ndarray:
        """Return the names of the selected variables, sorted by increasing p-value.

        Parameters
        ----------
        level : float or None, default=None
            The allowed error rate. None is ``self.level``.
        how : {"auto", "fdr", "family"} or None, default="auto"
            The error rate that is controlled, as in ``mask``.

        Returns
        -------
        names : ndarray of str objects

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> from silvics.importance import permutation_test
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> forest = RandomForestClassifier(10)
        >>> found = permutation_test(forest, X, X[:, 0] > 0, n_permutations=39, random_state=0)
        >>> found.selected(level=0.1)
        array(['x0'], dtype=object)
        """
        mask = self.mask(level, how)
        return self.names[[j for j in self._order() if mask[j]]]

    def fdr_of_list(self) -> np.ndarray:
        """Estimate the false discovery rate of each list of the most important variables.

        For each variable, this is the mean number of importances in a null draw that are at least
        as large, divided by the number of observed importances that are (Huynh-Thu et al. 2012).
        All variables are compared with each other. The importances of useless variables must
        therefore have similar distributions; those of "mdi" do not if X has both numbers and
        categories.

        Returns
        -------
        rates : ndarray of shape (n_variables,)
            Rates of at most 1, which do not decrease as the importance decreases.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> from silvics.importance import permutation_test
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> forest = RandomForestClassifier(10)
        >>> found = permutation_test(forest, X, X[:, 0] > 0, n_permutations=39, random_state=0)
        >>> found.fdr_of_list().round(3)
        array([0.   , 0.423, 0.778])
        """
        if self.null is None or self._sort == "hits":
            raise ValueError(
                "This result has no importances under the null hypothesis: use permutation_test."
            )
        null, observed = np.sort(self.null, axis=None), np.sort(self.importances)
        order = np.argsort(-self.importances, kind="stable")
        found = self.importances[order]
        false = (null.size - np.searchsorted(null, found)) / len(self.null)
        length = observed.size - np.searchsorted(observed, found)
        rates = np.empty(len(order))
        rates[order] = np.minimum.accumulate(np.minimum(false / length, 1.0)[::-1])[::-1]
        return rates

    def _columns(self) -> dict[str, Any]:
        order = self._order()
        columns: dict[str, Any] = {
            "variable": self.names[order].tolist(),
            "importance": self.importances[order],
            "p_value": np.asarray(self.p_values, dtype=np.float64)[order],
            "adjusted_p_value": self._decisive()[0][order],
            "q_value": self.adjusted("fdr")[order],
        }
        if self.null is not None and self._sort != "hits":
            columns["list_fdr"] = self.fdr_of_list()[order]
        if self.decision is not None:
            columns["decision"] = self.decision[order].tolist()
        return columns

    def _order(self) -> np.ndarray:
        """Return the variables by increasing p-value."""
        return np.lexsort((-self.importances, np.nan_to_num(self.p_values, nan=np.inf)))

    def plot(
        self,
        ax: Any = None,
        *,
        top: int | None = 20,
        level: float | None = None,
        how: str | None = "auto",
    ) -> Display:
        """Draw a bar for each importance, colored if the variable is selected.

        A mark shows the quantile ``1 - level`` of the importances under the null hypothesis.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            The axes to draw in. None makes a new figure.
        top : int or None, default=20
            The number of variables, those of the largest importance; None draws all.
        level : float or None, default=None
            The allowed error rate. None is ``self.level``.
        how : {"auto", "fdr", "family"} or None, default="auto"
            The error rate that is controlled, as in ``mask``.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> from silvics.importance import permutation_test
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> forest = RandomForestClassifier(10)
        >>> found = permutation_test(forest, X, X[:, 0] > 0, n_permutations=39, random_state=0)
        >>> display = found.plot(top=2)
        >>> display.ax_.get_xlabel()
        'importance'
        """
        return Display(self._draw(ax, checked_top(top), level, how))

    def _draw(
        self, ax: Any, top: int | None = 20, level: float | None = None, how: str | None = "auto"
    ) -> Any:
        order = np.argsort(-self.importances, kind="stable")[:top]
        colors = np.where(self.mask(level, how)[order], "tab:blue", "lightgray")
        ax = charts.bars(self.importances[order], self.names[order], "importance", ax, colors)
        if self.null is not None:
            share = 1 - (self.level if level is None else level)
            chance = np.quantile(self.null, share, axis=0)[order]
            places = np.arange(len(order))
            ax.plot(chance, places, "|", color="black", markersize=12, label="chance")
            ax.legend(fontsize="small", loc="lower right")
        return ax

    def _title(self) -> str:
        return f"Significance ({self.method})"

    def _notes(self) -> list[str]:
        mask = self.mask()
        notes = [self._count(mask), f"p-values: {self._decisive()[1]}"]
        n_tested = len(mask) if self._how("auto") == "fdr" else 1
        if not mask.any() and self.decision is None and self._least * n_tested > self.level:
            notes.append(
                f"The smallest possible p-value is {self._least:.2g}, which is too large to select "
                f"a single one of {len(mask)} variables: use more draws."
            )
        return notes

    def _shown_columns(self) -> dict[str, Any]:
        order = self._order()
        shown: dict[str, Any] = {
            "variable": self.names[order],
            "importance": self.importances[order],
            "p": self._decisive()[0][order],
        }
        if self.decision is not None:
            return shown | {"decision": self.decision[order]}
        return shown | {"selected": ["*" if chosen else "" for chosen in self.mask()[order]]}

    def _decisive(self) -> tuple[np.ndarray, str]:
        """Return the p-values that decide, and a description of how they are adjusted."""
        if self._used is not None:
            return self._used, f"two-sided, of hits, times {len(self.names)} (Bonferroni)"
        if self._sort == "family":
            return self.adjusted("family"), "family-wise, of this and all larger importances"
        if self._how("auto") == "family":
            return self.adjusted("family"), "adjusted for the family-wise error (Westfall-Young)"
        return self.adjusted("fdr"), "adjusted for the false discovery rate (Benjamini-Hochberg)"

    def _count(self, mask: np.ndarray) -> str:
        """Return how many variables are selected, and the first of them."""
        if self.decision is not None:
            counts = [
                f"{int((self.decision == word).sum())} {word}"
                for word in ("confirmed", "tentative", "rejected")
            ]
            return f"{len(mask)} variables: " + ", ".join(counts)
        names = [str(name) for name in self.selected()]
        rate = _ERROR_RATES[self._how("auto")]
        text = f"{len(names)} of {len(mask)} variables selected at a {rate} of {self.level:g}"
        if names:
            text += ": " + ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        return text


def step_down(observed: np.ndarray, null: np.ndarray) -> np.ndarray:
    """Adjust p-values for the family-wise error by null draws of all variables (Westfall-Young).

    Importances are standardized by their mean and standard deviation over all draws. Otherwise
    variables of many values, whose importances vary more, would be the largest in most draws. The
    observed importances count as one draw: under the null hypothesis it has the distribution of
    the others.
    """
    draws = np.vstack([observed, null])
    scale = draws.std(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        draws = np.where(scale > 0, (draws - draws.mean(axis=0)) / scale, 0.0)
    order = np.argsort(-draws[0], kind="stable")
    draws = draws[:, order]
    # In each draw, the maximum over this variable and all of smaller observed importance.
    largest = np.maximum.accumulate(draws[1:, ::-1], axis=1)[:, ::-1]
    found = (1 + (largest >= draws[0]).sum(axis=0)) / (1 + len(null))
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(found)
    return adjusted


def _holm(p_values: np.ndarray) -> np.ndarray:
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(order), 0, -1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return adjusted


def checked_level(level: Any, name: str = "level") -> float:
    """Return a level as a float strictly between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, Real):
        raise TypeError(f"{name} must be a number, got {level!r}")
    if not 0 < float(level) < 1:
        raise ValueError(f"{name} must be between 0 and 1, got {level!r}")
    return float(level)
