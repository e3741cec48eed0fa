"""Makes the files in ``kept``, which every later version must read: run it when the format changes.

    python tests/model_file/keep.py

Files that are there stay as they are: they are what an older version has written.
"""

import json
from pathlib import Path

import numpy as np

import silvics

FOLDER = Path(__file__).parent / "kept"
N_ROWS = 90


def table(seed=0):
    """Numbers, text, times, and holes; as lists, with None for what is missing."""
    random = np.random.default_rng(seed)
    columns = [
        random.normal(size=N_ROWS).round(3).tolist(),
        random.integers(-20, 20, N_ROWS).astype(float).tolist(),
        random.choice(["oak", "élm", "yew", ""], N_ROWS).tolist(),
        [f"plot {i}" for i in random.integers(0, 60, N_ROWS)],
        [{"us": int(i) * 86_400_000_000} for i in random.integers(15_000, 20_000, N_ROWS)],
    ]
    rows = [list(row) for row in zip(*columns, strict=True)]
    for i, j in random.integers(0, [N_ROWS, 5], size=(40, 2)):
        rows[i][j] = None
    return rows


def as_array(rows):
    """Rows as a model takes them."""
    if all(isinstance(x, float) for row in rows for x in row):
        return np.array(rows)
    X = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            X[i, j] = np.datetime64(x["us"], "us") if isinstance(x, dict) else x
    return X


def numbers(rows):
    return [[np.nan if x is None else x for x in row[:2]] for row in rows]


def outputs(rows):
    """What rows say of a number and of a class."""
    z = [(row[0] or 0.0) + {"oak": 1.0, "yew": -1.0}.get(row[2], 0.0) for row in rows]
    z = np.array(z) + np.random.default_rng(1).normal(size=len(rows)) / 4
    return z, np.array(["low", "mid", "high"])[np.digitize(z, [-0.5, 0.5])]


def models():
    """Name, model, rows to predict, and how it is saved."""
    mixed = table()
    z, labels = outputs(mixed)
    X = as_array(mixed)
    plain = numbers(mixed)
    y = np.column_stack([z, z**2, -z]).round(6)
    forest = {"n_estimators": 5, "random_state": 0, "max_depth": 5}
    some = [*mixed[:20], [0.1, 2.0, "none such", "plot 999", None], [None] * 5]
    few = [[0.25, -3.0], [np.nan, 1.0], [-1.5, np.nan], [9.0, 9.0], *plain[:20]]

    yield (
        "classifier",
        silvics.RandomForestClassifier(**forest, min_category_frequency=1).fit(X, labels),
        some,
        {},
    )
    yield "regressor", silvics.RandomForestRegressor(**forest).fit(plain, z), few, {}
    yield (
        "weighted",
        silvics.ExtraTreesClassifier(**forest).fit(X, labels, sample_weight=z**2),
        some,
        {"training_rows": True},
    )
    yield (
        "outputs",
        silvics.RandomForestRegressor(**forest).fit(X, y),
        some,
        {},
    )
    two = np.column_stack([labels, np.where(z > 0, "yes", "no")])
    yield "labels", silvics.ExtraTreesClassifier(**forest).fit(X, two), some, {}
    for split in ("multiway", "oblique"):
        recipe = silvics.ForestClassifier(split=split, vote="majority", **forest)
        yield split, recipe.fit(X, labels), some, {}
    ternary = silvics.ForestRegressor(missing="apart", **forest)
    yield "ternary", ternary.fit(X, z), some, {}
    both = silvics.ForestClassifier(missing="both", **forest)
    yield "both", both.fit(X, labels), some, {}
    yield "tree", silvics.DecisionTreeRegressor(random_state=0, max_depth=5).fit(X, z), some, {}
    yield (
        "extra_tree",
        silvics.ExtraTreeClassifier(random_state=0).fit(plain, z > 0),
        few,
        {"compress": True},
    )
    yield "leaf", silvics.DecisionTreeClassifier().fit([[0.0], [1.0]], [3, 3]), [[2.0]], {}
    isolation = silvics.IsolationForest(n_estimators=5, max_samples=32, random_state=0)
    yield "isolation", isolation.fit(plain), few, {}
    embedding = silvics.RandomTreesEmbedding(n_estimators=5, max_depth=3, random_state=0)
    yield "embedding", embedding.fit(plain), few, {}
    yield (
        "prediction",
        silvics.RandomForestClassifier(**forest).fit(X, labels),
        some,
        {"for_prediction": True},
    )
    yield (
        "compressed",
        silvics.RandomForestRegressor(**forest).fit(X, z.round(1)),
        some,
        {"compress": True},
    )
    yield (
        "merged",
        silvics.merge(
            [
                silvics.RandomForestClassifier(3, max_depth=4, random_state=i).fit(
                    X[i::2], labels[i::2]
                )
                for i in (0, 1)
            ]
        ),
        some,
        {},
    )
    drawn = silvics.RandomForestClassifier(keep_samples=True, **forest)
    yield "samples", drawn.fit(plain, labels), few, {"training_rows": True}
    pruned = silvics.ForestClassifier(recipe="reduced_error", random_state=0)
    yield "pruned", pruned.fit(plain, labels), few, {}


def predictions(model, rows):
    """What a model says of rows, as JSON tells it to the bit."""
    X = as_array(rows)
    told = {"estimator": type(model).__name__, "digest": model.digest()}
    for name in ("predict", "predict_proba", "score_samples", "transform", "apply"):
        if not hasattr(model, name) or (name == "apply" and model.missing == "both"):
            continue
        made = getattr(model, name)(X)
        if isinstance(made, list):
            told[name] = [part.tolist() for part in made]
        else:
            told[name] = (made.toarray() if hasattr(made, "toarray") else made).tolist()
    return told


def main():
    FOLDER.mkdir(exist_ok=True)
    for name, model, rows, options in models():
        path = FOLDER / f"{name}.silvics"
        if path.exists():
            continue
        model.save(path, **options)
        told = {
            "rows": [[None if x != x else x for x in row] for row in rows],
            **predictions(model, rows),
        }
        path.with_suffix(".json").write_text(json.dumps(told) + "\n")
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
