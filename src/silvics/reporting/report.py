"""Reports on a table, in one call."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._names import one_of
from silvics._version import __version__
from silvics.reporting.advice import advice_section
from silvics.reporting.cases import cases_section
from silvics.reporting.columns import data_section
from silvics.reporting.content import Section, plain
from silvics.reporting.learning import Learned, learn
from silvics.reporting.opening import opening_section
from silvics.reporting.page import page_of
from silvics.reporting.quality import quality_section
from silvics.reporting.relevance import relevance_section
from silvics.reporting.subject import Subject, frame_from, subject_of

SECTIONS = ("data", "quality", "inputs", "cases", "advice")
SCHEMA = 1
Progress = Callable[[str, int, int], object]


class Report:
    """A report on a table: a page, its numbers and the forest.

    It is shown inline by notebooks. :func:`silvics.report` makes it.

    Attributes
    ----------
    forest : ForestClassifier or ForestRegressor
        The forest that the report is about, grown on all rows.
    sections : list of str
        The names of the sections.

    Examples
    --------
    >>> import silvics
    >>> from silvics.datasets import load_penguins
    >>> X, y = load_penguins(return_X_y=True)
    >>> found = silvics.report(X, y, sections=["data"])
    >>> found.to_dict()["sections"]["data"]["values"]["n_rows"]
    344
    """

    def __init__(
        self, title: str, sections: list[Section], forest: Any, about: dict[str, Any]
    ) -> None:
        self.forest = forest
        self.sections = [section.anchor for section in sections]
        self._title, self._parts, self._about = title, sections, about

    def to_dict(self) -> dict[str, Any]:
        """Return every number of the report, in types of JSON.

        Returns
        -------
        content : dict
            ``"schema"``, a version number; ``"about"``, the table and the software;
            ``"sections"``, the texts, values and tables of each section.

        Examples
        --------
        >>> import silvics
        >>> from silvics.datasets import load_penguins
        >>> X, y = load_penguins(return_X_y=True)
        >>> silvics.report(X, y, sections=["data"]).to_dict()["schema"]
        1
        """
        return {
            "schema": SCHEMA,
            "title": self._title,
            "about": plain(self._about),
            "sections": {section.anchor: section.to_dict() for section in self._parts},
        }

    def to_html(self) -> str:
        """Return the report as one HTML page that loads nothing else.

        Returns
        -------
        page : str
            The page.

        Examples
        --------
        >>> import silvics
        >>> from silvics.datasets import load_penguins
        >>> X, y = load_penguins(return_X_y=True)
        >>> silvics.report(X, y, sections=["data"]).to_html()[:15]
        '<!DOCTYPE html>'
        """
        about = self._about
        rows = "contains values of single rows" if about["has_rows"] else "contains no single rows"
        footer = [
            f"{about['n_rows']:,} rows, fingerprint `{about['fingerprint']}`. The page {rows}, and "
            "the names and levels of columns.",
            f"silvics {about['version']}, {about['time']}, Python {about['python']}, forest digest "
            f"`{about['digest'][:16]}`.",
        ]
        if about["command"]:
            footer.append(f"Made by `{about['command']}`")
        return page_of(self._title, self._parts, footer, plain({"schema": SCHEMA, "about": about}))

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write ``report.html``, ``report.json`` and ``model.silvics``.

        Parameters
        ----------
        folder : str or path
            The folder, which is made if it does not exist. Files of these names are replaced.

        Returns
        -------
        page : Path
            The path of ``report.html``.

        Examples
        --------
        >>> import tempfile
        >>> import silvics
        >>> from silvics.datasets import load_penguins
        >>> X, y = load_penguins(return_X_y=True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     silvics.report(X, y, sections=["data"]).save(folder).name
        'report.html'
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "report.html", self.to_html())
        _write(folder / "report.json", json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n")
        self.forest.save(folder / "model.silvics")
        return folder / "report.html"

    def __repr__(self) -> str:
        texts = self._parts[0].to_dict()["texts"]
        return "\n".join([self._title, *(f"  - {text.replace('`', '')}" for text in texts)])

    def _repr_html_(self) -> str:
        page = escape(self.to_html())
        return (
            f'<iframe srcdoc="{page}" title="{escape(self._title)}" '
            'style="width:100%;height:640px;border:1px solid #ccc"></iframe>'
        )


def _write(path: Path, text: str) -> None:
    """Replace a file only when the new one is complete."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def report(
    X: Any,
    y: Any,
    *,
    task: str | None = None,
    types: Mapping[str, str] | None = None,
    drop: Iterable[str] = (),
    id: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    test: Any = None,
    positive: Any = None,
    sections: Iterable[str] | None = None,
    rows: bool = True,
    random_state: int = 0,
    max_time: float | None = None,
    max_memory: float | str | None = None,
    n_jobs: int | None = -1,
    title: str | None = None,
    progress: Progress | None = None,
) -> Report:
    """Grow a forest on a table, and report what it has learned.

    The report has five sections: the data and what looks wrong in them; how good the forest is on
    rows that it has not seen, against simple models; which inputs matter, and how; single rows; and
    advice. ``silvics report`` is the same from the command line.

    Parameters
    ----------
    X : data frame or array-like of shape (n_rows, n_columns)
        The table.
    y : str or array-like of shape (n_rows,)
        The name of the target's column in X, or the target. Rows without a target are left out.
    task : {"classification", "regression"} or None, default=None
        The task. None decides by the target: text, booleans, and integers with at most 20 distinct
        values are classes.
    types : dict of str to {"number", "category", "date"} or None, default=None
        Types of columns that are not those of the table.
    drop : iterable of str, default=()
        Columns that are not used.
    id : str or None, default=None
        A column that names the rows. It is not used.
    weight : str or None, default=None
        The column of sample weights.
    group : str or None, default=None
        The column of groups, such as patients. Rows are then scored by forests that have not seen
        their group.
    time : str or None, default=None
        A column of times. Rows are then scored by forests grown on earlier rows.
    test : data frame, (X, y), or None, default=None
        Other rows to score the forest on. A frame contains the target's column.
    positive : object, default=None
        The class of interest, of two. None takes the last one.
    sections : iterable of {"data", "quality", "inputs", "cases", "advice"} or None, default=None
        The sections to write. None writes all.
    rows : bool, default=True
        Whether the report may show values of single rows. False leaves out "cases".
    random_state : int, default=0
        The seed.
    max_time : float or None, default=None
        The most seconds that growing the forest may take; it then has fewer trees.
    max_memory : int, str or None, default=None
        The most memory that growing the forest may take, as in "2GB".
    n_jobs : int or None, default=-1
        Number of threads. The report does not depend on it.
    title : str or None, default=None
        The title of the page.
    progress : callable or None, default=None
        Called with the name of a step, the work done and the total.

    Returns
    -------
    report : Report
        The report, with ``to_html()``, ``to_dict()``, ``save(folder)`` and ``forest``.

    Examples
    --------
    >>> import silvics
    >>> from silvics.datasets import load_penguins
    >>> X, y = load_penguins(return_X_y=True)
    >>> found = silvics.report(X, y, sections=["data", "advice"])
    >>> found.sections
    ['summary', 'data', 'advice']
    """
    return report_of(
        X, y, task=task, types=types, drop=drop, id=id, weight=weight, group=group, time=time,
        test=test, positive=positive, sections=sections, rows=rows, random_state=random_state,
        max_time=max_time, max_memory=max_memory, n_jobs=n_jobs, title=title, progress=progress,
    )  # fmt: skip


def report_of(
    X: Any,
    y: Any,
    *,
    test: Any,
    sections: Iterable[str] | None,
    rows: bool,
    random_state: int,
    max_time: float | None,
    max_memory: float | str | None,
    n_jobs: int | None,
    title: str | None,
    progress: Progress | None,
    source: str | None = None,
    command: str | None = None,
    **columns: Any,
) -> Report:
    """Make a report. ``source`` and ``command`` are the file and the command line, if known."""
    wanted = _checked_sections(sections, rows)
    subject = subject_of(X, y, **columns)
    tested = None if test is None else _test_rows(subject, test, columns.get("types"))
    tell = progress or (lambda *_: None)
    learned = learn(
        subject, seed=random_state, n_jobs=n_jobs, max_time=max_time, max_memory=max_memory,
        progress=lambda done, total: tell("growing", done, total),
    )  # fmt: skip
    makers: dict[str, Callable[[], Section]] = {
        "data": lambda: data_section(subject),
        "quality": lambda: quality_section(subject, learned, tested, random_state),
        "inputs": lambda: relevance_section(subject, learned, random_state),
        "cases": lambda: cases_section(subject, learned, random_state),
        "advice": lambda: advice_section(subject, learned, source),
    }
    parts: dict[str, Section] = {}
    for i, name in enumerate(wanted):
        tell(name, i, len(wanted))
        parts[name] = makers[name]()
    tell("done", len(wanted), len(wanted))
    first = opening_section(subject, learned, parts)
    title = title or f"What predicts {subject.target}?"
    about = _about(subject, learned, parts) | {"command": command}
    return Report(title, [first, *parts.values()], learned.forest, about)


def _checked_sections(sections: Iterable[str] | None, rows: bool) -> list[str]:
    if sections is None:
        wanted = list(SECTIONS)
    else:
        asked = [sections] if isinstance(sections, str) else list(sections)
        wanted = [
            name for name in SECTIONS if name in {one_of("sections", s, SECTIONS) for s in asked}
        ]
        if not wanted:
            raise ValueError(f"sections must name at least one of {list(SECTIONS)}.")
    return [name for name in wanted if rows or name != "cases"]


def _test_rows(subject: Subject, test: Any, types: Mapping[str, str] | None) -> tuple[Any, Any]:
    """Read other rows as the table was read."""
    X, y = test if isinstance(test, tuple) else (test, subject.target)
    names = [column.name for column in subject.inputs]
    columns = frame_from(X).columns
    missing = [name for name in names if name not in columns]
    if missing:
        raise ValueError(f"The test table lacks the columns {', '.join(map(repr, missing[:10]))}.")
    known = {name: kind for name, kind in (types or {}).items() if name in names}
    kinds = {"category": "category", "date": "date"}
    known |= {column.name: kinds.get(column.kind, "number") for column in subject.inputs}
    other = subject_of(X, y, task=subject.task, types=known, for_test=True)
    if subject.is_classification and not np.isin(other.y, subject.classes).all():
        raise ValueError("The test table has classes that the table does not have.")
    return nw.from_native(other.X, eager_only=True).select(names).to_native(), other.y


def _about(subject: Subject, learned: Learned, parts: dict[str, Section]) -> dict[str, Any]:
    return {
        "n_rows": subject.n_rows,
        "target": subject.target,
        "task": subject.task,
        "fingerprint": _fingerprint(subject),
        "digest": learned.forest.digest(),
        "n_trees": len(learned.forest),
        "version": __version__,
        "python": platform.python_version(),
        "time": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "has_rows": "cases" in parts,
    }


def _fingerprint(subject: Subject) -> str:
    """Return a fingerprint of the values, which does not depend on the library of the table."""
    found = hashlib.sha256()
    for column in subject.inputs:
        found.update(column.name.encode())
        found.update("\0".join(column.levels).encode())
        found.update(np.ascontiguousarray(column.values).tobytes())
    found.update("\0".join(map(str, subject.y.tolist())).encode())
    return found.hexdigest()[:16]
