"""The Snakemake workflow of the documentation."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl

from silvics.datasets import load_penguins

SNAKEFILE = Path(__file__).parents[3] / "docs" / "snakemake" / "Snakefile"


def test_the_workflow_runs_and_runs_again_only_for_new_data(tmp_path):
    X, y = load_penguins(return_X_y=True)
    table = pl.from_pandas(X).with_columns(species=pl.Series(y.tolist()))
    # Males and females alternate in this table: its rows are shuffled before it is split.
    table = table.sample(fraction=1.0, shuffle=True, seed=0)
    for name, rows in (("train", table[::2]), ("new", table[1::2].drop("species"))):
        (tmp_path / "data" / name).mkdir(parents=True)
        rows.write_csv(tmp_path / "data" / name / "penguins.csv")
    shutil.copy(SNAKEFILE, tmp_path)

    assert "3 of 3 steps" in run(tmp_path)
    assert (tmp_path / "reports" / "penguins" / "report.html").exists()
    found = pl.read_csv(tmp_path / "predictions" / "penguins.csv")
    assert (found["prediction"] == table[1::2]["species"]).mean() > 0.95

    assert "Nothing to be done" in run(tmp_path)
    table[1::3].drop("species").write_csv(tmp_path / "data" / "new" / "penguins.csv")
    assert "2 of 2 steps" in run(tmp_path)  # predictions, and "all"


def run(folder):
    """Run the workflow in a folder, and return what Snakemake prints."""
    scripts = str(Path(sys.executable).parent)
    path = os.pathsep.join([scripts, os.environ["PATH"]])
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--config", "target=species"]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path, "XDG_CACHE_HOME": str(folder)},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr
