"""Clusters of processes on this machine, and the tables that their workers read."""

import os
import signal
import time
from contextlib import contextmanager
from multiprocessing import forkserver

import pytest

from silvics import scan
from tests.unit.patches.scanned_tables import table, write_parts

distributed = pytest.importorskip("distributed")

# Only to end a hang; what fails must end within 30 seconds, besides the work itself.
TIMEOUT = 120

FRAME = table(2000)

# Dask's own connections that are collected, unclosed, after a process was killed.
QUIET = pytest.mark.filterwarnings(
    "ignore:Exception ignored.*(socket|Comm|asyncio|tornado)"
    ":pytest.PytestUnraisableExceptionWarning"
)

# What worker processes need is imported once, by the process from which they are forked.
PRELOADED = [
    "distributed", "distributed.nanny", "distributed.http.worker", "pyarrow.parquet", "pandas",
    "silvics.forests", "silvics.recipe_forests", "silvics.patches.forests", "silvics.network",
    "silvics.network.forests", "silvics._tasks.working",
]  # fmt: skip


def start_server():
    """Start the process from which workers are forked."""
    forkserver.set_forkserver_preload(PRELOADED)
    forkserver.ensure_running()


@contextmanager
def cluster(n_workers=2, threads_per_worker=1, **settings):
    """Start a scheduler in this process, and workers in processes of their own."""
    import dask

    start_server()
    calm = {"distributed.worker.multiprocessing-method": "forkserver"}
    with (
        dask.config.set(calm),
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=threads_per_worker, dashboard_address=":0",
            silence_logs=50, **settings,
        ) as found,
    ):  # fmt: skip
        yield found


def pids(found):
    """Return the process numbers of the workers."""
    return [nanny.pid for nanny in found.workers.values() if nanny.pid is not None]


def kill(pid):
    os.kill(pid, signal.SIGKILL)


def until(true, what):
    """Wait until something is true."""
    end = time.monotonic() + TIMEOUT
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def files(folder, frame=FRAME, **settings):
    """Write a table, and return its scan."""
    return scan(write_parts(frame, folder, **settings))
