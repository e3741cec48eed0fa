"""A report on the penguins that come with the package: ``python -m silvics.demo [folder]``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw

from silvics.cli.progress import Bar
from silvics.datasets.tables import load_penguins
from silvics.reporting.report import report


def penguins() -> tuple[Any, Any]:
    """Return the table of penguins, and their species as a named column."""
    X, species = load_penguins(return_X_y=True)
    library = nw.from_native(X, eager_only=True).implementation
    return X, nw.new_series("species", species.tolist(), backend=library).to_native()


def main(arguments: Sequence[str] = ()) -> None:
    """Write the report, and print its summary."""
    folder = arguments[0] if arguments else "silvics-demo"
    with Bar(quiet=False) as bar:
        found = report(*penguins(), title="What tells penguins apart?", progress=bar)
    page = found.save(folder)
    print(found)
    print(found.forest.summary())
    print(f"\nThe page is {page}. Open it in a browser; it works offline.")


if __name__ == "__main__":
    main(sys.argv[1:])
