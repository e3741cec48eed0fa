"""Which importances are more than chance: p-values, and what follows from many of them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control

from silvics._frames import frame_of
from silvics._names import did_you_mean
from silvics.importance._checks import checked_top
from silvics.plots import charts

_IN_WORDS = {
    "fdr": "at a false discovery rate of",
    "family": "at a chance of any false one of",
    None: "at a false positive rate of",
}


@dataclass(repr=False, eq=False)
class Significance:
    """Importances, and how likely chance alone would give such ones.

    Attributes
    ----------
    method : str
        How that was found out.
    names : ndarray of str objects
        The variables, or the groups of variables that were asked for.
    importances : ndarray of shape (n_variables,)
        As observed.
    p_values : ndarray of shape (n_variables,)
        Of each by itself; NaN where the method ended before. What they are probabilities of, each
        method says.
    null : ndarray of shape (n_null, n_variables), or None
        Importances of the same variables, or of their shadows, when they tell nothing about Y.
    level : float
        Of the method, where it has one; ``selected`` takes it unless told otherwise.
    decision : ndarray of str objects, or None
        Of :func:`boruta`: "confirmed", "tentative" or "rejected".
    hits : ndarray of shape (n_rounds, n_variables), or None
        Of :func:`boruta`: 1 where a variable was above all shadows, 0 where not, NaN where it had
        been rejected before.

    See Also
    --------
    permutation_test, one_forest_test, contrast_test, conditional_error_rate, boruta : make it.
    """

    method: str
    names: np.ndarray
    importances: np.ndarray
    p_values: np.ndarray
    null: np.ndarray | None = None
    level: float = 0.05
    decision: np.ndarray | None = None
    hits: np.ndarray | None = None
    # What p-values are: "plain", "joint" (null draws are of all variables together), "family" (of
    # any false one already, and known up to `level`), or "hits".
    _sort: str = "plain"
    _least: float = 0.0  # the smallest p-value that there can be
    _used: np.ndarray | None = None  # p-values by which the method has decided itself
    _library: str | None = None

    def adjusted(self, how: str | None = "fdr") -> np.ndarray:
        """p-values for all variables together.

        Parameters
        ----------
        how : {"fdr", "family"} or None, default="fdr"
            "fdr": selecting those up to 0.05 lets one in twenty of them be false, on average
            (Benjamini-Hochberg). "family": the chance that any is false is 0.05: by the largest of
            the importances in each null draw, step by step (Westfall-Young), where the draws are
            of all variables together; otherwise Holm's. None: as they are. Those of
            :func:`conditional_error_rate` are of any false one already, and stay as they are.

        Returns
        -------
        p_values : ndarray of shape (n_variables,)
        """
        if how not in _IN_WORDS:
            names = [name for name in _IN_WORDS if name]
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
        """Which variables are selected.

        Parameters
        ----------
        level : float or None, default=None
            The error that is allowed; None: ``self.level``.
        how : {"auto", "fdr", "family"} or None, default="auto"
            The error that is meant, as in ``adjusted``. "auto": what the method is made for. That
            is "family" where null draws are of all variables together, as those of
            :func:`permutation_test` (a hundred of them suffice for it, where "fdr" would need
            thousands), and for :func:`conditional_error_rate`; for :func:`boruta` the variables
            that are confirmed; otherwise "fdr".

        Returns
        -------
        mask : ndarray of bool of shape (n_variables,)
        """
        if how == "auto" and level is None and self.decision is not None:
            return self.decision == "confirmed"
        level = self.level if level is None else checked_level(level)
        if self._sort == "family" and level > self.level:
            raise ValueError(
                f"The method has ended at the level {self.level}, and does not know what a level "
                f"of {level} would select: ask it again, with level={level}."
            )
        with np.errstate(invalid="ignore"):
            return self.adjusted(self._how(how)) <= level

    def _how(self, how: str | None) -> str | None:
        return how if how != "auto" else "family" if self._sort in ("family", "joint") else "fdr"

    def selected(self, level: float | None = None, how: str | None = "auto") -> np.ndarray:
        """Names of the variables that are selected, those of the smallest p-values first.

        Parameters
        ----------
        level : float or None, default=None
            The error that is allowed; None: ``self.level``.
        how : {"auto", "fdr", "family"} or None, default="auto"
            The error that is meant, as in ``mask``.

        Returns
        -------
        names : ndarray of str objects
        """
        mask = self.mask(level, how)
        return self.names[[j for j in self._order() if mask[j]]]

    def fdr_of_list(self) -> np.ndarray:
        """Of each variable, how false the list is that ends with it.

        How many importances as large as its own there are in a null draw, on average, as a part of
        how many are observed (Huynh-Thu et al. 2012). All variables are compared with each other,
        so it is for importances in which useless ones are alike: not for "mdi" of numbers next to
        categories.

        Returns
        -------
        rates : ndarray of shape (n_variables,)
            At most 1, and never smaller for a smaller importance.
        """
        if self.null is None or self._sort == "hits":
            raise ValueError(
                "There are no importances of useless variables to compare with: permutation_test "
                "has some."
            )
        null, observed = np.sort(self.null, axis=None), np.sort(self.importances)
        order = np.argsort(-self.importances, kind="stable")
        found = self.importances[order]
        false = (null.size - np.searchsorted(null, found)) / len(self.null)
        length = observed.size - np.searchsorted(observed, found)
        rates = np.empty(len(order))
        rates[order] = np.minimum.accumulate(np.minimum(false / length, 1.0)[::-1])[::-1]
        return rates

    def to_frame(self) -> Any:
        """The variables as a data frame, those of the smallest p-values first.

        Returns
        -------
        frame : data frame
            In the library of X (pandas, for arrays): ``variable``, ``importance``, ``p_value``,
            ``adjusted_p_value``, which the decision uses; ``q_value`` (``adjusted("fdr")``);
            ``list_fdr``, where ``fdr_of_list`` has one; ``decision``, of :func:`boruta`.
        """
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
        return frame_of(columns, self._library)

    def _order(self) -> np.ndarray:
        return np.lexsort((-self.importances, np.nan_to_num(self.p_values, nan=np.inf)))

    def plot(
        self,
        top: int | None = 20,
        level: float | None = None,
        how: str | None = "auto",
        ax: Any = None,
    ) -> Any:
        """A bar for each importance, the largest first, in colour where it is selected.

        A mark is where chance alone would be, but for a share of ``level``.

        Parameters
        ----------
        top : int or None, default=20
            How many variables; None: all.
        level : float or None, default=None
            The error that is allowed; None: ``self.level``.
        how : {"auto", "fdr", "family"} or None, default="auto"
            The error that is meant, as in ``mask``.
        ax : matplotlib axes or None, default=None
            Where to draw; None: a new figure.

        Returns
        -------
        ax : matplotlib axes
        """
        order = np.argsort(-self.importances, kind="stable")[: checked_top(top)]
        mask = self.mask(level, how)[order]
        ax = charts.new_axes(ax, 6.4, 1.2 + 0.32 * len(order))
        places = np.arange(len(order))
        colors = np.where(mask, "tab:blue", "lightgray")
        ax.barh(places, self.importances[order], color=colors)
        if self.null is not None:
            share = 1 - (self.level if level is None else level)
            chance = np.quantile(self.null, share, axis=0)[order]
            ax.plot(chance, places, "|", color="black", markersize=12, label="chance")
            ax.legend(fontsize="small", loc="lower right")
        # To matplotlib, dollars are formulas.
        labels = [str(name).replace("$", r"\$") for name in self.names[order]]
        ax.set_yticks(places, labels=labels)
        ax.invert_yaxis()
        ax.set_xlabel("importance")
        return ax

    def __repr__(self) -> str:
        mask = self.mask()
        used, adjustment = self._decisive()
        lines = [
            f"Significance ({self.method})",
            f"  {self._summary(mask)}",
            f"  p-values: {adjustment}",
        ]
        n_tested = len(mask) if self._how("auto") == "fdr" else 1
        if not mask.any() and self.decision is None and self._least * n_tested > self.level:
            lines.append(
                f"  p-values are {self._least:.2g} at least here, too large for a single one of "
                f"{len(mask)}: ask for more draws."
            )
        order = self._order()[:15]
        width = max((len(str(name)) for name in self.names[order]), default=0)
        for j in order:
            line = f"  {self.names[j]!s:<{width}} {self.importances[j]:.4g}"
            if not np.isnan(used[j]):
                line += f"  p = {used[j]:.2g}"
            if self.decision is not None:
                line += f"  {self.decision[j]}"
            elif mask[j]:
                line += "  *"
            lines.append(line)
        if len(mask) > len(order):
            lines.append(f"  ... and {len(mask) - len(order)} more")
        return "\n".join(lines)

    def _decisive(self) -> tuple[np.ndarray, str]:
        """The p-values that the decision uses, and how they are adjusted."""
        if self._used is not None:
            return self._used, f"of hits, two-sided, times {len(self.names)} (Bonferroni)"
        if self._sort == "family":
            return self.adjusted("family"), "of any false variable up to this one"
        if self._how("auto") == "family":
            return self.adjusted("family"), "adjusted for any false variable (Westfall-Young)"
        return self.adjusted("fdr"), "adjusted for false discoveries (Benjamini-Hochberg)"

    def _summary(self, mask: np.ndarray) -> str:
        if self.decision is not None:
            counts = [
                f"{int((self.decision == word).sum())} {word}"
                for word in ("confirmed", "tentative", "rejected")
            ]
            return f"of {len(mask)} variables, " + ", ".join(counts)
        names = [str(name) for name in self.selected()]
        text = (
            f"{len(names)} of {len(mask)} variables {_IN_WORDS[self._how('auto')]} {self.level:g}"
        )
        if names:
            text += ": " + ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        return text


def step_down(observed: np.ndarray, null: np.ndarray) -> np.ndarray:
    """p-values for all variables together, from null draws of all of them (Westfall-Young).

    Importances are counted from their mean over all draws, in standard deviations: variables of
    many values, whose importances vary more, would be the largest in most draws otherwise. The
    observed ones count as a draw, so that nothing tells it from the others if all are null.
    """
    draws = np.vstack([observed, null])
    scale = draws.std(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        draws = np.where(scale > 0, (draws - draws.mean(axis=0)) / scale, 0.0)
    order = np.argsort(-draws[0], kind="stable")
    draws = draws[:, order]
    # In each draw, the largest of those that are left once the larger ones are taken.
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
    """A share of errors."""
    if isinstance(level, bool) or not isinstance(level, Real):
        raise TypeError(f"{name} must be a number, got {level!r}")
    if not 0 < float(level) < 1:
        raise ValueError(f"{name} must be between 0 and 1, got {level!r}")
    return float(level)
