"""Forests from a Dask cluster: the same as from one process, for any workers."""

import os
import signal
import threading

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import silvics
from silvics import (
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomPatchesClassifier,
    RandomPatchesRegressor,
)
from silvics.network import genie3

from .clusters import FRAME, distributed, files, until

X, Y = load_iris(return_X_y=True)


@pytest.fixture
def address(dask_cluster):
    return dask_cluster.scheduler_address


@pytest.fixture
def client(dask_cluster):
    with distributed.Client(dask_cluster) as made:
        yield made


FORESTS = [
    RandomForestClassifier(21, random_state=0, oob_score=True),
    ExtraTreesRegressor(10, random_state=0, max_depth=5),
    ForestClassifier("rotation_forest", n_estimators=6, random_state=0),
    ForestClassifier("bagging", n_estimators=6, pruning="reduced_error", random_state=0),
    ForestRegressor("random_forest", n_estimators=7, honest=True, random_state=0),
]


@pytest.mark.parametrize(
    "forest", FORESTS, ids=lambda forest: getattr(forest, "recipe", type(forest).__name__)
)
def test_the_same_forest(address, forest):
    given = (X, Y) if hasattr(forest, "class_weight") else load_diabetes(return_X_y=True)
    plain = forest.set_params(engine=None).fit(*given)
    digest, work = plain.digest(), plain.work_
    score = getattr(plain, "oob_score_", None)
    forest.set_params(engine=address).fit(*given)
    assert (forest.digest(), forest.work_) == (digest, work)
    assert getattr(forest, "oob_score_", None) == score
    assert np.array_equal(forest.predict(given[0]), plain.predict(given[0]))


def test_any_kind_of_table(address):
    """Categories, missing values, dates, weights, groups and several outputs."""
    table = FRAME.drop(columns=["kind", "price", "w"])
    y = FRAME[["kind"]].assign(other=FRAME.x0 > 0).to_numpy(dtype=object).astype(str)
    settings = {"n_estimators": 5, "random_state": 0, "class_weight": "balanced"}
    given = {"sample_weight": FRAME.w.to_numpy(), "groups": np.arange(len(y)) // 7}
    plain = RandomForestClassifier(**settings).fit(table, y, **given)
    far = RandomForestClassifier(**settings, engine=address).fit(table, y, **given)
    assert far.digest() == plain.digest()
    assert np.array_equal(far.predict(table), plain.predict(table))


def test_sparse_tables(address):
    from scipy.sparse import random as sparse

    matrix = sparse(200, 30, 0.1, format="csr", random_state=0)
    y = np.asarray(matrix.sum(axis=1)).ravel()
    plain = ExtraTreesRegressor(4, random_state=0).fit(matrix, y)
    assert ExtraTreesRegressor(4, random_state=0, engine=address).fit(matrix, y).digest() == (
        plain.digest()
    )


def test_the_current_client(client):
    far = RandomForestClassifier(5, random_state=0, engine="dask").fit(X, Y)
    assert far.digest() == RandomForestClassifier(5, random_state=0).fit(X, Y).digest()
    assert client.status == "running"


def test_more_trees(address):
    far = RandomForestClassifier(5, random_state=0, engine=address, warm_start=True).fit(X, Y)
    far.set_params(n_estimators=13).fit(X, Y)
    assert far.digest() == RandomForestClassifier(13, random_state=0).fit(X, Y).digest()


@pytest.mark.parametrize("early", [{}, {"resume": True}])
def test_early_stopping(address, tmp_path, early):
    settings = {"n_estimators": 150, "random_state": 0, "early_stopping": True}
    plain = RandomForestClassifier(**settings).fit(X, Y)
    if early:
        settings["resume"] = tmp_path
    far = RandomForestClassifier(**settings, engine=address).fit(X, Y)
    assert (far.digest(), far.stopped_) == (plain.digest(), plain.stopped_)
    assert len(far) < 150


def test_progress_and_a_stop(address):
    seen = []

    def stop(done, total):
        seen.append((done, total))
        if done >= 40:
            raise KeyboardInterrupt

    far = RandomForestClassifier(400, random_state=0, engine=address, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        far.fit(X, Y)
    assert seen == sorted(seen)
    assert far.interrupted_
    assert 0 < len(far) < 400
    assert far.digest() == RandomForestClassifier(len(far), random_state=0).fit(X, Y).digest()
    # The workers are free again.
    far = RandomForestClassifier(4, random_state=0, engine=address).fit(X, Y)
    assert len(far) == 4


SLOW = np.random.default_rng(0).normal(size=(20_000, 8))


def test_ctrl_c(dask_cluster, address):
    """It is felt at once, and workers stop after the tree that they are growing."""
    client = distributed.Client(dask_cluster, set_as_default=False)

    def n_tasks():
        return sum(client.run(lambda dask_worker: len(dask_worker.state.executing)).values())

    ended = threading.Event()

    def interrupt():
        until(n_tasks, "no worker has begun")
        while not ended.is_set():  # Python drops an exception that is raised in a finalizer
            os.kill(os.getpid(), signal.SIGINT)
            ended.wait(20)

    sender = threading.Thread(target=interrupt)
    sender.start()
    far = RandomForestClassifier(10**5, random_state=0, engine=address)
    try:
        with pytest.raises(KeyboardInterrupt):
            far.fit(SLOW, SLOW[:, 0] > 0)
    finally:
        ended.set()
    sender.join()
    assert not hasattr(far, "classes_")
    until(lambda: n_tasks() == 0, "the workers go on")
    client.close()


def test_time_budgets_keep_a_prefix(address):
    y = SLOW[:, 0] + SLOW[:, 1] > 0
    far = RandomForestClassifier(10**5, random_state=0, engine=address, max_time=2.0).fit(SLOW, y)
    assert far.stopped_ == "max_time=2 was over"
    assert 0 < len(far) < 10**5
    assert far.digest() == RandomForestClassifier(len(far), random_state=0).fit(SLOW, y).digest()


def test_memory_budgets_are_refused(address):
    with pytest.raises(ValueError, match="max_memory is the memory of this process"):
        RandomForestClassifier(engine=address, max_memory="1GB").fit(X, Y)


# ---- patches


@pytest.mark.parametrize("n_parts", [1, 3])
def test_patches_of_files(address, tmp_path, n_parts):
    scanned = files(tmp_path, FRAME.drop(columns="price"), n_files=n_parts)
    settings = {"n_estimators": 11, "random_state": 0, "oob_score": True, "pruning": "pessimistic"}
    plain = RandomPatchesClassifier(**settings).fit(scanned, y="kind", sample_weight="w")
    far = RandomPatchesClassifier(**settings, engine=address)
    far.fit(scanned, y="kind", sample_weight="w")
    assert far.digest() == plain.digest()
    assert far.oob_score_ == plain.oob_score_
    assert far.work_ == plain.work_
    small = RandomPatchesClassifier(**settings, engine=address, max_memory="2GB")
    assert small.fit(scanned, y="kind", sample_weight="w").digest() == plain.digest()


def test_a_table_in_files_does_not_travel(address, tmp_path, monkeypatch):
    from silvics._tasks import working

    sizes, made = [], working.Payload.__init__

    def count(self, job):
        made(self, job)
        sizes.append(self.n_bytes)

    monkeypatch.setattr(working.Payload, "__init__", count)
    for k, n in enumerate((1000, 50_000)):
        folder = tmp_path / str(k)
        folder.mkdir()
        random = np.random.default_rng(0)
        frame = FRAME.iloc[random.integers(0, len(FRAME), n)]
        scanned = files(folder, frame[["x0", "x1", "price"]], row_group_size=n)
        RandomPatchesRegressor(n_estimators=2, random_state=0, engine=address).fit(
            scanned, y="price"
        )
    assert len(sizes) == 2
    assert max(sizes) < 50_000
    assert abs(sizes[1] - sizes[0]) < 1000


def test_patches_of_tables_in_memory(address):
    table, y = FRAME.drop(columns=["kind", "price"]), FRAME["price"]
    settings = {"n_estimators": 5, "random_state": 0}
    plain = RandomPatchesRegressor(**settings).fit(table, y)
    assert RandomPatchesRegressor(**settings, engine=address).fit(table, y).digest() == (
        plain.digest()
    )
    far = RandomPatchesRegressor(**settings, engine=address)
    assert far.fit(silvics.scan(table), y.to_numpy()).digest() == plain.digest()


def test_arrays_in_files(address, tmp_path):
    np.save(tmp_path / "x.npy", FRAME[["x0", "x1", "x2"]].to_numpy())
    scanned, y = silvics.scan(tmp_path / "x.npy"), FRAME["price"].to_numpy()
    plain = RandomPatchesRegressor(n_estimators=3, random_state=0).fit(scanned, y)
    far = RandomPatchesRegressor(n_estimators=3, random_state=0, engine=address).fit(scanned, y)
    assert far.digest() == plain.digest()


def test_ivotes_are_refused(address):
    far = RandomPatchesClassifier(draw="importance", engine=address)
    with pytest.raises(ValueError, match="engine=None"):
        far.fit(FRAME[["x0", "x1"]], FRAME["kind"])


# ---- networks


@pytest.mark.parametrize("chosen", [{}, {"regulators": [0, 1, 2], "recipe": "extra_trees"}])
def test_networks(address, chosen):
    random, seen = np.random.default_rng(0), []
    table = random.normal(size=(60, 9))
    table[:, 3] += 2 * table[:, 0]
    settings = {"n_estimators": 20, "random_state": 0, **chosen}
    plain = genie3(table, **settings)
    far = genie3(
        table, **settings, engine=address, progress=lambda done, total: seen.append((done, total))
    )
    assert np.array_equal(far.importances, plain.importances)
    assert seen == sorted(seen)
    assert seen[-1] == (9, 9)
