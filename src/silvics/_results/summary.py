"""A fitted forest in a few lines: its size, its out-of-bag error, its most important variables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import Any

import numpy as np

from silvics._fitting.axes import recipe_of
from silvics.recipes import RECIPES

_TOP = 10  # variables that are listed
_MOST_SHOWN = 20  # classes of which the table of confusions is printed


@dataclass(frozen=True, repr=False, eq=False)
class OutputErrors:
    """Out-of-bag errors of one output.

    Attributes
    ----------
    n_rows : int
        Rows that have out-of-bag trees.
    error : float
        Share of wrong classes, or mean squared error.
    r2 : float or None
        Share of the variance explained; None for classes.
    classes : list, or None
        Labels of the classes.
    confusion : ndarray of shape (n_classes, n_classes), or None
        Rows by their class and by the predicted one; None where there are more than 100 classes.
    class_errors : ndarray of shape (n_classes,), or None
        Share of the rows of each class that are predicted as another.
    """

    n_rows: int
    error: float
    r2: float | None = None
    classes: list[Any] | None = None
    confusion: np.ndarray | None = None
    class_errors: np.ndarray | None = None


@dataclass(frozen=True, repr=False, eq=False)
class Summary:
    """What ``forest.summary()`` returns; ``print`` shows it.

    Attributes
    ----------
    estimator : str
        Class of the forest.
    recipe : str
        Title of its algorithm.
    n_trees, n_nodes, n_leaves : int
        Of the forest; leaves are None where only what predicts was loaded.
    depth, mean_depth : float or None
        Depth of the deepest tree, and mean depth of the trees.
    n_features, n_outputs : int
        Variables and outputs.
    max_features : int
        Variables drawn at a node, K.
    oob : list of OutputErrors
        Out-of-bag errors of each output; empty where there are none.
    oob_error : float or None
        That of the first output: the share of wrong classes, or the mean squared error.
    confusion, class_errors : ndarray or None
        Those of the first output.
    importances : list of (str, float)
        The variables of the largest mean decrease of impurity, as shares of the whole.
    interrupted : bool
        Whether growing was cut short.
    samples_nbytes : int or None
        Memory of the training rows by leaf, where they are kept (``keep_samples``).
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
    _drawn: str = ""  # the setting by which trees draw rows, and leave others out of their bags

    @property
    def oob_error(self) -> float | None:
        """Share of wrong classes or mean squared error, of the first output."""
        return self.oob[0].error if self.oob else None

    @property
    def confusion(self) -> np.ndarray | None:
        """Table of confusions of the first output."""
        return self.oob[0].confusion if self.oob else None

    @property
    def class_errors(self) -> np.ndarray | None:
        """Errors by class of the first output."""
        return self.oob[0].class_errors if self.oob else None

    def to_dict(self) -> dict[str, Any]:
        """All fields in types that JSON has.

        Returns
        -------
        fields : dict
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

    # ---- words

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
                said = f"{of.error:.6g} (R2 {of.r2:.4f}) on {of.n_rows:,} rows"
                rows.append((f"Out-of-bag mean squared error{which}", said))
        return rows

    def _tables(self) -> list[tuple[str, list[list[str]]]]:
        """Titles and cells of the tables of confusions, and of importances."""
        tables = []
        for k, of in enumerate(self.oob):
            if of.confusion is None or of.classes is None or len(of.classes) > _MOST_SHOWN:
                continue
            labels = [str(label) for label in of.classes]
            assert of.class_errors is not None
            cells = [["", *labels, "error"]]
            for label, row, error in zip(labels, of.confusion, of.class_errors, strict=True):
                cells.append([label, *map(str, row), "" if np.isnan(error) else f"{error:.1%}"])
            which = f", output {k}" if len(self.oob) > 1 else ""
            tables.append((f"Confusion matrix (rows: true class, out of bag{which})", cells))
        if self.importances:
            cells = [[name, f"{value:.4f}"] for name, value in self.importances]
            tables.append(("Most important variables (mean decrease of impurity, shares)", cells))
        return tables

    def __str__(self) -> str:
        rows = self._sizes() + self._errors()
        width = max(len(name) for name, _ in rows) + 1
        lines = [self.estimator, *(f"  {name + ':':<{width}} {said}" for name, said in rows)]
        for title, cells in self._tables():
            widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
            lines += ["", f"  {title}"]
            for first, *rest in cells:
                texts = [f"{c:>{w}}" for c, w in zip(rest, widths[1:], strict=True)]
                lines.append("    " + "  ".join([f"{first:<{widths[0]}}", *texts]).rstrip())
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:left'>{escape(said)}</td></tr>"
            for name, said in self._sizes() + self._errors()
        )
        parts = [f"<p><b>{escape(self.estimator)}</b></p><table>{rows}</table>"]
        for title, cells in self._tables():
            body = "".join(
                "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
                for row in cells
            )
            parts.append(f"<p>{escape(title)}</p><table>{body}</table>")
        return "<div>" + "".join(parts) + "</div>"


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
    """The summary of a fitted forest."""
    trees, samples = forest._trees, forest._grown.samples
    known = list(trees) if trees.known else []
    depths = [tree.max_depth for tree in known]
    return Summary(
        estimator=type(forest).__name__,
        recipe=RECIPES[recipe_of(forest)].title,
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
    """An array as lists; JSON has no NaN."""
    if values.dtype.kind != "f":
        return values.tolist()
    return [None if np.isnan(value) else value for value in values.tolist()]


def _label(label: Any) -> Any:
    return label if isinstance(label, bool | int | float | str) else str(label)
