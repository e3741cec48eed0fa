import polars as pl
import pytest

from silvics.reproduce.settings import MissingData, Settings


def test_tables_of_a_folder(tmp_path):
    table = pl.DataFrame({"a": [1.0, None], "target": ["x", "y"]})
    table.write_parquet(tmp_path / "t.parquet")
    table.drop("target").write_parquet(tmp_path / "u.parquet")
    found = Settings(data=tmp_path)
    assert found.has("t")
    assert not found.has("v")
    X, y = found.problem("t")
    assert X.columns == ["a"]
    assert y.tolist() == ["x", "y"]
    with pytest.raises(ValueError, match="no column named target"):
        found.problem("u")
    with pytest.raises(MissingData, match=r"has no file v\.parquet"):
        found.table("v")
    with pytest.raises(MissingData, match="--data FOLDER"):
        Settings().table("t")
