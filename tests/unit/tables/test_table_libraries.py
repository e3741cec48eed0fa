"""One table, one forest: whatever library holds it, in fit and in predict."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from .. import mixed_table
from ..kinds import ALL, FORESTS, name_of, small
from ..mixed_table import FORMS, FRAMES, NAMES, chosen, renamed, target

each = pytest.mark.parametrize("kind", ALL, ids=name_of)
unnamed = pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature names:UserWarning")


def grown(kind, X, **parameters):
    more = {"n_estimators": 5} if kind in FORESTS else {}
    return small(kind, max_features=2, **more, **parameters).fit(X, target())


@pytest.fixture(scope="module")
def expected():
    """Of each kind, grown from an array of objects."""
    return {kind: grown(kind, mixed_table.objects()) for kind in ALL}


def test_every_column_is_of_use(expected):
    for kind in FORESTS:
        assert (expected[kind].feature_importances_ > 0.0).all()
        used = [t.tree_ for t in expected[kind]]
        assert any(np.isnan(tree.threshold).any() for tree in used)
        assert any(tree.missing_go_to_left.any() for tree in used)


@each
@unnamed
@pytest.mark.parametrize("form", FRAMES)
def test_one_table_one_digest(kind, form, expected):
    X = FORMS[form]()
    fitted = grown(kind, X)
    assert fitted.digest() == expected[kind].digest()
    assert fitted.feature_names_in_.tolist() == NAMES
    assert fitted.is_categorical_.tolist() == [name in ("tree", "soil") for name in NAMES]
    for ours, theirs in zip(fitted.categories_, expected[kind].categories_, strict=True):
        assert (ours is None and theirs is None) or ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("kind", [ALL[0], ALL[2], ALL[5], ALL[7]], ids=name_of)
@unnamed
@pytest.mark.parametrize("form", FORMS)
def test_predictions_do_not_depend_on_the_library(kind, form, expected):
    fitted = grown(kind, FORMS[form]())
    leaves = expected[kind].apply(mixed_table.objects())
    answers = expected[kind].predict(mixed_table.objects())
    for other in FORMS.values():
        np.testing.assert_array_equal(fitted.apply(other()), leaves)
        np.testing.assert_array_equal(fitted.predict(other()), answers)


@unnamed
@pytest.mark.parametrize("form", FORMS)
def test_a_single_row_has_the_types_of_all(form, expected):
    """A row alone may have columns with nothing in them, whose types libraries cannot tell."""
    X, y = FORMS[form](), expected[ALL[0]].predict(mixed_table.objects())
    for i in (0, 1, 5, 7, 20):
        row = chosen(X, NAMES)[i : i + 1] if form != "objects" else X[i : i + 1]
        assert expected[ALL[0]].predict(row) == y[i]


@each
@pytest.mark.parametrize("form", FRAMES)
def test_other_columns_are_named(kind, form):
    X = FORMS[form]()
    fitted = grown(kind, X, max_depth=1)
    with pytest.raises(ValueError, match="must be in the same order"):
        fitted.predict(chosen(X, NAMES[::-1]))
    with pytest.raises(ValueError, match="now missing:\n- soil"):
        fitted.predict(chosen(X, NAMES[:-1]))
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- earth\n(.|\n)*missing:\n- soil"):
        fitted.predict(renamed(X, [*NAMES[:-1], "earth"]))
    fewer = grown(kind, chosen(X, NAMES[:-1]), max_depth=1)
    with pytest.raises(ValueError, match="unseen at fit time:\n- soil"):
        fewer.predict(X)


@each
def test_columns_of_another_sort_are_named(kind):
    X = mixed_table.pandas_of_numpy()
    fitted = grown(kind, X, max_depth=1)
    for name, values, sorts in (
        ("tree", np.arange(len(X)), "strings in training, but now has numbers"),
        ("real", ["oak"] * len(X), "numbers in training, but now has strings"),
        ("day", np.arange(len(X)), "dates in training, but now has numbers"),
        ("count", pd.to_datetime(np.arange(len(X))), "numbers in training, but now has dates"),
    ):
        with pytest.raises(ValueError, match=f"column '{name}' had {sorts}"):
            fitted.predict(X.assign(**{name: values}))


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_of_any_sort(name, nothing):
    """As pandas reads it: an empty column of text becomes one of NaN."""
    X = mixed_table.pandas_of_numpy()
    fitted = grown(ALL[0], X)
    expected = fitted.apply(X.assign(**{name: pd.Series([None] * len(X), dtype=object)}))
    np.testing.assert_array_equal(fitted.apply(X.assign(**{name: nothing})), expected)


@each
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_categories_by_name_number_and_mask(kind, frame):
    table = {"a": [3, 1, 2, 3] * 15, "b": [0.5, None, 2.0] * 20}
    X, y = frame(table), np.arange(60) % 4 % 3
    by_name = small(kind, categorical_features=["a"]).fit(X, y)
    for features in ([0], [True, False], np.array([0]), ("a",)):
        assert small(kind, categorical_features=features).fit(X, y).digest() == by_name.digest()
    assert by_name.is_categorical_.tolist() == [True, False]
    assert by_name.categories_[0].tolist() == [1.0, 2.0, 3.0]
    numbers = small(kind).fit(X, y)
    assert numbers.is_categorical_.tolist() == [False, False]
    assert numbers.digest() != by_name.digest()
    assert small(kind, categorical_features=None).fit(X, y).digest() == numbers.digest()


@each
def test_ordered_categories_are_numbers(kind):
    sizes = ["small", "medium", "large", "huge"]
    codes = np.arange(80) * 7 % 11 % 4
    y = (codes >= 2) + 0.0
    cells = [sizes[code] for code in codes]
    expected = small(kind).fit(codes[:, np.newaxis], y)
    enum = pl.DataFrame({"size": pl.Series(cells, dtype=pl.Enum(sizes))})
    ordered = pd.DataFrame({"size": pd.Categorical(cells, categories=sizes, ordered=True)})
    for X in (enum, ordered):
        fitted = small(kind).fit(X, y)
        assert fitted.digest() == expected.digest()
        assert fitted.is_categorical_.tolist() == [False]
        np.testing.assert_array_equal(fitted.predict(enum), expected.predict(codes[:, np.newaxis]))
    asked = small(kind, categorical_features=["size"]).fit(ordered, y)
    assert asked.is_categorical_.tolist() == [True]


@each
def test_frames_are_left_as_they_were(kind):
    for form in (mixed_table.pandas_of_numpy, mixed_table.pandas_categories):
        X = form()
        grown(kind, X).predict(X)
        pd.testing.assert_frame_equal(X, form())
    X = mixed_table.objects()
    grown(kind, X).predict(X)
    assert (X == mixed_table.objects()).all()
