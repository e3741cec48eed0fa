import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from silvics.reporting.subject import subject_of


def table(n=60):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "whole": rng.integers(0, 30, n),
            "level": rng.choice(["a", "b", "c"], n),
            "flag": rng.random(n) < 0.5,
            "day": pd.date_range("2020-01-01", periods=n),
            "text": [f"{k / 4:.2f}" for k in range(n - 1)] + ["?"],
            "name": [f"person {k}" for k in range(n)],
            "empty": [None] * n,
            "y": rng.choice(["no", "yes"], n),
        },
        index=range(5, n + 5),
    )


def kinds(subject):
    return {column.name: column.kind for column in subject.inputs}


@pytest.mark.parametrize("library", [lambda t: t, pl.from_pandas], ids=["pandas", "polars"])
def test_columns_are_what_they_are(library):
    subject = subject_of(library(table()), "y")
    assert kinds(subject) == {
        "number": "number", "whole": "whole number", "level": "category", "flag": "yes or no",
        "day": "date", "text": "number",
    }  # fmt: skip
    assert dict(subject.left_out) == {"name": "text with 60 different values", "empty": "no values"}
    assert subject.remarks == [
        "`text` holds numbers as text and was read as numbers. `?` became missing."
    ]
    assert subject.task == "classification"
    assert subject.positive == "yes"
    assert np.isnan(subject.named("text").values).sum() == 1


def test_rows_without_a_target_are_left_out():
    frame = table()
    frame.loc[[7, 9], "y"] = None
    subject = subject_of(frame, "y")
    assert (subject.n_rows, subject.n, len(subject.X)) == (60, 58, 58)
    assert subject.remarks[0].startswith("2 rows without a value of `y` were left out")
    assert list(subject.X["whole"]) == list(frame.loc[frame["y"].notna(), "whole"])


def test_types_can_be_set():
    frame = table().assign(stamp=[f"2021-03-{k % 28 + 1:02d}" for k in range(60)])
    subject = subject_of(
        frame, "y", types={"whole": "category", "text": "category", "stamp": "date"}
    )
    found = kinds(subject)
    assert (found["whole"], found["text"], found["stamp"]) == ("category", "category", "date")
    with pytest.raises(ValueError, match="cannot be read as numbers"):
        subject_of(frame, "y", types={"level": "number"})
    with pytest.raises(ValueError, match=r"There is no column 'levle'\. Did you mean 'level'"):
        subject_of(frame, "y", types={"levle": "number"})


def test_numbers_that_name_things_stay_text():
    codes = pd.DataFrame({"zip": ["01234", "04567", "12345"] * 20, "y": [0, 1, 2] * 20})
    assert kinds(subject_of(codes, "y")) == {"zip": "category"}


def test_targets():
    X = pd.DataFrame({"a": np.arange(40.0)})
    assert subject_of(X, np.arange(40) / 7).task == "regression"
    assert subject_of(X, [0.0, 1.0, np.nan, 1.0] * 10).task == "classification"
    assert subject_of(X, ["0", "1"] * 20).y.dtype.kind in "iU"
    assert subject_of(X, [True, False] * 20).classes.tolist() == [False, True]
    assert subject_of(X.to_numpy(), pd.Series([0, 1] * 20, name="won")).target == "won"
    assert kinds(subject_of(X.to_numpy(), [0, 1] * 20)) == {"x0": "whole number"}


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((5, 0)), [0, 1, 0, 1, 0], "empty"),
        (np.ones((4, 1)), [1, 1, 1, 1], "one value only"),
        (np.ones((4, 1)), [None] * 4, "no values"),
        (np.ones((4, 1)), [1, 2, 3], "4 rows, but y has 3"),
        (np.ones((150, 1)), [f"c{k}" for k in range(150)], "150 classes"),
        (np.ones((4, 1)), np.array(["2020-01-01"] * 4, "M8[s]"), "has dates"),
        (np.ones(4), [0, 1, 0, 1], "rows and columns"),
        (pd.DataFrame({"a": [1, 2]}), "b", "no column 'b' to predict"),
        (pd.DataFrame({"a": [None, None], "b": [0, 1]}), "b", "no column left"),
    ],
)
def test_bad_tables_are_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        subject_of(X, y)


def test_bad_options_are_named():
    frame = table()
    with pytest.raises(ValueError, match="positive must be one of two classes"):
        subject_of(frame, "y", positive="maybe")
    with pytest.raises(ValueError, match="weights"):
        subject_of(frame, "y", weight="number")
    with pytest.raises(ValueError, match="has text; it cannot be a number"):
        subject_of(frame, "y", task="regression")
    with pytest.raises(TypeError, match="dense array"):
        subject_of(csr_array(np.eye(3)), [0, 1, 0])


@pytest.mark.parametrize("in_frame", [True, False])
def test_infinite_targets_are_named(in_frame):
    X, y = table(), np.r_[np.inf, np.arange(59.0)]
    if in_frame:
        X, y = X.assign(y=y), "y"
    with pytest.raises(ValueError, match=r"The target '(y|target)' has infinite values"):
        subject_of(X, y)
