"""The base class of result objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import Any

from silvics._frames import frame_of
from silvics._names import one_line
from silvics._results.table import Table, paragraphs, table_of
from silvics.plots.display import Display


class Result(ABC):
    """A result with labelled values: a data frame, a plot, a text form and an HTML form.

    A subclass defines what it contains: the columns of its frame, a title, and how it is drawn.
    """

    _library: str | None  # the data-frame library of the user's table

    def to_frame(self) -> Any:
        """Return the result as a data frame.

        Returns
        -------
        frame : data frame
            A frame of the library that X came from (pandas for arrays). The documentation of the
            class lists the columns.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
        >>> forest.importances("mdi").to_frame().columns.tolist()
        ['variable', 'importance', 'std', 'standard_error']
        """
        return frame_of(self._columns(), self._library)

    def plot(self, ax: Any = None) -> Display:
        """Draw the result. This needs the package matplotlib.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            The axes to draw in. None makes a new figure.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from silvics.importance import copies
        >>> found = copies([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], "x0", n_copies=2)
        >>> display = found.plot()
        >>> display.ax_.get_xlabel()
        'copies of x0'
        """
        return Display(self._draw(ax))

    def __repr__(self) -> str:
        lines = [one_line(self._title()), *(f"  {one_line(note)}" for note in self._notes())]
        for table in self._tables():
            lines += table.lines()
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        title = f"<p><b>{escape(one_line(self._title()))}</b></p>"
        tables = "".join(table.html() for table in self._tables())
        return f"<div>{title}{paragraphs(self._notes())}{tables}</div>"

    @abstractmethod
    def _title(self) -> str:
        """Return the first line of the text form."""

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Return the columns of the frame."""

    @abstractmethod
    def _draw(self, ax: Any) -> Any:
        """Draw in the given axes, or in those of a new figure, and return the axes."""

    def _notes(self) -> list[str]:
        """Return lines that are shown below the title."""
        return []

    def _shown_columns(self) -> dict[str, Any]:
        """Return the columns that the text form and the HTML form show."""
        return self._columns()

    def _tables(self) -> list[Table]:
        """Return the tables of the text form and the HTML form."""
        return [table_of(self._shown_columns())]
