"""Paths, folders, patterns and addresses mean the same files on every filesystem."""

import sys

import pandas as pd
import pytest

from silvics import scan
from silvics._sources.locating import _matches, keys_of, same_types

from .test_arrow_files import FRAME, read, write


@pytest.fixture
def folder(tmp_path):
    for year, city in ((2020, "K%C3%B6ln"), (2021, "__HIVE_DEFAULT_PARTITION__")):
        (tmp_path / f"year={year}" / f"city={city}").mkdir(parents=True)
        write(tmp_path / f"year={year}" / f"city={city}" / "part.parquet", FRAME[:3])
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "x.parquet").write_text("no Parquet file")
    (tmp_path / "notes.csv").write_text("a\n1\n")
    return tmp_path


def given(folder, kind):
    from pyarrow import fs

    address, local = f"file://{folder}", fs.LocalFileSystem()
    return {
        "folder": lambda: scan(folder),
        "pattern": lambda: scan(f"{folder}/year=*/**/*.parquet"),
        "address": lambda: scan(address),
        "address pattern": lambda: scan(f"{address}/*/*/*.parquet"),
        "filesystem": lambda: scan(str(folder), filesystem=local),
        "filesystem pattern": lambda: scan(f"{folder}/year*/**/*.parquet", filesystem=local),
    }[kind]()


@pytest.mark.parametrize(
    "kind",
    ["folder", "pattern", "address", "address pattern", "filesystem", "filesystem pattern"],
)
def test_files_and_the_columns_of_folders(folder, kind):
    found = read(given(folder, kind))
    assert found["year"].tolist() == [2020] * 3 + [2021] * 3
    assert found["city"].tolist()[:3] == ["Köln"] * 3
    assert found["city"][3:].isna().all()
    assert found["a"].tolist() == [0, 1, 2] * 2


def test_addresses_of_fsspec():
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for k, name in enumerate(("one", "two")):
        with memory.open(f"/silvics/{name}.parquet", "wb") as file:
            FRAME[k * 500 : k * 500 + 500].to_parquet(file)
    expected = FRAME.reset_index(drop=True)
    several = ["memory://silvics/two.parquet", "memory://silvics/one.parquet"]
    for data in ("memory://silvics", "memory://silvics/*.parquet", several):
        pd.testing.assert_frame_equal(read(scan(data))[["a", "b", "c"]], expected)
    found = scan("/silvics/*.parquet", filesystem=memory)
    assert found.source.n_rows() == 1000
    with pytest.raises(FileNotFoundError, match="finds no file"):
        scan("memory://silvics/three.parquet")
    with pytest.raises(ValueError, match=r"unknown://x\.parquet cannot be opened"):
        scan("unknown://x.parquet")


def test_without_fsspec_pyarrow_opens_addresses(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    assert scan(f"file://{folder}").source.n_rows() == 6
    with pytest.raises(ValueError, match="Install fsspec"):
        scan("unknown://x.parquet")


def test_a_folder_without_parquet_files(tmp_path):
    FRAME[:500].to_csv(tmp_path / "a.csv", index=False)
    FRAME[500:].to_csv(tmp_path / "b.csv", index=False)
    pd.testing.assert_frame_equal(read(scan(tmp_path)), FRAME)
    (tmp_path / "c.txt").write_text("")
    assert len(read(scan(tmp_path))) == 1000


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [("a/b/*.parquet", True), ("a/**/c.parquet", True), ("**/c.*", True), ("a/*.parquet", False),
     ("a/**/b/c.parquet", True), ("a/b/c.parquet/*", False), ("*/*/[cd].parquet", True)],
)  # fmt: skip
def test_patterns(pattern, matches):
    assert _matches(("a", "b", "c.parquet"), tuple(pattern.split("/"))) == matches


def test_values_of_folders_are_numbers_if_all_are():
    paths = [f"/data/code={code}/k={k}/x.parquet" for code, k in (("007", 1), ("12", -20))]
    keys = same_types({path: keys_of(path, "/data") for path in paths})
    assert list(keys.values()) == [{"code": "007", "k": 1}, {"code": "12", "k": -20}]
