"""Networks of tables that are scanned: only the columns that are needed are read."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silvics import scan
from silvics.network import genie3

N, P = 60, 6
NAMES = [f"g{j}" for j in range(P)]
PARAMETERS = {"n_estimators": 5, "random_state": 0}


def expression():
    random = np.random.default_rng(0)
    X = random.normal(size=(N, P))
    X[:, 3] = X[:, 0] + 0.3 * random.normal(size=N)
    return X


def files(folder, frame, n=3):
    for k, part in enumerate(np.array_split(np.arange(len(frame)), n)):
        table = pa.Table.from_pandas(frame.iloc[part], preserve_index=False)
        pq.write_table(table, folder / f"{k}.parquet")
    return folder


def test_scans_give_the_network_of_the_table(tmp_path):
    X = expression()
    frame = pd.DataFrame(X, columns=NAMES)
    np.save(tmp_path / "x.npy", X)
    expected = genie3(frame, **PARAMETERS)
    folder = tmp_path / "parts"
    folder.mkdir()
    for data in (files(folder, frame), frame, pl.DataFrame(frame), pl.LazyFrame(frame)):
        found = genie3(scan(data), **PARAMETERS)
        np.testing.assert_array_equal(found.importances, expected.importances)
        assert found.targets.tolist() == NAMES
    for data in (X, tmp_path / "x.npy"):
        found = genie3(scan(data), feature_names=NAMES, **PARAMETERS)
        np.testing.assert_array_equal(found.importances, expected.importances)
        assert found.regulators.tolist() == NAMES
        assert genie3(scan(data), **PARAMETERS).targets.tolist() == [f"x{j}" for j in range(P)]
    assert isinstance(genie3(scan(folder), **PARAMETERS).to_frame(), pa.Table)


def test_only_the_columns_that_are_needed_are_read():
    frame = pd.DataFrame(expression(), columns=NAMES).assign(note=[object()] * N)
    chosen = {"regulators": ["g4", "g0", 1], "targets": ["g5", "g0"]}
    expected = genie3(frame[NAMES], **chosen, **PARAMETERS)
    found = genie3(scan(frame), **chosen, **PARAMETERS)
    np.testing.assert_array_equal(found.importances, expected.importances)
    assert found.regulators.tolist() == ["g4", "g0", "g1"]
    assert found.targets.tolist() == ["g5", "g0"]
    few = genie3(scan(frame, columns=["g3", "g0", "g1"]), regulators=[1, 2], **PARAMETERS)
    assert few.regulators.tolist() == ["g0", "g1"]
    assert few.targets.tolist() == ["g3", "g0", "g1"]


def test_regulators_of_a_scan_may_be_categories(tmp_path):
    frame = pd.DataFrame(expression(), columns=NAMES)
    frame["batch"] = np.where(frame["g4"] > 0, "late", "early")
    frame.loc[::3, "g2"] = np.nan
    chosen = {"targets": ["g0", "g4"], **PARAMETERS}
    expected = genie3(frame, **chosen)
    found = genie3(scan(files(tmp_path, frame)), **chosen)
    np.testing.assert_array_equal(found.importances, expected.importances)
    frame["batch"] = frame["batch"].astype("category")
    found = genie3(scan(files(tmp_path, frame)), **chosen)
    np.testing.assert_array_equal(found.importances, expected.importances)


def test_bad_scans_are_refused(tmp_path):
    frame = pd.DataFrame(expression(), columns=NAMES)
    with pytest.raises(ValueError, match="targets has 'g9', which is not a column"):
        genie3(scan(frame), targets=["g9"])
    with pytest.raises(ValueError, match="has names already"):
        genie3(scan(frame), feature_names=NAMES)
    with pytest.raises(ValueError, match="feature_names has 1 names"):
        genie3(scan(expression()), feature_names=["g0"])
    with pytest.raises(ValueError, match="no rows in"):
        genie3(scan(files(tmp_path, frame.iloc[:0], 1)))
