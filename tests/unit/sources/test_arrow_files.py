"""Files are read in order; what is wrong with a file is said with its name."""

import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silvics import scan

FRAME = pd.DataFrame({"a": np.arange(1000), "b": np.arange(1000) / 7, "c": ["u", "v"] * 500})


def write(path, frame=FRAME, **settings):
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, **settings)
    return str(path)


def read(scanned, columns=None, n_rows=64):
    """All rows, after a check of the numbers of the first rows of batches."""
    parts, first = [], 0
    for batch in scanned.source.batches(columns or scanned.columns, n_rows):
        assert batch.first == first
        assert 0 < batch.n_rows <= n_rows
        first += batch.n_rows
        parts.append(batch.table.to_pandas())
    return pd.concat(parts, ignore_index=True)


def test_files_are_read_in_the_order_of_their_paths(tmp_path):
    for k, name in enumerate(["b", "a", "c"]):
        write(tmp_path / f"{name}.parquet", FRAME[k * 100 : k * 100 + 100], row_group_size=30)
    expected = pd.concat([FRAME[100:200], FRAME[:100], FRAME[200:300]], ignore_index=True)
    for data in (tmp_path, tmp_path / "*.parquet", [tmp_path / f"{n}.parquet" for n in "cab"]):
        scanned = scan(data)
        pd.testing.assert_frame_equal(read(scanned), expected)
        assert scanned.source.n_rows() == 300
    pd.testing.assert_frame_equal(read(scanned, ["c", "a"]), expected[["c", "a"]])
    assert 0 < scanned.source.n_bytes(["a"]) < scanned.source.n_bytes(["a", "b", "c"])
    assert "300 rows, 3 columns" in repr(scanned)


def test_folders_may_give_columns(tmp_path):
    for year in (2020, 2021):
        for city in ("Bonn", "Ulm"):
            folder = tmp_path / f"year={year}" / f"city={city}"
            folder.mkdir(parents=True)
            write(folder / "part.parquet", FRAME[:3])
    scanned = scan(tmp_path)
    assert scanned.columns == ["a", "b", "c", "year", "city"]
    found = read(scanned, ["year", "a", "city"])
    assert found["year"].tolist() == [2020] * 6 + [2021] * 6
    assert found["city"].tolist() == (["Bonn"] * 3 + ["Ulm"] * 3) * 2


def test_csv_and_compressed_csv(tmp_path):
    for name in ("all.csv", "all.csv.gz"):
        FRAME.to_csv(tmp_path / name, index=False)
        scanned = scan(tmp_path / name)
        assert scanned.source.n_rows() is None
        pd.testing.assert_frame_equal(read(scanned), FRAME)


def test_other_filesystems(tmp_path):
    from pyarrow import feather, fs

    folder = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    write(tmp_path / "x.parquet")
    FRAME.to_csv(tmp_path / "x.csv", index=False)
    feather.write_feather(FRAME, str(tmp_path / "x.feather"))
    for name in ("x.parquet", "x.csv", "x.feather"):
        pd.testing.assert_frame_equal(read(scan(name, filesystem=folder)), FRAME)


def test_truncated_files(tmp_path):
    whole = write(tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "short.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"short.parquet cannot be opened"):
        scan([whole, tmp_path / "short.parquet"])


def test_unreadable_parts_are_named(tmp_path):
    path = tmp_path / "x.parquet"
    write(path, row_group_size=100, compression="zstd")
    scanned, before = scan(path), path.stat()
    content = bytearray(path.read_bytes())
    content[3000:9000] = bytes(6000)
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # a disk that decays
    with pytest.raises(ValueError, match=r"x.parquet cannot be read after its row \d+"):
        read(scanned)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda f: f.drop(columns="b"), r"two.parquet has no column 'b', which .*one.parquet has"),
        (lambda f: f.assign(d=1), r"two.parquet has a column 'd'"),
        (lambda f: f.assign(a=f.a.astype("int32")), r"'a' has the type int32 in .*two.parquet"),
    ],
)
def test_files_that_differ(tmp_path, change, text):
    write(tmp_path / "one.parquet")
    write(tmp_path / "two.parquet", change(FRAME))
    with pytest.raises(ValueError, match=text):
        scan(tmp_path)


def test_a_file_that_changes_after_it_was_opened(tmp_path):
    scanned = scan(write(tmp_path / "x.parquet"))
    write(tmp_path / "x.parquet", FRAME[["c"]])
    with pytest.raises(ValueError, match=r"x.parquet has been changed since it was scanned"):
        read(scanned)


def test_files_that_are_not_utf_8_are_named(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("size,\xe9t\xe9\n1,2\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin.csv cannot be opened"):
        scan(path)


def test_a_missing_column_of_a_file_is_named(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("size,price\n1,2\n")
    with pytest.raises(ValueError, match=r"'prize' is not a column of /.*table.csv. Did you mean"):
        scan(path, columns=["prize"])


def test_buffers_of_parquet_files_are_those_of_the_columns_that_are_read(tmp_path):
    import pyarrow.dataset as ds

    wide = pd.DataFrame({name: np.random.default_rng(k).normal(size=400_000)
                         for k, name in enumerate("abc")}).assign(small=0)  # fmt: skip
    wide.to_parquet(tmp_path / "x.parquet")
    wide.to_csv(tmp_path / "x.csv", index=False)
    for source in (
        scan(tmp_path / "x.parquet").source,
        scan(ds.dataset(tmp_path / "x.parquet")).source,
    ):
        assert source.buffer_bytes(["a"]) == 2 << 20
        assert source.buffer_bytes(["a", "c"]) == 4 << 20
        assert 0 < source.buffer_bytes(["small"]) < 1 << 16
    assert scan(tmp_path / "x.csv").source.buffer_bytes(["a"]) == 0
