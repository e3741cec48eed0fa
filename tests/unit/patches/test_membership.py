"""Which rows patches have: uniform draws, with replacement, by class, and whole groups."""

import numpy as np
import pytest
from scipy.stats import chisquare, kstest
from sklearn.base import clone

import silvics
from silvics import RandomPatchesClassifier, RandomPatchesRegressor, scan
from silvics._predicting.sampling import rows_of_strata
from silvics.patches.membership import ByClass, SingleRows, WholeGroups
from silvics.patches.rows import Part

from .scanned_tables import table, write_parts

TABLE = table()
TABLE["group"] = np.random.default_rng(5).integers(0, 60, len(TABLE)) ** 2 // 60
X = TABLE.drop(columns=["w", "price", "kind", "group"])
CLASSES = np.random.default_rng(1).choice(3, 5000, p=[0.9, 0.09, 0.01])
GROUPS = np.random.default_rng(2).integers(0, 77, 5000)
MEMBERSHIPS = {
    "single": SingleRows(5000, 700),
    "replacement": SingleRows(5000, 5000, True),
    "groups": WholeGroups(np.bincount(GROUPS), 20),
    "classes": ByClass(np.bincount(CLASSES), rows_of_strata(np.bincount(CLASSES), 500)),
}


def parts(step):
    for first in range(0, 5000, step):
        rows = slice(first, min(first + step, 5000))
        n = rows.stop - first
        yield Part(first, n, {}, CLASSES[rows, np.newaxis], None, GROUPS[rows].astype(np.uint32))


def drawn(membership, seed, step=5000):
    """The rows of a patch and how often they are drawn, and the units of all rows."""
    cursor, units = membership.cursor(seed), membership.units()
    rows, counts, found = [], [], []
    for part in parts(step):
        of_part, times = cursor.take(part)
        rows.append(of_part + part.first)
        counts.append(np.ones(len(of_part)) if times is None else times)
        found.append(units.of(part))
    return np.concatenate(rows), np.concatenate(counts), np.concatenate(found)


@pytest.mark.parametrize("name", MEMBERSHIPS)
def test_rows_do_not_depend_on_batches_and_are_those_of_the_units(name):
    membership = MEMBERSHIPS[name]
    assert membership.n_rows == 5000
    for seed in (0, 1):
        rows, counts, units = drawn(membership, seed)
        assert np.all(np.diff(rows) > 0)
        assert len(rows) == membership.size(seed)
        for step in (1, 777, 4096):
            for a, b in zip(drawn(membership, seed, step), (rows, counts, units), strict=True):
                np.testing.assert_array_equal(a, b)
        of_units = np.flatnonzero(np.isin(units, membership.drawn_units(seed)))
        np.testing.assert_array_equal(of_units, rows)
    assert not np.array_equal(drawn(membership, 2)[0], rows)


def test_draws_with_replacement_whole_groups_and_shares_of_classes():
    _, counts, _ = drawn(MEMBERSHIPS["replacement"], 3)
    assert counts.sum() == 5000
    assert len(counts) == pytest.approx(5000 * (1 - np.exp(-1)), rel=0.03)
    rows, _, _ = drawn(MEMBERSHIPS["groups"], 3)
    assert len(np.unique(GROUPS[rows])) == 20
    assert len(rows) == np.isin(GROUPS, GROUPS[rows]).sum()
    rows, _, _ = drawn(MEMBERSHIPS["classes"], 3)
    assert np.abs(np.bincount(CLASSES[rows]) - np.bincount(CLASSES) / 10).max() <= 1


@pytest.mark.parametrize("name", ["single", "classes"])
def test_every_row_is_drawn_equally_often_though_rows_are_sorted_by_class(name, monkeypatch):
    monkeypatch.setattr(__import__(__name__, fromlist=["x"]), "CLASSES", np.sort(CLASSES))
    times = np.zeros(5000)
    for seed in range(300):
        times[drawn(MEMBERSHIPS[name], seed)[0]] += 1
    of_class = np.bincount(CLASSES, times) / np.bincount(CLASSES)
    for c in range(3):
        of_rows = times[CLASSES == c]
        share = of_class[c] / 300
        chi = ((of_rows - of_class[c]) ** 2).sum() / (300 * share * (1 - share))
        assert abs(chi - len(of_rows)) < 4 * np.sqrt(2 * len(of_rows))


def test_patches_of_a_file_that_is_sorted_by_the_target_are_uniform(tmp_path):
    frame = TABLE[["x0", "x1", "price"]].sort_values("price", ignore_index=True)
    settings = {"n_estimators": 200, "max_samples": 0.1, "max_depth": 1, "random_state": 0}
    forest = RandomPatchesRegressor(**settings).fit(scan(write_parts(frame, tmp_path)), "price")
    counts = forest.in_bag_counts()
    assert (counts.sum(axis=0) == 300).all()
    ranks = (np.arange(len(frame)) + 0.5) / len(frame)
    p_values = np.array([kstest(ranks[of_tree > 0], "uniform").pvalue for of_tree in counts.T])
    # Rows without replacement are a little more even than independent draws.
    assert (p_values < 0.01).sum() <= 6
    assert chisquare(counts.sum(axis=1).reshape(60, 50).sum(axis=1)).pvalue > 0.01


@pytest.mark.parametrize(
    ("sizes", "n_drawn", "expected"),
    [
        ([900, 90, 10], 100, [90, 9, 1]),
        ([900, 96, 4], 100, [90, 9, 1]),
        ([5, 5], 10, [5, 5]),
        ([1000, 1, 1, 1], 5, [2, 1, 1, 1]),
        ([3, 3, 3], 4, [2, 1, 1]),
    ],
)
def test_rows_of_strata(sizes, n_drawn, expected):
    assert rows_of_strata(np.array(sizes), n_drawn) == expected


def test_rows_of_strata_are_exact_for_random_sizes():
    rng = np.random.default_rng(0)
    for _ in range(300):
        sizes = rng.integers(1, rng.choice([3, 50, 10**6]), rng.integers(1, 9))
        n_drawn = int(rng.integers(len(sizes), sizes.sum() + 1))
        found = np.array(rows_of_strata(sizes, n_drawn))
        assert found.sum() == n_drawn
        assert ((found >= 1) & (found <= sizes)).all()
    with pytest.raises(ValueError, match="a row of each of 3 classes"):
        rows_of_strata(np.array([5, 5, 5]), 2)


DRAWS = {
    "bootstrap": ({"draw": "bootstrap"}, {}),
    "subbag": ({"recipe": "subbag"}, {}),
    "stratified": ({"draw": "stratified", "max_samples": 0.05}, {}),
    "groups": ({"max_samples": 7}, {"groups": "group"}),
    "honest groups": ({"recipe": "denil_2013", "max_columns": 1.0}, {"groups": "group"}),
}


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize("name", DRAWS)
def test_a_scan_gives_the_forest_of_memory_and_attached_rows_are_checked(tmp_path, name):
    settings, more = DRAWS[name]
    given = {"n_estimators": 4, "random_state": 1, "oob_score": True, "oob_rows": 10**6}
    made = RandomPatchesClassifier(**given | settings)
    held = {key: TABLE[column] for key, column in more.items()}
    expected = clone(made).fit(X, TABLE.kind, TABLE.w, **held)
    others = ["price"] if more else ["price", "group"]
    source = scan(write_parts(TABLE.drop(columns=others), tmp_path))
    scanned = clone(made).set_params(n_jobs=2).fit(source, "kind", "w", **more)
    assert scanned.digest() == expected.digest()
    assert scanned.oob_score_ == pytest.approx(expected.oob_score_, abs=1e-12)
    counts = expected.in_bag_counts()
    if name in ("bootstrap", "subbag"):
        assert counts.max() > 1
    if name == "groups":
        assert (len(np.unique(TABLE.group[of_tree > 0])) == 7 for of_tree in counts.T)
    with_rows = scanned.attach_samples(X, TABLE.kind, TABLE.w, **held)
    np.testing.assert_array_equal(with_rows.in_bag_counts(), counts)
    expected.save(tmp_path / "x.silvics", training_rows=True)
    loaded = silvics.load(tmp_path / "x.silvics")
    np.testing.assert_array_equal(loaded.in_bag_counts(), counts)
    again = clone(made).set_params(warm_start=True, oob_score=False, n_estimators=2)
    again.fit(source, "kind", "w", **more).set_params(n_estimators=4).fit(
        source, "kind", "w", **more
    )
    assert again.digest() == expected.digest()


def test_patches_by_class_are_there_even_if_the_class_is_rare():
    y = np.array([0] * 2990 + [1] * 10)
    forest = RandomPatchesClassifier(
        n_estimators=20, draw="stratified", max_samples=0.02, random_state=0
    )
    counts = forest.fit(X, y).in_bag_counts()
    assert (counts[y == 1].sum(axis=0) == 1).all()
    assert (counts.sum(axis=0) == 60).all()


def test_draws_that_are_not_possible():
    several = np.column_stack([TABLE.kind, TABLE.kind]).astype(object)
    for settings, y, groups, text in [
        ({"draw": "stratified"}, several, None, "classes of one output"),
        ({"draw": "stratified", "max_samples": 2}, TABLE.kind, None, "each of 3 classes"),
        ({"draw": "stratified"}, TABLE.kind, TABLE.group, "groups are drawn as a whole"),
        ({"max_samples": 5000}, TABLE.kind, TABLE.group, "there are only"),
    ]:
        with pytest.raises(ValueError, match=text):
            RandomPatchesClassifier(**settings).fit(X, y, groups=groups)
    source = scan(TABLE.assign(group=TABLE.group.where(TABLE.group > 2)))
    with pytest.raises(ValueError, match="groups has missing values"):
        RandomPatchesClassifier().fit(source, "kind", groups="group")
    with pytest.raises(ValueError, match="groups='gruop' is not a column"):
        RandomPatchesClassifier().fit(scan(TABLE), "kind", groups="gruop")
    with pytest.raises(ValueError, match="groups has 5 values"):
        RandomPatchesClassifier().fit(scan(TABLE), "kind", groups=np.arange(5))


def test_weights_of_a_scan_are_kept_if_they_are_small(tmp_path):
    source = scan(write_parts(TABLE.drop(columns=["price", "group"]), tmp_path))
    made = RandomPatchesClassifier(n_estimators=10, random_state=0, max_columns=1.0)
    held = clone(made).fit(X, TABLE.kind, TABLE.w)
    kept = clone(made).fit(source, "kind", "w")
    settings = {"random_state": 0, "n_repeats": 1}
    expected = held.importances("mda", X, TABLE.kind, **settings).values
    found = kept.importances("mda", X, TABLE.kind, **settings).values
    np.testing.assert_array_equal(found, expected)
    few = clone(made)
    with pytest.MonkeyPatch.context() as patch:
        from silvics.patches import scanned

        patch.setattr(scanned, "_USUAL_BUDGET", 8)
        few.fit(source, "kind", "w")
    np.testing.assert_array_equal(few.in_bag_counts(), held.in_bag_counts())
    with pytest.raises(ValueError, match="attach_samples"):
        few.importances("mda", X, TABLE.kind, **settings)
    few.attach_samples(X, TABLE.kind, TABLE.w)
    np.testing.assert_array_equal(
        few.importances("mda", X, TABLE.kind, **settings).values, expected
    )
