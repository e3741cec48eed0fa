"""Files are written in full, here and elsewhere, and never in the place of one that is read."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.fs
import pyarrow.parquet
import pytest

from silvics import scan
from silvics._sources.destination import Destination, is_same_file

fsspec = pytest.importorskip("fsspec")
MEMORY = fsspec.filesystem("memory")

TABLE = pa.table({"a": np.arange(10)})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a file, a link to it, a second name of it, and another file."""
    pyarrow.parquet.write_table(TABLE, tmp_path / "a.parquet")
    pyarrow.parquet.write_table(TABLE, tmp_path / "other.parquet")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "a.parquet")
    os.link(tmp_path / "a.parquet", tmp_path / "second.parquet")
    (tmp_path / "below").symlink_to(tmp_path, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    if MEMORY.exists("/silvics-destination"):
        MEMORY.rm("/silvics-destination", recursive=True)


def refused(to, source):
    with pytest.raises(ValueError, match="would replace"):
        Destination(to).check_not_read(source)
    return True


def test_every_name_of_a_file_that_is_read_is_refused(folder):
    names = ["a.parquet", "./below/a.parquet", folder / "a.parquet", "link.parquet",
             "second.parquet", f"file://{folder}/a.parquet"]  # fmt: skip
    sources = [scan(name) for name in ("a.parquet", "link.parquet", str(folder / "a.parquet"))]
    sources.append(scan("a.parquet", filesystem=pyarrow.fs.SubTreeFileSystem(
        str(folder), pyarrow.fs.LocalFileSystem())))  # fmt: skip
    sources.append(scan(f"{folder}/a.parquet", filesystem=fsspec.filesystem("file")))
    sources.append(scan(f"file://{folder}/a.parquet"))
    sources.append(scan(pyarrow.dataset.dataset("a.parquet")))
    for source in sources:
        assert all(refused(name, source.source) for name in names)
        Destination("other.parquet").check_not_read(source.source)
        Destination("new.parquet").check_not_read(source.source)
        Destination("memory://a.parquet").check_not_read(source.source)


def test_datasets_name_all_their_files(folder):
    one, other = map(pyarrow.dataset.dataset, ("a.parquet", "other.parquet"))
    for dataset in (pyarrow.dataset.dataset([one, other]), other.filter(pa.compute.field("a") > 2)):
        assert refused("other.parquet", scan(dataset).source)
    Destination("a.parquet").check_not_read(scan(other).source)
    in_memory = pyarrow.dataset.dataset(TABLE)
    Destination("a.parquet").check_not_read(scan(in_memory).source)


def test_the_unfinished_file_replaces_none_that_is_read(folder):
    os.rename("other.parquet", "new.parquet.part")
    assert refused("new.parquet", scan("new.parquet.part", format="parquet").source)


def test_lazy_frames_may_read_any_file_that_exists(folder):
    polars = pytest.importorskip("polars")
    source = scan(polars.scan_parquet("other.parquet")).source
    MEMORY.pipe_file("/silvics-destination/a.parquet", b"")
    for to in ("a.parquet", "other.parquet", "memory://silvics-destination/a.parquet"):
        with pytest.raises(ValueError, match=r"exists, and the lazy frame .* may read it"):
            Destination(to).check_not_read(source)
    Destination("new.parquet").check_not_read(source)
    Destination("memory://silvics-destination/new.parquet").check_not_read(source)
    # The name of the unfinished file may be read as well.
    os.rename("other.parquet", "new.parquet.part")
    MEMORY.pipe_file("/silvics-destination/new.parquet.part", b"")
    for to in ("new.parquet", "memory://silvics-destination/new.parquet"):
        with pytest.raises(ValueError, match=r"exists, and the lazy frame .* may read it"):
            Destination(to).check_not_read(source)


def test_files_elsewhere(folder):
    address = "memory://silvics-destination/out.parquet"
    for n in (1, 3):  # an older file is replaced
        Destination(address).write(iter([TABLE] * n))
        with MEMORY.open("/silvics-destination/out.parquet") as file:
            assert pyarrow.parquet.read_table(file).equals(pa.concat_tables([TABLE] * n))
    assert not MEMORY.exists("/silvics-destination/out.parquet.part")
    for source in (
        scan(address),
        scan("memory://silvics-destination/*.parquet"),
        scan("/silvics-destination/out.parquet", filesystem=MEMORY),
        scan("out.parquet", filesystem=fsspec.filesystem(
            "dir", path="/silvics-destination", fs=MEMORY)),
    ):  # fmt: skip
        assert refused(address, source.source)
        Destination("memory://silvics-destination/other.parquet").check_not_read(source.source)
        Destination("a.parquet").check_not_read(source.source)


@pytest.mark.parametrize("to", ["out.parquet", "memory://silvics-unfinished/out.parquet"])
def test_nothing_is_left_of_a_file_that_is_not_finished(folder, to):
    def tables():
        yield TABLE
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Destination(to).write(tables())
    assert not list(folder.glob("out*"))
    assert not MEMORY.exists("/silvics-unfinished/out.parquet.part")
    assert not MEMORY.exists("/silvics-unfinished/out.parquet")


def test_an_older_file_stays_until_the_new_one_is_complete(folder):
    def tables():
        yield TABLE
        raise ValueError("a batch")

    with pytest.raises(ValueError, match="a batch"):
        Destination("other.parquet").write(tables())
    assert pyarrow.parquet.read_table("other.parquet").equals(TABLE)
    Destination("other.parquet").write(iter([TABLE, TABLE]))
    assert pyarrow.parquet.read_table("other.parquet").num_rows == 20


@pytest.mark.parametrize(
    ("to", "error", "text"),
    [
        ("o.csv", ValueError, r"must end in .parquet or .pq"),
        ("predicted", ValueError, r"must end in .parquet or .pq"),
        ("gone/o.parquet", FileNotFoundError, "There is no folder 'gone'"),
        ("folder.parquet", IsADirectoryError, "is a folder"),
        (3, TypeError, "to must be the path of a Parquet file, got int"),
        ("nothing://x/o.parquet", ValueError, "nothing://x/o.parquet cannot be opened"),
    ],
)
def test_other_destinations_are_refused(folder, to, error, text):
    (folder / "folder.parquet").mkdir()
    with pytest.raises(error, match=text):
        Destination(to)


def test_files_that_are_not_there_are_not_the_same(folder):
    assert is_same_file("a.parquet", "link.parquet")
    assert not is_same_file("a.parquet", "other.parquet")
    assert not is_same_file("gone.parquet", "gone.parquet")
