"""to_json(): a reader written from docs/model_json.md alone predicts the same to the last bit."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import silvics

from .exported_models import ANY, PLAIN, made, mixed, values_of

# ---- the reader: plain Python, no silvics

MISSING, UNKNOWN = object(), object()


def read_value(x, feature, unknown_category):
    if feature["kind"] == "nothing" or x is None or x != x:
        return MISSING
    if "levels" not in feature:
        return float(x)
    if x in feature["levels"]:
        return feature["levels"].index(x) if feature["kind"] == "ordered" else x
    if unknown_category != "heavier" or x in feature.get("rare", [x]):
        return MISSING
    return UNKNOWN


def compared(node, row):
    if "terms" not in node:
        return row[node["feature"]]
    total = 0.0
    for j, coefficient in node["terms"]:
        if row[j] is MISSING:
            return MISSING
        total += coefficient * row[j]
    return total


def place(node, x):
    if x is MISSING:
        return node["missing"]
    if "thresholds" in node:
        return sum(t < x for t in node["thresholds"])
    if x is UNKNOWN:
        return node["unknown"]
    return next((k for k, levels in enumerate(node["levels"]) if x in levels), node["rest"])


def leaves(nodes, row, t=0, share=1.0):
    while "value" not in nodes[t]:
        at, children = place(nodes[t], compared(nodes[t], row)), nodes[t]["children"]
        if at == "both":
            share /= 2
            yield from leaves(nodes, row, children[0], share)
            at = 1
        t = children[at]
    yield share, nodes[t]["value"]


def predicted(model, row):
    assert (model["format"], model["version"]) == ("silvics", 1)
    row = [
        read_value(x, feature, model["unknown_category"])
        for x, feature in zip(row, model["features"], strict=True)
    ]
    sizes = [len(output.get("classes", [0])) for output in model["outputs"]]
    whole = [0.0] * sum(sizes)
    for nodes in model["trees"]:
        value = [0.0] * len(whole)
        for share, of_leaf in leaves(nodes, row):
            value = [v + share * part for v, part in zip(value, of_leaf, strict=True)]
        if model["vote"] == "majority":
            first, votes = 0, [0.0] * len(value)
            for size in sizes:
                votes[value.index(max(value[first : first + size]), first)] = 1.0
                first += size
            value = votes
        whole = [a + b for a, b in zip(whole, value, strict=True)]
    return [a / len(model["trees"]) for a in whole]


# ---- tests


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def rows_of(X):
    """Rows of plain objects, times as the numbers that the page says they are."""
    if isinstance(X, np.ndarray):
        return X.tolist()
    columns = []
    for name in X.columns:
        column = X[name]
        if column.dtype.kind == "M":
            micro = column.astype("M8[us]").astype(np.int64).tolist()
            columns.append(
                [None if gone else v for gone, v in zip(column.isna(), micro, strict=True)]
            )
        else:
            columns.append([None if v is pd.NA else v for v in column.astype(object).tolist()])
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("name", PLAIN | ANY)
def test_same_to_the_last_bit(name):
    model, tables = made(name)
    told = json.loads(model.to_json(), parse_constant=refuse)
    for X in tables:
        X = X[-60:]
        found = np.array([predicted(told, row) for row in rows_of(X)])
        np.testing.assert_array_equal(found.view(np.int64), values_of(model, X).view(np.int64))


def test_labels_are_those_of_the_largest_share():
    model, [X] = made("labels-text")
    told = json.loads(model.to_json())
    classes = told["outputs"][0]["classes"]
    shares = [predicted(told, row) for row in X.tolist()]
    assert [classes[s.index(max(s))] for s in shares] == model.predict(X).tolist()


def test_dates_as_categories():
    frame, real, _ = mixed(holes=False)
    X = frame[["day", "length"]]
    tree = silvics.DecisionTreeRegressor(random_state=0, categorical_features=["day"]).fit(X, real)
    told = json.loads(tree.to_json())
    assert told["features"][0]["kind"] == "category"
    assert all(isinstance(level, int) for level in told["features"][0]["levels"])
    found = np.array([predicted(told, row)[0] for row in rows_of(X)])
    np.testing.assert_array_equal(found, tree.predict(X))


def test_integers_that_doubles_do_not_hold_are_levels():
    X = np.array([[2**60 + i % 3] for i in range(12)])
    y = np.arange(12) % 3 == 1
    tree = silvics.DecisionTreeClassifier(random_state=0, categorical_features=[0]).fit(X, y)
    told = json.loads(tree.to_json())
    assert told["features"][0]["levels"] == [2**60, 2**60 + 1, 2**60 + 2]
    assert [predicted(told, row)[1] for row in X.tolist()] == y.tolist()


def test_every_key_is_documented():
    page = (Path(__file__).parents[3] / "docs" / "model_json.md").read_text()

    def keys_of(value):
        if isinstance(value, dict):
            yield from value
            value = list(value.values())
        if isinstance(value, list):
            for part in value:
                yield from keys_of(part)

    for name in ("heavier-apart-binary", "both-oblique-ForestRegressor-None"):
        told = json.loads(made(name)[0].to_json())
        told["trees"] = [tree[:50] for tree in told["trees"]]
        for key in set(keys_of(told)):
            assert f"`{key}`" in page or f'"{key}"' in page, key


def test_missing_values_alone_are_parted_without_a_threshold():
    X = np.array([[0.0], [np.nan], [2.0], [np.nan], [1e308], [-1e308]])
    for y in ([0, 1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 1]):
        tree = silvics.DecisionTreeClassifier(random_state=0).fit(X, y)
        assert math.isinf(tree.tree_.threshold[0])
        told = json.loads(tree.to_json())
        assert told["trees"][0][0]["thresholds"] == []
        most = np.finfo(np.float64).max
        for x in (most, -most, 0.0, np.nan):
            assert predicted(told, [x]) == tree.predict_proba([[x]])[0].tolist()
