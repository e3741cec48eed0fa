"""Clusters that lose workers, the scheduler or files: the same forest, or an error with a name."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from silvics import RandomForestClassifier, RandomPatchesRegressor, scan
from silvics._tasks import connecting, encoding, running, working
from silvics.patches import in_tasks

from .clusters import FRAME, QUIET, TIMEOUT, cluster, distributed, files, kill, pids, until

cloudpickle = pytest.importorskip("cloudpickle")
cloudpickle.register_pickle_by_value(sys.modules[__name__])
pytestmark = QUIET

X = np.random.default_rng(0).normal(size=(3000, 6))
Y = X[:, 0] + X[:, 1] > 0
REGRESSION = FRAME[["x0", "x1", "x2", "price"]]


@pytest.fixture
def found(dask_cluster):
    until(lambda: len(pids(dask_cluster)) == 2, "workers do not come back")
    return dask_cluster


@pytest.fixture
def client(found):
    with distributed.Client(found, set_as_default=False) as made:
        made.wait_for_workers(2, timeout=TIMEOUT)
        yield made


def forest(n_estimators=60, **settings):
    return RandomForestClassifier(n_estimators, random_state=0, **settings)


@pytest.fixture(autouse=True)
def many_tasks(monkeypatch):
    """Make tasks of patches small, so that there are some left when others have failed."""
    monkeypatch.setattr(in_tasks, "_LEAST", 1)
    monkeypatch.setattr(in_tasks, "_N_ROUNDS", 4)


def patches(n_estimators=24, **settings):
    return RandomPatchesRegressor(n_estimators=n_estimators, random_state=0, **settings)


# ---- workers that die


class Once:
    """Kills one worker process when the first trees are finished."""

    def __init__(self, found):
        self.pids, self.killed = pids(found), False

    def __call__(self, done, total):
        if not self.killed:
            kill(self.pids[0])
            self.killed = True


@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_a_worker_is_killed(n_workers, found, tmp_path):
    """The only worker takes the data with it, and they are sent again."""
    scanned = files(tmp_path, REGRESSION)
    with nullcontext(found) if n_workers == 2 else cluster(n_workers) as used:
        once = Once(used)
        far = forest(engine=used.scheduler_address, progress=once).fit(X, Y)
        assert once.killed
        assert far.digest() == forest().fit(X, Y).digest()
        until(lambda: len(pids(used)) == n_workers, "no new worker")
        once = Once(used)
        far = patches(engine=used.scheduler_address, progress=once).fit(scanned, y="price")
        assert once.killed
        assert far.digest() == patches().fit(scanned, y="price").digest()


def test_a_worker_stops(found, monkeypatch):
    """A worker that does not answer loses its task to another one."""
    monkeypatch.setattr(running, "_SILENCE", 4.0)
    stopped = []

    def stop(done, total):
        if not stopped:
            stopped.append(pids(found)[0])
            os.kill(stopped[0], signal.SIGSTOP)

    try:
        far = forest(engine=found.scheduler_address, progress=stop).fit(X, Y)
    finally:
        os.kill(stopped[0], signal.SIGCONT)
    assert far.digest() == forest().fit(X, Y).digest()


class Job:
    """Runs a function for each task of numbers."""

    def __init__(self, do):
        self.do = do

    def run(self, items, n_threads, seconds, check):
        return self.do(items)


def echo(items):
    return encoding.encode({"numbers": items}, {})


def run(client, do, n=8):
    received = []

    def receive(content, arrays):
        received.extend(content["numbers"])
        return content["numbers"]

    begin = time.monotonic()
    error = running.run(running.Cluster(client), Job(do), range(n), receive, n_rounds=4)
    assert time.monotonic() - begin < TIMEOUT
    return sorted(received), error


def die(items):
    if 5 in items:
        os._exit(1)
    return echo(items)


def test_a_task_that_kills_every_worker(found, client, monkeypatch):
    monkeypatch.setattr(running, "_NO_WORKERS", TIMEOUT)
    monkeypatch.setattr(running, "_MOST_ATTEMPTS", 2)
    monkeypatch.setattr(found.scheduler, "allowed_failures", 1)
    received, error = run(client, die)
    assert isinstance(error, RuntimeError)
    assert "tcp://" in str(error)
    assert "trees 5" in str(error) or "to 5" in str(error)
    assert 5 not in received


def fail(items):
    if 3 in items:
        raise ValueError("table.parquet is strange")
    return echo(items)


def strange(items):
    class Strange(Exception):
        pass

    raise Strange("never seen")


def hostile(items):
    class Run:
        def __reduce__(self):
            return (os._exit, (3,))

    return pickle.dumps(Run())


def damaged(items):
    found = echo(items)
    found[-1] ^= 1
    return found


def test_errors_of_tasks_name_the_worker(client):
    received, error = run(client, fail)
    assert isinstance(error, ValueError)
    assert "table.parquet is strange (worker tcp://" in str(error)
    assert 3 not in received
    for do, kind, text in [
        (strange, RuntimeError, "Strange: never seen (worker tcp://"),
        (hostile, RuntimeError, "has sent a result that is not valid"),
        (damaged, RuntimeError, "has sent a result that is not valid"),
        (lambda items: echo([]), RuntimeError, "it has returned no result"),
    ]:
        _, error = run(client, do)
        assert isinstance(error, kind)
        assert text in str(error)
        assert "tcp://" in str(error)


def half(items):
    return echo(items[: (len(items) + 1) // 2])


def test_tasks_may_return_a_part(client):
    received, error = run(client, half, n=50)
    assert error is None
    assert received == list(range(50))


def test_another_version(client):
    worker = next(iter(client.scheduler_info()["workers"]))
    client.run(lambda: setattr(working, "__version__", "0.2.9"), workers=[worker])
    try:
        with pytest.raises(RuntimeError, match=rf"but the worker {worker} has 0\.2\.9"):
            forest(engine=client.scheduler.address).fit(X, Y)
    finally:
        version = working.__version__
        client.run(lambda: setattr(working, "__version__", version), workers=[worker])
    assert len(forest(4, engine=client.scheduler.address).fit(X, Y)) == 4


# ---- the scheduler


def test_no_scheduler(monkeypatch):
    monkeypatch.setattr(connecting, "_PATIENCE", 1)
    with pytest.raises(ConnectionError, match=r"No Dask scheduler answers.*127.0.0.1:9"):
        forest(engine="tcp://127.0.0.1:9").fit(X, Y)
    with pytest.raises(ValueError, match="engine must be None, the address"):
        forest(engine="127.0.0.1").fit(X, Y)


def test_no_client():
    with pytest.raises(ValueError, match="there is none"):
        forest(engine="dask").fit(X, Y)


def test_no_workers(monkeypatch):
    monkeypatch.setattr(running, "_NO_WORKERS", 0.5)
    with (
        cluster(0) as empty,
        pytest.raises(ConnectionError, match="has had no workers that"),
    ):
        forest(engine=empty.scheduler_address).fit(X, Y)


def test_inside_a_task(client):
    def inside():
        forest(2, engine="dask").fit(X[:20], Y[:20])

    with pytest.raises(ValueError, match="inside a task"):
        client.submit(inside, pure=False).result(timeout=TIMEOUT)


@pytest.fixture
def elsewhere(tmp_path):
    """Start a scheduler and a worker in processes of their own; yield the scheduler's."""
    processes = []

    def start(kind, *options):
        code = f"from distributed.cli.dask_{kind} import main; main()"
        given = ["--no-dashboard", "--scheduler-file", str(tmp_path / "s.json"), *options]
        process = subprocess.Popen(
            [sys.executable, "-c", code, *given], stderr=subprocess.DEVNULL, cwd=tmp_path
        )
        processes.append(process)
        return process

    try:
        scheduler = start("scheduler", "--port", "0")
        start("worker", "--no-nanny", "--nthreads", "1")
        until((tmp_path / "s.json").exists, "no scheduler")
        with distributed.Client(
            scheduler_file=str(tmp_path / "s.json"), set_as_default=False
        ) as client:
            client.wait_for_workers(1, timeout=TIMEOUT)
            yield scheduler, client.scheduler.address
            scheduler.kill()
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL], ids=["stopped", "killed"])
def test_the_scheduler_is_lost(elsewhere, tmp_path, monkeypatch, how):
    """Finished trees are kept, and the next fit continues with them."""
    scheduler, address = elsewhere

    def lose(done, total):
        scheduler.send_signal(how)
        monkeypatch.setattr(running, "_ANSWER", 1.0)

    far = forest(400, engine=address, resume=tmp_path / "trees", progress=lose)
    with pytest.raises(ConnectionError, match=f"scheduler at {address} was lost"):
        far.fit(X, Y)
    assert far.interrupted_
    assert 0 < len(far) < 400
    assert far.digest() == forest(len(far)).fit(X, Y).digest()
    kept = list((tmp_path / "trees").glob("tree-*"))
    assert len(kept) >= len(far)
    far.set_params(engine=None, progress=None, n_estimators=len(kept) + 3).fit(X, Y)
    assert far.digest() == forest(len(kept) + 3).fit(X, Y).digest()


# ---- clients


def test_a_killed_client_and_another(found, tmp_path):
    """The client is killed during fit; the next one, on one process, grows what is missing."""
    code = f"""
    import sys
    sys.path[:0] = {[str(Path(__file__).parents[2])]!r}
    from tests.parallel.test_cluster_losses import *
    forest(1600, engine={found.scheduler_address!r}, resume={str(tmp_path)!r}).fit(X, Y)
    """
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", dedent(code)], stderr=subprocess.DEVNULL
    )
    until(lambda: len(list(tmp_path.glob("tree-*"))) > 5 or process.poll() is not None, "no trees")
    process.kill()
    process.wait()
    there = len(list(tmp_path.glob("tree-*")))
    assert 5 < there < 1600
    far = forest(there + 5, resume=tmp_path, engine=found.scheduler_address).fit(X, Y)
    assert far.digest() == forest(there + 5).fit(X, Y).digest()
    assert not list(tmp_path.glob(".*.json*"))


def test_two_clients_with_one_folder(found, tmp_path):
    digests = []

    def fit():
        far = forest(40, engine=found.scheduler_address, resume=tmp_path)
        digests.append(far.fit(X, Y).digest())

    both = [threading.Thread(target=fit) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert digests == [forest(40).fit(X, Y).digest()] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["task.json", *(f"tree-{number:07d}.silvics" for number in range(40))]
    )


# ---- files


def spoil(path):
    """Damage the first half of a file, but leave its size, time and footer."""
    before, content = path.stat(), bytearray(path.read_bytes())
    content[4 : len(content) // 2] = bytes(len(content) // 2 - 4)
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_part_that_cannot_be_read(found, tmp_path):
    scanned = files(tmp_path, REGRESSION, n_files=2)
    spoil(tmp_path / "part-1.parquet")
    with pytest.raises(
        ValueError, match=r"(?s)part-1.parquet cannot be read after its row 0.*tcp://"
    ):
        patches(engine=found.scheduler_address).fit(scanned, y="price")


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (
            lambda path: path.write_bytes(path.read_bytes()[:-500]),
            r"part-0.parquet is another file",
        ),
        (lambda path: path.unlink(), r"part-0.parquet cannot be read: .*No such file"),
        (
            lambda path: files(path.parent, REGRESSION[["price"]], n_files=1),
            r"part-0.parquet is another file here",
        ),
    ],
    ids=["truncated", "removed", "other columns"],
)
def test_files_that_workers_see_differently(found, tmp_path, monkeypatch, damage, text):
    """The files are damaged after the client has described them: workers have others."""
    from silvics._sources.arrow_files import ArrowFiles

    scanned = files(tmp_path, REGRESSION, n_files=1)
    described = ArrowFiles.file_digests

    def then_damage(self):
        digests = described(self)
        damage(tmp_path / "part-0.parquet")
        return digests

    monkeypatch.setattr(ArrowFiles, "file_digests", then_damage)
    with pytest.raises(ValueError, match="(?s)" + text + r".*\(worker tcp://"):
        patches(engine=found.scheduler_address).fit(scanned, y="price")


def test_files_that_are_damaged_during_fit(found, tmp_path):
    """The trees of finished tasks are kept, and continue when the file is there again."""
    folder, trees = tmp_path / "files", tmp_path / "trees"
    folder.mkdir()
    scanned = files(folder, REGRESSION, n_files=2)
    whole = (folder / "part-1.parquet").read_bytes()

    def damage(done, total):
        spoil(folder / "part-1.parquet")

    far = patches(engine=found.scheduler_address, resume=trees, progress=damage)
    with pytest.raises(ValueError, match=r"part-1.parquet cannot be read"):
        far.fit(scanned, y="price")
    assert far.interrupted_
    assert far.digest() == patches(len(far)).fit(scan_again(folder, whole), y="price").digest()
    far.set_params(progress=None).fit(scan_again(folder, whole), y="price")
    assert far.digest() == patches().fit(scan_again(folder, whole), y="price").digest()


def scan_again(folder, content):
    (folder / "part-1.parquet").write_bytes(content)
    return scan(str(folder))
