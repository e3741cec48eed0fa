"""The rows of patches are a function of the seed and the number of rows."""

import numpy as np
import pytest

import silvics
from silvics import ForestClassifier, ForestRegressor, _core

RNG = np.random.default_rng(0)
X = RNG.normal(size=(10_000, 6))
Y = (X[:, 0] + RNG.normal(size=10_000) > 0).astype(int)


def forest(**settings):
    settings = {"n_estimators": 4, "max_samples": 0.1, "max_depth": 5, "random_state": 3} | settings
    return ForestClassifier("extra_trees", rows="patches", **settings)


def rows_in_pieces(seed, n, wanted, step):
    rows = _core.PatchRows(seed, n, wanted)
    pieces = [rows.below(min(end, n)) for end in range(step, n + step, step)]
    return np.concatenate(pieces)


@pytest.mark.parametrize("step", [1000, 4096, 9999])
def test_a_forest_draws_the_rows_of_patches(step):
    fitted = forest().fit(X, Y)
    seeds = fitted._grown.tree_seeds()
    assert len(fitted.estimators_samples_) == len(seeds) == 4
    for rows, seed in zip(fitted.estimators_samples_, seeds, strict=True):
        assert len(rows) == 1000
        np.testing.assert_array_equal(rows, rows_in_pieces(seed, len(X), 1000, step))
    counts = fitted.in_bag_counts()
    assert counts.sum() == 4000
    assert set(np.unique(counts)) == {0, 1}


def test_rows_do_not_depend_on_values_weights_or_threads():
    weights = RNG.integers(0, 3, len(X)).astype(float)
    plain = forest().fit(X, Y)
    weighted = forest(n_jobs=2).fit(X[::-1], Y, sample_weight=weights)
    for a, b in zip(plain.estimators_samples_, weighted.estimators_samples_, strict=True):
        np.testing.assert_array_equal(a, b)
    # Rows of weight zero are drawn, but no tree uses them.
    drawn = weighted.estimators_samples_[0]
    assert weighted._grown.trees[0].n_node_samples()[0] == np.count_nonzero(weights[drawn])


def test_rows_are_uniform_if_the_table_is_sorted_by_the_target():
    y = np.sort(RNG.normal(size=20_000))
    fitted = ForestRegressor(
        "extra_trees", rows="patches", n_estimators=200, max_samples=500, max_depth=1,
        random_state=1,
    ).fit(np.ones((20_000, 1)), y)  # fmt: skip
    means = np.array([y[rows].mean() for rows in fitted.estimators_samples_])
    error = y.std() / np.sqrt(500) * np.sqrt(1 - 500 / 20_000)
    assert abs(means.mean() - y.mean()) < 4 * error / np.sqrt(200)
    assert 0.8 < means.std() / error < 1.2


@pytest.mark.parametrize("weighted", [False, True])
def test_patches_have_out_of_bag_rows_leaves_and_files(tmp_path, weighted):
    weights = RNG.integers(0, 3, 400).astype(float) if weighted else None
    settings = {"n_estimators": 20, "max_samples": 0.5, "oob_score": True, "keep_samples": True}
    fitted = forest(**settings).fit(X[:400], Y[:400], weights)
    assert fitted.oob_score_ > 0.6
    assert len(fitted.oob_curve().scores) == 20
    again = forest(**settings | {"keep_samples": False}).fit(X[:400], Y[:400], weights)
    again.attach_samples(X[:400], Y[:400], weights)
    np.testing.assert_array_equal(again.oob_curve().scores, fitted.oob_curve().scores)
    fitted.save(tmp_path / "forest.silvics", training_rows=True)
    loaded = silvics.load(tmp_path / "forest.silvics")
    assert loaded.digest() == fitted.digest()
    np.testing.assert_array_equal(loaded.in_bag_counts(), fitted.in_bag_counts())


def test_more_rows_than_the_table_has_are_refused():
    with pytest.raises(ValueError, match="Lower max_samples"):
        forest(max_samples=20_000).fit(X, Y)
    with pytest.raises(ValueError, match="more rows than the table"):
        _core.PatchRows(0, 10, 11)


@pytest.mark.parametrize("random_cut", [False, True])
def test_columns_of_one_number_without_memory_are_as_others(random_cut):
    """The columns outside a patch are given in this form."""
    small = X[:500].astype(np.float32)
    forms = [
        [np.concatenate([small, np.full((500, 2), 3, np.float32)], axis=1)],
        [small, np.broadcast_to(np.float32(3), (500, 2))],
    ]
    target = _core.Target.of_classes(Y[:500], 500, [2])
    rules = _core.GrowthRules()
    rules.max_features, rules.random_cut = 8, random_cut
    grown = []
    for form in forms:
        matrix = _core.Matrix(form, [])
        tables = [_core.code_table(matrix, 0, equal_width=False, n_jobs=1)]
        if random_cut:  # best cuts need codes
            tables += [_core.table_of_values(matrix, 1, rarely) for rarely in (False, True)]
        for table in tables:
            sampling = _core.Sampling(500, False, 0, False, None)
            trees, work, error = _core.grow_patches(
                [(table, target, sampling)], "gini", rules, [7], 1, None
            )
            assert error is None
            assert len(work) == 1
            grown.append(trees[0])
    for tree in grown[1:]:
        for name, array in tree.expanded().stored_arrays().items():
            np.testing.assert_array_equal(array, grown[0].expanded().stored_arrays()[name])
