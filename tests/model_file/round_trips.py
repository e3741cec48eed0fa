"""Models and tables that are saved, loaded and compared."""

import numpy as np
import pandas as pd

import silvics
from silvics.model_file import state

from .files import answers, assert_same, content_of

ESTIMATORS = [getattr(silvics, name) for name in state.ESTIMATORS]
FORESTS = [
    kind for kind in ESTIMATORS if not kind.__name__.endswith(("TreeClassifier", "TreeRegressor"))
]
OPTIONS = {
    "all": {},
    "prediction": {"for_prediction": True},
    "compressed": {"compress": True},
    "rows": {"training_rows": True},
    "rows-compressed": {"training_rows": True, "compress": True},
    "prediction-compressed": {"for_prediction": True, "compress": True},
}


def numbers(n_rows=80, n_columns=4, seed=0, dtype=float):
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns)).astype(dtype)


def classes_of(X, n=3, seed=1):
    noise = np.random.default_rng(seed).normal(size=len(X))
    return (
        np.digitize(np.nan_to_num(np.asarray(X[:, 0], dtype=float)) + noise / 2, [-0.5, 0.5])[:] % n
    )


def small(kind, **parameters):
    known = kind().get_params()
    given = {"n_estimators": 4, "random_state": 0, **parameters}
    return kind(**{name: value for name, value in given.items() if name in known})


def round_trip(model, path, X, **options):
    """The loaded model, once everything was compared that can be."""
    model.save(path, **options)
    content = path.read_bytes()
    assert content == content_of(model, **options)
    model.save(path, **options)
    assert path.read_bytes() == content
    again = silvics.load(path)
    assert type(again) is type(model)
    same_words(model, again)
    of_model, of_again = answers(model, X), answers(again, X)
    if options.get("for_prediction"):
        of_model = {name: of_model[name] for name in of_again}
    assert_same(of_model, of_again)
    assert content_of(again, **options) == content
    return again


def same_words(model, again):
    for name, value in model.get_params(deep=False).items():
        other = again.get_params(deep=False)[name]
        assert type(other) is type(value)
        np.testing.assert_equal(other, value)
    for name in ("n_features_in_", "n_outputs_", "feature_names_in_", "is_categorical_"):
        np.testing.assert_equal(getattr(again, name, None), getattr(model, name, None))
    for name in ("classes_", "n_classes_", "max_features_", "interrupted_", "offset_"):
        if hasattr(model, name):
            np.testing.assert_equal(getattr(again, name), getattr(model, name))
    for mine, others in zip(model.categories_, again.categories_, strict=True):
        np.testing.assert_equal(others, mine)
        if mine is not None:
            assert others.dtype == mine.dtype


def table_of_all(n=80):
    """Every kind of variable, with holes."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "real": random.normal(size=n),
            "short": random.normal(size=n).astype(np.float32),
            "whole": random.integers(-9, 9, n),
            "flag": random.random(n) < 0.4,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 99, n), "D"),
            "span": pd.to_timedelta(random.integers(0, 99, n), "h"),
            "text": pd.Series(random.choice(["oak", "élm", "", "a\0b", "𝄞"], n), dtype=object),
            "number": pd.Categorical(random.integers(0, 5, n) * 0.1),
            "dates": pd.Categorical(pd.to_datetime(random.integers(0, 4, n) * 10**15)),
            "size": pd.Categorical.from_codes(random.integers(0, 3, n), list("sml"), ordered=True),
            "many": pd.Series([f"l{i}" for i in random.integers(0, 70, n)], dtype=object),
            "none": pd.Series([None] * n, dtype=object),
        }
    )
    for name in ("real", "day", "text", "number", "size"):
        frame.loc[random.random(n) < 0.15, name] = None
    return frame
