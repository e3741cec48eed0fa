"""Files of outcomes: Markdown, JSON and figures, and a page that lists them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from silvics.reproduce.outcome import Outcome, shown
from silvics.reproduce.registry import Item, items

_LARGEST_SVG = 120_000  # bytes; a larger figure is written as PNG


def write(outcome: Outcome, folder: Path) -> list[Path]:
    """Write an outcome as Markdown and JSON, and its figure, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    name = outcome.item.id
    figure = _write_figure(outcome, folder)
    page, values = folder / f"{name}.md", folder / f"{name}.json"
    page.write_text(markdown(outcome, figure), encoding="utf-8")
    values.write_text(json.dumps(outcome.to_dict(), indent=1) + "\n", encoding="utf-8")
    return [page, values, *([] if figure is None else [figure])]


def markdown(outcome: Outcome, figure: Path | None = None) -> str:
    """Return an outcome as a page of Markdown."""
    item = outcome.item
    lines = [f"# {item.label}: {item.title}", "", f"**{_cell(outcome.finding)}**", ""]
    if figure is not None:
        lines += [f"![{item.label}]({figure.name})", ""]
    if outcome.rows:
        lines += ["| quantity | thesis | ours | difference |", "|---|---:|---:|---:|"]
        lines += [
            _line(row.quantity, shown(row.thesis), shown(row.ours), shown(row.difference))
            for row in outcome.rows
        ]
        lines.append("")
    lines += ["| statement of the thesis | here | holds | why |", "|---|---|---|---|"]
    lines += [
        _line(s.text, s.here, "yes" if s.holds else "no", "" if s.holds else s.why)
        for s in outcome.statements
    ]
    code = ", ".join(f"`{path}`" for path in (item.source, *item.code))
    return "\n".join([
        *lines, "",
        f"Thesis: {item.place}. Explained in `{item.book}`. Code: {code}. Made by "
        f"`silvics reproduce {item.id} --scale {outcome.scale}` in {outcome.seconds:.1f} s.",
        "",
    ])  # fmt: skip


def write_index(folder: Path, not_run: Sequence[tuple[Item, str]] = ()) -> Path:
    """Write the page that lists all pages of a folder, and the items that were not run."""
    lines = ["# Results", "", "| item | title | scale | holds | finding |", "|---|---|---|---|---|"]
    reasons = {item.id: reason for item, reason in not_run}
    for item in items().values():
        file = folder / f"{item.id}.md"
        if file.exists():
            text = file.read_text(encoding="utf-8")
            finding = re.search(r"^\*\*(.*)\*\*$", text, flags=re.MULTILINE)
            scale = re.search(r"`silvics reproduce .* --scale (\w+)`", text)
            if finding is None or scale is None:
                raise ValueError(f"{file} is no page of `silvics reproduce`. Move it elsewhere.")
            holds = "yes" if finding[1].startswith("The finding holds") else "no"
            cells = [
                f"[{item.label}]({item.id}.md)",
                _cell(item.title),
                scale[1],
                holds,
                finding[1],
            ]
            lines.append(f"| {' | '.join(cells)} |")
        elif item.id in reasons:
            lines.append(_line(item.label, item.title, "", "not run", reasons[item.id]))
    page = folder / "index.md"
    page.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return page


def _write_figure(outcome: Outcome, folder: Path) -> Path | None:
    if outcome.draw is None or not find_spec("matplotlib"):
        return None
    import matplotlib as mpl
    from matplotlib import pyplot

    with mpl.rc_context({"svg.hashsalt": outcome.item.id, "font.size": 9}):
        figure = outcome.plot().figure_
        path, other = (folder / f"{outcome.item.id}.{end}" for end in ("svg", "png"))
        figure.savefig(path, metadata={"Date": None})
        if path.stat().st_size > _LARGEST_SVG:
            path.unlink()
            path, other = other, path
            figure.savefig(path, dpi=90, metadata={"Software": None})
        pyplot.close(figure)
    other.unlink(missing_ok=True)
    return path


def _line(*cells: str) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("*", r"\*")
