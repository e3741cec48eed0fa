"""Embeddings by totally randomized trees: leaves one-hot, of any table."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.ensemble
from scipy import sparse

from silvics import RandomTreesEmbedding

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4)).astype(np.float32)


def fitted(table=X, **parameters):
    return RandomTreesEmbedding(**{"n_estimators": 12, "random_state": 0, **parameters}).fit(table)


def mixed_frame(n=200):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"height": rng.normal(size=n), "kind": rng.choice(list("abc"), size=n)})
    frame.loc[::9, "height"] = np.nan
    return frame


# ---- what it is


def test_columns_are_leaves():
    embedding = fitted()
    made = embedding.transform(X)
    theirs = sklearn.ensemble.RandomTreesEmbedding(n_estimators=12, random_state=0).fit_transform(X)
    assert type(made) is type(theirs)
    assert (made.dtype, made.indices.dtype) == (theirs.dtype, theirs.indices.dtype)
    assert made.shape == (120, sum(tree.get_n_leaves() for tree in embedding.estimators_))
    leaves, dense = embedding.apply(X), made.toarray()
    names = embedding.get_feature_names_out()
    assert len(names) == made.shape[1]
    for column, name in enumerate(names):
        tree, leaf = map(int, name.removeprefix("randomtreesembedding_").split("_"))
        np.testing.assert_array_equal(dense[:, column], leaves[:, tree] == leaf)
    assert (dense.any(axis=0)).all()


def test_the_encoder_makes_the_same_of_leaves():
    for sparse_output in (True, False):
        embedding = fitted(sparse_output=sparse_output)
        made, same = (
            embedding.transform(X),
            embedding.one_hot_encoder_.transform(embedding.apply(X)),
        )
        if sparse_output:
            made, same = made.toarray(), same.toarray()
        np.testing.assert_array_equal(made, same)


def test_dense_is_as_sparse():
    dense = fitted(sparse_output=False).transform(X)
    assert isinstance(dense, np.ndarray)
    np.testing.assert_array_equal(dense, fitted().transform(X).toarray())


def test_fit_transform_is_fit_and_transform():
    made = RandomTreesEmbedding(12, random_state=0).fit_transform(X)
    np.testing.assert_array_equal(made.toarray(), fitted().transform(X).toarray())


def test_close_rows_share_leaves():
    made = fitted(n_estimators=200).transform(X)
    common = (made @ made.T).toarray() / 200
    distance = np.linalg.norm(X[:, np.newaxis] - X, axis=2)
    apart = np.triu_indices(120, 1)
    assert np.corrcoef(common[apart], distance[apart])[0, 1] < -0.5


def test_depth_and_leaves_are_limited():
    assert max(tree.get_depth() for tree in fitted(max_depth=3).estimators_) == 3
    assert {tree.get_n_leaves() for tree in fitted(max_leaf_nodes=5).estimators_} == {5}
    whole = fitted(max_depth=None)
    assert {tree.get_n_leaves() for tree in whole.estimators_} == {120}
    assert {tree.max_features for tree in whole.estimators_} == {1}


def test_weights_of_zero_leave_rows_out():
    weights = np.r_[np.ones(60), np.zeros(60)]
    part = fitted(X[:60], max_depth=None)
    whole = RandomTreesEmbedding(12, random_state=0, max_depth=None).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(part.apply(X), whole.apply(X))


# ---- any table


def test_frames_categories_and_holes():
    frame = mixed_frame()
    made = fitted(frame).transform(frame)
    assert (made.sum(axis=1) == 12).all()
    same = fitted(pl.from_pandas(frame)).transform(pl.from_pandas(frame))
    np.testing.assert_array_equal(made.toarray(), same.toarray())
    strange = frame[:2].assign(kind=["never seen", None])
    assert fitted(frame).transform(strange).sum() == 24
    with pytest.raises(ValueError, match="NaN"):
        fitted(frame, missing="error")


def test_names_come_with_a_frame():
    embedding = fitted(mixed_frame(), sparse_output=False).set_output(transform="pandas")
    made = embedding.transform(mixed_frame())
    assert list(made) == embedding.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        embedding.get_feature_names_out(["x", "y"])


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_is_as_dense_input(form):
    table = np.where(RNG.random((100, 5)) < 0.6, 0.0, RNG.normal(size=(100, 5)))
    assert fitted(form(table)).digest() == fitted(table).digest()
    np.testing.assert_array_equal(
        fitted(table).transform(form(table)).toarray(), fitted(table).transform(table).toarray()
    )


# ---- hostile input


@pytest.mark.parametrize("table", [np.zeros((1, 2)), np.ones((9, 2)), np.full((5, 1), np.nan)])
def test_nothing_to_cut(table):
    embedding = fitted(table)
    np.testing.assert_array_equal(embedding.transform(table).toarray(), np.ones((len(table), 12)))
    assert not embedding.feature_importances_.any()


@pytest.mark.parametrize(
    ("table", "why"), [(np.zeros((0, 3)), "0 sample"), ([[np.inf], [1.0]], "infinity")]
)
def test_bad_tables_are_refused(table, why):
    with pytest.raises(ValueError, match=why):
        fitted(table)


@pytest.mark.parametrize(
    "parameters", [{"sparse_output": 2}, {"max_depth": 0}, {"max_leaf_nodes": 1}]
)
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(ValueError, match="parameter of RandomTreesEmbedding must be"):
        fitted(**parameters)


def test_another_width_is_refused():
    with pytest.raises(ValueError, match="expecting 4 features"):
        fitted().transform(X[:, :3])


def test_before_fit():
    for ask in ("transform", "get_feature_names_out"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(RandomTreesEmbedding(), ask)(*([X] if ask == "transform" else []))
    assert not hasattr(RandomTreesEmbedding(), "one_hot_encoder_")
    with pytest.raises(AttributeError, match="use transform"):
        fitted().predictor()


# ---- the same, however it is made


def test_threads_steps_and_pickles_change_nothing():
    one = fitted(n_jobs=1)
    steps = fitted(n_estimators=5, warm_start=True)
    assert steps.transform(X).shape[1] < one.transform(X).shape[1]
    steps.set_params(n_estimators=12).fit(X)
    for other in (fitted(n_jobs=3), steps, pickle.loads(pickle.dumps(one))):
        assert other.digest() == one.digest()
        np.testing.assert_array_equal(
            other.transform(X, n_jobs=2).toarray(), one.transform(X).toarray()
        )
        np.testing.assert_array_equal(other.get_feature_names_out(), one.get_feature_names_out())


def test_what_is_interrupted_is_usable():
    def stop(done, total):
        if done >= 3:
            raise RuntimeError("enough")

    embedding = RandomTreesEmbedding(100_000, random_state=0, max_depth=2, progress=stop)
    with pytest.raises(RuntimeError, match="enough"):
        embedding.fit(X)
    made = embedding.transform(X)
    assert 3 <= len(embedding._trees) < 100_000
    assert made.shape[1] == len(embedding.get_feature_names_out())
    assert (made.sum(axis=1) == len(embedding._trees)).all()


def test_to_scikit_learn():
    theirs = fitted().to_sklearn()
    assert type(theirs) is sklearn.ensemble.RandomTreesEmbedding
    np.testing.assert_array_equal(theirs.transform(X).toarray(), fitted().transform(X).toarray())
    np.testing.assert_array_equal(theirs.get_feature_names_out(), fitted().get_feature_names_out())
