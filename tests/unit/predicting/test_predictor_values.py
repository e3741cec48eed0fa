"""Values of every sort in one row: what the forest says of the table, or its kind of error."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest

from silvics import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor

from ..mixed_table import NAMES, columns, objects, pandas_categories, pandas_of_numpy, target


def outcome(function, *arguments, **settings):
    """What a call gives, as plain values, or the type of its error."""
    try:
        return np.asarray(function(*arguments, **settings)).tolist()
    except Exception as error:
        return type(error)


def same_outcome(forest, row):
    """One row by every door of the predictor, and as a table."""
    expected = outcome(lambda: forest.predict([row])[0])
    predict, cells = forest.predictor(), np.empty(len(row), dtype=object)
    for j, value in enumerate(row):
        cells[j] = value
    assert outcome(predict, list(row)) == expected
    assert outcome(predict, tuple(row)) == expected
    assert outcome(predict, [row]) == (expected if isinstance(expected, type) else [expected])
    assert outcome(predict, cells) == outcome(lambda: forest.predict(cells[np.newaxis])[0])
    if forest._classification:
        shares = outcome(lambda: forest.predict_proba([row])[0])
        assert outcome(predict.predict_proba, list(row)) == shares
    names = forest._variables.names
    if names is not None:
        by_name = dict(zip(names, row, strict=True))
        assert outcome(predict, by_name) == expected
        assert outcome(predict, pd.Series(by_name, dtype=object)) == expected
    return expected


def unnamed(X):
    """The same table without names, of which scikit-learn would warn."""
    return np.array(X.astype(object).where(X.notna(), None))


class Real(float):
    pass


class Word(str):
    __slots__ = ()


VALUES = {
    "float": 2.5,
    "subclass of float": Real(2.5),
    "np.float64": np.float64(2.5),
    "np.float32": np.float32(2.5),
    "np.float16": np.float16(2.5),
    "np.longdouble": np.longdouble(2.5),
    "int": 3,
    "np.int64": np.int64(3),
    "np.uint8": np.uint8(3),
    "bool": True,
    "np.bool": np.True_,
    "Decimal": Decimal("2.5"),
    "Fraction": Fraction(5, 2),
    "0-d array": np.array(2.5),
    "-0.0": -0.0,
    "subnormal": 5e-324,
    "largest": 1.7976931348623157e308,
    "1e17": 1e17,
    "2**53": 2**53,
    "2**53 + 1": 2**53 + 1,
    "2**53 + 2": 2**53 + 2,
    "-(2**53)": -(2**53),
    "-(2**53) - 1": -(2**53) - 1,
    "2**63": 2**63,
    "10**400": 10**400,
    "np.int64 beyond": np.int64(2**53 + 1),
    "np.uint64 beyond": np.uint64(2**64 - 1),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "np.float32 inf": np.float32("inf"),
    "Decimal inf": Decimal("Infinity"),
    "Decimal beyond": Decimal("1e400"),
    "nan": float("nan"),
    "-nan": -float("nan"),
    "np.nan in float32": np.float32("nan"),
    "Decimal nan": Decimal("nan"),
    "None": None,
    "pd.NA": pd.NA,
    "pd.NaT": pd.NaT,
    "np NaT": np.datetime64("NaT"),
    "masked": np.ma.masked,
    "str": "2.5",
    "subclass of str": Word("oak"),
    "np.str_": np.str_("oak"),
    "level": "oak",
    "unknown level": "no such",
    "lone surrogate": "\ud800",
    "empty": "",
    "bytes": b"oak",
    "complex": 1j,
    "date": date(2020, 1, 1),
    "datetime": datetime(2020, 1, 1, 12),
    "Timestamp": pd.Timestamp("2020-01-01 12:00"),
    "Timestamp with zone": pd.Timestamp("2020-01-01 12:00", tz="Asia/Tokyo"),
    "datetime64": np.datetime64("2020-01-01T12:00"),
    "timedelta": timedelta(hours=3),
    "timedelta64": np.timedelta64(3, "h"),
    "time": time(3, 0),
    "object": object(),
    "type": float,
    "set": {1.0},
    "list": [1.0],
    "Ellipsis": ...,
}
each_value = pytest.mark.parametrize("value", VALUES)
each_rule = pytest.mark.parametrize("unknown", ["missing", "heavier", "error"])


def numbers():
    random = np.random.default_rng(0)
    X = random.integers(-16, 16, size=(60, 2)) / 4
    return X, X[:, 0] - 2 * X[:, 1]


@cache
def forest_of_numbers(missing):
    return RandomForestRegressor(5, random_state=0, missing=missing).fit(*numbers())


@cache
def forest_of_every_sort():
    forest = ExtraTreesRegressor(5, random_state=0, max_features=None)
    return forest.fit(objects(), target())


@each_value
@pytest.mark.parametrize("missing", ["learned", "error"])
def test_in_place_of_a_number(value, missing):
    forest = forest_of_numbers(missing)
    for row in ([VALUES[value], 1.0], [0.25, VALUES[value]], [VALUES[value]] * 2):
        same_outcome(forest, row)


@each_value
def test_in_place_of_any_sort(value):
    """A column of every sort, with holes."""
    for j in range(len(NAMES)):
        row = objects()[2].tolist()
        row[j] = VALUES[value]
        same_outcome(forest_of_every_sort(), row)


def test_nothing_but_none():
    same_outcome(forest_of_every_sort(), [None] * len(NAMES))
    same_outcome(forest_of_every_sort(), [np.nan] * len(NAMES))


@pytest.mark.parametrize("name", NAMES)
@each_rule
@pytest.mark.parametrize("missing", ["learned", "error"])
def test_rules_for_levels(name, unknown, missing):
    table = columns()
    whole = {n: [v for v in table[n] if v is not None][:50] for n in NAMES}
    X = np.array(list(zip(*whole.values(), strict=True)), dtype=object)
    forest = RandomForestClassifier(5, random_state=0, unknown_category=unknown, missing=missing)
    forest.fit(X, target()[:50])
    for value in ("no such", None, float("nan"), pd.NA, 3.0, VALUES["datetime"], np.str_("oak")):
        row = X[0].tolist()
        row[NAMES.index(name)] = value
        same_outcome(forest, row)


def test_every_row_of_a_table_of_every_sort():
    X = objects()
    forest = RandomForestClassifier(10, random_state=0).fit(X, target())
    predict, expected = forest.predictor(), forest.predict(X)
    assert [predict(row) for row in X.tolist()] == expected.tolist()
    assert [predict(row) for row in X] == expected.tolist()
    assert predict(X.tolist()).tolist() == expected.tolist()


@pytest.mark.parametrize("frame", [pandas_of_numpy, pandas_categories])
def test_every_row_of_a_frame(frame):
    X = frame()
    forest = RandomForestClassifier(10, random_state=0).fit(X, target())
    predict, expected = forest.predictor(), forest.predict(X).tolist()
    assert [predict(row) for row in X.to_dict("records")] == expected
    assert [predict(row) for _, row in X.iterrows()] == expected
    assert [predict(list(row)) for row in X.itertuples(index=False)] == expected
    assert predict(X.to_dict("records")).tolist() == expected


# ---- None, wherever it may stand

START = datetime(1969, 12, 31)
SORTS = {
    "number": [0.0, 1.0, -2.0, None],
    "date": [START, START + timedelta(2), START - timedelta(900), None],
    "duration": [timedelta(-1), timedelta(1), timedelta(0), None],
    "category": ["a", "b", "c", None],
    "category of numbers": [0, 1, 2, None],
    "category of bools": [True, False, True, None],
    "ordered": pd.Categorical(["b", "a", "c", None], ["c", "a", "b"], ordered=True),
    "ordered numbers": pd.Categorical([2, 1, 3, None], [3, 1, 2], ordered=True),
}


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("trained_on", [3, 4])
def test_none_is_missing_in_every_sort(sort, missing, trained_on):
    """And nothing else: not the number -1, nor the level before the first."""
    cells = pd.Series(SORTS[sort]).take(np.arange(40) % trained_on).reset_index(drop=True)
    X = pd.DataFrame({"a": cells, "b": 0.0})
    is_category = sort.startswith("category of")
    features = ["a"] if is_category else "from_dtype"
    forest = RandomForestRegressor(
        10, random_state=0, max_features=None, categorical_features=features
    ).fit(X, np.arange(40) % trained_on * 10.0)
    gone = pd.DataFrame({"a": pd.Series(SORTS[sort])[3:4], "b": [0.0]}).set_index("b", drop=False)
    expected = forest.predict(gone)[0]
    predict = forest.predictor()
    assert predict([missing, 0.0]) == expected
    assert predict((missing, 0.0)) == expected
    assert predict({"a": missing, "b": 0.0}) == expected
    assert predict(pd.Series({"a": missing, "b": 0.0}, dtype=object)) == expected
    assert predict([{"a": missing, "b": 0.0}]).tolist() == [expected]


@pytest.mark.parametrize("value", [None, np.nan, 3.0, -1.0, "oak", pd.Timestamp("2020-01-01")])
def test_a_column_that_was_nothing(value):
    X = np.empty((40, 2), dtype=object)
    X[:, 1] = np.arange(40.0)
    same_outcome(RandomForestRegressor(5, random_state=0).fit(X, np.arange(40)), [value, 20.0])


# ---- levels


@each_rule
@pytest.mark.parametrize(
    "level", ["a", "b", "rare", "new", "", None, np.nan, pd.NA, 1, np.str_("a"), Word("rare")]
)
@pytest.mark.parametrize("named", [False, True])
def test_rare_and_unknown_levels(unknown, level, named):
    words = ["a", "b", "c", "d"] * 10 + ["rare"]
    X = pd.DataFrame({"word": words, "x": np.arange(41.0) % 5})
    forest = RandomForestClassifier(
        8, random_state=0, min_category_frequency=2, unknown_category=unknown
    ).fit(X if named else unnamed(X), np.arange(41) % 4)
    if named:
        row = pd.DataFrame({"word": pd.Series([level], dtype=object), "x": [3.0]})
        expected = outcome(lambda: forest.predict(row)[0])
        assert outcome(forest.predictor(), {"word": level, "x": 3.0}) == expected
        assert outcome(forest.predictor(), [level, 3.0]) == expected
    else:
        same_outcome(forest, [level, 3.0])


NUMERIC = {
    "whole": [3, 1, 2**40],
    "real": [0.5, -0.0, 7.0],
    "bool": [True, False, True],
    "beyond": [2**53 + 1, 2**60, 3],
    "date": [date(2020, 1, 1), date(2021, 1, 1), date(1969, 1, 1)],
}
TRIED = [True, False, 0, 0.0, -0.0, 1, 3, 3.0, np.int8(3), Decimal(3), 0.5, 2**40, 2**53 + 1]
TRIED += [2**53, 2**60, float(2**60), "3", "a", None, np.nan, pd.NA, np.inf, 10**30, {3}]
TRIED += [date(2020, 1, 1), datetime(2020, 1, 1), pd.Timestamp("2020-01-01"), date(1990, 1, 1)]


@each_rule
@pytest.mark.parametrize("levels", NUMERIC)
def test_levels_that_are_no_text(unknown, levels):
    X = np.empty((30, 2), dtype=object)
    X[:, 0] = [NUMERIC[levels][i % 3] for i in range(30)]
    X[:, 1] = np.arange(30.0) % 4
    forest = RandomForestClassifier(
        6, random_state=0, categorical_features=[0], unknown_category=unknown
    ).fit(X, np.arange(30) % 3)
    for value in TRIED:
        same_outcome(forest, [value, 2.0])


@each_rule
def test_ordered_levels(unknown):
    declared = ["low", "middle", "high", "never"]
    cells = pd.Categorical(["low", "high", "middle", None] * 8, declared, ordered=True)
    X = pd.DataFrame({"rank": cells, "x": np.arange(32.0) % 3})
    forest = RandomForestRegressor(8, random_state=0, unknown_category=unknown, max_features=None)
    forest.fit(X, np.arange(32) % 4)
    for level in ["low", "middle", "high", "never", "new", None, np.nan, 1, 1.0]:
        row = pd.DataFrame({"rank": pd.Series([level], dtype=object), "x": [1.0]})
        expected = outcome(lambda row=row: forest.predict(row)[0])
        assert outcome(forest.predictor(), [level, 1.0]) == expected
        assert outcome(forest.predictor(), {"rank": level, "x": 1.0}) == expected


def test_very_many_levels():
    words = [f"id{i}" for i in range(3000)]
    X = np.array(words, dtype=object)[:, np.newaxis]
    forest = RandomForestRegressor(3, random_state=0).fit(X, np.arange(3000) % 7)
    predict = forest.predictor()
    said = [predict([word]) for word in (*words, None, "id3000")]
    table = np.array([[*words, None, "id3000"]], dtype=object).T
    assert said == forest.predict(table).tolist()


def test_text_as_numbers_is_refused():
    forest = forest_of_numbers("learned")
    for row in (["0.5", 1.0], np.array(["0.5", "1.0"]), ["0.5", "1.0"]):
        with pytest.raises(ValueError, match="had numbers in training, but now has strings"):
            forest.predictor()(row)
