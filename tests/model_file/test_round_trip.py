"""What is loaded is what was saved: predictions, digest, and the file itself, bit for bit."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import sklearn.ensemble
import sklearn.tree
from sklearn.base import clone

import silvics

from .files import answers, assert_same, content_of, loaded, opened
from .round_trips import (
    ESTIMATORS,
    FORESTS,
    OPTIONS,
    classes_of,
    numbers,
    round_trip,
    small,
    table_of_all,
)

# ---- every estimator, every way to save


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_every_estimator(kind, options, tmp_path):
    X = numbers()
    X[::7, 1] = np.nan
    model = small(kind).fit(X, classes_of(X))
    round_trip(model, tmp_path / "model.silvics", X, **options)


@pytest.mark.filterwarnings("ignore:.*no out-of-bag residuals")  # of a few trees
@pytest.mark.parametrize("recipe", silvics.recipes.names())
@pytest.mark.parametrize("kind", [silvics.ForestClassifier, silvics.ForestRegressor])
def test_every_recipe(kind, recipe, tmp_path):
    frame = table_of_all(40)
    y = np.arange(40) % 3
    try:
        model = small(kind, recipe=recipe, n_estimators=2).fit(frame, y)
    except ValueError:  # of classes only, or of numbers only
        of_numbers = silvics.recipes.get(recipe).stages > 1
        assert (kind is silvics.ForestClassifier) == of_numbers
        return
    for options in ({}, {"compress": True, "for_prediction": True}):
        round_trip(model, tmp_path / "model.silvics", frame, **options)


@pytest.mark.parametrize("split", ["binary", "multiway", "multiway_categories", "oblique"])
@pytest.mark.parametrize("missing", ["learned", "apart", "both"])
@pytest.mark.parametrize("vote", ["soft", "majority"])
def test_ways_to_split(split, missing, vote, tmp_path):
    frame = table_of_all(60)
    model = small(silvics.ForestClassifier, split=split, missing=missing, vote=vote, max_depth=4)
    try:
        model.fit(frame, np.arange(60) % 2)
    except ValueError:
        assert missing == "both"
        assert split.startswith("multiway")
        return
    round_trip(model, tmp_path / "model.silvics", frame)


def test_a_file_that_is_read_and_not_mapped(tmp_path):
    X = numbers()
    for kind in (silvics.RandomForestClassifier, silvics.DecisionTreeRegressor):
        model = small(kind).fit(X, classes_of(X))
        for options in OPTIONS.values():
            model.save(tmp_path / "model.silvics", **options)
            mapped, read = (
                silvics.load(tmp_path / "model.silvics", memory_map=m) for m in (True, False)
            )
            (tmp_path / "model.silvics").unlink()
            assert_same(answers(mapped, X), answers(read, X))
            assert content_of(mapped, **options) == content_of(read, **options)


# ---- every kind of table


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_a_frame_of_everything(kind, tmp_path):
    frame = table_of_all()
    model = small(kind).fit(frame, np.arange(len(frame)) % 4)
    again = round_trip(model, tmp_path / "model.silvics", frame)
    unknown = frame.assign(text="none such", many="l999")
    assert_same(answers(model, unknown), answers(again, unknown))
    variables = opened((tmp_path / "model.silvics").read_bytes())[1]["variables"]
    assert variables["names"] == list(frame)
    assert variables["kinds"] == "....dtcccoc-"
    assert variables["levels"]["7"]["dtype"] == "<f8"
    assert variables["levels"]["9"]["values"] == ["s", "m", "l"]


TABLES = {
    "float32": lambda: numbers(dtype=np.float32),
    "whole": lambda: numbers(seed=3).round().astype(np.int16),
    "booleans": lambda: numbers() > 0,
    "sparse": lambda: scipy.sparse.random(80, 6, 0.3, format="csr", random_state=0),
    "lists": lambda: numbers().tolist(),
    "pandas": lambda: pd.DataFrame(numbers(), columns=list("abcd")),
    "polars": lambda: pl.DataFrame({"a": numbers()[:, 0], "b": ["x", "y"] * 40}),
    "polars-categories": lambda: pl.DataFrame({"b": ["x", None, "z", "w"] * 20}).cast(
        pl.Categorical
    ),
    "objects": lambda: np.array([[1.5, "a"], [None, "b"]] * 40, dtype=object),
    "holes": lambda: np.where(numbers() > 1, np.nan, numbers()),
    "strange names": lambda: pd.DataFrame(numbers(), columns=["", "\0", '"}', "é𝄞"]),
    "huge codes": lambda: pd.DataFrame(
        {"a": pd.Categorical(np.array([2**63 + 5, 2**64 - 1] * 40, dtype=np.uint64))}
    ),
    "large codes": lambda: pd.DataFrame({"a": pd.Categorical([2**60 + 1, -(2**60)] * 40)}),
    "wide": lambda: scipy.sparse.random(80, 5000, 0.01, format="csr", random_state=0),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", [silvics.RandomForestClassifier, silvics.DecisionTreeRegressor])
def test_tables(kind, table, tmp_path):
    X = TABLES[table]()
    model = small(kind).fit(X, np.arange(80) % 3 % 2)
    for options in ({}, {"compress": True}):
        round_trip(model, tmp_path / "model.silvics", X, **options)


def test_rare_levels_and_other_rules(tmp_path):
    X = np.array(["a"] * 30 + ["b"] * 30 + ["c", "d", "d"], dtype=object)[:, np.newaxis]
    for unknown in ("missing", "heavier"):
        model = small(
            silvics.RandomForestClassifier, min_category_frequency=3, unknown_category=unknown
        ).fit(X, np.arange(63) % 2)
        round_trip(model, tmp_path / "model.silvics", X)
        assert model._variables.rare[0].tolist() == ["c", "d"]


@pytest.mark.parametrize("order", [["lo", "hi"], [3.5, 1.5], [10, -2]])
def test_ordered_levels(order, tmp_path):
    codes = np.random.default_rng(0).integers(0, 2, 60)
    frame = pd.DataFrame({"a": pd.Categorical.from_codes(codes, order, ordered=True), "b": codes})
    model = small(silvics.RandomForestRegressor).fit(frame, codes)
    round_trip(model, tmp_path / "model.silvics", frame)


# ---- every kind of output

LABELS = {
    "text": ["no", "yes", 'it\'s "ñ"\0x'],
    "wide text": np.array(["a", "b", "c"], dtype="<U50"),
    "objects": np.array(["no", "yes", "perhaps"], dtype=object),
    "booleans": [False, True, True],
    "small": np.array([1, 2, 3], dtype=np.int8),
    "unsigned": np.array([1, 2, 2**64 - 1], dtype=np.uint64),
    "negative": [-1, 0, 10**12],
    "reals": [0.0, 1.0, 2.0],
    "float32": np.array([0, 1, 2], dtype=np.float32),
    "surrogate": ["\ud800", "b", "c"],
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", [silvics.RandomForestClassifier, silvics.DecisionTreeClassifier])
def test_classes(kind, labels, tmp_path):
    X = numbers()
    model = small(kind).fit(X, np.asarray(LABELS[labels])[classes_of(X)])
    again = round_trip(model, tmp_path / "model.silvics", X)
    assert again.classes_.dtype == model.classes_.dtype


def test_classes_of_another_order_of_bytes(tmp_path):
    X = numbers()
    model = small(silvics.RandomForestClassifier).fit(X, classes_of(X).astype(">i4"))
    again = loaded(content_of(model))
    assert again.classes_.dtype == np.dtype("<i4")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert content_of(again) == content_of(model)


def test_days_as_classes(tmp_path):
    X = numbers()
    days = np.array(["2020-01-01", "2021-01-01", "2022-05-05"], dtype="M8[D]")
    try:
        model = small(silvics.RandomForestClassifier).fit(X, days[classes_of(X)])
    except (TypeError, ValueError):
        pytest.skip("days are no classes")
    round_trip(model, tmp_path / "model.silvics", X)


@pytest.mark.parametrize("kind", ESTIMATORS[:10], ids=lambda kind: kind.__name__)
def test_several_outputs(kind, tmp_path):
    X = numbers()
    y = np.column_stack([classes_of(X), classes_of(X, 2, seed=5)])
    model = small(kind).fit(X, y)
    for name in ("rows-compressed", "prediction"):
        again = round_trip(model, tmp_path / "model.silvics", X, **OPTIONS[name])
        assert again.n_outputs_ == 2


def test_many_classes(tmp_path):
    X = numbers(200)
    y = np.array([chr(97 + i % 26) for i in range(200)])
    for parameters in ({}, {"max_depth": 3}, {"min_samples_leaf": 9}):
        model = small(silvics.RandomForestClassifier, **parameters).fit(X, y)
        assert len(model.classes_) == 26
        round_trip(model, tmp_path / "model.silvics", X)
        round_trip(model, tmp_path / "model.silvics", X, compress=True)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_trees_of_one_node(kind, tmp_path):
    X = np.ones((20, 2))
    for y in (np.zeros(20, dtype=int), np.arange(20) % 2):
        model = small(kind).fit(X, y)
        for name in ("all", "prediction-compressed"):
            round_trip(model, tmp_path / "model.silvics", X, **OPTIONS[name])


@pytest.mark.parametrize("kind", [silvics.DecisionTreeClassifier, silvics.DecisionTreeRegressor])
def test_a_deep_chain(kind, tmp_path):
    n = 3000
    X = np.arange(float(n))[:, np.newaxis]
    y = np.arange(n) % 2 if kind is silvics.DecisionTreeClassifier else 2.0 ** -np.arange(n)
    model = kind(random_state=0).fit(X, y)
    model.save(tmp_path / "model.silvics")
    again = silvics.load(tmp_path / "model.silvics")
    assert again.digest() == model.digest()
    assert again.get_depth() == model.get_depth()
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


WEIGHTS = {
    "whole": lambda n: np.arange(n) % 4,
    "real": lambda n: np.random.default_rng(0).random(n),
    "tiny": lambda n: 1e-300 * (1 + np.arange(n) % 3),
    "huge": lambda n: 1e290 * (1 + np.arange(n) % 3),
    "mixed": lambda n: 10.0 ** (np.arange(n) % 30 - 15),
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_weights(kind, weights, tmp_path):
    X = numbers()
    y = classes_of(X)
    try:
        model = small(kind).fit(X, y, sample_weight=WEIGHTS[weights](len(X)))
    except ValueError:  # such weights are refused
        return
    round_trip(model, tmp_path / "model.silvics", X, training_rows=weights == "real")


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e150, 1e300, 1.0, 2.0**60])
@pytest.mark.parametrize("kind", [silvics.RandomForestRegressor, silvics.ExtraTreeRegressor])
def test_outputs_of_every_size(kind, scale, tmp_path):
    X = numbers()
    model = small(kind).fit(X, scale * (X[:, 0] + 3))
    round_trip(model, tmp_path / "model.silvics", X)


@pytest.mark.parametrize(
    ("kind", "criterion"),
    [
        *[(silvics.RandomForestClassifier, c) for c in ("gini", "entropy", "log_loss")],
        *[
            (silvics.RandomForestRegressor, c)
            for c in ("absolute_error", "friedman_mse", "poisson")
        ],
    ],
)
def test_criteria(kind, criterion, tmp_path):
    X = numbers()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model = small(kind, criterion=criterion).fit(X, 1 + classes_of(X))
    round_trip(model, tmp_path / "model.silvics", X)


# ---- forests from elsewhere, and unfinished ones


@pytest.mark.parametrize(
    "theirs",
    [
        sklearn.ensemble.RandomForestClassifier(4, random_state=0),
        sklearn.ensemble.ExtraTreesRegressor(4, random_state=0),
        sklearn.tree.DecisionTreeClassifier(random_state=0),
        sklearn.tree.ExtraTreeRegressor(random_state=0),
    ],
    ids=lambda theirs: type(theirs).__name__,
)
def test_from_sklearn(theirs, tmp_path):
    X = numbers()
    X[::9] = np.nan
    model = silvics.from_sklearn(clone(theirs).fit(X, classes_of(X)))
    for name in ("rows", "prediction-compressed"):
        round_trip(model, tmp_path / "model.silvics", X, **OPTIONS[name])
    assert opened((tmp_path / "model.silvics").read_bytes())[1]["forest"]["as_float32"] is True


@pytest.mark.parametrize("kind", FORESTS, ids=lambda kind: kind.__name__)
def test_merged_forests(kind, tmp_path):
    frame = table_of_all()
    more = {"max_samples": 16} if kind is silvics.IsolationForest else {}
    parts = [
        small(kind, random_state=i, **more).fit(rows, np.arange(40) % (2 + i))
        for i, rows in enumerate((frame.iloc[:40], frame.iloc[40:]))
    ]
    model = silvics.merge(parts)
    for options in ({}, {"compress": True}, {"for_prediction": True}):
        round_trip(model, tmp_path / "model.silvics", frame, **options)
    again = silvics.merge([loaded(content_of(part)) for part in parts])
    assert again.digest() == model.digest()
    assert content_of(again) == content_of(model)


def test_an_interrupted_fit(tmp_path):
    def progress(done, _):
        if done >= 2:
            raise KeyboardInterrupt

    X = numbers()
    model = small(silvics.RandomForestClassifier, n_estimators=20_000, n_jobs=1, progress=progress)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, classes_of(X))
    assert model.interrupted_
    assert len(model.estimators_) < 20_000
    model.set_params(progress=None)
    again = round_trip(model, tmp_path / "model.silvics", X)
    assert again.interrupted_ is True
    whole = clone(model).fit(X, classes_of(X))
    grown = again.set_params(warm_start=True).fit(X, classes_of(X))
    assert grown.digest() == whole.digest()


@pytest.mark.parametrize("options", [{}, {"compress": True}, {"training_rows": True}])
@pytest.mark.parametrize("random_state", [0, None])
@pytest.mark.parametrize("kind", FORESTS, ids=lambda kind: kind.__name__)
def test_growing_on_after_the_file(kind, random_state, options, tmp_path):
    X = numbers()
    y = classes_of(X)
    model = small(kind, random_state=random_state, warm_start=True).fit(X, y)
    model.save(tmp_path / "model.silvics", **options)
    again = silvics.load(tmp_path / "model.silvics")
    for grown in (model, again):
        grown.set_params(n_estimators=7).fit(X, y)
    assert again.digest() == model.digest()
    assert len(again.estimators_) == 7
    assert content_of(again) == content_of(model)
    assert again.work_ == model.work_


def test_estimates_and_rows_are_kept_if_asked_for(tmp_path):
    X = numbers()
    weights = 1 + np.arange(80.0) % 3
    for kind, y in (
        (silvics.RandomForestClassifier, classes_of(X)),
        (silvics.RandomForestClassifier, np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)),
        (silvics.RandomForestRegressor, X[:, 0]),
        (silvics.RandomForestRegressor, X[:, :3]),
    ):
        model = small(kind, n_estimators=40, oob_score=True).fit(X, y, sample_weight=weights)
        name = "oob_decision_function_" if hasattr(model, "predict_proba") else "oob_prediction_"
        for compress in (False, True):
            options = {"training_rows": True, "compress": compress}
            again = round_trip(model, tmp_path / "model.silvics", X, **options)
            np.testing.assert_array_equal(getattr(again, name), getattr(model, name), strict=True)
            for mine, others in zip(
                model.estimators_samples_, again.estimators_samples_, strict=True
            ):
                np.testing.assert_array_equal(others, mine)
        again = round_trip(model, tmp_path / "model.silvics", X)
        assert again.oob_score_ == model.oob_score_
        assert not hasattr(again, name)
        with pytest.raises(AttributeError, match="training_rows=True"):
            again.estimators_samples_  # noqa: B018


def test_rows_without_weights_need_nothing(tmp_path):
    X = numbers()
    model = small(silvics.RandomForestClassifier).fit(X, classes_of(X))
    again = round_trip(model, tmp_path / "model.silvics", X)
    for mine, others in zip(model.estimators_samples_, again.estimators_samples_, strict=True):
        np.testing.assert_array_equal(others, mine)


def test_columns_of_isolation_trees(tmp_path):
    X = numbers()
    model = small(silvics.IsolationForest, max_features=2, contamination=0.1).fit(X)
    again = round_trip(model, tmp_path / "model.silvics", X)
    np.testing.assert_equal(again.estimators_features_, model.estimators_features_)


def test_training_without_its_rows_is_not_in_the_file(tmp_path):
    X = numbers()
    weights = np.full(80, 0.123456789) + np.arange(80) % 2
    model = small(silvics.RandomForestClassifier, oob_score=True, n_estimators=40)
    model.fit(X, classes_of(X), sample_weight=weights)
    _, words, arrays = opened(content_of(model))
    assert words["training_rows"] is False
    assert not arrays.keys() & {"sample_weight", "oob_decision_function", "oob_prediction"}
    assert weights.tobytes() not in content_of(model)
    assert weights.tobytes() in content_of(model, training_rows=True)
