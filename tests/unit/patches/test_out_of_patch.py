"""The score of a scan is that of rows predicted by trees which do not have them."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

from silvics import RandomPatchesClassifier, RandomPatchesRegressor, scan

from .scanned_tables import table

TABLE = table()
X = TABLE.drop(columns=["w", "price", "kind"])


@pytest.mark.parametrize(
    ("kind", "y"), [(RandomPatchesRegressor, "price"), (RandomPatchesClassifier, "kind")]
)
def test_with_all_rows_it_is_the_out_of_bag_score(kind, y):
    settings = {"n_estimators": 20, "random_state": 0, "oob_score": True}
    expected = kind(**settings).fit(X, TABLE[y])
    forest = kind(oob_rows=10**6, **settings).fit(scan(X.assign(y=TABLE[y])), "y")
    assert forest.oob_score_ == pytest.approx(expected.oob_score_, abs=1e-12)
    assert forest.n_passes_ == 3
    some = kind(oob_rows=500, **settings).fit(scan(X.assign(y=TABLE[y])), "y")
    assert some.oob_score_ != forest.oob_score_
    assert some.oob_score_ == pytest.approx(forest.oob_score_, abs=0.08)
    assert "500 rows" in str(some.summary())


def test_by_a_plain_loop_and_a_function_of_the_user():
    X = TABLE[["x0", "x1", "x2", "price"]].drop(columns="price")
    source = scan(X.assign(y=TABLE.price))
    forest = RandomPatchesRegressor(
        n_estimators=6, random_state=0, oob_score=r2_score, oob_rows=10**6
    ).fit(source, "y")
    sums, counts = np.zeros(len(X)), np.zeros(len(X))
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(X)), drawn)
        sums[out] += tree.predict(X.to_numpy())[out]
        counts[out] += 1
    known = counts > 0
    assert forest.oob_score_ == pytest.approx(
        r2_score(TABLE.price[known], (sums[known] / counts[known]))
    )
