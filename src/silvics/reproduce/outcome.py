"""What running an item gives: numbers beside those of the thesis, and whether its findings hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from silvics._results.base import Result
from silvics._results.table import Table
from silvics.reproduce.registry import Item


@dataclass(frozen=True)
class Statement:
    """A statement of the thesis, and whether our numbers agree with it.

    Attributes
    ----------
    text : str
        The statement, as a clause: "Extra-Trees are about one level deeper".
    holds : bool
        Whether it holds.
    here : str
        Our numbers: "9.1 and 10.0 levels".
    why : str
        Where it does not hold, the reason if it is known, as a clause.
    """

    text: str
    holds: bool
    here: str
    why: str = ""


@dataclass(frozen=True)
class Row:
    """A quantity as printed, None where the thesis prints none, and as computed here."""

    quantity: str
    thesis: float | str | None
    ours: float | str

    @property
    def difference(self) -> float | None:
        """Ours minus the thesis' number."""
        if _is_number(self.thesis) and _is_number(self.ours):
            return float(self.ours) - float(self.thesis)  # type: ignore[arg-type]
        return None


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested tables as one, with names as in ``"gini, X1"``."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        label = f"{prefix}, {name}" if prefix else str(name)
        if isinstance(value, Mapping):
            found |= flat(value, label)
        else:
            found[label] = value
    return found


def side_by_side(printed: Mapping[str, Any], ours: Mapping[str, Any]) -> list[Row]:
    """Return a row for each number of ours, beside the printed number of the same name.

    Both may be nested tables. A printed number that we do not have is an error.
    """
    theirs, here = flat(printed), flat(ours)
    unknown = [name for name in theirs if name not in here]
    if unknown:
        raise KeyError(f"no number for {', '.join(unknown)}")
    return [Row(name, theirs.get(name), value) for name, value in here.items()]


def largest_difference(rows: Sequence[Row]) -> float:
    """Return the largest difference from a printed number."""
    return max((abs(row.difference) for row in rows if row.difference is not None), default=0.0)


def agreement(text: str, rows: Sequence[Row], within: float, why: str = "") -> Statement:
    """Return the statement that all numbers agree with the printed ones.

    Parameters
    ----------
    text : str
        The statement.
    rows : sequence of Row
        The numbers.
    within : float
        The largest difference that rounding, or the standard error of a simulation, explains.
    why : str
        The reason of larger differences, if it is known.
    """
    off = largest_difference(rows)
    compared = sum(row.difference is not None for row in rows)
    here = f"the largest of {compared} differences is {off:.2g}, {within:.2g} are allowed"
    return Statement(text, compared > 0 and off <= within, here, why)


@dataclass(repr=False, eq=False)
class Outcome(Result):
    """What running an item of the thesis gives.

    ``to_frame()`` has a row for each quantity: ``quantity``, ``thesis``, ``ours``, ``difference``.

    Attributes
    ----------
    item : Item
        The table or figure.
    scale : str
        The size of the experiment.
    ours : dict
        All numbers that were computed.
    rows : list of Row
        Numbers beside those of the thesis.
    statements : list of Statement
        What the thesis says about the item, and whether it holds here.
    seconds : float
        Time of the run.

    Examples
    --------
    >>> from silvics.reproduce.running import reproduce
    >>> found = reproduce("table-3.1")
    >>> found.holds
    True
    """

    item: Item
    scale: str
    ours: dict[str, Any]
    rows: list[Row]
    statements: list[Statement]
    seconds: float
    panels: tuple[int, int] | None = None
    draw: Any = field(default=None)
    _library: str | None = None

    @property
    def holds(self) -> bool:
        """Whether all statements hold."""
        return all(statement.holds for statement in self.statements)

    @property
    def finding(self) -> str:
        """One sentence: whether the finding holds, and why not."""
        failed = [statement for statement in self.statements if not statement.holds]
        total = len(self.statements)
        if not failed and total > 1:
            return f"The finding holds in all {total} statements."
        if not failed:
            return f"The finding holds: {_with_numbers(self.statements[0])}."
        reasons = "; ".join(
            f'"{statement.text}" is not what we find: {statement.here}'
            + (f" ({statement.why})" if statement.why else "")
            for statement in failed
        )
        part = f" in {len(failed)} of {total} statements" if total > 1 else ""
        return f"The finding does not hold{part}, because {reasons}."

    def to_dict(self) -> dict[str, Any]:
        """Return the result as values of JSON."""
        found = {
            "id": self.item.id,
            "title": self.item.title,
            "chapter": self.item.chapter,
            "section": self.item.section,
            "page": self.item.page,
            "line": self.item.line,
            "source": self.item.source,
            "code": list(self.item.code),
            "book": self.item.book,
            "scale": self.scale,
            "seconds": round(self.seconds, 2),
            "holds": self.holds,
            "finding": self.finding,
            "statements": [vars(statement) for statement in self.statements],
            "rows": [{**vars(row), "difference": row.difference} for row in self.rows],
            "ours": self.ours,
        }
        return {name: _plain(value) for name, value in found.items()}

    def _title(self) -> str:
        return f"{self.item.label}: {self.item.title}"

    def _notes(self) -> list[str]:
        return [
            f"Thesis: {self.item.place}. Scale: {self.scale}.",
            f"Code: {', '.join([self.item.source, *self.item.code])}.",
            f"Explained in {self.item.book}.",
        ]

    def _columns(self) -> dict[str, Any]:
        return {
            "quantity": [row.quantity for row in self.rows],
            "thesis": [shown(row.thesis) for row in self.rows],
            "ours": [shown(row.ours) for row in self.rows],
            "difference": [shown(row.difference) for row in self.rows],
        }

    def _tables(self) -> list[Table]:
        columns = self._columns()
        tables = [Table([*zip(*columns.values(), strict=True)], header=list(columns))]
        rows = [(s.text, s.here, "yes" if s.holds else "no") for s in self.statements]
        header = ["statement", "here", "holds"]
        tables.append(Table(rows, header=header, title="Statements", notes=[self.finding]))
        return tables if self.rows else tables[1:]

    def _draw(self, ax: Any) -> Any:
        if self.draw is None or self.panels is None:
            raise ValueError(f"{self.item.label} has no figure.")
        if ax is not None:
            if self.panels != (1, 1):
                raise ValueError(f"{self.item.label} has several axes: call plot() without ax.")
            self.draw([ax], self.ours, self.item.printed)
            return ax
        from matplotlib import pyplot

        height, width = self.panels
        figure, axes = pyplot.subplots(
            height, width, figsize=(4.2 * width + 0.8, 3.3 * height + 0.3),
            layout="constrained", squeeze=False,
        )  # fmt: skip
        self.draw(list(axes.flat), self.ours, self.item.printed)
        return figure.axes[0]


def shown(value: float | str | None) -> str:
    """Return a number as text with four significant digits, or a text as it is."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,.0f}" if _is_number(value) else str(value)


def _plain(value: Any) -> Any:
    """Return numbers and arrays of NumPy as those of Python, at any depth."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _with_numbers(statement: Statement) -> str:
    return f"{statement.text} ({statement.here})" if statement.here else statement.text


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
