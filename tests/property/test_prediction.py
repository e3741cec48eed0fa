"""Samples go the same way alone, in blocks of any size, in any form, and by Algorithm 3.1."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from .tables import estimators, labels_of, numeric_tables, reals_of, tasks, trees_of
from .test_any_table import NAN, framed, holed, mixed, quarters

BLOCKS = range(1, 21)


def is_forest(estimator):
    return hasattr(estimator, "predictor")


@st.composite
def outputs_of(draw, n, classification):
    """One output, or several."""
    columns = [
        draw(labels_of(n, draw(st.sampled_from([2, 5]))) if classification else reals_of(n))
        for _ in range(draw(st.integers(1, 3)))
    ]
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


@st.composite
def forests(draw, classification):
    """Of any number of trees, with and without bootstrap."""
    forest = draw(estimators(classification).filter(is_forest))
    return forest.set_params(n_estimators=draw(st.integers(1, 12)), bootstrap=draw(st.booleans()))


@st.composite
def walks(draw):
    """A fitted forest, and a table to predict: numbers, numbers with holes, or categories too."""
    table = draw(st.sampled_from(["numbers", "holes", "categories"]))
    if table == "numbers":
        X = draw(numeric_tables())
    elif table == "holes":
        X = draw(holed())[1]
    else:
        _, codes, numbers, _ = draw(mixed())
        X = framed(codes, numbers)
    classification = draw(tasks)
    forest = draw(forests(classification))
    return forest.fit(X, draw(outputs_of(len(X), classification))), X


def methods(forest):
    """What the forest says of samples, all as arrays with a line per sample."""
    yield forest.predict
    yield forest.apply
    yield lambda X: forest.decision_path(X)[0].toarray()
    if forest._classification:
        yield lambda X: np.hstack(as_list(forest.predict_proba(X)))


def as_list(shares):
    return shares if isinstance(shares, list) else [shares]


@settings(max_examples=25)
@given(walks(), st.data())
def test_blocks_of_any_size(walk, data):
    forest, X = walk
    sizes = data.draw(st.lists(st.sampled_from(BLOCKS), min_size=2, max_size=2, unique=True))
    for say in methods(forest):
        whole = say(X)
        for size in (1, *sizes):
            parts = [say(X[i : i + size]) for i in range(0, len(X), size)]
            np.testing.assert_array_equal(np.concatenate(parts), whole)


@settings(max_examples=20)
@given(walks())
def test_all_block_sizes(walk):
    forest, X = walk
    whole = forest.predict(X)
    for size in BLOCKS:
        np.testing.assert_array_equal(forest.predict(X[:size]), whole[:size])


@settings(max_examples=20)
@given(walks(), st.integers(2, 5))
def test_more_blocks_than_one(walk, n_jobs):
    forest, X = walk
    rows = np.tile(np.arange(len(X)), 3000 // len(X))
    many = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
    np.testing.assert_array_equal(forest.predict(many, n_jobs=n_jobs), forest.predict(X)[rows])
    np.testing.assert_array_equal(forest.apply(many, n_jobs=n_jobs), forest.apply(X)[rows])


def rows_of(X):
    """Each row in the forms that it may come in."""
    if not isinstance(X, pd.DataFrame):
        for row in X:
            yield row, row.tolist(), tuple(row), [None if np.isnan(x) else x for x in row.tolist()]
        return
    plain = X.astype(object).where(X.notna(), None)
    for (_, series), values in zip(X.iterrows(), plain.to_numpy().tolist(), strict=True):
        yield series, values, tuple(values), dict(zip(X.columns, values, strict=True))


@settings(max_examples=30)
@given(walks())
def test_predictor(walk):
    forest, X = walk
    predict, predicted = forest.predictor(), forest.predict(X)
    shares = np.hstack(as_list(forest.predict_proba(X))) if forest._classification else None
    for i, forms in enumerate(rows_of(X[:12])):
        for row in forms:
            np.testing.assert_array_equal(predict(row), predicted[i])
            if shares is not None:
                np.testing.assert_array_equal(
                    np.hstack(as_list(predict.predict_proba(row))), shares[i]
                )
    np.testing.assert_array_equal(predict(X), predicted)


@settings(max_examples=20)
@given(mixed(), st.data())
def test_predictor_of_unknown_levels(problem, data):
    estimator, codes, numbers, y = problem
    X = framed(codes, numbers)
    forest = data.draw(forests(estimator._classification))
    unknown = data.draw(st.sampled_from(["missing", "heavier"]))
    forest.set_params(
        unknown_category=unknown, min_category_frequency=data.draw(st.integers(1, 3))
    ).fit(X, y)
    other = X.assign(c0="never seen")
    for table in (X, other):
        predict, expected = forest.predictor(), forest.predict(table)
        for forms, said in zip(rows_of(table[:8]), expected, strict=False):
            for row in forms:
                assert predict(row) == said


def way_of(tree, row):
    """The nodes that a row visits, by the arrays that scikit-learn's trees have as well."""
    node, way = 0, [0]
    while tree.children_left[node] >= 0:
        value = row[tree.feature[node]]
        if np.isnan(value):
            left = bool(tree.missing_go_to_left[node])
        else:
            left = value <= tree.threshold[node]
        node = (tree.children_left if left else tree.children_right)[node]
        way.append(int(node))
    return way


@settings(max_examples=40)
@given(holed(), st.data())
def test_ways_are_those_of_the_arrays(problem, data):
    """Also of values at the thresholds, and of samples that training had nothing like."""
    _, X, y = problem
    classification = y.dtype.kind == "i"
    forest = data.draw(forests(classification)).fit(X, y)
    cuts = np.concatenate([[-1e300, 1e300], *(t.threshold for t in trees_of(forest))])
    cuts = [NAN, *cuts[np.isfinite(cuts)].tolist()]  # of missing against all others, it is infinite
    elements = st.one_of(st.sampled_from(cuts), quarters(-12, 12))
    n_rows = data.draw(st.sampled_from([1, 7, 8, 9]))
    rows = data.draw(st.lists(elements, min_size=n_rows * X.shape[1], max_size=n_rows * X.shape[1]))
    rows = np.array(rows).reshape(n_rows, -1)
    leaves, (path, starts) = forest.apply(rows), forest.decision_path(rows)
    assert path.shape == (n_rows, starts[-1])
    for i, row in enumerate(rows):
        ways = [way_of(tree, row) for tree in trees_of(forest)]
        assert leaves[i].tolist() == [way[-1] for way in ways]
        nodes = [start + node for start, way in zip(starts, ways, strict=False) for node in way]
        assert path[[i]].indices.tolist() == nodes
        assert (path[[i]].data == 1).all()


@settings(max_examples=25)
@given(walks())
def test_predictions_are_means_over_the_leaves(walk):
    """Of what the trees say alone, added in their order."""
    forest, X = walk

    def values(estimator, X):
        if forest._classification:
            return np.hstack(as_list(estimator.predict_proba(X)))
        return estimator.predict(X)

    found, total = values(forest, X), 0.0
    unnamed = np.array(X, dtype=object)  # as the trees of a forest want it
    for tree in forest:
        total += values(tree, unnamed)
    np.testing.assert_array_equal(found, total / len(forest))
