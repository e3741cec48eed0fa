"""A supervised forest as sparse features: the identities of equations 4.41 and 4.43."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1
from sklearn.ensemble import RandomForestClassifier as SklearnForest
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import silvics
from silvics import ForestEmbedding

X, Y = make_friedman1(90, 6, random_state=1)
NEW = X + np.random.default_rng(0).normal(size=X.shape)


def forest(kind=silvics.RandomForestRegressor, **parameters):
    settings = {"n_estimators": 12, "keep_samples": True, "random_state": 0, **parameters}
    return kind(**settings)


def embedded(values="ones", y=Y, **parameters):
    return ForestEmbedding(forest(**parameters), values=values).fit(X, y)


def test_equation_4_40():
    """One column for each leaf, which is one for the samples in it."""
    embedding = embedded()
    found = embedding.transform(NEW)
    assert issparse(found)
    leaves = embedding.estimator_.apply(NEW)
    names = embedding.get_feature_names_out()
    assert found.shape == (90, len(names))
    for name, column in zip(names, found.toarray().T, strict=True):
        _, m, leaf = name.split("_")
        np.testing.assert_array_equal(column, leaves[:, int(m)] == int(leaf))


@pytest.mark.parametrize("kind", [silvics.RandomForestRegressor, silvics.ExtraTreesRegressor])
def test_inner_products_are_proximities(kind):
    embedding = embedded("proximity", kind=kind)
    first, second = embedding.transform(X), embedding.transform(NEW)
    expected = embedding.estimator_.proximity(NEW, X)
    np.testing.assert_allclose((second @ first.T).toarray(), expected, rtol=1e-12)
    rows = embedding.transform_training_rows()
    np.testing.assert_array_equal(rows.toarray(), first.toarray())


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"kind": silvics.ExtraTreesRegressor, "min_samples_leaf": 3},
        {"kind": silvics.ForestRegressor, "recipe": "bagging", "rows": "subsample",
         "max_samples": 0.5},
        {"criterion": "poisson"},
    ],
)  # fmt: skip
def test_inner_products_with_training_rows_are_the_kernel(parameters):
    embedding = embedded("kernel", **parameters)
    kernel = embedding.transform(NEW) @ embedding.transform_training_rows().T
    expected = embedding.estimator_.proximity(NEW, kind="kernel")
    np.testing.assert_allclose(kernel.toarray(), expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel @ Y, embedding.estimator_.predict(NEW), rtol=1e-12)


def test_equation_4_44_without_bootstrap():
    """All rows have weight one, so that both sides of the product are the same."""
    embedding = embedded("kernel", kind=silvics.ExtraTreesRegressor, min_samples_leaf=4)
    rows = embedding.transform_training_rows()
    np.testing.assert_allclose(rows.toarray(), embedding.transform(X).toarray(), rtol=1e-12)


@pytest.mark.parametrize("recipe", ["purely_random", "biau_2012_halves"])
def test_leaves_without_rows_are_refused(recipe):
    cells = silvics.ForestRegressor(recipe, 20, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="honest trees and cells"):
        ForestEmbedding(cells, values="kernel", prefit=True).transform(X)
    assert ForestEmbedding(cells, prefit=True).transform(X).sum() == 20 * len(X)


def test_in_a_pipeline():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = make_pipeline(
        ForestEmbedding(forest(silvics.RandomForestClassifier)), LogisticRegression()
    ).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.9
    names = model[0].get_feature_names_out(X.columns)
    assert names[0].startswith("randomforestclassifier_0_")
    assert list(model[0].feature_names_in_) == list(X.columns)
    assert model[0].n_features_in_ == 4
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model[0]).estimator is not model[0].estimator


def test_fitted_forests():
    fitted = forest().fit(X, Y)
    expected = embedded().transform(NEW).toarray()
    for embedding in (
        ForestEmbedding(fitted, prefit=True),
        ForestEmbedding(fitted, prefit=True).fit(X),
        ForestEmbedding(FrozenEstimator(fitted)).fit(X, Y),
        clone(ForestEmbedding(FrozenEstimator(fitted))).fit(X),
    ):
        np.testing.assert_array_equal(embedding.transform(NEW).toarray(), expected)


def test_dense_output_and_frames():
    embedding = embedded().set_params(sparse_output=False)
    assert isinstance(embedding.transform(NEW), np.ndarray)
    frame = embedding.set_output(transform="pandas").transform(NEW)
    assert list(frame.columns) == list(embedding.get_feature_names_out())


def test_tables_of_every_kind():
    y = (Y > np.median(Y)).astype(int)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["a"] = pd.cut(frame["a"], 4).astype(str)
    frame.loc[::7, "b"] = np.nan
    kind = silvics.RandomForestClassifier
    embedding = ForestEmbedding(forest(kind), values="proximity").fit(frame, y)
    P = embedding.transform(frame)
    np.testing.assert_allclose((P @ P.T).toarray(), embedding.estimator_.proximity(frame))
    sparse = csr_matrix(np.where(X > 0.5, X, 0))
    embedding = ForestEmbedding(forest(kind)).fit(sparse, y, sample_weight=np.arange(90))
    found = embedding.transform(sparse).toarray()
    np.testing.assert_array_equal(found, embedding.transform(sparse.toarray()).toarray())


def test_several_outputs():
    both = np.column_stack([Y, X[:, 0]])
    embedding = embedded("kernel", y=both)
    kernel = embedding.transform(NEW) @ embedding.transform_training_rows().T
    np.testing.assert_allclose(kernel @ both, embedding.estimator_.predict(NEW), rtol=1e-12)


def test_errors():
    with pytest.raises(ValueError, match="requires y"):
        ForestEmbedding(forest()).fit(X)
    with pytest.raises(NotFittedError):
        ForestEmbedding(forest()).transform(X)
    with pytest.raises(NotFittedError):
        ForestEmbedding(forest(), prefit=True).fit(X)
    with pytest.raises(TypeError, match="from_sklearn"):
        ForestEmbedding(SklearnForest()).fit(X, Y > 1)
    with pytest.raises(TypeError, match="supervised"):
        ForestEmbedding(silvics.IsolationForest()).fit(X, Y)
    with pytest.raises(ValueError, match="values"):
        ForestEmbedding(forest(), values="other").fit(X, Y)
    with pytest.raises(ValueError, match="attach_samples"):
        embedded(keep_samples=False).transform_training_rows()
    with pytest.raises(ValueError, match="features"):
        embedded().transform(X[:, :3])
    both = silvics.ForestRegressor("bagging", 3, missing="both", random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="learned"):
        ForestEmbedding(both, prefit=True).transform(X)
