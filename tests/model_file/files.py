"""Model files taken apart and put together again, and models used for all that they are for."""

import json
import pickle
import warnings
from contextlib import contextmanager

import numpy as np

import silvics
from silvics.model_file import container, reading, writing
from silvics.model_file.loading import new_model

LINE = 64
BEGIN = b'{"__metadata__":{"checksum":"'
AT_SUM = slice(8 + len(BEGIN), 8 + len(BEGIN) + 16)


# ---- bytes


def content_of(model, **options):
    """The bytes that ``model.save`` writes."""
    options = {"for_prediction": False, "training_rows": False, "compress": False, **options}
    said, arrays = writing.described(model, **options)
    return container.to_bytes(said, arrays).tobytes()


def loaded(content):
    """What ``silvics.load`` gives of a file with these bytes."""
    return reading.restored(
        *container.from_bytes(np.frombuffer(content, dtype=np.uint8)), new_model
    )


def mended(content):
    """The bytes with the checksum that they should have, if there is a place for it."""
    if len(content) < AT_SUM.stop:
        return bytes(content)
    array = np.frombuffer(bytes(content), dtype=np.uint8).copy()
    array[AT_SUM] = np.frombuffer(container._sum_of(array), dtype=np.uint8)
    return array.tobytes()


def opened(content):
    """The header, the words of the model, and the arrays, each to be changed at will."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    model = json.loads(header["__metadata__"].pop("model"))
    data = content[8 + length :]
    arrays = {}
    for name in [name for name in header if name != "__metadata__"]:
        told = header.pop(name)
        begin, end = told["data_offsets"]
        dtype = container._TYPES[told["dtype"]]
        arrays[name] = np.frombuffer(data[begin:end], dtype).reshape(told["shape"]).copy()
    return header["__metadata__"], model, arrays


def closed(words, model, arrays):
    """A whole file again; words and model may be anything that JSON, or a string, can tell."""
    text = model if isinstance(model, str) else json.dumps(model)
    header = {"__metadata__": {**words, "model": text}}
    data = b""
    for name in sorted(arrays, key=lambda name: -arrays[name].itemsize):
        array = arrays[name]
        header[name] = {
            "dtype": container._NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + array.nbytes],
        }
        data += array.tobytes()
    return with_header(json.dumps(header, separators=(",", ":")), data)


def with_header(text, data=b""):
    """A file of this header, which need not be one, and these bytes."""
    header = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    header = header.ljust(len(header) + -(8 + len(header)) % LINE)
    return mended(len(header).to_bytes(8, "little") + header + data)


def changed(content, change):
    """The file after ``change(words, model, arrays)``."""
    words, model, arrays = opened(content)
    change(words, model, arrays)
    return closed(words, model, arrays)


def without_parameters(content):
    """A smaller file: what is not told of parameters is the default, and no digest is told."""

    def change(words, model, arrays):
        model["parameters"].clear()
        model["digest"] = None

    return changed(content, change)


# ---- use


def _asked(model):
    """The model, where no parameter of the one who asks makes it refuse; joblib refuses zero."""
    if getattr(model, "n_jobs", None) == 0:
        model.set_params(n_jobs=None)
    return model


def rows_for(model, n=6):
    """Rows with values that the model knows, does not know, and that are missing."""
    variables = model._variables
    holes = model.missing != "error"
    if variables.all_numbers:
        X = np.linspace(-3.0, 12.0, n * len(variables.kinds)).reshape(n, -1)
        if holes:
            X[1::3, ::2] = np.nan
        return X
    columns = []
    for kind, levels in zip(variables.kinds, variables.levels, strict=True):
        cells = [float(i) for i in range(n)]
        if kind == "date":
            cells = [np.datetime64(i * 10**15, "us") for i in range(n)]
        elif kind == "duration":
            cells = [np.timedelta64(i * 10**9, "us") for i in range(n)]
        elif kind in ("category", "ordered"):
            known = list(levels) if len(levels) else ["none such"]
            cells = [known[i % len(known)] for i in range(n)]
        elif kind == "nothing":
            cells = [None] * n
        if holes:
            cells[1::3] = [None] * len(cells[1::3])
        columns.append(cells)
    X = np.empty((n, len(columns)), dtype=object)
    for j, cells in enumerate(columns):
        for i, cell in enumerate(cells):
            X[i, j] = cell
    return X


def answers(model, X=None):
    """Everything that a model says, by name."""
    X = rows_for(_asked(model)) if X is None else X
    said = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        for name in ("predict", "predict_proba", "decision_function", "score_samples"):
            if hasattr(model, name):
                said[name] = getattr(model, name)(X)
        if hasattr(model, "transform"):
            made = model.transform(X)
            said["transform"] = made.toarray() if hasattr(made, "toarray") else made
        trees = model._trees
        if not trees.packed.both_children:
            said["apply"] = model.apply(X)
            path = model.decision_path(X)
            said["decision_path"] = (path if hasattr(path, "toarray") else path[0]).toarray()
    said["digest"] = model.digest()
    if trees.known:
        if not isinstance(model, silvics.IsolationForest):
            said["feature_importances_"] = model.feature_importances_
        tree = model.tree_ if hasattr(model, "tree_") else model.estimators_[0].tree_
        for name in ("value", "impurity", "feature", "threshold", "weighted_n_node_samples"):
            said[name] = getattr(tree, name)
        said["children"] = [tree.children(t).tolist() for t in range(tree.node_count)]
        said["splits"] = [repr(tree.split(t)) for t in range(tree.node_count)]
        said["depths"] = tree.compute_node_depths()
    return said


def assert_is_a_tree(tree):
    """That every node but the root is the child of one, which stands before it."""
    parents = [[] for _ in range(tree.node_count)]
    for t in range(tree.node_count):
        for child in tree.children(t).tolist():
            assert t < child < tree.node_count
            parents[child].append(t)
    assert [len(of) for of in parents] == [0] + [1] * (tree.node_count - 1)


def assert_same(some, others):
    """That two models have said the same, to the bit."""
    assert some.keys() == others.keys()
    for name, one in some.items():
        other = others[name]
        for a, b in zip(
            *([one], [other]) if not isinstance(one, list) else (one, other), strict=True
        ):
            if isinstance(a, np.ndarray):
                assert a.dtype == b.dtype, name
                np.testing.assert_array_equal(a, b, err_msg=name, strict=True)
            else:
                assert a == b, name


def use(model):
    """Ask for all that a model can say, write it and pickle it: nothing of this may fail."""
    said = answers(model)
    whole = model._trees.known
    if whole:
        for tree in [model.tree_] if hasattr(model, "tree_") else [t.tree_ for t in model]:
            assert_is_a_tree(tree)
    again = content_of(model, for_prediction=not whole)
    assert_same(said, answers(loaded(again)))
    assert content_of(loaded(again), for_prediction=not whole) == again
    assert_same(said, answers(pickle.loads(pickle.dumps(model))))


@contextmanager
def _numbers_as_they_come():
    """Impurities near the largest of all numbers may be more when they are summed: so be it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def outcome(content):
    """Whether bytes are a model, which is then used; anything but a refusal is an error."""
    try:
        model = loaded(content)
    except silvics.ModelFileError:
        return False
    with _numbers_as_they_come():
        use(model)
    return True


def quickly_used(content):
    """As ``outcome``, for thousands of files: what is asked of a model is less."""
    try:
        model = loaded(content)
    except silvics.ModelFileError:
        return False
    X = rows_for(_asked(model))
    with _numbers_as_they_come():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        (model.predict if hasattr(model, "predict") else model.transform)(X)
        if not model._trees.packed.both_children:
            model.apply(X)
    model.digest()
    loaded(content_of(model, for_prediction=not model._trees.known))
    return True


# ---- models


def small_model():
    """Numbers, a category, a date and holes, in two small trees."""
    random = np.random.default_rng(0)
    X = np.empty((30, 3), dtype=object)
    X[:, 0] = random.integers(0, 9, 30).astype(float)
    X[:, 1] = random.choice(["ash", "elm", "oak"], 30)
    X[:, 2] = [np.datetime64(int(d) * 10**12, "us") for d in random.integers(0, 99, 30)]
    X[::5, 0] = None
    y = np.where(X[:, 1] == "elm", "a", np.where(random.random(30) < 0.4, "b", "a"))
    return silvics.RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y)


def small_regressor():
    X = np.arange(24.0).reshape(12, 2) % 7
    return silvics.RandomForestRegressor(2, max_depth=2, random_state=0).fit(X, X[:, 0] ** 2)
