"""Names, empty columns, indicators, and errors of both imputers."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix

from silvics.impute import ForestImputer, ProximityImputer

from .incomplete import N, incomplete, target

BOTH = [ForestImputer, ProximityImputer]
both = pytest.mark.parametrize("kind", BOTH, ids=lambda kind: kind.__name__)


def small(kind, **parameters):
    return kind(5, random_state=0, max_iter=2, **parameters)


@both
def test_empty_columns(kind):
    X = incomplete().assign(none=np.nan, nothing=pd.Series([None] * N, dtype=object))
    with pytest.warns(UserWarning, match=r"\['none', 'nothing'\]"):
        dropped = small(kind).fit(X, target())
    assert list(dropped.transform(X).columns) == list(incomplete().columns)
    assert list(dropped.get_feature_names_out()) == list(incomplete().columns)
    kept = small(kind, keep_empty_features=True).fit(X, target()).transform(X)
    assert list(kept.columns) == list(X.columns)
    assert (kept["none"] == 0).all()
    assert kept["nothing"].isna().all()
    pd.testing.assert_frame_equal(kept[incomplete().columns], dropped.transform(X))


@both
def test_values_of_columns_that_were_empty_in_fit_stay(kind):
    X = incomplete().assign(none=np.nan)
    imputer = small(kind, keep_empty_features=True).fit(X, target())
    rows = X.iloc[:2].assign(none=[np.nan, 3.5])
    assert imputer.transform(rows)["none"].tolist() == [0, 3.5]


@both
def test_indicators(kind):
    X = incomplete()
    rows = X.assign(flag=X["flag"].fillna(True))
    imputer = small(kind, add_indicator=True).fit(rows, target())
    names = [f"missingindicator_{name}" for name in ("a", "b", "whole", "level")]
    filled = imputer.transform(rows)
    assert list(imputer.get_feature_names_out()) == [*X.columns, *names] == list(filled.columns)
    assert (filled[names].to_numpy() == X[["a", "b", "whole", "level"]].isna().to_numpy()).all()
    numbers = X[["a", "b"]].to_numpy(float)
    array = small(kind, add_indicator=True).fit_transform(numbers, target())
    assert (array[:, 2:] == np.isnan(numbers)).all()


@both
def test_set_output_and_names(kind):
    X = incomplete()[["a", "b"]]
    imputer = small(kind).fit(X, target())
    assert isinstance(imputer.set_output(transform="polars").transform(X), pl.DataFrame)
    assert isinstance(imputer.set_output(transform="pandas").transform(X), pd.DataFrame)
    array = small(kind).set_output(transform="pandas").fit_transform(X.to_numpy(), target())
    assert list(array.columns) == ["x0", "x1"]
    with pytest.raises(ValueError, match="feature names should match"):
        imputer.transform(X.rename(columns={"a": "c"}))


@both
def test_unseen_levels_stay(kind):
    X = incomplete()
    imputer = small(kind).fit(X, target())
    rows = X.iloc[:4].copy()
    rows["level"] = pd.Categorical(["yew", "yew", None, "oak"])
    filled = imputer.transform(rows)
    assert filled["level"].tolist()[:2] == ["yew", "yew"]
    assert filled["level"].iloc[2] in {"ash", "elm", "oak"}
    assert not filled.isna().any(axis=None)


@both
def test_constant_columns(kind):
    X = np.column_stack([np.r_[np.nan, np.full(9, 4.0)], np.arange(10.0)])
    assert small(kind).fit_transform(X, np.arange(10) % 2)[0, 0] == 4


@both
def test_errors(kind):
    imputer = small(kind)
    with pytest.raises(ValueError, match="all values of X are missing"):
        imputer.fit(np.full((4, 2), np.nan), [0, 1, 0, 1])
    with pytest.raises(TypeError, match=r"X\.toarray\(\)"):
        imputer.fit(csr_matrix(np.eye(4)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="infinity"):
        imputer.fit([[np.inf, 1.0], [2.0, 3.0]], [0, 1])
    with pytest.raises(ValueError, match="max_iter"):
        small(kind).set_params(max_iter=0).fit(np.eye(4), [0, 1, 0, 1])
    fitted = small(kind).fit(incomplete(), target())
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.transform(incomplete()[["a", "b"]])


@both
def test_arrays_keep_their_type_and_are_not_changed(kind):
    X = incomplete()[["a", "b"]].to_numpy(np.float32)
    before = X.copy()
    filled = small(kind).fit_transform(X, target())
    assert filled.dtype == np.float32
    assert not np.isnan(filled).any()
    np.testing.assert_array_equal(X, before)
