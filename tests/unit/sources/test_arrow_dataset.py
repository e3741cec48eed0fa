"""Datasets of pyarrow: partitioned, filtered, in memory."""

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from silvics import RandomPatchesRegressor, scan

from .test_arrow_files import FRAME, read, write


@pytest.fixture
def folder(tmp_path):
    for k in range(3):
        (tmp_path / f"year={2020 + k}").mkdir()
        write(tmp_path / f"year={2020 + k}" / "x.parquet", FRAME[k * 100 : k * 100 + 100])
    return tmp_path


def test_a_partitioned_dataset_is_the_folder(folder):
    dataset = ds.dataset(folder, partitioning="hive")
    scanned = scan(dataset)
    assert scanned.source.n_rows() == 300
    assert scanned.columns == ["a", "b", "c", "year"]
    assert read(scanned)["year"].tolist() == read(scan(folder))["year"].tolist()
    assert scanned.source.n_bytes(["a"]) == scan(folder).source.n_bytes(["a"]) > 0
    made = RandomPatchesRegressor(n_estimators=3, random_state=0)
    assert made.fit(dataset, y="b").digest() == made.fit(scan(folder), y="b").digest()


def test_filters_files_of_other_types_and_tables(folder, tmp_path):
    dataset = ds.dataset(folder, partitioning="hive")
    found = read(scan(dataset.filter(ds.field("year") >= 2021)))
    assert found["a"].tolist() == list(range(100, 300))
    FRAME.assign(a=FRAME.a.astype("int32")).to_parquet(folder / "year=2022" / "x.parquet")
    dataset = ds.dataset(folder, partitioning="hive")
    assert read(scan(dataset), ["a"])["a"].tolist() == [*range(200), *range(1000)]
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    assert read(scan(ds.dataset(table)))["b"].tolist() == FRAME.b.tolist()
    FRAME.to_csv(tmp_path / "x.csv", index=False)
    csv = scan(ds.dataset(tmp_path / "x.csv", format="csv"))
    assert csv.source.n_rows() is None
    assert read(csv)["c"].tolist() == FRAME.c.tolist()
    assert "dataset of 1 parts" in repr(csv)


def test_a_damaged_part_is_named(folder):
    scanned = scan(ds.dataset(folder, partitioning="hive"))
    path = folder / "year=2021" / "x.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"year=2021/x.parquet cannot be read after its row 0"):
        read(scanned)
