"""What ``scan`` accepts, and what it says of the rest."""

import numpy as np
import pandas as pd
import pytest

from silvics import RandomForestClassifier, report, scan
from silvics.impute import ForestImputer


def test_tables_in_memory():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert scan(frame).columns == ["a", "b"]
    assert scan(frame, columns=["b"]).columns == ["b"]
    assert scan(frame.to_numpy()).columns == [0, 1]
    assert scan(frame.set_axis([7, 5], axis=1), columns=[5]).columns == [5]
    assert repr(scan(frame.to_numpy())) == "<scan of table in memory, 2 rows, 2 columns>"


@pytest.mark.parametrize(
    ("data", "settings", "error", "text"),
    [
        (3, {}, TypeError, "scan needs paths"),
        ("nothing-*.parquet", {}, FileNotFoundError, "finds no file"),
        (np.zeros(3), {}, ValueError, "1 dimensions"),
        (pd.DataFrame({"abc": [1]}), {"columns": ["abd"]}, ValueError, "Did you mean 'abc'"),
        (np.zeros((3, 2)), {"columns": ["a"]}, ValueError, "have no names"),
        ("x.parquet", {"format": "orc"}, ValueError, "format must be one of"),
    ],
)
def test_other_things_are_refused(data, settings, error, text):
    with pytest.raises(error, match=text):
        scan(data, **settings)


def test_formats(tmp_path):
    (tmp_path / "x.txt").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="Pass format="):
        scan(tmp_path / "x.txt")
    assert scan(tmp_path / "x.txt", format="csv").columns == ["a", "b"]
    (tmp_path / "y.feather").write_text("")
    (tmp_path / "x.txt").rename(tmp_path / "x.csv")
    with pytest.raises(ValueError, match="files of one format"):
        scan([tmp_path / "x.csv", tmp_path / "y.feather"])


def test_a_scan_is_no_table_in_memory():
    """What accepts no scan says what to do instead."""
    table = scan(np.zeros((5, 2)))
    for call in (
        lambda: RandomForestClassifier().fit(table, [0, 1, 0, 1, 0]),
        lambda: RandomForestClassifier(2).fit(np.eye(2), [0, 1]).predict(table),
        lambda: ForestImputer().fit(table),
        lambda: report(table, "y"),
    ):
        with pytest.raises(TypeError, match="X is a scan, whose rows are not in memory"):
            call()
