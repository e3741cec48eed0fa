"""The results of bias-variance decompositions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from silvics._frames import frame_of, wide
from silvics._names import one_of
from silvics._results.base import Result
from silvics.plots import charts
from silvics.plots.display import Display

_PARTS = {
    "noise": "noise (residual error)",
    "bias": "squared bias",
    "noise_and_bias": "noise and squared bias",
    "variance": "variance",
    "error": "error: the sum",
    "measured_error": "error on new outputs",
    "rho": "correlation of two trees, rho",
    "member_variance": "variance of one tree",
    "variance_of_learning_set": "variance due to the learning set",
    "variance_of_randomness": "variance due to randomization, of one tree",
}


@dataclass(repr=False, eq=False)
class BiasVariance(Result):
    """Noise, bias and variance of a model (thesis Theorems 4.1 and 4.3).

    ``to_frame()`` has a row for each part: ``part``, ``value`` and ``standard_error``. The error is
    the sum of noise, squared bias and variance. For classification, all of them are of the class
    probabilities, added up over the classes (the Brier score).

    Attributes
    ----------
    noise : float
        The average residual error of the test samples; NaN if it is not known.
    bias : float
        The average squared bias; NaN if it can not be separated from the noise.
    variance : float
        The average variance of the predictions over learning sets and random seeds.
    error : float
        The sum of noise, bias and variance.
    noise_and_bias : float
        The sum of noise and bias.
    measured_error : float
        The mean error of the models on outputs that were drawn anew, or held out.
    rho : float
        For ensembles: the correlation between the predictions of two of its members on the same
        learning set (Equation 4.27), averaged over the samples. NaN for single models.
    member_variance : float
        For ensembles: the variance of one member.
    variance_of_learning_set : float
        For ensembles: rho(x) times the variance of one member, which is the variance that remains
        with infinitely many members (Equation 4.30, first term).
    variance_of_randomness : float
        For ensembles: the variance of one member, given the learning set. It is divided by the
        number of members (Equation 4.30, second term).
    n_members : int
        The number of members of the ensemble; 1 for single models.
    standard_errors : dict of str to float
        The Monte-Carlo standard error of each of these.
    averages : dict of str to float
        The averages above, by name.
    points : data frame
        The statistics of each test sample.
    n_learning_sets : int
        The number of learning sets.
    n_samples : int
        The size of a learning set.
    X : ndarray of shape (n_test, n_features)
        The test samples.
    """

    averages: dict[str, float]
    standard_errors: dict[str, float]
    _at: dict[str, np.ndarray]
    n_members: int
    n_learning_sets: int
    n_samples: int
    X: np.ndarray
    _feature_names: list[str]
    _estimator: str
    _problem: str
    _library: str | None = None

    @property
    def noise(self) -> float:
        """The average residual error; NaN if it is not known."""
        return self.averages.get("noise", np.nan)

    @property
    def bias(self) -> float:
        """The average squared bias; NaN if it can not be separated from the noise."""
        return self.averages.get("bias", np.nan)

    @property
    def noise_and_bias(self) -> float:
        """The sum of noise and squared bias."""
        return self.averages["noise_and_bias"]

    @property
    def variance(self) -> float:
        """The average variance."""
        return self.averages["variance"]

    @property
    def error(self) -> float:
        """The sum of noise, squared bias and variance."""
        return self.averages["error"]

    @property
    def measured_error(self) -> float:
        """The mean error of the models on other outputs than those of their learning sets."""
        return self.averages["measured_error"]

    @property
    def rho(self) -> float:
        """The average correlation of two members; NaN for single models."""
        return self.averages.get("rho", np.nan)

    @property
    def member_variance(self) -> float:
        """The average variance of one member; NaN for single models."""
        return self.averages.get("member_variance", np.nan)

    @property
    def variance_of_learning_set(self) -> float:
        """The part of the variance that more members do not reduce; NaN for single models."""
        return self.averages.get("variance_of_learning_set", np.nan)

    @property
    def variance_of_randomness(self) -> float:
        """The variance of one member given the learning set; NaN for single models."""
        return self.averages.get("variance_of_randomness", np.nan)

    @property
    def points(self) -> Any:
        """The statistics of each test sample, as a data frame.

        Its columns are the inputs, ``noise``, ``bias``, ``variance`` and ``error``, and for
        ensembles ``rho`` and ``member_variance``.
        """
        rows = np.arange(len(self.X))
        names = np.array(self._feature_names, dtype=object)
        columns = wide("row", rows, names, self.X)
        for name, values in self._at.items():
            columns[f"{name}_" if name in columns else name] = values
        return frame_of(columns, self._library)

    def variance_with(self, n_members: int) -> float:
        """Return the variance that the ensemble would have with another number of members.

        Parameters
        ----------
        n_members : int
            The number of members.

        Returns
        -------
        variance : float
            The first term of Equation 4.30, and the second for this number of members. NaN for
            single models.
        """
        if isinstance(n_members, bool) or not n_members >= 1:
            raise ValueError(f"n_members must be at least 1, got {n_members!r}.")
        return self.variance_of_learning_set + self.variance_of_randomness / n_members

    def _title(self) -> str:
        return f"Bias and variance of {self._estimator} on {self._problem}"

    def _notes(self) -> list[str]:
        notes = [
            f"{self.n_learning_sets} learning sets of {self.n_samples} samples, "
            f"{len(self.X)} test samples"
        ]
        if "bias" not in self.averages:
            notes.append("On real data, noise and bias can not be separated.")
        return notes

    def _columns(self) -> dict[str, Any]:
        shown = [name for name in _PARTS if name in self.averages]
        if "bias" in shown:
            shown.remove("noise_and_bias")
        return {
            "part": [_PARTS[name] for name in shown],
            "value": np.array([self.averages[name] for name in shown]),
            "standard_error": np.array([self.standard_errors.get(name, np.nan) for name in shown]),
        }

    def _draw(self, ax: Any) -> Any:
        names = [n for n in ("noise", "bias", "noise_and_bias", "variance") if n in self.averages]
        if "bias" in names:
            names.remove("noise_and_bias")
        if self.X.shape[1] == 1 and "bias" in self._at:
            order = np.argsort(self.X[:, 0])
            values = np.column_stack([self._at[name][order] for name in names])
            return charts.curves(
                self.X[order, 0], self._at["error"][order], values, np.array(names),
                self._feature_names[0], "error", ax, whole="error",
            )  # fmt: skip
        values = np.array([self.averages[name] for name in [*names, "error"]])
        return charts.bars(values, np.array([*names, "error"]), "squared error", ax)


@dataclass(repr=False, eq=False)
class BiasVarianceCurve(Result):
    """Bias and variance as a function of a parameter of the model (thesis Figures 4.4 and 4.5).

    ``to_frame()`` has a row for each value of the parameter: the value, ``noise``, ``bias``,
    ``variance``, ``error`` with its ``standard_error``, and ``rho``.

    Attributes
    ----------
    param_name : str
        The parameter.
    values : list
        Its values.
    results : list of BiasVariance
        The result of each value.
    best : object
        The value with the smallest error.
    """

    param_name: str
    values: list[Any]
    results: list[BiasVariance] = field(default_factory=list)
    _library: str | None = None

    @property
    def best(self) -> Any:
        """The value of the parameter with the smallest error."""
        return self.values[int(np.argmin([result.error for result in self.results]))]

    def plot(self, ax: Any = None, *, what: str = "error") -> Display:
        """Draw the parts of the error, or another statistic, by the values of the parameter.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            The axes to draw in. None makes a new figure.
        what : {"error", "rho", "variance"}, default="error"
            "error" draws noise, bias, variance and their sum, as the left of Figure 4.4; "rho" the
            correlation of two members, as its right; "variance" the two terms of the variance, as
            Figure 4.5.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.
        """
        return Display(self._draw(ax, one_of("what", what, ("error", "rho", "variance"))))

    def _of(self, name: str) -> np.ndarray:
        return np.array([getattr(result, name) for result in self.results])

    def _numeric(self) -> bool:
        return all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.values)

    def _positions(self) -> np.ndarray:
        return np.array(self.values if self._numeric() else range(len(self.values)), dtype=float)

    def _title(self) -> str:
        return f"Bias and variance by {self.param_name}"

    def _notes(self) -> list[str]:
        return [f"smallest error at {self.param_name} = {self.best}", self.results[0]._notes()[0]]

    def _columns(self) -> dict[str, Any]:
        values = self.values if self._numeric() else [str(value) for value in self.values]
        errors = [result.standard_errors.get("error", np.nan) for result in self.results]
        return {
            self.param_name: np.array(values) if self._numeric() else values,
            **{name: self._of(name) for name in ("noise", "bias", "variance", "error")},
            "standard_error": np.array(errors),
            "rho": self._of("rho"),
        }

    def _draw(self, ax: Any, what: str = "error") -> Any:
        x, name = self._positions(), self.param_name
        if what == "rho":
            drawn = charts.curves(x, self._of("rho"), None, None, name, "rho", ax)
        else:
            parts = self._parts(what)
            values, labels = np.column_stack(list(parts.values())), np.array(list(parts))
            drawn = charts.curves(x, self._of(what), values, labels, name, what, ax, whole=what)
        if not self._numeric():
            drawn.set_xticks(x, labels=[str(value) for value in self.values])
        return drawn

    def _parts(self, what: str) -> dict[str, np.ndarray]:
        """Return the terms of the error, or of the variance, by name."""
        if what == "error":
            names = ("noise", "bias", "variance")
            return {name: self._of(name) for name in names if not np.isnan(self._of(name)).all()}
        fixed = self._of("variance_of_learning_set")
        rest = self._of("variance") - fixed
        return {"due to the learning set": fixed, "due to randomization": rest}
