"""The summary of a fitted forest: size, out-of-bag error, most important variables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from silvics._fitting.axes import recipe_of
from silvics._results.base import Result
from silvics._results.table import Table
from silvics.plots import charts
from silvics.recipes import get

_TOP = 10  # variables that are listed
_MOST_SHOWN = 20  # classes up to which the confusion matrix is printed


@dataclass(frozen=True, repr=False, eq=False)
class OutputErrors:
    """Out-of-bag errors of one output.

    Attributes
    ----------
    n_rows : int
        Number of rows with out-of-bag trees.
    error : float
        Share of misclassified rows, or mean squared error.
    r2 : float or None
        Coefficient of determination; None for classification.
    classes : list, or None
        Labels of the classes.
    confusion : ndarray of shape (n_classes, n_classes), or None
        Confusion matrix, with a row for each true class; None if there are more than 100 classes.
    class_errors : ndarray of shape (n_classes,), or None
        Share of misclassified rows of each class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    >>> errors = forest.summary().oob[0]
    >>> errors.n_rows, errors.confusion.shape
    (150, (3, 3))
    """

    n_rows: int
    error: float
    r2: float | None = None
    classes: list[Any] | None = None
    confusion: np.ndarray | None = None
    class_errors: np.ndarray | None = None


@dataclass(frozen=True, repr=False, eq=False)
class Summary(Result):
    """The summary of a fitted forest, as returned by ``forest.summary()``.

    ``to_frame()`` has one row: ``estimator``, ``recipe``, ``n_trees``, ``n_nodes``, ``n_leaves``,
    ``depth``, ``mean_depth``, ``n_features``, ``n_outputs``, ``max_features``, ``oob_error`` and
    ``interrupted``. ``plot()`` draws the importances.

    Attributes
    ----------
    estimator : str
        Name of the forest's class.
    recipe : str
        Title of the algorithm.
    n_trees, n_nodes, n_leaves : int
        Numbers of trees, nodes and leaves. ``n_leaves`` is None if the model file was saved for
        prediction only.
    depth, mean_depth : float or None
        Largest and mean depth of the trees.
    n_features, n_outputs : int
        Numbers of variables and outputs.
    max_features : int
        Number of variables drawn at a node, K.
    oob : list of OutputErrors
        Out-of-bag errors of each output; empty if they were not computed.
    oob_error : float or None
        Out-of-bag error of the first output.
    confusion, class_errors : ndarray or None
        Confusion matrix and errors by class of the first output.
    importances : list of (str, float)
        The variables of the largest mean decrease of impurity, as shares of the sum.
    interrupted : bool
        Whether ``fit`` was interrupted.
    samples_nbytes : int or None
        Memory of the training rows by leaf, if they are kept (``keep_samples``).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> summary = RandomForestClassifier(20, random_state=0).fit(X, y).summary()
    >>> summary.n_trees, summary.n_features
    (20, 4)
    """

    estimator: str
    recipe: str
    n_trees: int
    n_nodes: int
    n_leaves: int | None
    depth: int | None
    mean_depth: float | None
    n_features: int
    n_outputs: int
    max_features: int
    oob: list[OutputErrors]
    importances: list[tuple[str, float]]
    interrupted: bool
    samples_nbytes: int | None = None
    _predicts: bool = True
    _drawn: str = ""  # the parameter that makes trees draw rows, for out-of-bag estimates
    _library: str | None = None

    @property
    def oob_error(self) -> float | None:
        """Out-of-bag error of the first output."""
        return self.oob[0].error if self.oob else None

    @property
    def confusion(self) -> np.ndarray | None:
        """Confusion matrix of the first output."""
        return self.oob[0].confusion if self.oob else None

    @property
    def class_errors(self) -> np.ndarray | None:
        """Errors by class of the first output."""
        return self.oob[0].class_errors if self.oob else None

    def to_dict(self) -> dict[str, Any]:
        """Return all fields in types that JSON supports.

        Returns
        -------
        fields : dict

        Examples
        --------
        >>> import json
        >>> from silvics import RandomForestRegressor
        >>> forest = RandomForestRegressor(10, random_state=0).fit([[0.0], [1.0]], [2.0, 4.0])
        >>> json.loads(json.dumps(forest.summary().to_dict()))["n_trees"]
        10
        """
        fields = {name: value for name, value in asdict(self).items() if name[0] != "_"}
        fields["importances"] = dict(self.importances)
        fields["oob_error"] = self.oob_error
        for of_output in fields["oob"]:
            for name in ("confusion", "class_errors"):
                if of_output[name] is not None:
                    of_output[name] = _finite(of_output[name])
            if of_output["classes"] is not None:
                of_output["classes"] = [_label(label) for label in of_output["classes"]]
        return fields

    def _columns(self) -> dict[str, Any]:
        names = (
            "estimator", "recipe", "n_trees", "n_nodes", "n_leaves", "depth", "mean_depth",
            "n_features", "n_outputs", "max_features", "oob_error", "interrupted",
        )  # fmt: skip
        return {name: [getattr(self, name)] for name in names}

    def _draw(self, ax: Any) -> Any:
        if not self.importances:
            raise ValueError("This summary has no importances to draw.")
        names, values = zip(*self.importances, strict=True)
        label = "mean decrease of impurity (share)"
        return charts.bars(np.array(values), np.array(names, dtype=object), label, ax)

    def _title(self) -> str:
        return self.estimator

    def _sizes(self) -> list[tuple[str, str]]:
        rows = [
            ("Algorithm", self.recipe),
            ("Trees", f"{self.n_trees:,}" + (" (interrupted)" if self.interrupted else "")),
            ("Nodes", f"{self.n_nodes:,}, {self.n_nodes / self.n_trees:,.1f} per tree"),
        ]
        if self.depth is not None:
            rows.append(("Depth", f"{self.depth} at most, {self.mean_depth:.1f} on average"))
        rows.append(
            ("Variables", f"{self.n_features:,}, of which a node draws {self.max_features:,}")
        )
        if self.n_outputs > 1:
            rows.append(("Outputs", f"{self.n_outputs}"))
        if self.samples_nbytes is not None:
            rows.append(("Training rows", f"kept by leaf, {self.samples_nbytes / 1e6:,.1f} MB"))
        return rows

    def _errors(self) -> list[tuple[str, str]]:
        if not self._predicts:
            return []
        if not self.oob:
            how = f"not computed. Use oob_score=True with {self._drawn} before fit."
            return [("Out-of-bag error", how)]
        rows = []
        for k, of in enumerate(self.oob):
            which = f" of output {k}" if len(self.oob) > 1 else ""
            if of.r2 is None:
                rows.append((f"Out-of-bag error{which}", f"{of.error:.2%} of {of.n_rows:,} rows"))
            else:
                text = f"{of.error:.6g} (R2 {of.r2:.4f}) on {of.n_rows:,} rows"
                rows.append((f"Out-of-bag mean squared error{which}", text))
        return rows

    def _tables(self) -> list[Table]:
        """Return the sizes and errors, the confusion matrices, and the importances."""
        tables = [Table([(f"{name}:", text) for name, text in self._sizes() + self._errors()])]
        for k, of in enumerate(self.oob):
            if of.confusion is None or of.classes is None or len(of.classes) > _MOST_SHOWN:
                continue
            labels = [str(label) for label in of.classes]
            assert of.class_errors is not None
            rows = []
            for label, row, error in zip(labels, of.confusion, of.class_errors, strict=True):
                rows.append([label, *map(str, row), "" if np.isnan(error) else f"{error:.1%}"])
            which = f", output {k}" if len(self.oob) > 1 else ""
            title = f"Confusion matrix (rows: true class, out of bag{which})"
            tables.append(Table(rows, header=["", *labels, "error"], title=title, numeric=True))
        if self.importances:
            rows = [[name, f"{value:.4f}"] for name, value in self.importances]
            title = "Most important variables (mean decrease of impurity, shares)"
            tables.append(Table(rows, title=title, numeric=True))
        return tables


class FittedSection:
    """The summary as scikit-learn's HTML representation of an estimator shows fitted attributes."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary

    def __len__(self) -> int:
        return 1

    def _repr_html_inner(self) -> str:
        return (
            '<div class="estimator-table"><details><summary>Fitted forest</summary>'
            f"{self._summary._repr_html_()}</details></div>"
        )


def summary_of(forest: Any) -> Summary:
    """Return the summary of a fitted forest."""
    trees, samples = forest._trees, forest._grown.samples
    known = list(trees) if trees.known else []
    depths = [tree.max_depth for tree in known]
    return Summary(
        estimator=type(forest).__name__,
        recipe=get(recipe_of(forest)).title,
        n_trees=len(trees),
        n_nodes=int(sum(trees.node_counts)),
        n_leaves=sum(tree.n_leaves for tree in known) if known else None,
        depth=max(depths, default=None),
        mean_depth=float(np.mean(depths)) if depths else None,
        n_features=int(forest.n_features_in_),
        n_outputs=int(forest.n_outputs_),
        max_features=int(forest.max_features_),
        oob=_oob(forest),
        importances=_importances(forest) if known else [],
        interrupted=bool(getattr(forest, "interrupted_", False)),
        samples_nbytes=None if samples is None else samples.nbytes,
        _predicts=hasattr(forest, "score"),
        _drawn='rows="bootstrap"' if hasattr(forest, "recipe") else "bootstrap=True",
        _library=getattr(forest, "_frame_library", None),
    )


def _importances(forest: Any) -> list[tuple[str, float]]:
    values = getattr(forest, "feature_importances_", None)
    if values is None or not hasattr(forest, "score"):
        return []
    names = forest._variables.names
    order = np.argsort(-values, kind="stable")[:_TOP]
    return [(f"x{j}" if names is None else str(names[j]), float(values[j])) for j in order]


def _oob(forest: Any) -> list[OutputErrors]:
    stats = getattr(forest, "_oob_stats", None)
    if not stats:
        return []
    if not forest._classification:
        return [
            OutputErrors(n, error, r2=1.0 - error / variance if variance > 0 else float("nan"))
            for n, error, variance in stats
        ]
    classes = [forest.classes_] if forest.n_outputs_ == 1 else forest.classes_
    return [
        _of_classes(n, wrong, table, c) for (n, wrong, table), c in zip(stats, classes, strict=True)
    ]


def _of_classes(n: int, wrong: int, table: Any, classes: np.ndarray) -> OutputErrors:
    confusion = errors = None
    if table is not None:
        confusion = np.array(table)
        rows = confusion.sum(axis=1)
        off = rows - confusion.diagonal()
        errors = np.divide(off, rows, out=np.full(len(rows), np.nan), where=rows > 0)
    return OutputErrors(n, wrong / n, None, classes.tolist(), confusion, errors)


def _finite(values: np.ndarray) -> list[Any]:
    """Return an array as lists, with None for NaN, which JSON does not support."""
    if values.dtype.kind != "f":
        return values.tolist()
    return [None if np.isnan(value) else value for value in values.tolist()]


def _label(label: Any) -> Any:
    return label if isinstance(label, bool | int | float | str) else str(label)
