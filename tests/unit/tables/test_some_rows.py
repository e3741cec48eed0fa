"""Rows of tables of all kinds."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import silvics
from silvics._tables.some_rows import rows_of
from silvics.importance import SelectByThreshold
from silvics.inspection import diagnose, prototypes

RNG = np.random.default_rng(0)
X = np.where(RNG.random((60, 3)) < 0.4, RNG.integers(1, 9, (60, 3)), 0).astype(float)
Y = (X[:, 0] > 2).astype(int)
ROWS = np.array([5, 0, 5, 59])
FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
TABLES = {
    "array": X,
    "list": X.tolist(),
    "pandas": pd.DataFrame(X),
    "polars": pl.DataFrame(X, schema=["a", "b", "c"]),
    "pyarrow": pa.table(dict(zip("abc", X.T, strict=True))),
    **{form: sparse.csr_array(X).asformat(form) for form in FORMATS},
}


@pytest.mark.parametrize("kind", TABLES)
def test_rows(kind):
    found = rows_of(TABLES[kind], ROWS)
    if sparse.issparse(found):
        found = found.toarray()
    if kind == "pyarrow":
        found = found.to_pandas()
    np.testing.assert_array_equal(np.asarray(found), X[ROWS])


@pytest.mark.parametrize("form", FORMATS)
def test_what_takes_rows_accepts_every_sparse_format(form):
    table, forest = TABLES[form], silvics.RandomForestClassifier(20, random_state=0)
    forest.fit(table, Y)
    expected = prototypes(forest, X, Y).to_frame()
    assert prototypes(forest, table, Y).to_frame().equals(expected)
    assert repr(diagnose(forest, table, Y)) == repr(diagnose(forest, X, Y))
    chosen = SelectByThreshold(silvics.RandomForestClassifier(5, random_state=0)).fit(table, Y)
    assert chosen.transform(table).shape == (60, chosen.get_support().sum())
