"""Predictions of scans are those of the table in memory."""

import numpy as np
import polars as pl
import pyarrow.dataset
import pyarrow.parquet
import pytest

from silvics import RandomPatchesClassifier, RandomPatchesRegressor, scan
from silvics.patches import streaming

from .scanned_tables import table, write_parts

TABLE = table()
X = TABLE.drop(columns=["w", "price", "kind"])


@pytest.fixture(scope="module")
def forest():
    return RandomPatchesClassifier(n_estimators=5, random_state=0).fit(X, TABLE.kind)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(streaming, "_BATCH_ROWS", 700)


def test_predictions_of_files_are_those_of_the_table(forest, tmp_path):
    pattern = write_parts(TABLE, tmp_path)
    np.testing.assert_array_equal(forest.predict(pattern), forest.predict(X))
    np.testing.assert_array_equal(forest.predict_proba(scan(pattern)), forest.predict_proba(X))


def test_predictions_are_written_to_parquet_with_progress(forest, tmp_path, capsys):
    pattern, out = write_parts(TABLE, tmp_path), tmp_path / "out" / "predicted.parquet"
    out.parent.mkdir()
    reports = []
    forest.set_params(progress=lambda *done: reports.append(done), verbose=1)
    assert forest.predict(pattern, to=out) is None
    written = pyarrow.parquet.read_table(out)
    assert written.column_names == ["prediction"]
    np.testing.assert_array_equal(
        written.column(0).to_numpy(zero_copy_only=False), forest.predict(X)
    )
    assert reports[-1] == (3000, 3000)
    assert "rows" in capsys.readouterr().err
    forest.set_params(progress=None, verbose=0)
    forest.predict_proba(X, to=out)
    shares = pyarrow.parquet.read_table(out)
    assert shares.column_names == ["high", "low", "middle"]
    np.testing.assert_array_equal(shares.to_pandas().to_numpy(), forest.predict_proba(X))
    assert [path.name for path in out.parent.iterdir()] == ["predicted.parquet"]


def test_several_outputs_have_a_column_each(tmp_path):
    y = TABLE[["price", "x0"]].to_numpy()
    forest = RandomPatchesRegressor(n_estimators=3, random_state=0).fit(X, y)
    forest.predict(X, to=tmp_path / "out.parquet")
    written = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert written.column_names == ["prediction_0", "prediction_1"]
    np.testing.assert_array_equal(written.to_pandas().to_numpy(), forest.predict(X))


def test_nothing_is_left_of_a_file_that_could_not_be_finished(forest, tmp_path):
    bad = X.copy()
    bad.loc[2500, "x0"] = np.inf
    with pytest.raises(ValueError, match=r"rows 2100 to 2799: .*infinity"):
        forest.predict(bad, to=tmp_path / "out.parquet")
    assert not list(tmp_path.iterdir())


def test_missing_columns_are_named_with_their_file(forest, tmp_path):
    pattern = write_parts(X.drop(columns="level"), tmp_path, 1)
    text = r"fitted to the column 'level', which is not among the columns of .*part-0.parquet\."
    with pytest.raises(ValueError, match=text):
        forest.predict(pattern)
    with pytest.raises(ValueError, match="the table in memory that the scan has selected"):
        forest.predict(scan(X, columns=["x0"]))


def test_predict_takes_the_sources_of_fit(forest, tmp_path):
    pattern = write_parts(TABLE, tmp_path)
    sources = [pyarrow.dataset.dataset(tmp_path), pl.scan_parquet(pattern)]
    for source in sources:
        np.testing.assert_array_equal(forest.predict(source), forest.predict(X))
        np.testing.assert_array_equal(forest.predict_proba(source), forest.predict_proba(X))
        by_array = RandomPatchesClassifier(n_estimators=2, random_state=0).fit(source, TABLE.kind)
        expected = RandomPatchesClassifier(n_estimators=2, random_state=0)
        assert by_array.digest() == expected.fit(TABLE, TABLE.kind).digest()


def test_a_file_of_the_table_is_not_replaced(forest, tmp_path):
    pattern = write_parts(TABLE, tmp_path)
    path = tmp_path / "part-1.parquet"
    before = path.read_bytes()
    dataset = pyarrow.dataset.dataset(tmp_path)
    for source in (pattern, scan(pattern), dataset):
        for predict in (forest.predict, forest.predict_proba):
            with pytest.raises(ValueError, match=r"would replace .*part-1.parquet, from which"):
                predict(source, to=path)
    with pytest.raises(ValueError, match=r"exists, and the lazy frame .* may read it"):
        forest.predict(pl.scan_parquet(pattern), to=path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 3
    forest.predict(pl.scan_parquet(pattern), to=tmp_path / "new.parquet")
    assert pyarrow.parquet.read_metadata(tmp_path / "new.parquet").num_rows == len(TABLE)


def test_a_table_without_rows_is_refused_as_in_memory(forest, tmp_path):
    pattern = write_parts(TABLE[:0], tmp_path, 1)
    with pytest.raises(ValueError, match="0 sample"):
        forest.predict(X[:0])
    for source in (pattern, scan(X[:0])):
        for to in (None, tmp_path / "out.parquet"):
            with pytest.raises(ValueError, match="There are no rows in"):
                forest.predict(source, to=to)
    assert not (tmp_path / "out.parquet").exists()
