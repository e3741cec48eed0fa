"""The command ``silvics``.

A command is a module with ``add(commands)`` and ``run(options)``. A module is imported when its
command is used, so that ``silvics --help`` loads no numerical library.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from silvics._version import __version__
from silvics.cli.completion import script_of
from silvics.cli.options import COMMANDS, add_all

_EXAMPLES = """examples:
  silvics report passengers.csv --target survived
  silvics fit train.csv --target price --model price.silvics
  silvics predict price.silvics new.csv --out predictions.csv

exit status: 0 success, 1 an error, 2 an option that is missing or unknown, 130 Ctrl-C
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    found = argparse.ArgumentParser(
        prog="silvics",
        description="Random forests on tables: reports, models, predictions.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("--version", action="version", version=f"silvics {__version__}")
    found.add_argument(
        "--completion", choices=["bash", "zsh", "fish"], metavar="SHELL",
        help="print a script for completion in bash, zsh or fish, and exit",
    )  # fmt: skip
    add_all(found.add_subparsers(dest="command", metavar="COMMAND", title="commands"))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit status."""
    commands = parser()
    options = commands.parse_args(arguments)
    if options.completion:
        print(script_of(options.completion, commands))
        return 0
    if options.command is None:
        commands.print_help()
        return 2
    try:
        found = import_module(COMMANDS[options.command]).run(options)
        if options.json:
            print(json.dumps(found, indent=1), flush=True)
    except KeyboardInterrupt:
        print("silvics: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # as in: silvics predict ... | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (
        ValueError, TypeError, OSError, ImportError, MemoryError, ArithmeticError, RuntimeError,
    ) as error:  # fmt: skip
        return _failed(options, error)
    return 0


def _failed(options: Any, error: BaseException) -> int:
    message = str(error).strip() or type(error).__name__
    if isinstance(error, FileNotFoundError) and error.filename:
        folder = os.path.dirname(error.filename)
        missing = f"folder {folder}" if folder and not os.path.isdir(folder) else None
        message = f"There is no {missing or f'file {error.filename}'}."
    if options.json:
        print(json.dumps({"error": message}))
    print(f"silvics: error: {message}", file=sys.stderr)
    return 1
