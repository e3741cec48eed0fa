"""A file is written whole or not at all, for whoever may read it, and shared when it is mapped."""

import gc
import json
import mmap
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import silvics
from silvics.model_file import container

from .files import content_of, loaded, small_model, small_regressor

CODE = """
import os, resource, signal, sys
import numpy as np
import silvics
X = np.random.default_rng(0).normal(size=(400, 3))
model = silvics.RandomForestRegressor(30, random_state=0).fit(X, X[:, 0])
path = sys.argv[1]
"""


def run(code, *arguments, **options):
    command = [sys.executable, "-c", CODE + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.fixture
def old(tmp_path):
    """A file that is to be replaced, alone in its folder."""
    path = tmp_path / "folder" / "model.silvics"
    path.parent.mkdir()
    small_model().save(path)
    return path


def assert_untouched(path, model=None):
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == content_of(model or small_model())


# ---- all or nothing


def test_a_full_disk_leaves_the_old_file(old):
    ran = run(
        """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for size in (0, 1, 100, 4096, 100_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        model.save(path)
    except OSError as error:
        print(error.errno, os.listdir(os.path.dirname(path)))
""",
        old,
    )
    assert ran.stderr == ""
    assert ran.stdout == 5 * "27 ['model.silvics']\n"
    assert_untouched(old)


def test_a_full_disk_of_a_real_file_system(old):
    if not os.access("/dev/full", os.W_OK):
        pytest.skip("no /dev/full here")
    with pytest.raises(ValueError, match="is not a regular file"):
        small_model().save("/dev/full")


@pytest.mark.parametrize("where", ["_sum_of", "os.replace", "os.fsync", "_parts"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError, SystemExit])
def test_an_interruption_leaves_the_old_file(old, where, error, monkeypatch):
    parts = container._parts

    def fail(*_):
        raise error

    def fail_after_the_header(*given):
        yield next(parts(*given))
        raise error

    if where.startswith("os."):
        monkeypatch.setattr(os, where[3:], fail)
    else:
        monkeypatch.setattr(container, where, fail_after_the_header if where == "_parts" else fail)
    with pytest.raises(error):
        small_regressor().save(old)
    monkeypatch.undo()
    assert_untouched(old)


def test_what_cannot_be_told_leaves_the_old_file(old, monkeypatch):
    model = small_regressor()
    monkeypatch.setattr(container, "_LONGEST_HEADER", 100)
    with pytest.raises(ValueError, match="names and levels of this model take more"):
        model.save(old)
    monkeypatch.undo()
    assert_untouched(old)


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05])
def test_a_process_killed_while_it_writes_leaves_the_old_file(old, delay):
    code = CODE + "print('ready', flush=True)\nwhile True: model.save(path)\n"
    process = subprocess.Popen(
        [sys.executable, "-c", code, old], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(delay)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    model = silvics.load(old)
    # The old one, or a new one: never a part of either.
    assert len(model.estimators_) in (2, 30)
    beside = [name for name in os.listdir(old.parent) if name != old.name]
    assert all(name.startswith(f".{old.name}.") for name in beside)
    assert len(beside) <= 1  # kill leaves no time to tidy up


def test_saving_again_and_again_leaves_one_file(old):
    for _ in range(5):
        small_regressor().save(old)
    assert_untouched(old, small_regressor())


def test_files_are_never_open_after_loading_failed(tmp_path):
    path = tmp_path / "model.silvics"
    path.write_bytes(content_of(small_model())[:-1])
    before = len(os.listdir("/proc/self/fd"))
    for memory_map in (True, False):
        for _ in range(5):
            with pytest.raises(silvics.ModelFileError):
                silvics.load(path, memory_map=memory_map)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before


# ---- where to


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o027, 0o000])
def test_the_mode_is_what_the_user_wants(tmp_path, umask):
    before = os.umask(umask)
    try:
        small_regressor().save(tmp_path / "model.silvics")
    finally:
        os.umask(before)
    mode = stat.S_IMODE((tmp_path / "model.silvics").stat().st_mode)
    assert mode == 0o666 & ~umask


def test_a_link_stays_and_what_it_leads_to_is_replaced(old, tmp_path):
    link = tmp_path / "link.silvics"
    link.symlink_to(old)
    further = tmp_path / "further.silvics"
    further.symlink_to("link.silvics")
    small_regressor().save(further)
    assert link.is_symlink()
    assert further.is_symlink()
    assert not old.is_symlink()
    assert_untouched(old, small_regressor())
    assert sorted(os.listdir(tmp_path)) == ["folder", "further.silvics", "link.silvics"]


def test_a_link_to_nothing_yet(tmp_path):
    link = tmp_path / "link.silvics"
    link.symlink_to(tmp_path / "target.silvics")
    small_regressor().save(link)
    assert link.is_symlink()
    assert (tmp_path / "target.silvics").is_file()


@pytest.mark.parametrize("kind", [str, Path, os.fsencode])
def test_paths_of_every_kind(tmp_path, kind):
    path = kind(tmp_path / "m o dél.silvics")
    small_regressor().save(path)
    assert silvics.load(path).digest() == small_regressor().digest()


def test_paths_from_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small_regressor().save("model.silvics")
    assert silvics.load("model.silvics").digest() == small_regressor().digest()
    assert os.listdir() == ["model.silvics"]


def test_a_name_as_long_as_names_can_be(tmp_path):
    """The one beside it must not be too long."""
    name = "n" * 255
    small_regressor().save(tmp_path / name)
    assert os.listdir(tmp_path) == [name]
    assert silvics.load(tmp_path / name).digest() == small_regressor().digest()


def test_folders_and_what_is_not_there(tmp_path):
    model = small_regressor()
    with pytest.raises(ValueError, match="is not a regular file"):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "none such" / "model.silvics")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        model.save(tmp_path / "file" / "model.silvics")
    with pytest.raises(IsADirectoryError):
        silvics.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        silvics.load(tmp_path / "none.silvics")
    for strange in (None, 1.5, [], object()):
        with pytest.raises(TypeError):
            model.save(strange)
        with pytest.raises(TypeError):
            silvics.load(strange)
    assert os.listdir(tmp_path) == ["file"]
    with pytest.raises(silvics.ModelFileError, match="0 bytes are too few"):
        silvics.load(tmp_path / "file")


def test_a_folder_that_may_not_be_written_to(tmp_path):
    if os.getuid() == 0:
        pytest.skip("root may write anywhere")
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o555)
    with pytest.raises(PermissionError):
        small_regressor().save(folder / "model.silvics")


def test_pipes_and_devices(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="is not a regular file"):
        small_regressor().save(tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    for device in ("/dev/null", "/dev/zero"):
        with pytest.raises(silvics.ModelFileError):
            silvics.load(device)


# ---- mapped


def base_of(array):
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return getattr(array, "obj", array)


def test_arrays_look_into_the_file(tmp_path):
    path = tmp_path / "model.silvics"
    small_regressor().save(path)
    for memory_map in (True, False):
        _, arrays = container.read(path, memory_map)
        for array in arrays.values():
            assert not array.flags.writeable or not memory_map
            assert isinstance(base_of(array), mmap.mmap) == memory_map


def test_a_loaded_model_predicts_from_the_file_itself(tmp_path):
    """Pages of the file are in its memory, and little else is."""
    path = tmp_path / "model.silvics"
    X = np.random.default_rng(0).normal(size=(3000, 3))
    silvics.RandomForestRegressor(60, random_state=0).fit(X, X[:, 0]).save(
        path, for_prediction=True
    )
    size = path.stat().st_size
    assert size > 3e6
    code = """
import json
from pathlib import Path
def mapped():
    here = False
    found = {}
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split()[0] and ":" not in line.split()[0]:
            here = line.endswith("model.silvics")
        elif here and line.startswith(("Rss", "Private_Dirty", "Shared_Clean", "Private_Clean")):
            name, size = line.split(":")
            found[name] = found.get(name, 0) + 1024 * int(size.split()[0])
    return found
del model
loaded = silvics.load(path)
loaded.predict(X)
print(json.dumps(mapped()))
sys.stdin.readline()
print(json.dumps(mapped()))
"""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CODE + code, path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    first = [json.loads(p.stdout.readline()) for p in processes]
    both = json.loads(processes[0].communicate("\n")[0])
    processes[1].communicate("\n")
    for found in first:
        assert found["Rss"] > 0.9 * size
        assert found["Private_Dirty"] == 0
    assert both["Shared_Clean"] > 0.9 * size


def test_a_model_goes_on_when_its_file_is_replaced_or_gone(tmp_path):
    path = tmp_path / "model.silvics"
    small_model().save(path)
    model = silvics.load(path)
    small_regressor().save(path)
    assert silvics.load(path).digest() == small_regressor().digest()
    path.unlink()
    assert model.digest() == small_model().digest()
    assert content_of(model) == content_of(small_model())


def test_a_model_saved_over_the_file_that_it_looks_into(tmp_path):
    path = tmp_path / "model.silvics"
    small_model().save(path)
    content = path.read_bytes()
    model = silvics.load(path)
    for options in ({}, {"compress": True}, {}):
        model.save(path, **options)
        model = silvics.load(path)
    assert path.read_bytes() == content


def test_a_loaded_model_outlives_what_it_was_loaded_by(tmp_path):
    """Arrays keep the mapping alive, and predictors and trees keep the arrays."""
    path = tmp_path / "model.silvics"
    small_regressor().save(path)
    predictor = silvics.load(path).predictor()
    tree = silvics.load(path).estimators_[0]
    path.unlink()
    gc.collect()
    X = np.arange(10.0).reshape(5, 2)
    np.testing.assert_array_equal(predictor(X), small_regressor().predict(X))
    np.testing.assert_array_equal(tree.predict(X), small_regressor()[0].predict(X))


def test_a_forked_process_uses_the_same_model(tmp_path):
    path = tmp_path / "model.silvics"
    small_regressor().save(path)
    code = """
loaded = silvics.load(sys.argv[1])
X = np.arange(10.0).reshape(5, 2)
here = loaded.predict(X).tolist()
child = os.fork()
if child == 0:
    os._exit(0 if loaded.predict(X).tolist() == here else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    code = "import os, sys, numpy as np, silvics" + code
    ran = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=False
    )
    assert ran.stdout == "0\n", ran.stderr


def test_loaded_bytes_need_no_file():
    assert loaded(content_of(small_model())).digest() == small_model().digest()
