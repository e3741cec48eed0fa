"""Completed tables have the library and the types of the user's table."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from silvics.impute import ForestImputer, ProximityImputer

N = 60


def cells():
    """Lists of Python's objects, each with missing values and a relation to the first."""
    random = np.random.default_rng(0)
    v = random.normal(size=N)
    table = {
        "real": v.tolist(),
        "whole": np.rint(10 * v).astype(int).tolist(),
        "flag": (v > 0).tolist(),
        "text": np.where(v > 0, "high", "low").tolist(),
        "day": [date(2020, 1, 1) + timedelta(days=int(100 * x)) for x in v],
        "instant": [datetime(2020, 1, 1) + timedelta(hours=float(100 * x)) for x in v],
        "span": [timedelta(hours=float(5 + x)) for x in v],
        "clock": [time(12, int(10 * abs(x))) for x in v],
    }
    return {
        name: [None if random.random() < 0.2 else value for value in values]
        for name, values in table.items()
    }


def of_polars():
    col = pl.col
    return pl.DataFrame(cells()).with_columns(
        col("text").cast(pl.Categorical).alias("category"),
        col("text").cast(pl.Enum(["low", "high", "never"])).alias("enum"),
        col("instant").dt.replace_time_zone("Europe/Paris").alias("zone"),
        col("whole").abs().cast(pl.UInt8).alias("byte"),
        col("real").cast(pl.Float32).alias("single"),
    )


def of_pandas():
    table = cells()
    instants = pd.Series(table["instant"])
    return pd.DataFrame(table).assign(
        category=pd.Categorical(table["text"]),
        ordered=pd.Categorical(table["whole"], ordered=True),
        interval=pd.cut(pd.Series(table["real"]), 3),
        period=instants.dt.to_period("M").astype("category"),
        zone=instants.dt.tz_localize("Asia/Tokyo"),
        dated=pd.Categorical(instants.dt.floor("D")),
    )


TABLES = {
    "polars": of_polars,
    "pyarrow": lambda: of_polars().to_arrow(),
    "pandas": of_pandas,
    "nullable": lambda: of_pandas().convert_dtypes(),
    "arrow in pandas": lambda: of_polars().to_arrow().to_pandas(types_mapper=pd.ArrowDtype),
}
IMPUTERS = [
    ForestImputer(5, random_state=0),
    ForestImputer(5, sample_posterior=True, random_state=0, max_iter=2),
    ProximityImputer(5, random_state=0),
]


def types(X):
    if isinstance(X, pa.Table):
        return X.schema.types
    return list(X.dtypes)


def as_lists(X):
    if isinstance(X, pd.DataFrame):
        return {name: [None if pd.isna(v) else v for v in X[name].tolist()] for name in X}
    return X.to_pydict() if isinstance(X, pa.Table) else X.to_dict(as_series=False)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("imputer", IMPUTERS, ids=["means", "draws", "proximities"])
def test_types_and_known_values_stay_and_fills_are_observed_or_between(name, imputer):
    X = TABLES[name]()
    y = np.arange(N) % 2
    before = as_lists(X)
    for filled in (imputer.fit_transform(X, y), imputer.fit(X, y).transform(X)):
        assert type(filled) is type(X)
        assert types(filled) == types(X)
        for column, values in as_lists(filled).items():
            known = [v for v in before[column] if v is not None]
            assert None not in values
            for value, old in zip(values, before[column], strict=True):
                if old is not None:
                    assert value == old
                elif type(value) in (str, bool, pd.Interval, pd.Period) or column == "dated":
                    assert value in known
                else:
                    assert min(known) <= value <= max(known)
    assert as_lists(X) == before


def test_arrays_of_objects_have_the_types_of_known_values():
    X = np.array(
        [
            [1, "a", True, 0.5, Decimal("1.5"), date(2020, 1, 1), np.datetime64("2020-01-01")],
            [2, "b", False, 1.5, Decimal("2.5"), date(2020, 1, 3), np.datetime64("2020-01-03")],
            [4, "b", False, 2.5, Decimal("3.5"), date(2020, 1, 3), np.datetime64("2020-01-03")],
            [None] * 7,
        ],
        dtype=object,
    )
    filled = ForestImputer(5, random_state=0).fit_transform(X)
    assert [type(v) for v in filled[3]] == [int, str, bool, float, Decimal, date, np.datetime64]
    assert (filled[:3] == X[:3]).all()


def test_lists_masked_arrays_and_times():
    imputer = ForestImputer(5, random_state=0)
    assert 1 <= imputer.fit_transform([[1.0, "a"], [None, "b"], [3.0, "a"]])[1, 0] <= 3
    masked = np.ma.MaskedArray([[1, 5], [2, 6], [2, 7]], mask=[[0, 0], [1, 0], [0, 1]])
    filled = imputer.fit_transform(masked)
    assert filled[:, 0].tolist() in ([1, 1, 2], [1, 2, 2])
    assert not np.isnan(filled).any()
    days = np.array([["2020-01-01"], ["NaT"], ["2020-01-03"]], dtype="M8[D]")
    assert imputer.fit_transform(days)[1, 0] == np.datetime64("2020-01-02")


def test_another_library_in_transform_than_in_fit():
    X = cells()
    names = ["real", "whole", "flag", "text"]
    table = {name: X[name] for name in names}
    imputer = ForestImputer(5, random_state=0).fit(pd.DataFrame(table).convert_dtypes())
    filled = imputer.transform(pl.DataFrame(table))
    assert isinstance(filled, pl.DataFrame)
    expected = imputer.transform(pd.DataFrame(table).convert_dtypes())
    for name in names:
        assert filled[name].to_list() == expected[name].tolist()


def test_a_level_that_the_categories_of_a_frame_lack_is_added():
    X = pd.DataFrame({"c": pd.Categorical(["a"] * 6 + ["b"] * 6), "x": [0.0] * 6 + [9.0] * 6})
    imputer = ForestImputer(20, random_state=0).fit(X)
    rows = pd.DataFrame({"c": pd.Categorical([None, "a"], categories=["a"]), "x": [9.0, 0.0]})
    assert imputer.transform(rows)["c"].tolist() == ["b", "a"]


def test_a_type_that_cannot_hold_the_value():
    X = pl.DataFrame({"n": [1000, 2000, None], "x": [1.0, 2, 3]})
    imputer = ForestImputer(5, random_state=0).fit(X)
    rows = pl.DataFrame({"n": [None, 3], "x": [2.0, 1.0]}, schema={"n": pl.UInt8, "x": pl.Float64})
    with pytest.raises(ValueError, match="Column 'n' has type UInt8, which cannot hold"):
        imputer.transform(rows)


def test_times_with_a_zone_stay_instants():
    at = pd.Series([datetime(2020, 1, 1, tzinfo=UTC), None, datetime(2020, 1, 3, tzinfo=UTC)])
    X = pd.DataFrame({"t": at.dt.tz_convert("Asia/Tokyo")})
    filled = ForestImputer(5, random_state=0).fit_transform(X)
    assert filled["t"][1] == datetime(2020, 1, 2, tzinfo=UTC)
