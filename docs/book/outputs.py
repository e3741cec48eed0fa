"""Write outputs of examples and links to results into the pages of the book.

    python docs/book/outputs.py [PAGE ...]

A block of text that follows a block of Python is what the code prints. The blocks
of a page run one after the other, in one program. A test compares the outputs.
Below an experiment stand links to its pages in ``results``, if it has been run.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
EXAMPLE = re.compile(
    r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


def run(code: str, names: dict[str, Any]) -> str:
    """Run code, and return what it prints."""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(code, "example", "exec"), names)
    lines = [line.rstrip() for line in out.getvalue().rstrip().splitlines()]
    return "".join(f"{line}\n" for line in lines)


def examples(text: str) -> Iterator[tuple[str, str]]:
    """Yield the output on the page and the actual one of each example."""
    names: dict[str, Any] = {}
    for match in EXAMPLE.finditer(text):
        yield match[2] or "", run(match[1], names)


def with_outputs(text: str) -> str:
    """Return the page with the actual outputs."""
    names: dict[str, Any] = {}

    def example(match: re.Match[str]) -> str:
        printed = run(match[1], names)
        return f"```python\n{match[1]}```\n" + (
            f"\n```text\n{printed}```\n" if printed else ""
        )

    return EXAMPLE.sub(example, text)


def experiments(line: str) -> Iterator[str]:
    """Yield the names of the tables and figures in a line."""
    words = re.sub(
        r"`figure-(\d)\.(\d)`([^`]*) to `figure-\1\.(\d)`", spelled_out, line
    )
    yield from re.findall(r"`((?:figure|table)-\d\.\d)`", words)


def spelled_out(match: re.Match[str]) -> str:
    """Return all names of a range of figures."""
    numbers = range(int(match[2]), int(match[4]) + 1)
    return ", ".join(f"`figure-{match[1]}.{number}`" for number in numbers)


def with_results(text: str) -> str:
    """Return the page with links to the results of its experiments."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("- **Results**"):
            continue
        lines.append(line)
        if line.startswith("- **Experiment**"):
            names = experiments(line.replace("silvics reproduce ", ""))
            links = [
                f"[{name.replace('-', ' ').capitalize()}](results/{name}.md)"
                for name in names
                if (HERE / "results" / f"{name}.md").exists()
            ]
            if links:
                lines.append(f"- **Results**: {', '.join(links)}")
    return "\n".join([*lines, ""])


def main() -> None:
    """Write the pages that are named, or all of them."""
    for page in (
        map(Path, sys.argv[1:]) if sys.argv[1:] else sorted(HERE.glob("*.md"))
    ):
        page.write_text(
            with_results(with_outputs(page.read_text(encoding="utf-8"))),
            encoding="utf-8",
        )
        print(f"{page.name} written")


if __name__ == "__main__":
    main()
