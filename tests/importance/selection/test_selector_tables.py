"""Any table goes through selectors unchanged."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from silvics.importance.selection.by_importance import SelectByThreshold
from silvics.importance.selection.elimination import SelectByElimination, SelectTuned

from .selectors import CLASSES, FRAME, SELECTORS, N, X, forest, libraries, quick, same

# ---- any table


def kinds_of(frame):
    """Names and types."""
    if isinstance(frame, pa.Table):
        return dict(zip(frame.schema.names, frame.schema.types, strict=True))
    if isinstance(frame, pl.DataFrame):
        return dict(frame.schema)
    return dict(frame.dtypes)


@pytest.mark.parametrize("library", libraries())
@pytest.mark.parametrize("selector", SELECTORS)
def test_frames_go_through_untouched(library, selector):
    frame = libraries()[library]
    select = quick(selector).fit(frame, CLASSES)
    names = select.get_feature_names_out().tolist()
    assert 0 < len(names) < 5
    assert set(names) & {"species", "word"}
    assert select.feature_names_in_.tolist() == list(FRAME)
    assert select.n_features_in_ == 5
    found = select.transform(frame)
    assert type(found) is type(frame)
    assert found.shape == (N, len(names))
    assert kinds_of(found) == {name: kinds_of(frame)[name] for name in names}
    columns = frame[names] if library.startswith("pandas") else frame.select(names)
    assert same(found, columns)
    assert same(select.fit_transform(frame, CLASSES), columns)
    assert (
        quick(selector).fit(frame, CLASSES).forest_.digest()
        == forest().fit(frame, CLASSES).digest()
    )


def test_the_index_of_a_frame_is_kept():
    frame = FRAME.set_index(pd.Index(range(100, 100 + N), name="plot"))
    found = quick(SelectByThreshold).fit(frame, CLASSES).transform(frame[3:9])
    assert found.index.tolist() == list(range(103, 109))
    assert found.index.name == "plot"


def test_columns_that_are_not_those_of_fit():
    select = quick(SelectByThreshold).fit(FRAME, CLASSES)
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- other.*missing:\n- word"):
        select.transform(FRAME.rename(columns={"word": "other"}))
    with pytest.raises(ValueError, match="must be in the same order"):
        select.transform(FRAME[FRAME.columns[::-1]])
    with pytest.raises(ValueError, match=r"(?s)missing:\n- noise"):
        select.transform(FRAME.drop(columns="noise"))
    with pytest.raises(ValueError, match="X has 6 features, but SelectByThreshold is expecting 7"):
        quick(SelectByThreshold).fit(X, CLASSES).transform(X[:, :6])
    with pytest.raises(TypeError, match=r"Pass X\.collect\(\)"):
        quick(SelectByThreshold).fit(pl.from_pandas(FRAME).lazy(), CLASSES)


def test_another_table_is_a_new_beginning():
    select = quick(SelectByThreshold).fit(FRAME, CLASSES).fit(X, CLASSES)
    assert select.n_features_in_ == 7
    assert not hasattr(select, "feature_names_in_")
    assert select.get_feature_names_out()[0].startswith("x")


def test_a_fit_that_fails_changes_nothing():
    select = quick(SelectByThreshold).fit(FRAME, CLASSES)
    before = select.get_support()
    with pytest.raises(ValueError, match="inconsistent"):
        select.fit(X, CLASSES[:-1])
    assert select.get_support() is before
    assert select.feature_names_in_.tolist() == list(FRAME)


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_array"])
def test_sparse_stays_sparse(selector, form):
    thin = np.where(np.random.default_rng(1).random(X.shape) < 0.1, 0.0, X)
    table = getattr(sparse, form)(thin)
    given = {"cv": 2} if selector in (SelectTuned, SelectByElimination) else {}
    select = quick(selector, **given).fit(table, CLASSES)
    dense = quick(selector, **given).fit(thin, CLASSES)
    np.testing.assert_array_equal(select.get_support(), dense.get_support())
    found = select.transform(table)
    assert sparse.issparse(found)
    assert sparse.isspmatrix(found) == sparse.isspmatrix(table)
    np.testing.assert_array_equal(found.toarray(), dense.transform(thin))
    back = select.inverse_transform(found).toarray()
    np.testing.assert_array_equal(back, np.where(select.get_support(), thin, 0))


def test_arrays_stay_as_they_are():
    small = (X * 10).astype(np.int8)
    select = quick(SelectByThreshold).fit(small, CLASSES)
    found = select.transform(small)
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, small[:, select.get_support()])
    np.testing.assert_array_equal(select.transform(small.tolist()), found)
    back = select.inverse_transform(found)
    np.testing.assert_array_equal(back, np.where(select.get_support(), small, 0))
    words = FRAME[["noise", "word"]].to_numpy()
    select = quick(SelectByThreshold, kind="mda", max_features=1).fit(words, CLASSES)
    found = select.transform(words.tolist())
    assert found.dtype == object
    assert found[1, 0] is words[1, 1]
    assert select.inverse_transform(found)[1].tolist() == [None, words[1, 1]]


def test_missing_values_in_and_back():
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    select = quick(SelectByThreshold).fit(holes, CLASSES)
    found = select.transform(holes)
    np.testing.assert_array_equal(found, holes[:, select.get_support()])
    back = select.inverse_transform(found)
    np.testing.assert_array_equal(back, np.where(select.get_support(), holes, 0))
    strict = quick(SelectByThreshold, lambda: forest(3, missing="error"))
    with pytest.raises(ValueError, match="NaN"):
        strict.fit(holes, CLASSES)
    with pytest.raises(ValueError, match="NaN"):
        strict.fit(X, CLASSES).transform(holes)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_come_back_with_missing_columns(library):
    frame = libraries()[library]
    select = quick(SelectByThreshold).fit(frame, CLASSES)
    found = select.transform(frame)
    back = select.inverse_transform(found)
    assert type(back) is type(frame)
    assert list(getattr(back, "column_names", getattr(back, "columns", None))) == list(FRAME)
    assert same(select.transform(back), found)
    grown = forest().fit(frame, CLASSES)
    gone = FRAME.copy()
    for name in FRAME.columns[~select.get_support()]:
        gone[name] = None
    np.testing.assert_array_equal(grown.predict(back), grown.predict(gone))
    with pytest.raises(ValueError, match="pass a result of transform"):
        select.inverse_transform(frame)
    with pytest.raises(ValueError, match="pass a result of transform"):
        quick(SelectByThreshold).fit(X, CLASSES).inverse_transform(X)


@pytest.mark.parametrize("wanted", ["pandas", "polars"])
def test_output_as_it_is_asked_for(wanted):
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[wanted]
    for frame in libraries().values():
        select = quick(SelectByThreshold, threshold="0.5*mean").set_output(transform=wanted)
        found = select.fit(frame, CLASSES).transform(frame)
        assert isinstance(found, kind)
        names = select.get_feature_names_out().tolist()
        assert list(found.columns) == names
        assert "word" in names
        words = found["word"].to_list()
        assert [None if w is None or w is pd.NA or w != w else w for w in words] == [
            None if pd.isna(w) else w for w in FRAME["word"]
        ]
    found = quick(SelectByThreshold).set_output(transform=wanted).fit_transform(X, CLASSES)
    assert isinstance(found, kind)
    assert list(found.columns) == ["x1", "x4"]
    np.testing.assert_array_equal(found.to_numpy(), X[:, [1, 4]])


class Annotated:
    """As AnnData: an array and the names of its columns."""

    def __init__(self, X, var_names):
        self.X, self.var_names, self.shape = X, list(var_names), X.shape

    def __getitem__(self, key):
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        return Annotated(self.X[rows][:, columns], np.array(self.var_names)[columns])


def test_annotated_tables():
    select = quick(SelectByThreshold).fit(Annotated(X, "abcdefg"), CLASSES)
    assert select.get_feature_names_out().tolist() == ["b", "e"]
    found = select.transform(Annotated(X, "abcdefg"))
    assert found.var_names == ["b", "e"]
    np.testing.assert_array_equal(found.X, X[:, [1, 4]])
    with pytest.raises(ValueError, match="feature names should match"):
        select.transform(Annotated(X, "abcdefh"))
