"""``silvics reproduce``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from silvics.cli.progress import Bar
from silvics.reproduce.outcome import Outcome
from silvics.reproduce.registry import Item, item_of, items
from silvics.reproduce.running import reproduce
from silvics.reproduce.settings import MissingData, Settings
from silvics.reproduce.writing import write, write_index


def run(options: Any) -> Any:
    """List items of the thesis, or run them and write their pages."""
    if options.list:
        return _list(options)
    chosen = _chosen(options)
    settings = Settings(
        scale=options.scale,
        data=None if options.data is None else Path(options.data),
        n_jobs=options.jobs,
    )
    if settings.data is not None and not settings.data.is_dir():
        raise ValueError(f"There is no folder {settings.data}.")
    folder = Path(options.out)
    outcomes: list[Outcome] = []
    not_run: list[tuple[Item, str]] = []
    begin = time.perf_counter()
    with Bar(quiet=options.quiet or options.json) as bar:
        for number, item in enumerate(chosen):
            bar(item.id, number, len(chosen))
            try:
                outcomes.append(reproduce(item.id, settings))
            except MissingData as error:
                if len(chosen) == 1:
                    raise
                not_run.append((item, str(error)))
                continue
            write(outcomes[-1], folder)  # at once: Ctrl-C keeps what is finished
            write_index(folder, not_run)
            if not options.quiet and not options.json:
                _print(outcomes[-1], whole=len(chosen) == 1)
    page = write_index(folder, not_run)
    if not options.quiet and not options.json:
        for item, reason in not_run:
            print(f"{item.id}: not run. {reason}")
        took = time.perf_counter() - begin
        print(f"\n{len(outcomes)} of {len(chosen)} items in {took:.0f} s; the page is {page}.")
    return {
        "results": [outcome.to_dict() for outcome in outcomes],
        "not_run": [{"id": item.id, "reason": reason} for item, reason in not_run],
    }


def _chosen(options: Any) -> list[Item]:
    if options.all or options.chapter:
        if options.items:
            raise ValueError("Name items, or give --all or --chapter, but not both.")
        wanted = options.chapter or [item.chapter for item in items().values()]
        found = [item for item in items().values() if item.chapter in wanted]
        if not found:
            raise ValueError(f"Chapters {wanted} have no items.")
        return found
    if not options.items:
        raise ValueError("Name an item, as in table-3.1, or give --all or --list.")
    return [item_of(name) for name in options.items]


def _list(options: Any) -> list[dict[str, Any]]:
    chosen = _chosen(options) if options.items or options.chapter else items().values()
    rows: list[dict[str, Any]] = [
        {
            "id": item.id,
            "title": item.title,
            "chapter": item.chapter,
            "section": item.section,
            "page": item.page,
            "line": item.line,
            "data": list(item.data),
            "optional_data": list(item.optional),
        }
        for item in chosen
    ]
    if not options.json:
        for row in rows:
            print(f"{row['id']:<12} {row['section']:<6} {row['title']}{_data_of(row)}")
    return rows


def _data_of(row: dict[str, Any]) -> str:
    """Return the files of ``--data`` that an item needs, and those that it uses if present."""
    parts = []
    if row["data"]:
        parts.append(f"needs {', '.join(row['data'])}")
    if row["optional_data"]:
        parts.append(f"optional {', '.join(row['optional_data'])}")
    return f" [--data: {'; '.join(parts)}]" if parts else ""


def _print(outcome: Outcome, *, whole: bool) -> None:
    print(outcome if whole else f"{outcome.item.id}: {outcome.finding}", flush=True)
