"""``silvics report``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

from silvics.cli.progress import Bar
from silvics.reporting.reading import read_table
from silvics.reporting.report import report_of


def run(options: Any) -> dict[str, Any]:
    """Write a report, and print its summary."""
    table = read_table(options.data)
    test = None if options.test is None else read_table(options.test)
    with Bar(quiet=options.quiet or options.json) as bar:
        found = report_of(
            table, options.target, task=options.task, types=options.types, drop=options.drop,
            id=options.id, weight=options.weight, group=options.group, time=options.time, test=test,
            positive=options.positive, sections=options.sections, rows=not options.no_rows,
            random_state=options.seed, max_time=options.max_time, max_memory=options.max_memory,
            n_jobs=options.jobs, title=options.title, progress=bar,
            source=options.data, command=f"silvics {shlex.join(sys.argv[1:])}",
        )  # fmt: skip
    page = found.save(options.out)
    if not options.quiet and not options.json:
        print(found)
        print(f"\nThe page is {page}; the numbers are in {Path(options.out) / 'report.json'}.")
    return found.to_dict()
