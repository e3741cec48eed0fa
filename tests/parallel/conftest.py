"""Processes of their own for what would disturb other tests: signals, forks, thread counts."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

TIMEOUT = 600  # only to end a hang


@pytest.fixture(scope="session")
def dask_cluster():
    """Start a Dask cluster of two worker processes with two threads each."""
    from .clusters import cluster

    with cluster(2, threads_per_worker=2) as found:
        yield found


@pytest.fixture
def run():
    """Run Python code in a process of its own; its output, once it has ended well."""

    def run_code(code, *options):
        prelude = "from victim import *\n"
        ended = subprocess.run(
            [sys.executable, *options, "-c", prelude + dedent(code)],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert ended.returncode == 0, f"exit {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
        print(ended.stdout)  # figures, for those who ask with -s or -rP
        return ended.stdout

    return run_code
