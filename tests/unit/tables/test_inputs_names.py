"""Columns by their names: in parameters, beside tables without names, in errors and warnings."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array, csr_matrix

import silvics
from silvics import (
    DecisionTreeRegressor,
    ForestClassifier,
    ForestRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)

RNG = np.random.default_rng(0)
A = RNG.normal(size=(80, 3))
Y = A[:, 0] - A[:, 1] + 0.3 * RNG.normal(size=80)
FRAME = pd.DataFrame(A, columns=["age", "fare", "class"])


# ---- monotonic_cst and feature_weights


@pytest.mark.parametrize("kind", [DecisionTreeRegressor, RandomForestRegressor, ForestRegressor])
@pytest.mark.parametrize("table", [FRAME, pl.DataFrame(A, schema=list(FRAME.columns))])
def test_constraints_by_name(kind, table):
    by_name = kind(random_state=0, monotonic_cst={"fare": -1}).fit(table, Y)
    by_place = kind(random_state=0, monotonic_cst=[0, -1, 0]).fit(table, Y)
    assert by_name.digest() == by_place.digest()
    assert by_name.digest() != kind(random_state=0).fit(table, Y).digest()


@pytest.mark.parametrize("name", ["monotonic_cst", "feature_weights"])
def test_names_must_be_there(name):
    with pytest.raises(
        ValueError, match=rf"{name} has the name 'Age'.*columns of X are 'age', 'fare', 'class'"
    ):
        RandomForestRegressor(**{name: {"Age": 1}}).fit(FRAME, Y)
    with pytest.raises(ValueError, match=f"{name} is a dict of names, but .* no names"):
        RandomForestRegressor(**{name: {"age": 1}}).fit(A, Y)


def test_constraints_by_name_are_checked():
    with pytest.raises(ValueError, match="-1, 0 or 1, but got"):
        RandomForestRegressor(monotonic_cst={"age": 2}).fit(FRAME, Y)
    with pytest.raises(ValueError, match="-1, 0 or 1, but got"):
        RandomForestRegressor(monotonic_cst={"age": "up"}).fit(FRAME, Y)
    text = FRAME.assign(age=np.where(A[:, 0] > 0, "old", "young"))
    with pytest.raises(ValueError, match="Set monotonic_cst to 0 for column 'age'"):
        RandomForestRegressor(monotonic_cst={"age": 1}).fit(text, Y)


CLASSIC = [
    RandomForestClassifier,
    RandomForestRegressor,
    silvics.ExtraTreesClassifier,
    silvics.ExtraTreesRegressor,
]


def outputs(kind):
    return Y > 0 if kind.__name__.endswith("Classifier") else Y


@pytest.mark.parametrize("kind", CLASSIC)
def test_feature_weights_are_the_odds_of_being_drawn(kind):
    y = outputs(kind)
    forest = kind(200, max_features=1, max_depth=1, random_state=0, feature_weights=[3, 1, 0])
    roots = np.array([tree.tree_.feature[0] for tree in forest.fit(FRAME, y)])
    counts = np.bincount(roots[roots >= 0], minlength=3)
    assert counts[2] == 0
    assert abs(counts[0] / counts.sum() - 0.75) < 4 * np.sqrt(0.75 * 0.25 / 200)
    by_name = kind(200, max_features=1, max_depth=1, random_state=0)
    by_name.set_params(feature_weights={"age": 3.0, "class": 0.0}).fit(FRAME, y)
    assert by_name.digest() == forest.digest()


@pytest.mark.parametrize("kind", CLASSIC)
def test_no_feature_weights_are_no_choice(kind):
    y, settings = outputs(kind), {"n_estimators": 5, "random_state": 0}
    assert kind(**settings).fit(A, y).digest() == kind(
        **settings, feature_weights=None
    ).fit(A, y).digest()  # fmt: skip


def test_feature_weights_mean_the_same_in_recipes():
    settings = {"n_estimators": 5, "random_state": 0, "feature_weights": [3.0, 1.0, 2.0]}
    classic = RandomForestClassifier(**settings).fit(A, Y > 0)
    adjusted = {"min_category_frequency": 2, "category_gain": "adjusted"}
    weighted = ForestClassifier(variables="weighted", **settings, **adjusted).fit(A, Y > 0)
    unsaid = ForestClassifier(**settings, **adjusted).fit(A, Y > 0)
    assert classic.digest() == weighted.digest() == unsaid.digest()


@pytest.mark.parametrize("table", [csr_matrix(A), csr_array(A), FRAME])
def test_feature_weights_on_any_table_and_threads(table):
    settings = {"n_estimators": 5, "random_state": 0, "feature_weights": [3.0, 1.0, 2.0]}
    first = RandomForestRegressor(**settings).fit(A, Y)
    assert RandomForestRegressor(**settings, n_jobs=2).fit(table, Y).digest() == first.digest()


@pytest.mark.parametrize(
    "weights", [[1, 2], [1, -1, 1], [0, 0, 0], [1, np.nan, 1], ["a", "b", "c"]]
)
def test_feature_weights_are_checked(weights):
    with pytest.raises(ValueError, match="feature_weights"):
        RandomForestClassifier(feature_weights=weights).fit(A, Y > 0)


def test_what_goes_without_feature_weights():
    with pytest.raises(ValueError, match="needs a weighted draw, but variables='poisson'"):
        ForestClassifier(feature_weights=[1, 2, 3], variables="poisson").fit(A, Y > 0)


@pytest.mark.parametrize("name", ["monotonic_cst", "feature_weights"])
def test_names_of_parameters_in_forests_grown_on_other_columns(name):
    settings = {"n_estimators": 5, "random_state": 0}
    by_name = RandomForestRegressor(**settings, **{name: {"fare": 1}}).fit(FRAME, Y)
    by_place = [0, 1, 0] if name == "monotonic_cst" else [1.0, 1.0, 1.0]
    by_place = RandomForestRegressor(**settings, **{name: by_place}).fit(FRAME, Y)
    found = [f.importances("air", FRAME, Y, random_state=0).values for f in (by_name, by_place)]
    assert np.array_equal(*found)


def test_parameters_by_name_are_in_files(tmp_path):
    forest = RandomForestRegressor(5, monotonic_cst={"fare": -1}, feature_weights={"age": 2.0})
    forest.fit(FRAME, Y).save(tmp_path / "forest.silvics")
    again = silvics.load(tmp_path / "forest.silvics")
    assert again.monotonic_cst == {"fare": -1}
    assert again.feature_weights == {"age": 2.0}


# ---- feature_names=

NAMES = ["age", "fare", "class"]


@pytest.mark.parametrize("table", [csr_matrix(A), csr_array(A), A, A.tolist()])
@pytest.mark.parametrize(
    "kind", [DecisionTreeRegressor, RandomForestRegressor, IsolationForest, RandomTreesEmbedding]
)
def test_names_beside_a_table(kind, table, tmp_path):
    model = kind(random_state=0).fit(table, Y, feature_names=np.array(NAMES))
    assert model.feature_names_in_.tolist() == NAMES
    assert model.digest() == kind(random_state=0).fit(table, Y).digest()
    model.save(tmp_path / "model.silvics")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that X has no names is as it was in fit
        for again in (model, silvics.load(tmp_path / "model.silvics")):
            assert np.array_equal(again.apply(table), model.apply(A))
            assert np.array_equal(again.apply(FRAME), model.apply(A))
    with pytest.raises(ValueError, match="feature names should match"):
        model.apply(FRAME[["fare", "age", "class"]])
    with pytest.raises(ValueError, match=r"2 features, but .* is expecting 3"):
        model.apply(A[:, :2])


def test_names_are_used():
    forest = RandomForestRegressor(5, random_state=0, monotonic_cst={"fare": -1})
    forest.fit(csr_array(A), Y, feature_names=NAMES)
    assert forest.importances().names.tolist() == NAMES
    assert forest.predictor()(dict(zip(NAMES, A[0], strict=True))) == forest.predict(A[:1])[0]
    merged = silvics.merge([forest, forest])
    assert np.allclose(merged.predict(csr_array(A)), forest.predict(csr_array(A)))


@pytest.mark.parametrize(
    ("table", "names", "error", "what"),
    [
        (FRAME, NAMES, ValueError, "already has names"),
        (SimpleNamespace(X=A, var_names=NAMES), NAMES, ValueError, "already has names"),
        (csr_array(A), NAMES[:2], ValueError, "2 names, but X has 3 columns"),
        (csr_array(A), ["a", "b", "a"], ValueError, "'a' occurs more than once"),
        (csr_array(A), [1, 2, 3], TypeError, "must be an array-like of str"),
        (csr_array(A), "abc", TypeError, "must be an array-like of str"),
        (A[:, 0], NAMES, ValueError, "Expected 2D array"),
    ],
)
def test_names_are_checked(table, names, error, what):
    with pytest.raises(error, match=what):
        RandomForestRegressor(5).fit(table, Y, feature_names=names)


def test_names_need_checks():
    with pytest.raises(ValueError, match="set check_input=True"):
        DecisionTreeRegressor().fit(A, Y, check_input=False, feature_names=NAMES)


# ---- errors

MIXED = pd.DataFrame({"age": A[:, 0], "sex": np.where(A[:, 1] > 0, "m", "f")})


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"age": "old", "sex": "m"}, "age"),
        ({"age": 1.0, "sex": 3}, "sex"),
        ({"age": np.inf, "sex": "m"}, "age"),
        ({"age": 2**60 + 1, "sex": "m"}, "age"),
        ({"age": [1.0], "sex": "m"}, "age"),
        ({"age": 1.0, "sex": ("m", "f")}, "sex"),
        ({"age": 1j, "sex": "m"}, "age"),
        ({"age": None, "sex": "m"}, "age"),
        ({"age": 1.0, "sex": "x"}, "sex"),
        (["old", "m"], "age"),
        ([[1.0, "m"], [1.0, "x"]], "sex"),
    ],
)
def test_errors_of_a_predictor_name_the_column(row, column):
    forest = RandomForestRegressor(3, missing="error", unknown_category="error").fit(MIXED, Y)
    with pytest.raises((ValueError, TypeError), match=f"column '{column}'"):
        forest.predictor()(row)


MISSING_OUTPUTS = [
    ["a", None] * 4,
    ["a", "b", np.nan, "a"] * 2,
    [1.0, None] * 4,
    np.array([["a", "b"], ["a", None]] * 4, dtype=object),
    pd.Series(["a", None] * 4),
    pd.Series(["a", None] * 4, dtype="string"),
    pd.Series(["a", None] * 4, dtype="category"),
    pd.Series([1, None] * 4, dtype="Int64"),
    pd.Series([True, None] * 4, dtype="boolean"),
    pd.Series(pd.to_datetime(["2020", None] * 4)),
    pl.Series(["a", None] * 4),
    pl.Series([1.5, None] * 4),
]


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor, ForestClassifier])
@pytest.mark.parametrize("y", MISSING_OUTPUTS, ids=lambda y: f"{type(y).__name__}")
def test_missing_outputs_are_an_error_that_says_y(kind, y):
    with pytest.raises(ValueError, match=r"Input y contains NaN.* of 8 rows; the first is row"):
        kind(n_estimators=3).fit(np.arange(8.0)[:, None], y)


# ---- numbers as text


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["1", "2.5", "-3e2", None] * 20),
        pd.Series(["1", "2.5", "-3e2", None] * 20, dtype="string"),
        pl.Series(["1", "2.5", " .5", None] * 20),
    ],
)
def test_numbers_stored_as_text_are_warned_of(values):
    frame = type(values)  # the same library
    library = pl if frame is pl.Series else pd
    table = library.DataFrame({"price": values, "size": np.arange(80.0)})
    with pytest.warns(UserWarning, match=r"column 'price' has numbers.*to_numeric"):
        RandomForestRegressor(3).fit(table, Y)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"zip": ["01234", "02139", "10001", "0"] * 20}),
        pd.DataFrame({"flag": ["0", "1"] * 40}),
        pd.DataFrame({"mixed": ["1", "2", "3", "none"] * 20}),
        pd.DataFrame({"declared": pd.Categorical(["1", "2", "3", "4"] * 20)}),
        pl.DataFrame({"declared": ["1", "2", "3", "4"] * 20}, schema={"declared": pl.Categorical}),
    ],
)
def test_codes_and_categories_are_not_warned_of(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RandomForestRegressor(3).fit(table, Y)


def test_asking_for_categories_is_not_warned_of():
    table = pd.DataFrame({"price": ["1", "2", "3", "4"] * 20})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RandomForestRegressor(3, categorical_features=["price"]).fit(table, Y)
