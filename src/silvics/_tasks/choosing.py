"""Where the trees of a forest are grown, by the parameters ``engine`` and ``resume``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from silvics import _core
from silvics._fitting.growing import Grower
from silvics._fitting.learning_task import LearningTask
from silvics._tasks.connecting import check_engine, connected
from silvics._tasks.fingerprint import of_task
from silvics._tasks.folder import TreeFolder
from silvics._tasks.growing import ClusterGrower, ResumingGrower
from silvics._tasks.running import Cluster
from silvics._tasks.working import Job


def in_tasks(settings: Any) -> bool:
    """Return whether the trees of a forest are grown on a cluster or kept in a folder."""
    return (
        getattr(settings, "engine", None) is not None
        or getattr(settings, "resume", None) is not None
    )


def check_tasks(settings: Any) -> None:
    """Raise ValueError if ``engine`` and ``resume`` exclude other parameters."""
    check_engine(getattr(settings, "engine", None))
    if getattr(settings, "resume", None) is None:
        return
    if not isinstance(settings.random_state, Integral):
        raise ValueError(
            "resume= needs random_state=an int, so that the fit which continues grows the same "
            f"forest, got random_state={settings.random_state!r}."
        )


@dataclass(frozen=True, eq=False)
class Choices:
    """What ``grower_in_tasks`` needs to know of a fit.

    Attributes
    ----------
    task : LearningTask
        The task.
    numbers : dict of int to int
        The number of the tree of each seed.
    local : callable
        Returns what grows trees in this process.
    job : callable
        Returns what grows trees on a worker.
    data : callable
        Returns a text for the rows and their outputs.
    finish : callable
        What is done to trees of ``local`` before they are kept, such as pruning.
    n_rounds, least : int
        About how many tasks a worker is given, and the fewest trees of a task for each thread.
    """

    task: LearningTask
    numbers: dict[int, int]
    local: Callable[[], Grower]
    job: Callable[[], Job]
    data: Callable[[], str]
    finish: Callable[[list[_core.Tree]], list[_core.Tree]] = list
    n_rounds: int = 8
    least: int = 1


@contextmanager
def grower_in_tasks(settings: Any, choices: Choices, n_jobs: int) -> Iterator[tuple[Grower, int]]:
    """Return what grows the trees, and the number of threads that it uses.

    The trees are finished: nothing is left to be done to them.
    """
    folder = None
    if settings.resume is not None:
        folder = TreeFolder(settings.resume, of_task(choices.task, choices.data()))
    with ExitStack() as stack:
        grower: Grower
        if settings.engine is not None:
            cluster = Cluster(stack.enter_context(connected(settings.engine)))
            n_jobs = cluster.n_threads
            grower = ClusterGrower(
                cluster, choices.job(), choices.numbers, n_rounds=choices.n_rounds,
                least=choices.least,
            )  # fmt: skip
        else:
            grower = choices.local()
        if folder is not None:
            grower = ResumingGrower(grower, folder, choices.numbers, choices.finish, n_jobs)
        yield grower, n_jobs
