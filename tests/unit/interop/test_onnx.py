"""to_onnx(): ONNX Runtime predicts the same to the last bit."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import silvics

from .exported_models import ANY, CLASS_LABELS, PLAIN, made, mixed, values_of

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def session_of(model, threads=1):
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    return runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def feeds_of(session, X):
    """A matrix, or the columns of a frame; NaN, or no level, where there is nothing."""
    if isinstance(X, np.ndarray):
        return {"X": X}
    feeds = {}
    for told, name in zip(session.get_inputs(), X.columns, strict=True):
        column = X[name]
        if told.type == "tensor(string)":
            values = column.astype(object).where(column.notna(), "missing!").to_numpy(dtype=object)
        elif column.dtype.kind == "M":
            micro = column.astype("M8[us]").astype(np.int64).astype(np.float64)
            values = micro.where(column.notna(), np.nan).to_numpy()
        else:
            values = column.astype(np.float64).to_numpy()
        feeds[told.name] = values[:, np.newaxis]
    return feeds


def assert_same(model, X, session):
    given = dict(
        zip(
            [output.name for output in session.get_outputs()],
            session.run(None, feeds_of(session, X)),
            strict=True,
        )
    )
    if not hasattr(model, "predict_proba"):
        assert list(given) == ["variable"]
        np.testing.assert_array_equal(given["variable"], values_of(model, X))
        return
    label, *shares = given.values()
    assert label.tolist() == model.predict(X).tolist()
    np.testing.assert_array_equal(np.concatenate(shares, axis=1), values_of(model, X))
    if model.n_outputs_ == 1:
        assert list(given) == ["label", "probabilities"]
    else:
        names = [f"probabilities_{k}" for k in range(model.n_outputs_)]
        assert list(given) == ["label", *names]


@pytest.mark.parametrize("name", PLAIN)
def test_same_to_the_last_bit(name):
    model, tables = made(name)
    made_model = model.to_onnx()
    onnx.checker.check_model(made_model, full_check=True)
    session = session_of(made_model)
    for X in tables:
        assert_same(model, X, session)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", ["RandomForestClassifier-shallow", "ExtraTreesRegressor-shallow"])
def test_same_for_any_threads_and_batches(name, threads):
    model, [X] = made(name)
    session = session_of(model.to_onnx(), threads)
    for size in (1, 2, 7, 60, len(X)):
        assert_same(model, X[-size:], session)


def test_ties_between_classes_fall_as_ours_do():
    """Shares that sum to the same in theory: rounding decides, and must do so alike."""
    random = np.random.default_rng(0)
    X = random.integers(0, 4, size=(300, 4)).astype(float)
    y = random.integers(0, 2, 300)
    weights = random.integers(1, 8, 300) / 7
    forest = silvics.RandomForestClassifier(101, max_depth=2, random_state=0)
    forest.fit(np.concatenate([X, X]), np.concatenate([y, 1 - y]), np.concatenate([weights] * 2))
    shares = forest.predict_proba(X)
    assert (abs(shares[:, 0] - 0.5) < 0.05).any()
    for threads in (1, 4):
        assert_same(forest, X, session_of(forest.to_onnx(), threads))


@pytest.mark.parametrize("kind", CLASS_LABELS)
def test_types_of_labels(kind):
    model, [X] = made(f"labels-{kind}")
    label = session_of(model.to_onnx()).run(["label"], {"X": X})[0]
    assert label.dtype.kind == {"bool": "b", "text": "O", "real": "f"}.get(kind, "i")
    assert label.tolist() == model.predict(X).tolist()


def test_inputs_by_name_and_type():
    model, _ = made("RandomForestClassifier-categories")
    told = {i.name: i.type for i in session_of(model.to_onnx()).get_inputs()}
    assert told == {
        "length": "tensor(double)",
        "tree */": "tensor(string)",
        "plot": "tensor(string)",
        "code": "tensor(double)",
        "label_": "tensor(string)",  # one of the outputs is called label
        "day": "tensor(double)",
    }


def test_names_that_clash():
    frame = pd.DataFrame(
        {
            "": ["a", "b"] * 9,
            "concat": ["c", "c", "d"] * 6,
            "treeensemble": range(18),
            "X": range(18),
        }
    )
    forest = silvics.RandomForestClassifier(3, random_state=0).fit(frame, frame[""] == "a")
    session = session_of(forest.to_onnx())
    assert len({i.name for i in session.get_inputs()} - {""}) == 4
    assert_same(forest, frame, session)


@pytest.mark.filterwarnings("ignore:Input X.*numbers stored as text:UserWarning")
def test_many_levels_in_deep_trees():
    random = np.random.default_rng(0)
    X = np.array(
        [[f"level {i}", f"{j}"] for i, j in random.integers(0, 150, (2000, 2))], dtype=object
    )
    y = np.array([ord(a[-1]) % 5 + int(b) % 7 for a, b in X.tolist()]) % 3
    frame = pd.DataFrame(X, columns=["a", "b"])
    forest = silvics.RandomForestClassifier(3, random_state=0).fit(frame, y)
    assert_same(forest, frame, session_of(forest.to_onnx()))


@pytest.mark.parametrize(
    "name",
    [
        "id3-ForestClassifier-mixed",
        "forest_rc-ForestRegressor-numbers",
        "rotation_forest-ForestClassifier-numbers",
        "apart-binary-ForestClassifier-soft",
        "both-ForestRegressor-numbers",
        "heavier-learned-binary",
    ],
)
@pytest.mark.parametrize("method", ["to_onnx", "to_treelite"])
def test_what_plain_trees_cannot_hold_is_refused(name, method):
    assert name in ANY
    with pytest.raises(ValueError, match=r"to_json\(\) or to_c\(\)"):
        getattr(made(name)[0], method)()


def test_odd_categories_are_refused():
    frame, real, _ = mixed(holes=False)
    tree = silvics.DecisionTreeRegressor(categorical_features=["day"]).fit(frame[["day"]], real)
    with pytest.raises(ValueError, match=r"'day' has other levels.* Use to_json\(\) or to_c\(\)"):
        tree.to_onnx()


@pytest.mark.parametrize("package", ["onnx", "treelite"])
def test_without_the_package(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"pip install silvics\[{package}\]"):
        getattr(made("DecisionTreeClassifier")[0], f"to_{package}")()


@pytest.mark.parametrize("method", ["to_onnx", "to_treelite", "to_json", "to_c"])
def test_what_predicts_nothing_that_can_be_exported(method):
    X = np.arange(20.0)[:, np.newaxis]
    for kind in (silvics.IsolationForest, silvics.RandomTreesEmbedding):
        with pytest.raises(ValueError, match=r"cannot be exported: .* Use "):
            getattr(kind(n_estimators=2).fit(X), method)()
    with pytest.raises(NotFittedError):
        getattr(silvics.RandomForestClassifier(), method)()
