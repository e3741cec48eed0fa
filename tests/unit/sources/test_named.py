"""Columns of arrays that are scanned have the names that the user gives them."""

import numpy as np
import pytest

from silvics import RandomPatchesClassifier, RandomPatchesRegressor, scan
from silvics._sources.named import with_names

rng = np.random.default_rng(0)
ARRAY = np.column_stack([rng.normal(size=(300, 3)), rng.integers(1, 3, (300, 2))])
NAMES = ["a", "b", "c", "kind", "w"]


@pytest.fixture(params=["C", "F", "memory"])
def data(request, tmp_path):
    if request.param == "memory":
        return ARRAY
    np.save(tmp_path / "n.npy", np.asarray(ARRAY, order=request.param))
    return tmp_path / "n.npy"


def forest(**settings):
    return RandomPatchesClassifier(n_estimators=4, random_state=0, **settings)


def test_columns_of_an_array_have_the_given_names(data):
    scanned = with_names(scan(data), NAMES)
    batch = next(scanned.source.batches(["w", "b"], 100))
    np.testing.assert_array_equal(batch.column("b"), ARRAY[:100, 1])
    np.testing.assert_array_equal(batch.only(["b"]), ARRAY[:100, [1]])
    some = with_names(scan(data, columns=[4, 1]), ["w", "b"])
    batch = next(some.source.batches(["b"], 100))
    np.testing.assert_array_equal(batch.column("b"), ARRAY[:100, 1])
    assert scanned.source.n_rows() == 300


def test_outputs_weights_and_groups_are_columns_of_an_array(data):
    found = forest().fit(data, y="kind", sample_weight="w", feature_names=NAMES)
    expected = forest().fit(
        ARRAY[:, :3], ARRAY[:, 3], sample_weight=ARRAY[:, 4], feature_names=NAMES[:3]
    )
    assert (
        found.feature_names_in_.tolist() == expected.feature_names_in_.tolist() == ["a", "b", "c"]
    )
    assert found.digest() == expected.digest()
    scanned = scan(data, columns=[0, 1, 2])
    np.testing.assert_array_equal(found.predict(scanned), expected.predict(ARRAY[:, :3]))
    found = forest().fit(data, y="kind", groups="w", feature_names=NAMES)
    expected = forest().fit(
        np.ascontiguousarray(ARRAY[:, :3]), ARRAY[:, 3], groups=ARRAY[:, 4], feature_names=NAMES[:3]
    )
    assert found.digest() == expected.digest()


def test_several_outputs_and_categories_by_name(tmp_path):
    data = tmp_path / "n.npy"
    np.save(data, ARRAY)
    settings = {"n_estimators": 3, "random_state": 0, "max_columns": 1.0}
    settings["categorical_features"] = ["kind"]
    found = RandomPatchesRegressor(**settings).fit(data, y=["c", "a"], feature_names=NAMES)
    expected = RandomPatchesRegressor(**settings).fit(
        ARRAY[:, [1, 3, 4]], ARRAY[:, [2, 0]], feature_names=["b", "kind", "w"]
    )
    assert found.digest() == expected.digest()
    assert found.is_categorical_.tolist() == [False, True, False]


def test_names_beside_an_array_of_outputs(tmp_path):
    np.save(tmp_path / "n.npy", ARRAY[:, :3])
    found = forest().fit(str(tmp_path / "n.npy"), y=ARRAY[:, 3], feature_names=["a", "b", "c"])
    assert found.feature_names_in_.tolist() == ["a", "b", "c"]
    expected = forest().fit(ARRAY[:, :3], ARRAY[:, 3], feature_names=["a", "b", "c"])
    assert found.digest() == expected.digest()
    np.testing.assert_array_equal(found.predict(tmp_path / "n.npy"), expected.predict(ARRAY[:, :3]))


def test_names_that_do_not_fit(data, tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    pyarrow.write_table(_table(), tmp_path / "t.parquet")
    for source in (tmp_path / "t.parquet", scan(_table())):
        with pytest.raises(ValueError, match="feature_names is only for tables without names"):
            forest().fit(source, y="kind", feature_names=["a", "kind"])
    with pytest.raises(ValueError, match="feature_names has 2 names, but X has 5 columns"):
        forest().fit(data, y="kind", feature_names=["a", "kind"])
    with pytest.raises(ValueError, match="'a' occurs more than once"):
        forest().fit(data, y="kind", feature_names=["a", "a", "b", "c", "kind"])
    with pytest.raises(ValueError, match=r"y='kid' is not a column .* Did you mean 'kind'"):
        forest().fit(data, y="kid", feature_names=NAMES)


def _table():
    import pyarrow as pa

    return pa.table({"a": ARRAY[:, 0], "kind": ARRAY[:, 3]})
