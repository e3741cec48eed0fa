"""The same table gives the same forest from memory and from every kind of file."""

from inspect import signature

import numpy as np
import polars as pl
import pytest

import silvics
from silvics import (
    ForestClassifier,
    ForestRegressor,
    RandomPatchesClassifier,
    RandomPatchesRegressor,
    scan,
)

from .scanned_tables import table, write_feather, write_parts

TABLE = table()
X = TABLE.drop(columns=["w", "price", "kind"])
KINDS = [(RandomPatchesRegressor, "price"), (RandomPatchesClassifier, "kind")]
each_kind = pytest.mark.parametrize(("kind", "y"), KINDS, ids=["regression", "classification"])


def made(kind, **settings):
    return kind(**{"n_estimators": 5, "random_state": 1} | settings)


def without_other(y):
    return TABLE.drop(columns={"price": "kind", "kind": "price"}[y])


@each_kind
@pytest.mark.parametrize("recipe", ["extra_trees", "cart"])
def test_all_sources_give_the_forest_of_the_table_in_memory(tmp_path, kind, y, recipe):
    frame = without_other(y)
    pattern = write_parts(frame, tmp_path)
    expected = made(kind, recipe=recipe).fit(X, TABLE[y], TABLE.w).digest()
    sources = {
        "parquet": pattern,
        "folder": str(tmp_path),
        "feather": write_feather(frame, tmp_path / "all.feather"),
        "lazy": pl.scan_parquet(pattern),
        "pandas": frame,
        "polars": pl.from_pandas(frame),
    }
    for name, source in sources.items():
        for n_jobs in (1, 2):
            forest = made(kind, recipe=recipe, n_jobs=n_jobs)
            forest.fit(scan(source), y=y, sample_weight="w")
            assert forest.digest() == expected, name
            np.testing.assert_array_equal(forest.feature_names_in_, X.columns)


def test_paths_are_accepted_without_scan(tmp_path):
    pattern = write_parts(without_other("kind"), tmp_path)
    forest = made(RandomPatchesClassifier).fit(pattern, "kind", "w")
    assert forest.digest() == made(RandomPatchesClassifier).fit(X, TABLE.kind, TABLE.w).digest()
    # A frame that has the outputs as a column.
    framed = made(RandomPatchesClassifier).fit(without_other("kind"), "kind", "w")
    assert framed.digest() == forest.digest()


def test_the_forest_is_that_of_ordinary_growth_on_the_same_rows_and_columns():
    """Patches are grown as other trees are, on rows and columns of the whole table."""
    settings = {"random_state": 3, "n_estimators": 4, "max_samples": 0.3, "max_columns": 5}
    for recipe, K in (("cart", "all"), ("extra_trees", "sqrt")):
        ours = RandomPatchesClassifier(recipe, max_features=K, **settings)
        theirs = ForestClassifier(
            recipe, rows="patches", columns="subspace", max_features=K, **settings
        )
        assert ours.fit(X, TABLE.kind).digest() == theirs.fit(X, TABLE.kind).digest()


def test_arrays_and_npy_files_are_read_in_pieces(tmp_path):
    array = X[["x0", "x1", "x2", "x3"]].to_numpy()
    expected = made(RandomPatchesRegressor).fit(array, TABLE.price).digest()
    for name, form in (("rows", array), ("columns", np.asfortranarray(array))):
        np.save(tmp_path / f"{name}.npy", form)
        source = scan(tmp_path / f"{name}.npy")
        forest = made(RandomPatchesRegressor).fit(source, TABLE.price)
        assert forest.digest() == expected
        np.testing.assert_array_equal(forest.predict(source), forest.predict(array))
    assert made(RandomPatchesRegressor).fit(scan(array), TABLE.price).digest() == expected


@each_kind
def test_the_number_of_passes_and_batches_does_not_change_the_forest(monkeypatch, kind, y):
    from silvics.patches import plan
    from silvics.patches.plan import Plan

    expected = made(kind).fit(scan(without_other(y)), y, "w")
    assert expected.n_passes_ == 2
    for trees_per_pass, batch_rows in ((1, 17), (2, 1000), (4, 99)):
        chosen = Plan(trees_per_pass, -(-5 // trees_per_pass), 2, batch_rows)
        monkeypatch.setattr(plan, "planned", lambda *given, chosen=chosen, **more: chosen)
        forest = made(kind).fit(scan(without_other(y)), y, "w")
        assert forest.digest() == expected.digest()
        assert forest.n_passes_ == 1 + chosen.n_passes


def test_several_outputs_and_class_weights():
    frame = X.assign(kind=TABLE.kind, sign=np.where(TABLE.x0 > 0, "+", "-"))
    forest = made(RandomPatchesClassifier).fit(scan(frame), ["kind", "sign"])
    expected = made(RandomPatchesClassifier).fit(X, frame[["kind", "sign"]].to_numpy(object))
    assert forest.digest() == expected.digest()
    for weight in ("balanced", {"low": 1.0, "middle": 3.0, "high": 0.5}):
        forest = made(RandomPatchesClassifier, class_weight=weight)
        scanned = made(RandomPatchesClassifier, class_weight=weight)
        forest.fit(X, TABLE.kind, TABLE.w)
        scanned.fit(scan(without_other("kind")), "kind", "w")
        assert scanned.digest() == forest.digest()


def test_levels_are_those_of_the_whole_table_and_rare_ones_are_missing():
    frame = without_other("kind").sort_values("level").reset_index(drop=True)
    frame.loc[frame.index[-3:], "level"] = "zz"
    settings = {"min_category_frequency": 10}
    parts = frame.drop(columns=["w", "kind"])
    expected = made(RandomPatchesClassifier, **settings).fit(parts, frame.kind, frame.w)
    forest = made(RandomPatchesClassifier, **settings).fit(scan(frame), "kind", "w")
    assert forest.digest() == expected.digest()
    at = list(forest.feature_names_in_).index("level")
    assert forest.categories_[at].tolist() == list("abcdefg")


def test_warm_start_saving_merging_and_importances(tmp_path):
    source = scan(without_other("kind"))
    forest = made(RandomPatchesClassifier, warm_start=True, n_estimators=2)
    forest.fit(source, "kind", "w").set_params(n_estimators=5).fit(source, "kind", "w")
    assert forest.digest() == made(RandomPatchesClassifier).fit(source, "kind", "w").digest()
    forest.save(tmp_path / "forest.silvics")
    loaded = silvics.load(tmp_path / "forest.silvics")
    assert loaded.digest() == forest.digest()
    assert loaded.n_passes_ == forest.n_passes_
    np.testing.assert_array_equal(loaded.predict(X), forest.predict(X))
    assert len(silvics.merge([forest, loaded])) == 10
    assert forest.importances().names.tolist() == X.columns.tolist()
    unweighted = made(RandomPatchesClassifier, n_estimators=30).fit(
        scan(X.assign(k=TABLE.kind)), "k"
    )
    assert unweighted.in_bag_counts().sum() == 30 * 750
    measured = unweighted.importances("mda", X, TABLE.kind)
    assert measured.to_frame()["variable"][0] in {"x0", "level"}
    with pytest.raises(ValueError, match="same columns, levels and classes"):
        forest.set_params(n_estimators=6).fit(scan(X.assign(kind=TABLE.x0 > 0)), "kind")


def test_defaults_are_those_of_the_chapter_and_of_recipes():
    def axes(recipe, **settings):
        return RandomPatchesClassifier(recipe, **settings)._choices(1000)

    plain = axes("extra_trees")
    assert (plain.max_samples, plain.max_columns, plain.max_features) == (0.25, 0.5, None)
    assert axes("extra_trees", max_features="sqrt").max_features == "sqrt"
    assert axes("pert").max_features == 1
    pasting, subspace = axes("pasting"), axes("random_subspace")
    assert (pasting.max_samples, pasting.max_columns) == (0.5, None)
    assert (subspace.max_samples, subspace.max_columns) == (None, 0.5)
    assert axes("random_patches").max_samples == 0.75
    assert axes("subbag", max_samples=0.632).max_columns == 0.75


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"recipe": "rotation_forest"}, "rotates the columns"),
        ({"pruning": "reduced_error"}, "Use ccp_alpha"),
        ({"max_memory": "much"}, "max_memory must be"),
        ({"max_samples": 5000}, "Lower max_samples"),
    ],
)
def test_choices_that_patches_cannot_make_are_refused(settings, text):
    for X_, y in ((X, TABLE.kind), (scan(without_other("kind")), "kind")):
        with pytest.raises(ValueError, match=text):
            made(RandomPatchesClassifier, **settings).fit(X_, y)


def test_sparse_tables_are_refused_with_what_to_use():
    from scipy.sparse import csr_matrix

    with pytest.raises(ValueError, match='rows="patches"'):
        made(RandomPatchesRegressor).fit(csr_matrix(np.eye(20)), np.arange(20.0))


def test_an_interrupted_fit_keeps_the_first_trees():
    def stop(done, total):
        assert total == 8
        if done >= 4:
            raise KeyboardInterrupt

    source = scan(without_other("kind"))
    forest = made(RandomPatchesClassifier, n_estimators=8, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        forest.fit(source, "kind")
    assert forest.interrupted_
    kept = len(forest)
    assert 4 <= kept < 8
    assert (
        forest.digest()
        == made(RandomPatchesClassifier, n_estimators=kept).fit(source, "kind").digest()
    )


@pytest.mark.parametrize("n", [10, 67])
def test_weights_of_a_scan_have_its_length(n):
    X = np.random.default_rng(0).normal(size=(60, 3))
    forest = RandomPatchesRegressor(n_estimators=5)
    with pytest.raises(ValueError, match=f"sample_weight has {n} values, but the table has 60"):
        forest.fit(scan(X), X[:, 0], sample_weight=np.ones(n))


@pytest.mark.parametrize("kind", ["memory", "scan", "path"])
def test_what_patches_do_not_have_is_refused(tmp_path, kind):
    """Alike in memory and in files."""
    frame = without_other("kind")
    source = {"memory": X, "scan": scan(frame), "path": write_parts(frame, tmp_path)}[kind]
    y = TABLE.kind if kind == "memory" else "kind"
    with pytest.raises(ValueError, match=r'not tuned.*max_samples="auto" and max_columns="auto"'):
        RandomPatchesClassifier("auto").fit(source, y)
    text = r'oob_score=True needs out-of-bag rows.*with max_samples below 1.0 .*or draw="bootstrap"'
    with pytest.raises(ValueError, match=text) as raised:
        made(RandomPatchesClassifier, max_samples=1.0, oob_score=True).fit(source, y)
    assert "bootstrap=True" not in str(raised.value)
    groups = TABLE.number if kind == "memory" else "number"
    with pytest.raises(ValueError, match=r"with max_samples below 1.0\."):
        made(RandomPatchesClassifier, max_samples=1.0, oob_score=True).fit(source, y, groups=groups)


@pytest.mark.parametrize(
    ("kind", "other"),
    [(RandomPatchesClassifier, ForestClassifier), (RandomPatchesRegressor, ForestRegressor)],
)
def test_the_docstring_names_what_patches_do_not_have(kind, other):
    named = {"tune", "early_stopping", "calibrate", "keep_samples"} & set(
        signature(other).parameters
    )
    assert not named & set(signature(kind).parameters)
    for name in named:
        assert f"- ``{name}``: " in kind.__doc__
