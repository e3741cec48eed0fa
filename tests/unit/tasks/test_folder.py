"""Fits that continue from a folder of finished trees."""

import errno
import functools
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import silvics
from silvics import (
    ExtraTreesRegressor,
    ForestClassifier,
    RandomForestClassifier,
    RandomPatchesClassifier,
    RandomPatchesRegressor,
)
from silvics._tasks.fingerprint import _text
from silvics.model_file import container
from tests.unit.patches.scanned_tables import table, write_parts

X, Y = load_iris(return_X_y=True)


def forest(folder, n_estimators=12, **parameters):
    parameters = {"random_state": 3} | parameters
    return RandomForestClassifier(n_estimators, resume=folder, **parameters)


def numbers(folder):
    return sorted(int(path.stem[5:]) for path in folder.glob("tree-*.silvics"))


def times(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("tree-*.silvics")}


def test_the_same_forest_and_its_trees(tmp_path):
    plain = forest(None).fit(X, Y)
    assert forest(tmp_path / "new" / "folder").fit(X, Y).digest() == plain.digest()
    assert numbers(tmp_path / "new" / "folder") == list(range(12))


def test_missing_trees_alone_are_grown_again(tmp_path):
    plain = forest(None).fit(X, Y)
    forest(tmp_path).fit(X, Y)
    for number in (0, 5, 6, 11):
        (tmp_path / f"tree-{number:07d}.silvics").unlink()
    kept = times(tmp_path)
    again = forest(str(tmp_path), n_jobs=2).fit(X, Y)
    assert again.digest() == plain.digest()
    assert numbers(tmp_path) == list(range(12))
    assert kept.items() <= times(tmp_path).items()
    assert again.work_ == plain.work_


def test_more_trees_and_fewer(tmp_path):
    forest(tmp_path, 7).fit(X, Y)
    kept = times(tmp_path)
    assert forest(tmp_path, 15).fit(X, Y).digest() == forest(None, 15).fit(X, Y).digest()
    assert kept.items() <= times(tmp_path).items()
    assert forest(tmp_path, 3).fit(X, Y).digest() == forest(None, 3).fit(X, Y).digest()


def test_warm_start(tmp_path):
    grown = forest(tmp_path, 4, warm_start=True).fit(X, Y)
    grown.set_params(n_estimators=9).fit(X, Y)
    assert numbers(tmp_path) == list(range(9))
    assert grown.digest() == forest(None, 9).fit(X, Y).digest()


def test_interrupted(tmp_path):
    def stop(done, total):
        if done >= 6:
            raise KeyboardInterrupt

    stopped = forest(tmp_path, 400, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(X, Y)
    assert 6 <= len(stopped) < 400
    assert numbers(tmp_path) == list(range(len(stopped)))
    seen = []
    again = forest(tmp_path, 400, progress=lambda done, total: seen.append(done)).fit(X, Y)
    assert seen[0] == len(stopped)
    assert again.digest() == forest(None, 400).fit(X, Y).digest()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"max_depth": 3}, "max_depth"),
        ({"random_state": 4}, "random_state"),
        ({"criterion": "entropy"}, "criterion"),
        ({"bootstrap": False}, "draw of rows"),
        ({"feature_weights": [1, 2, 3, 4]}, "feature_weights"),
    ],
)
def test_other_parameters_are_refused(tmp_path, change, named):
    forest(tmp_path, 2).fit(X, Y)
    with pytest.raises(ValueError, match=f"has the trees of another task.*{named}"):
        forest(tmp_path, 2, **change).fit(X, Y)
    assert numbers(tmp_path) == [0, 1]


def test_other_data_are_refused(tmp_path):
    forest(tmp_path, 2).fit(X, Y)
    other = X.copy()
    other[17, 2] += 1e-9
    with pytest.raises(ValueError, match=r"another task. It differs in: data"):
        forest(tmp_path, 2).fit(other, Y)
    with pytest.raises(ValueError, match=r"another task. It differs in: data"):
        forest(tmp_path, 2).fit(X, np.where(np.arange(150) == 3, 1, Y))
    with pytest.raises(ValueError, match="weights"):
        forest(tmp_path, 2).fit(X, Y, sample_weight=np.arange(150) + 1.0)
    with pytest.raises(ValueError, match="class of the forest"):
        silvics.ExtraTreesClassifier(2, random_state=3, resume=tmp_path).fit(X, Y)


WITH_CRITERION = """
import sys
import numpy as np
from sklearn.datasets import load_iris
from silvics import ForestClassifier

def gini(counts, power=int(sys.argv[2])):
    assert "gini" in {"gini", "entropy", "error", "twoing"}  # a constant set
    shares = counts / counts.sum(axis=1, keepdims=True)
    return 1.0 - (shares**power).sum(axis=1)

X, Y = load_iris(return_X_y=True)
seen = []
forest = ForestClassifier("random_forest", 5, criterion=gini, random_state=0, resume=sys.argv[1])
forest.set_params(progress=lambda done, total: seen.append(done)).fit(X, Y)
print(seen[0])
"""


def test_a_criterion_in_python_is_the_same_in_another_process(tmp_path):
    def fitted(power, hash_seed):
        command = [sys.executable, "-c", WITH_CRITERION, tmp_path / "trees", power]
        of_sets = os.environ | {"PYTHONHASHSEED": hash_seed}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=of_sets)

    assert int(fitted("2", "1").stdout) < 5
    assert int(fitted("2", "2").stdout) == 5
    assert "another task. It differs in: criterion" in fitted("3", "1").stderr


def test_functions_are_compared_by_what_they_do():
    def enclosing(power):
        return lambda counts: 1.0 - (counts / counts.sum()) ** power

    texts = [
        _text(function)
        for function in (enclosing(2), enclosing(3), lambda counts: 1.0, lambda counts: 2.0)
    ]
    assert len(set(texts)) == 4
    assert texts[0] == _text(enclosing(2))
    assert _text(functools.partial(np.power, 2)) == _text(functools.partial(np.power, 2))
    assert _text(functools.partial(np.power, 2)) != _text(functools.partial(np.power, 3))
    with pytest.raises(ValueError, match="resume cannot compare"):
        _text(functools.partial(enclosing(2)))


def test_parameters_without_effect_may_change(tmp_path):
    forest(tmp_path, 6).fit(X, Y)
    kept = times(tmp_path)
    forest(tmp_path, 6, n_jobs=2, keep_samples=True, max_time=1e6).fit(X, Y)
    assert times(tmp_path) == kept


def test_early_stopping(tmp_path):
    settings = {"early_stopping": True, "n_iter_no_change": 3}
    plain = forest(None, 200, **settings).fit(X, Y)
    for _ in range(2):
        again = forest(tmp_path, 200, **settings).fit(X, Y)
        assert (again.digest(), again.stopped_) == (plain.digest(), plain.stopped_)


def test_pruned_trees(tmp_path):
    recipe = ForestClassifier("bagging", n_estimators=5, pruning="pessimistic", random_state=0)
    plain = recipe.fit(X, Y).digest()
    for _ in range(2):
        assert recipe.set_params(resume=tmp_path).fit(X, Y).digest() == plain


@pytest.mark.parametrize("damage", ["truncated", "another", "empty"])
def test_damaged_files_are_grown_again(tmp_path, damage):
    plain = forest(tmp_path).fit(X, Y)
    path, other = tmp_path / "tree-0000004.silvics", tmp_path / "tree-0000005.silvics"
    content = path.read_bytes()
    path.write_bytes(
        {"truncated": content[:-100], "another": other.read_bytes(), "empty": b""}[damage]
    )
    with pytest.warns(UserWarning, match=r"tree-0000004.silvics cannot be read"):
        again = forest(tmp_path).fit(X, Y)
    assert again.digest() == plain.digest()
    assert path.read_bytes() == content


def test_other_folders_are_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="other files"):
        forest(tmp_path).fit(X, Y)
    with pytest.raises(ValueError, match="cannot be used as a folder"):
        forest(tmp_path / "notes.txt").fit(X, Y)
    (tmp_path / "task.json").write_text("{")
    with pytest.raises(ValueError, match=r"task.json cannot be read"):
        forest(tmp_path).fit(X, Y)


def test_a_seed_is_needed(tmp_path):
    for seed in (None, np.random.RandomState(0)):
        with pytest.raises(ValueError, match="random_state=an int"):
            forest(tmp_path, random_state=seed).fit(X, Y)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_keeps_what_is_finished(tmp_path, monkeypatch):
    written = container.write

    def full(path, *content, **settings):
        if len(numbers(tmp_path)) == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written(path, *content, **settings)

    monkeypatch.setattr(container, "write", full)
    stopped = forest(tmp_path)
    with pytest.raises(OSError, match=r"tree-0000005.silvics cannot be written: No space left"):
        stopped.fit(X, Y)
    assert stopped.interrupted_
    assert len(stopped) >= 5
    assert stopped.digest() == forest(None, len(stopped)).fit(X, Y).digest()
    monkeypatch.undo()
    assert forest(tmp_path).fit(X, Y).digest() == forest(None).fit(X, Y).digest()


def test_regression_and_several_outputs(tmp_path):
    many, price = load_diabetes(return_X_y=True)
    both = np.column_stack([price, price[::-1]])
    plain = ExtraTreesRegressor(4, random_state=0).fit(many, both)
    for _ in range(2):
        again = ExtraTreesRegressor(4, random_state=0, resume=tmp_path).fit(many, both)
        assert again.digest() == plain.digest()


# ---- patches

FRAME = table(1500)


def of_patches(folder, n_estimators=9, **parameters):
    return RandomPatchesRegressor(
        n_estimators=n_estimators, random_state=1, resume=folder, **parameters
    )


def test_patches_from_files(tmp_path):
    files, folder = tmp_path / "files", tmp_path / "trees"
    files.mkdir()
    X = FRAME.drop(columns="kind")
    scanned = silvics.scan(write_parts(X, files))
    plain = of_patches(None).fit(scanned, y="price", sample_weight="w")
    of_patches(folder, 6, n_jobs=2).fit(scanned, y="price", sample_weight="w")
    (folder / "tree-0000002.silvics").unlink()
    kept = times(folder)
    again = of_patches(folder).fit(scanned, y="price", sample_weight="w")
    assert again.digest() == plain.digest()
    assert kept.items() <= times(folder).items()
    with pytest.raises(ValueError, match=r"another task.*data"):
        of_patches(folder).fit(scanned, y="price")
    write_parts(X.iloc[::-1], files)
    with pytest.raises(ValueError, match=r"another task.*data"):
        of_patches(folder).fit(silvics.scan(str(files)), y="price", sample_weight="w")


@pytest.mark.parametrize("scanned", [False, True])
def test_patches_from_memory(tmp_path, scanned):
    X, y = FRAME.drop(columns=["kind", "price", "w"]), FRAME["kind"]
    given = (silvics.scan(X), y.to_numpy()) if scanned else (X, y)
    settings = {"n_estimators": 5, "random_state": 0, "pruning": "pessimistic"}
    plain = RandomPatchesClassifier(**settings).fit(*given)
    for _ in range(2):
        again = RandomPatchesClassifier(**settings, resume=tmp_path).fit(*given)
        assert again.digest() == plain.digest()
    other = X.assign(x0=X.x0.to_numpy()[::-1])
    with pytest.raises(ValueError, match=r"another task.*data"):
        RandomPatchesClassifier(**settings, resume=tmp_path).fit(
            silvics.scan(other) if scanned else other, given[1]
        )


def test_ivotes_are_refused(tmp_path):
    given = RandomPatchesClassifier(draw="importance", random_state=0, resume=tmp_path)
    with pytest.raises(ValueError, match="resume=None"):
        given.fit(FRAME[["x0", "x1"]], FRAME["kind"])


def test_a_file_that_breaks_in_a_later_pass_keeps_the_trees(tmp_path, monkeypatch):
    """Trees of earlier passes are kept if a later pass fails."""
    from silvics.patches import growing

    X = FRAME[["x0", "x1", "price"]]
    scanned = silvics.scan(write_parts(X, tmp_path))
    planned = growing.plan.planned

    def small(*given, **more):
        found = planned(*given, **more)
        return type(found)(3, 3, found.n_jobs, found.batch_rows)

    monkeypatch.setattr(growing.plan, "planned", small)

    def spoil(done, total):
        if done == 5:
            (tmp_path / "part-1.parquet").write_bytes(b"PAR1")

    forest = of_patches(None, progress=spoil)
    with pytest.raises(ValueError, match=r"part-1.parquet has been changed"):
        forest.fit(scanned, y="price")
    assert forest.interrupted_
    assert len(forest) == 6


def test_the_folder_says_what_it_has(tmp_path):
    forest(tmp_path, 2).fit(X, Y)
    task = json.loads((tmp_path / "task.json").read_text())["task"]
    assert task["random_state"] == "3"
    assert task["shape of X"] == "150 x 4"


# ---- what uses such forests


def test_a_saved_model_names_no_folder_and_no_cluster(tmp_path):
    path = tmp_path / "model.silvics"
    forest(tmp_path / "trees", 2).fit(X, Y).save(path)
    again = silvics.load(path)
    assert (again.resume, again.engine) == (None, None)
    metadata, arrays = container.read(path, False)
    model = json.loads(metadata["model"])
    model["parameters"]["engine"] = "tcp://198.51.100.7:8786"
    container.write(path, {**metadata, "model": json.dumps(model)}, arrays)
    with pytest.raises(silvics.ModelFileError, match="a cluster or a folder"):
        silvics.load(path)


def test_pickles_and_clones(tmp_path):
    import pickle

    from sklearn.base import clone

    grown = forest(tmp_path, 3).fit(X, Y)
    assert pickle.loads(pickle.dumps(grown)).resume == tmp_path
    assert clone(grown).fit(X, Y).digest() == grown.digest()


def test_forests_that_are_grown_again_use_no_folder(tmp_path):
    """Studies refit the forest on other columns and rows."""
    from silvics.importance import SelectByElimination, permutation_test
    from silvics.inspection import estimate_cost

    estimate_cost(forest(tmp_path, 5), X, Y)
    assert not list(tmp_path.iterdir())
    SelectByElimination(forest(tmp_path, 5), random_state=0).fit(X, Y)
    permutation_test(forest(tmp_path, 5), X, Y, n_permutations=3)
    assert not list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())
