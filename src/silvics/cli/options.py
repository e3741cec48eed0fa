"""The options of all commands, which need no numerical library."""

from __future__ import annotations

import argparse
from typing import Any

# The module of each command, which has ``run(options)``.
COMMANDS = {
    "report": "silvics.cli.report",
    "fit": "silvics.cli.fit",
    "predict": "silvics.cli.predict",
    "impute": "silvics.cli.impute",
    "convert": "silvics.cli.convert",
    "info": "silvics.cli.info",
    "reproduce": "silvics.cli.reproduce",
}
FORMATS = ("onnx", "json", "c", "treelite", "silvics")


def add_all(commands: Any) -> None:
    """Add the parsers of all commands."""
    _add_report(commands)
    _add_fit(commands)
    _add_predict(commands)
    _add_impute(commands)
    _add_convert(commands)
    _add_info(commands)
    _add_reproduce(commands)


def _command(commands: Any, name: str, text: str, example: str) -> Any:
    found = commands.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}.",
        epilog=f"example:\n  {example}", formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    found.add_argument("--json", action="store_true", help="print the result as JSON")
    found.add_argument("--quiet", action="store_true", help="show no progress and no summary")
    return found


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _types(text: str) -> dict[str, str]:
    pairs = [part.rpartition("=") for part in _names(text)]
    if not all(name and kind for name, _, kind in pairs):
        raise argparse.ArgumentTypeError("write them as column=number,other=category")
    return {name: kind for name, _, kind in pairs}


def _add_table(command: Any) -> None:
    command.add_argument("data", help="CSV, TSV, Parquet, Arrow, Excel or JSON lines; - reads CSV")
    command.add_argument("--target", required=True, metavar="COLUMN", help="what to predict")
    command.add_argument("--task", choices=["classification", "regression"])
    command.add_argument("--types", type=_types, metavar="COLUMN=TYPE,...",
                         help="types of columns: number, category or date")  # fmt: skip
    command.add_argument("--drop", type=_names, default=[], metavar="COLUMN,...",
                         help="columns that are not used")  # fmt: skip
    command.add_argument("--weight", metavar="COLUMN", help="weights of the rows")
    command.add_argument("--seed", type=int, default=0, help="seed (default 0)")
    command.add_argument("--jobs", type=int, default=-1, metavar="N",
                         help="threads (default: all); results do not depend on them")  # fmt: skip


def _add_report(commands: Any) -> None:
    command = _command(
        commands, "report", "grow a forest and write a page about what it has learned",
        "silvics report passengers.csv --target survived --id name --out report",
    )  # fmt: skip
    _add_table(command)
    command.add_argument("--id", metavar="COLUMN", help="a column that names the rows")
    command.add_argument("--group", metavar="COLUMN",
                         help="score rows by forests that have not seen their group")  # fmt: skip
    command.add_argument("--time", metavar="COLUMN",
                         help="score rows by forests grown on earlier rows")  # fmt: skip
    command.add_argument("--test", metavar="FILE", help="other rows to score the forest on")
    command.add_argument("--positive", metavar="CLASS", help="the class of interest, of two")
    command.add_argument("--sections", type=_names, metavar="NAME,...",
                         help="data, quality, inputs, cases, advice (default: all)")  # fmt: skip
    command.add_argument("--no-rows", action="store_true",
                         help="show no values of single rows")  # fmt: skip
    command.add_argument("--max-time", type=float, metavar="SECONDS",
                         help="end growth of the forest after this time")  # fmt: skip
    command.add_argument("--max-memory", metavar="SIZE",
                         help="the most memory for growing the forest, as in 2GB")  # fmt: skip
    command.add_argument("--title", help="title of the page")
    command.add_argument("--out", default="report", metavar="DIR",
                         help="folder for report.html, report.json and model.silvics")  # fmt: skip


def _add_fit(commands: Any) -> None:
    command = _command(
        commands, "fit", "grow a forest and save it",
        "silvics fit train.csv --target price --model price.silvics",
    )  # fmt: skip
    _add_table(command)
    command.add_argument("--recipe", default="random_forest", help="default random_forest")
    command.add_argument("--trees", type=int, default=500, metavar="N", help="default 500")
    command.add_argument("--engine", metavar="ADDRESS",
                         help="grow on a Dask cluster: the address of its scheduler")  # fmt: skip
    command.add_argument("--resume", metavar="FOLDER",
                         help="keep finished trees in a folder, and continue from it")  # fmt: skip
    command.add_argument("--model", required=True, metavar="FILE", help="the file to write")


def _add_predict(commands: Any) -> None:
    command = _command(
        commands, "predict", "predict the rows of a table with a saved forest",
        "silvics predict price.silvics new.csv --out predictions.csv",
    )  # fmt: skip
    command.add_argument("model", help="a file that silvics has saved")
    command.add_argument("data", help="CSV, TSV, Parquet, Arrow, Excel or JSON lines; - reads CSV")
    command.add_argument("--probabilities", action="store_true",
                         help="add the probability of each class")  # fmt: skip
    command.add_argument("--keep", type=_names, default=[], metavar="COLUMN,...",
                         help="columns to copy to the output")  # fmt: skip
    command.add_argument("--out", metavar="FILE", help="the file to write (default: CSV to stdout)")
    command.add_argument("--jobs", type=int, default=-1, metavar="N", help="threads (default: all)")


def _add_impute(commands: Any) -> None:
    command = _command(
        commands, "impute", "fill in missing values",
        "silvics impute survey.csv --out complete.csv",
    )  # fmt: skip
    command.add_argument("data", help="CSV, TSV, Parquet, Arrow, Excel or JSON lines; - reads CSV")
    command.add_argument("--method", choices=["forest", "proximity"], default="forest")
    command.add_argument("--target", metavar="COLUMN",
                         help="the target, which the method proximity needs")  # fmt: skip
    command.add_argument("--seed", type=int, default=0, help="seed (default 0)")
    command.add_argument("--jobs", type=int, default=-1, metavar="N", help="threads (default: all)")
    command.add_argument("--out", metavar="FILE", help="the file to write (default: CSV to stdout)")


def _add_convert(commands: Any) -> None:
    command = _command(
        commands, "convert", "write a saved forest in another format",
        "silvics convert price.silvics --to onnx --out price.onnx",
    )  # fmt: skip
    command.add_argument("model", help="a file that silvics has saved")
    command.add_argument("--to", required=True, choices=FORMATS)
    command.add_argument("--out", required=True, metavar="FILE", help="the file to write")


def _add_info(commands: Any) -> None:
    command = _command(
        commands, "info", "describe a saved forest", "silvics info price.silvics",
    )  # fmt: skip
    command.add_argument("model", help="a file that silvics has saved")


def _add_reproduce(commands: Any) -> None:
    command = _command(
        commands, "reproduce", "run tables and figures of the thesis",
        "silvics reproduce table-3.1 figure-4.4 --scale small --out results",
    )  # fmt: skip
    command.add_argument("items", nargs="*", metavar="ITEM", help="names, as in table-3.1")
    command.add_argument("--list", action="store_true", help="list the items")
    command.add_argument("--all", action="store_true", help="run all items")
    command.add_argument("--chapter", type=int, action="append", metavar="N",
                         help="run all items of a chapter; may be repeated")  # fmt: skip
    command.add_argument("--scale", choices=["tiny", "small", "paper"], default="small",
                         help="size of the experiments: of tests, of seconds to a minute "
                         "(default), or as in the thesis")  # fmt: skip
    command.add_argument("--data", metavar="FOLDER", help="folder of Parquet files")
    command.add_argument("--out", default="reproduced", metavar="DIR",
                         help="folder of the pages and figures (default: reproduced)")  # fmt: skip
    command.add_argument("--jobs", type=int, default=-1, metavar="N",
                         help="threads (default: all); results do not depend on them, but times "
                         "do")  # fmt: skip
