"""A sparse matrix is the dense one that it stands for, and never becomes it."""

import numpy as np
import pytest
from scipy import sparse

import silvics

from ..kinds import ALL, FORESTS, name_of, small

each = pytest.mark.parametrize("kind", ALL, ids=name_of)

CRITERIA = {
    True: ["gini", "entropy", "log_loss", "misclassification"],
    False: ["squared_error", "absolute_error", "poisson", "friedman_mse"],
}


def sparse_problem(n_rows=90, n_columns=9, density=0.25, seed=0, dtype=float):
    """Many zeros, values of both signs, a column of zeros and one without any."""
    random = np.random.default_rng(seed)
    X = random.integers(-6, 7, size=(n_rows, n_columns)) / 4
    X[random.random(X.shape) > density] = 0.0
    X[:, 3] = 0.0
    X[:, 4] = random.integers(1, 5, n_rows)
    if dtype is not float:
        X = (4 * X).astype(dtype)
    y = random.integers(0, 2, n_rows) + 1.0 * (X[:, 0] > 0) + (X[:, 5] != 0)
    return X, y


def explicit_zeros(X):
    """Some zeros are stored."""
    store = (X != 0) | (np.random.default_rng(1).random(X.shape) < 0.3)
    rows, columns = np.nonzero(store)
    return sparse.coo_array((X[rows, columns], (rows, columns)), shape=X.shape).tocsr()


def shuffled(X):
    """Cells within their rows in no order."""
    made = sparse.csr_array(X)
    random = np.random.default_rng(1)
    for i in range(len(X)):
        cells = slice(made.indptr[i], made.indptr[i + 1])
        order = random.permutation(cells.stop - cells.start)
        made.indices[cells] = made.indices[cells][order]
        made.data[cells] = made.data[cells][order]
    made.has_sorted_indices = made.has_canonical_format = False
    return made


def duplicates(X):
    """Each cell is the sum of two."""
    once = sparse.coo_array(X)
    data = np.concatenate([once.data - 8, np.full_like(once.data, 8)])
    places = [np.concatenate([coordinate, coordinate]) for coordinate in once.coords]
    return sparse.coo_array((data, tuple(places)), shape=X.shape)


def with_indices(form, dtype):
    def made(X):
        other = form(X)
        other.indices, other.indptr = other.indices.astype(dtype), other.indptr.astype(dtype)
        return other

    return made


FORMS = {
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "csr_matrix": sparse.csr_matrix,
    "csc_matrix": sparse.csc_matrix,
    "lil": sparse.lil_array,
    "dok": sparse.dok_array,
    "bsr": sparse.bsr_array,
    "csr, 32 bits": with_indices(sparse.csr_array, np.int32),
    "csr, 64 bits": with_indices(sparse.csr_array, np.int64),
    "csc, 32 bits": with_indices(sparse.csc_array, np.int32),
    "csc, 64 bits": with_indices(sparse.csc_array, np.int64),
    "zeros stored": explicit_zeros,
    "zeros stored, csc": lambda X: explicit_zeros(X).tocsc(),
    "no order": shuffled,
    "no order, csc": lambda X: shuffled(X.T).T,
    "duplicates": duplicates,
    "duplicates, csr": lambda X: sparse.csr_array(duplicates(X)),
    "float32": lambda X: sparse.csr_array(X.astype(np.float32)),
}


def assert_same(kind, X, other, y, **parameters):
    dense, fitted = (small(kind, **parameters).fit(x, y) for x in (X, other))
    assert fitted.digest() == dense.digest()
    for method in ("predict", "apply"):
        expected = getattr(dense, method)(X)
        for model, x in ((fitted, X), (dense, other), (fitted, other)):
            np.testing.assert_array_equal(getattr(model, method)(x), expected)
    if kind._classification:
        np.testing.assert_array_equal(fitted.predict_proba(other), dense.predict_proba(X))
    return dense, fitted


@each
@pytest.mark.parametrize("form", FORMS)
def test_sparse_is_dense(kind, form):
    X, y = sparse_problem()
    other = FORMS[form](X)
    assert (np.asarray(other.todense()) == X).all()
    before = other.copy()
    assert_same(kind, X, other, y)
    assert (before.todense() == other.todense()).all()
    if hasattr(other, "indices"):
        np.testing.assert_array_equal(before.indices, other.indices)


@each
@pytest.mark.parametrize(
    "dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.float32, bool]
)
def test_any_type_of_number(kind, dtype):
    X, y = sparse_problem()
    X = (4 * X).astype(dtype) if dtype is not np.uint8 else np.abs(4 * X).astype(dtype)
    assert_same(kind, X, sparse.csr_array(X), y)
    assert_same(kind, X, sparse.csc_array(X), y)
    assert_same(kind, X.astype(np.float64), sparse.csc_array(X), y)


@each
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "zeros stored", "no order"])
def test_missing_cells(kind, form):
    X, y = sparse_problem()
    X[::7, 0] = X[::5, 1] = X[2, 3] = X[:, 8] = np.nan
    other = FORMS[form](X)
    _, fitted = assert_same(kind, X, other, y)
    with pytest.raises(ValueError, match=r"Input X contains NaN(.|\n)*in column 0, column 1"):
        small(kind, missing="error").fit(other, y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        fitted.set_params(missing="error").predict(other)


@each
def test_every_criterion(kind):
    X, y = sparse_problem()
    for criterion in CRITERIA[kind._classification]:
        assert_same(kind, X, sparse.csr_array(X), y, criterion=criterion)


@each
@pytest.mark.parametrize(
    "parameters",
    [
        {"max_bins": 4},
        {"max_bins": 3, "binning": "width"},
        {"search": "sort"},
        {"search": "bins"},
        {"split_sample": 20},
        {"max_features": 2, "constant_features": "skip"},
        {"max_leaf_nodes": 7},
        {"growth": "breadth_first"},
        {"min_samples_leaf": 4},
        {"min_weight_fraction_leaf": 0.1},
        {"ccp_alpha": 0.01},
    ],
    ids=str,
)
def test_every_way_to_grow(kind, parameters):
    X, y = sparse_problem(n_rows=150)
    X[::9, 5] = np.nan
    assert_same(kind, X, sparse.csc_array(X), y, **parameters)


@each
def test_weights_and_outputs(kind):
    X, y = sparse_problem()
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    dense, fitted = (
        small(kind).fit(x, np.column_stack([y, y > 1]), sample_weight=weights)
        for x in (X, sparse.csr_array(X))
    )
    assert fitted.digest() == dense.digest()
    np.testing.assert_array_equal(fitted.predict(sparse.csr_array(X)), dense.predict(X))


@each
@pytest.mark.parametrize("signs", [1, -1])
def test_monotonic_constraints(kind, signs):
    X, y = sparse_problem()
    X[::9, 4] = np.nan
    assert_same(kind, X, sparse.csr_array(X), y > 1, monotonic_cst=[signs] * X.shape[1])


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_out_of_bag(kind, n_jobs):
    X, y = sparse_problem()
    parameters = {"n_estimators": 40, "bootstrap": True, "oob_score": True, "n_jobs": n_jobs}
    dense, fitted = assert_same(kind, X, sparse.csc_array(X), y, **parameters)
    assert fitted.oob_score_ == dense.oob_score_


@each
def test_importances_and_paths(kind):
    X, y = sparse_problem()
    other = sparse.csr_array(X)
    dense, fitted = small(kind).fit(X, y), small(kind).fit(other, y)
    np.testing.assert_array_equal(fitted.feature_importances_, dense.feature_importances_)
    paths = [model.decision_path(x) for model, x in ((fitted, other), (dense, X))]
    paths = [path[0] if isinstance(path, tuple) else path for path in paths]
    assert (paths[0] != paths[1]).nnz == 0


@pytest.mark.parametrize("kind", ALL[:4], ids=name_of)
def test_skipped_checks(kind):
    X, y = sparse_problem()
    other = sparse.csr_array(X)
    fitted = small(kind).fit(other, y, check_input=False)
    assert fitted.digest() == small(kind).fit(X, y).digest()
    np.testing.assert_array_equal(fitted.predict(other, check_input=False), fitted.predict(X))
    np.testing.assert_array_equal(fitted.tree_.apply(other), fitted.apply(X))


def test_sums_of_duplicates_are_checked():
    huge = sparse.csr_array((np.full(4, 1e308), np.zeros(4, int), [0, 2, 4]), shape=(2, 1))
    assert np.isinf(huge.toarray()).all()
    with pytest.raises(ValueError, match="Input X contains infinity"):
        small(ALL[0]).fit(huge, [0, 1])
    with pytest.raises(ValueError, match="Input X contains infinity"):
        small(ALL[0]).fit([[1.0], [2.0]], [0, 1]).predict(huge)


def test_cells_that_are_nowhere():
    X = sparse.csr_array(np.eye(3))
    X.indices[0] = 99
    with pytest.raises(ValueError, match="an index is not between 0 and 2"):
        small(ALL[0]).fit(np.eye(3), [0, 1, 2]).predict(X)


# ---- never dense


def wide(n_rows=2_000, n_columns=1_000_000, per_row=20):
    random = np.random.default_rng(0)
    columns = random.integers(0, n_columns, size=(n_rows, per_row))
    y = np.arange(n_rows) % 2
    columns[y == 1, 0] = 7  # what there is to learn
    starts = per_row * np.arange(n_rows + 1)
    data = random.integers(1, 9, size=columns.size).astype(np.float64)
    X = sparse.csr_array((data, columns.ravel(), starts), shape=(n_rows, n_columns))
    X.sum_duplicates()
    return X, y


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_a_million_columns(kind):
    """Dense, it would be 16 GB."""
    X, y = wide()
    forest = kind(n_estimators=2, max_features=50, max_depth=4, random_state=0).fit(X, y)
    assert forest.predict(X).shape == y.shape
    assert forest.feature_importances_.shape == (1_000_000,)
    # Depth by depth, at most the drawn columns of all rows.
    assert forest.work_["values_read"] <= 2 * 4 * 50 * len(y)


def test_a_million_columns_all_tried():
    X, y = wide()
    tree = silvics.DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    assert tree.tree_.feature[0] == 7
    assert tree.score(X, y) > 0.99
