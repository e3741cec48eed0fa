"""Objects that carry a matrix X and names of its columns, as AnnData does."""

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from ..kinds import ALL, name_of, problem, small

each = pytest.mark.parametrize("kind", ALL, ids=name_of)
FORMS = {
    "dense": np.asarray,
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "float32": lambda X: X.astype(np.float32),
}


@dataclass
class Annotated:
    """What of AnnData counts here."""

    X: Any
    var_names: Any = None

    @property
    def shape(self):
        return self.X.shape

    def __len__(self):
        return self.X.shape[0]


def genes(n=4):
    return pd.Index([f"gene{i}" for i in range(n)])


@each
@pytest.mark.parametrize("form", FORMS)
def test_the_matrix_is_what_counts(kind, form):
    X, y = problem()
    table = Annotated(FORMS[form](X), genes())
    fitted = small(kind).fit(table, y)
    plain = small(kind).fit(X, y)
    assert fitted.digest() == plain.digest()
    assert fitted.feature_names_in_.tolist() == list(genes())
    assert fitted.n_features_in_ == 4
    for other in FORMS.values():
        rows = Annotated(other(X), genes())
        np.testing.assert_array_equal(fitted.predict(rows), plain.predict(X))
        np.testing.assert_array_equal(fitted.apply(rows), plain.apply(X))
    frame = pd.DataFrame(X, columns=genes())
    np.testing.assert_array_equal(fitted.predict(frame), plain.predict(X))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(fitted)).predict(table), plain.predict(X)
    )


@each
def test_other_names(kind):
    X, y = problem()
    fitted = small(kind).fit(Annotated(X, genes()), y)
    with pytest.raises(ValueError, match=r"names should match.*'gene0'.*now 'gene3'"):
        fitted.predict(Annotated(X, genes()[::-1]))
    with pytest.raises(ValueError, match="X has 3 features, but"):
        fitted.predict(Annotated(X[:, :3], genes(3)))
    with pytest.raises(ValueError, match="must be in the same order"):
        fitted.predict(pd.DataFrame(X, columns=genes()[::-1]))
    with pytest.raises(ValueError, match=r"var_names has 3 names, but X\.X has 4 columns"):
        small(kind).fit(Annotated(X, genes(3)), y)


@each
def test_without_names(kind):
    X, y = problem()
    fitted = small(kind).fit(Annotated(X), y)
    assert not hasattr(fitted, "feature_names_in_")
    np.testing.assert_array_equal(fitted.predict(Annotated(X)), fitted.predict(X))


@each
def test_categories_by_name(kind):
    X, y = problem()
    X = X.round()
    fitted = small(kind, categorical_features=["gene1"]).fit(Annotated(X, genes()), y)
    assert fitted.is_categorical_.tolist() == [False, True, False, False]
    assert fitted.digest() == small(kind, categorical_features=[1]).fit(X, y).digest()


@each
@pytest.mark.parametrize("form", FORMS)
def test_missing_and_infinite_values(kind, form):
    X, y = problem()
    X[::5, 2] = np.nan
    table = Annotated(FORMS[form](X), genes())
    assert small(kind).fit(table, y).digest() == small(kind).fit(X, y).digest()
    with pytest.raises(ValueError, match=r"Input X contains NaN(.|\n)*column 'gene2'"):
        small(kind, missing="error").fit(table, y)
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="Input X contains infinity"):
        small(kind).fit(Annotated(FORMS[form](X), genes()), y)
