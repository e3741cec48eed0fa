"""Arrays in files, here or elsewhere, are read in pieces, and damaged ones are named."""

import pickle

import numpy as np
import pytest

from silvics import RandomPatchesRegressor, scan

fsspec = pytest.importorskip("fsspec")
MEMORY = fsspec.filesystem("memory")


def in_order_only(n_bytes):
    """A filesystem whose files cannot be sought, and give at most so many bytes at once."""

    class File:
        closed = False

        def __init__(self, content):
            self._content, self._at = content, 0

        def read(self, n=-1):
            part = self._content[self._at :][: min(n, n_bytes)]
            self._at += len(part)
            return part

        def tell(self):
            return self._at

        def seek(self, place, whence=0):
            raise ValueError(f"this file cannot be read from {place} on")

        def close(self):
            self.closed = True

    class FileSystem(type(MEMORY)):
        cachable = False

        def _open(self, path, mode="rb", **more):
            assert mode == "rb"
            return File(super()._open(path, mode, **more).read())

    return FileSystem()


def saved(folder, array, where):
    """Save an array in a folder, or in memory, and return what ``scan`` takes."""
    np.save(folder / "x.npy", array)
    if where == "here":
        return folder / "x.npy"
    MEMORY.pipe_file("/silvics-arrays/x.npy", (folder / "x.npy").read_bytes())
    return "memory://silvics-arrays/x.npy"


both = pytest.mark.parametrize("where", ["here", "elsewhere"])


@both
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, ">f8", np.float16])
def test_arrays_in_files(tmp_path, where, order, dtype):
    array = np.asarray(np.arange(60).reshape(20, 3), dtype, order=order)
    scanned = scan(saved(tmp_path, array, where))
    assert scanned.source.n_rows() == 20
    for source in (scanned.source, pickle.loads(pickle.dumps(scanned.source))):
        for columns in ([0, 1, 2], [2, 0]):
            parts = [batch.table for batch in source.batches(columns, 7)]
            assert [len(part) for part in parts] == [7, 7, 6]
            np.testing.assert_array_equal(np.concatenate(parts), array[:, columns])
    n_columns = {"C": 3, "F": 1}[order]
    assert scanned.source.n_bytes([1]) == 20 * n_columns * array.itemsize


@both
def test_damaged_arrays(tmp_path, where):
    given = saved(tmp_path, np.zeros((100, 4)), where)
    path = tmp_path / "x.npy" if where == "here" else "/silvics-arrays/x.npy"

    def change(content):
        path.write_bytes(content) if where == "here" else MEMORY.pipe_file(path, content)

    change((tmp_path / "x.npy").read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"x.npy is truncated"):
        list(scan(given).source.batches([0], 30))
    whole = scan(given)
    change((tmp_path / "x.npy").read_bytes()[:60])
    with pytest.raises(ValueError, match=r"x.npy is truncated"):
        list(whole.source.batches([0], 30))
    for content in (b"nothing", b"", b"\x93NUMPY\x09\x00", (tmp_path / "x.npy").read_bytes()[:60]):
        change(content)
        with pytest.raises(ValueError, match=r"x.npy cannot be read as a"):
            scan(given)


@both
@pytest.mark.parametrize(
    ("array", "kind"),
    [(np.array(["a"]), "<U1"), (np.zeros(5), "float64"), (np.zeros((2, 2, 2)), "float64"),
     (np.array([["a", 1.5]], dtype=object), "object"), (np.zeros((2, 2), "M8[s]"), "datetime64"),
     (np.zeros((2, 2), [("a", "f8"), ("b", "i4")]), "'a'"), (np.zeros((2, 2), complex), "complex")],
)  # fmt: skip
def test_other_arrays_are_refused(tmp_path, where, array, kind):
    """Also arrays of objects, which are not unpickled."""
    with pytest.raises(ValueError, match=rf"x.npy has an array of shape .* and type .*{kind}"):
        scan(saved(tmp_path, array, where))


def test_a_file_that_is_gone(tmp_path):
    scanned = scan(saved(tmp_path, np.zeros((10, 2)), "elsewhere"))
    MEMORY.rm("/silvics-arrays/x.npy")
    with pytest.raises(ValueError, match=r"x.npy cannot be read after its row 0"):
        list(scanned.source.batches([0], 5))
    with pytest.raises(FileNotFoundError, match="finds no file"):
        scan("memory://silvics-arrays/x.npy")
    with pytest.raises(ValueError, match=r"single .npy file"):
        scan([saved(tmp_path, np.zeros((1, 1)), "here"), __file__])


def test_a_filesystem_that_reads_in_order_only(tmp_path):
    """It is enough for arrays by rows, however few bytes come at once, but not by columns."""
    array = np.random.default_rng(0).normal(size=(50, 3))
    saved(tmp_path, array, "elsewhere")
    scanned = scan("/silvics-arrays/x.npy", filesystem=in_order_only(100))
    parts = [batch.table for batch in scanned.source.batches([2, 1], 20)]
    np.testing.assert_array_equal(np.concatenate(parts), array[:, [2, 1]])
    saved(tmp_path, np.asfortranarray(array), "elsewhere")
    with pytest.raises(ValueError, match=r"x.npy cannot be read .* \(Fortran order\)"):
        scan("/silvics-arrays/x.npy", filesystem=in_order_only(1000))


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_forest_is_that_of_the_table_in_memory(tmp_path, order):
    array = np.asarray(np.random.default_rng(1).normal(size=(400, 5)), order=order)
    y = array[:, 0] + array[:, 3] ** 2
    expected = RandomPatchesRegressor(n_estimators=5, random_state=0).fit(array, y)
    address = saved(tmp_path, array, "elsewhere")
    for data in (address, scan(address), scan("/silvics-arrays/x.npy", filesystem=MEMORY)):
        forest = RandomPatchesRegressor(n_estimators=5, random_state=0).fit(data, y)
        assert forest.digest() == expected.digest()
        np.testing.assert_array_equal(forest.predict(data), expected.predict(array))
