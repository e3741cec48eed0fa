"""Arrays in files are read in pieces, and damaged ones are named."""

import numpy as np
import pytest

from silvics import scan


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8])
def test_arrays_in_files(tmp_path, order, dtype):
    array = np.asarray(np.arange(60).reshape(20, 3), dtype, order=order)
    np.save(tmp_path / "x.npy", array)
    scanned = scan(tmp_path / "x.npy")
    assert scanned.source.n_rows() == 20
    for columns in ([0, 1, 2], [2, 0]):
        parts = [batch.table for batch in scanned.source.batches(columns, 7)]
        assert [len(part) for part in parts] == [7, 7, 6]
        np.testing.assert_array_equal(np.concatenate(parts), array[:, columns])


def test_damaged_arrays(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.zeros((100, 4)))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"x.npy is truncated"):
        list(scan(path).source.batches([0], 30))
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="cannot be read as a"):
        scan(path)
    np.save(path, np.array(["a"]))
    with pytest.raises(ValueError, match="needs a table of numbers"):
        scan(path)
