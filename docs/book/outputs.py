"""Write the outputs of the examples into the pages of the book.

    python docs/book/outputs.py [PAGE ...]

A block of text that follows a block of Python is what the code prints. The blocks
of a page run one after the other, in one program. A test compares the outputs.
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


def main() -> None:
    """Write the pages that are named, or all of them."""
    for page in (
        map(Path, sys.argv[1:]) if sys.argv[1:] else sorted(HERE.glob("*.md"))
    ):
        page.write_text(
            with_outputs(page.read_text(encoding="utf-8")), encoding="utf-8"
        )
        print(f"{page.name} written")


if __name__ == "__main__":
    main()
