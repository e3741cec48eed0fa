"""Models of every sort to export, and rows that try to tell an export from its model."""

import atexit
from functools import cache

import numpy as np
import pandas as pd
import sklearn.ensemble

import silvics
from silvics._tables import inputs

ODD_LEVELS = ['o"ak', "*/ elm /*", "y\new", "ásh", "a\0b", "??/", "\\", "", "NAME", "%d"]
CLASS_LABELS = {
    "int": [3, 1, 2],
    "negative": [-1, 1],
    "bool": [False, True],
    "text": ["no", "yes", '*/ it\'s "ñ"'],
    "real": [0.0, 1.0, 2.0],
}


def numbers(n_rows=150, holes=False, seed=0):
    """Numbers that float32 does not hold, some of them often."""
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(n_rows, 5)), 1)
    X += np.array([0.0, 1e-9, 0.1, 1e6, -3.0])
    X[:, 1] = random.normal(size=n_rows)
    if holes:
        X[random.random(X.shape) < 0.15] = np.nan
    return X


def outputs_of(X, n_outputs=1, n_classes=3, seed=1):
    """Something to learn, and noise."""
    random = np.random.default_rng(seed)
    known = np.nan_to_num(X)
    z = known[:, :3] @ random.normal(size=(3, n_outputs)) + random.normal(size=(len(X), n_outputs))
    cuts = np.quantile(z, np.linspace(0, 1, n_classes + 1)[1:-1])
    return z, np.digitize(z, cuts)


def mixed(n_rows=200, seed=0, holes=True):
    """A frame with text, numbers and times of every kind."""
    random = np.random.default_rng(seed)
    gone = random.random((n_rows, 5)) < (0.1 if holes else -1.0)
    words = random.integers(0, len(ODD_LEVELS), n_rows)
    many = random.integers(0, 80, n_rows)
    sizes = random.integers(0, 3, n_rows)
    days = pd.to_timedelta(random.integers(0, 99, n_rows), "D")
    frame = pd.DataFrame(
        {
            "length": np.where(gone[:, 0], np.nan, random.normal(size=n_rows)),
            "tree */": pd.Series(np.array(ODD_LEVELS, dtype=object)[words]).where(
                ~gone[:, 1], None
            ),
            "plot": pd.Series([f"p{i}" for i in many], dtype=object).where(~gone[:, 2], None),
            "code": pd.Categorical(random.integers(0, 6, n_rows) * 0.1),
            "label": pd.Categorical.from_codes(
                np.where(gone[:, 3], -1, sizes), ["small", "mid", "tall"], ordered=True
            ),
            "day": pd.Series(pd.Timestamp("2020-01-01") + days).where(~gone[:, 4]),
        }
    )
    z = words % 3 + many % 4 + sizes + random.normal(size=n_rows)
    return frame, z, np.digitize(z, [2.5, 4.5])


def strange_rows(frame):
    """Rows with levels that training has not seen, and all values missing."""
    rows = frame.iloc[:40].copy()
    rows.loc[::4, "tree */"] = "none such"
    rows.loc[1::4, "plot"] = "p999"
    rows["code"] = pd.Series(rows["code"].astype(float)).where(rows.index % 3 > 0, 77.0)
    nothing = frame.reindex([-1])
    return [frame, rows.assign(code=pd.Categorical(rows["code"])), nothing]


def around_thresholds(model, X, seed=0):
    """The rows, and rows whose values are thresholds, their neighbours, or missing."""
    random = np.random.default_rng(seed)
    trees = [model.tree_] if hasattr(model, "tree_") else [t.tree_ for t in model.estimators_]
    feature = np.concatenate([t.feature for t in trees])
    threshold = np.concatenate([t.threshold for t in trees])
    rows = np.tile(X[random.integers(0, len(X), 60)], (4, 1))
    for j in range(X.shape[1]):
        cuts = threshold[(feature == j) & np.isfinite(threshold)]
        if not len(cuts):
            continue
        near = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)]
        single = cuts.astype(np.float32)
        near += [single, *(np.nextafter(single, np.float32(s)) for s in (np.inf, -np.inf))]
        near = np.concatenate([np.asarray(n, dtype=np.float64) for n in near])
        at = random.random(len(rows)) < 0.7
        rows[at, j] = near[random.integers(0, len(near), at.sum())]
    if model.missing != "error":
        rows[120:][random.random((len(rows) - 120, X.shape[1])) < 0.3] = np.nan
        rows[-1] = np.nan
    return np.concatenate([X, rows])


def coded(model, X):
    """Rows as doubles: categories as numbers of levels, NaN what is missing."""
    blocks = inputs._read(model, X)
    columns = np.concatenate([np.asarray(b, dtype=np.float64) for b in blocks.blocks], axis=1)
    categories = model.is_categorical_
    columns[:, categories] = np.where(columns[:, categories] == -1, np.nan, columns[:, categories])
    return columns


def values_of(model, X):
    """Class shares of all outputs side by side, or numbers: rows x width."""
    if not hasattr(model, "predict_proba"):
        return model.predict(X).reshape(len(X), -1)
    shares = model.predict_proba(X)
    return np.concatenate(shares, axis=1) if isinstance(shares, list) else shares


def _numbers_model(kind, n_outputs=1, holes=False, n_classes=3, **parameters):
    X = numbers(holes=holes)
    real, classes = outputs_of(X, n_outputs, n_classes)
    model = kind(random_state=0, **parameters)
    y = classes if model._classification else real
    if model._classification and n_outputs > 1:
        y[:, 1] = np.minimum(y[:, 1], 1)  # outputs of different numbers of classes
    return model.fit(X, y[:, 0] if n_outputs == 1 else y), [around_thresholds(model, X)]


def _mixed_model(kind, rows=True, **parameters):
    frame, real, classes = mixed(holes=parameters.pop("holes", True))
    model = kind(random_state=0, **parameters)
    model.fit(frame, classes if model._classification else real)
    return model, strange_rows(frame) if rows else [frame]


def _from_sklearn(kind):
    X = numbers(holes=True)
    real, classes = outputs_of(X)
    theirs = kind(n_estimators=4, random_state=0)
    y = classes if "Classifier" in kind.__name__ else real
    model = silvics.from_sklearn(theirs.fit(X, y[:, 0]))
    rows = around_thresholds(model, X)
    # Half way between neighbours in float32, where rounding decides.
    single = rows.astype(np.float32)
    half = (single.astype(np.float64) + np.nextafter(single, np.float32(np.inf))) / 2
    return model, [rows, half, np.nextafter(half, -np.inf), np.nextafter(half, np.inf), rows * 1e38]


def _one_node(kind):
    X = numbers(20)
    return kind().fit(X, np.zeros(20, dtype=int)), [X]


def _chain(kind):
    X = np.arange(300.0)[:, np.newaxis] ** 2
    model = kind(random_state=0).fit(X, np.arange(300) % 2)
    return model, [around_thresholds(model, X)]


def _labelled(labels):
    X = numbers()
    y = np.array(labels)[outputs_of(X, n_classes=len(labels))[1][:, 0]]
    return silvics.RandomForestClassifier(4, max_depth=4, random_state=0).fit(X, y), [X]


_RF = (silvics.RandomForestClassifier, silvics.RandomForestRegressor)
_ET = (silvics.ExtraTreesClassifier, silvics.ExtraTreesRegressor)
_DT = (silvics.DecisionTreeClassifier, silvics.DecisionTreeRegressor)

# Models that split one variable in two: every format holds them.
PLAIN = {
    **{
        f"{kind.__name__}{told}": (lambda kind=kind, p=parameters: _numbers_model(kind, **p))
        for kind in (*_RF, *_ET)
        for told, parameters in {
            "": {"n_estimators": 5},
            "-shallow": {"n_estimators": 90, "max_depth": 3},
            "-holes": {"n_estimators": 5, "holes": True, "min_samples_leaf": 3},
            "-outputs": {"n_estimators": 5, "n_outputs": 3, "max_depth": 6},
        }.items()
    },
    **{f"{kind.__name__}": (lambda kind=kind: _numbers_model(kind, holes=True)) for kind in _DT},
    **{f"{kind.__name__}-one-node": (lambda kind=kind: _one_node(kind)) for kind in (*_DT, *_RF)},
    **{f"{kind.__name__}-chain": (lambda kind=kind: _chain(kind)) for kind in _DT},
    **{
        f"{kind.__name__}-from-sklearn": (lambda kind=kind: _from_sklearn(kind))
        for kind in (
            sklearn.ensemble.RandomForestClassifier,
            sklearn.ensemble.RandomForestRegressor,
        )
    },
    **{
        f"labels-{k}": (lambda labels=labels: _labelled(labels))
        for k, labels in CLASS_LABELS.items()
    },
    **{
        f"{kind.__name__}-categories": (lambda kind=kind: _mixed_model(kind, n_estimators=5))
        for kind in (*_RF, *_ET)
    },
    **{f"{kind.__name__}-categories": (lambda kind=kind: _mixed_model(kind)) for kind in _DT},
    "no-missing": lambda: _numbers_model(_RF[0], n_estimators=3, missing="error"),
    "absolute-error": lambda: _numbers_model(_RF[1], n_estimators=3, criterion="absolute_error"),
    "majority": lambda: _numbers_model(
        silvics.ForestClassifier, vote="majority", n_estimators=8, max_depth=3, n_outputs=2
    ),
    "two-classes": lambda: _numbers_model(_RF[0], n_estimators=7, n_classes=2, max_depth=4),
}

_FORESTS = (silvics.ForestClassifier, silvics.ForestRegressor)

# The recipes, and what else only to_json and to_c hold.
ANY = {
    **{
        f"{recipe}-{kind.__name__}-{told}": (
            lambda kind=kind, recipe=recipe, make=make: make(
                kind,
                recipe=recipe,
                # With two stages, enough that every row is out of bag in the first.
                n_estimators=3 if silvics.recipes.get(recipe).stages == 1 else 40,
            )
        )
        for recipe in silvics.recipes.names()
        for kind in _FORESTS
        for told, make in {"numbers": _numbers_model, "mixed": _mixed_model}.items()
        if not (kind is _FORESTS[1] and recipe == "rotation_forest_original")
        and not (kind is _FORESTS[0] and silvics.recipes.get(recipe).stages > 1)
    },
    **{
        f"{missing}-{split}-{kind.__name__}-{vote}": (
            lambda kind=kind, m=missing, s=split, v=vote: _mixed_model(
                kind, missing=m, split=s, vote=v, n_estimators=4, max_depth=5
            )
        )
        for missing in ("apart", "both")
        for split in ("binary", "multiway", "multiway_categories", "oblique")
        if missing == "apart" or "multiway" not in split
        for kind, vote in ((_FORESTS[0], "soft"), (_FORESTS[0], "majority"), (_FORESTS[1], None))
    },
    **{
        f"both-{kind.__name__}-numbers": (
            lambda kind=kind: _numbers_model(
                kind, missing="both", holes=True, n_outputs=2, n_estimators=4, max_depth=6
            )
        )
        for kind in _FORESTS
    },
    **{
        f"heavier-{missing}-{split}": (
            lambda m=missing, s=split: _mixed_model(
                _FORESTS[0], unknown_category="heavier", missing=m, split=s, n_estimators=4
            )
        )
        for missing in ("learned", "apart", "both")
        for split in ("binary", "multiway")
        if missing != "both" or split == "binary"
    },
}


@cache
def made(name):
    """A model, and tables to predict."""
    return (PLAIN | ANY)[name]()


atexit.register(made.cache_clear)  # or the trees would outlive the module that they are of
