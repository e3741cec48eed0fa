"""Trees that draw groups of rows as a whole."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import silvics
from silvics import (
    ExtraTreesClassifier,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.importance import permutation_test
from silvics.model_file.reading import _checked_groups

RNG = np.random.default_rng(0)
N, N_GROUPS = 400, 40
GROUPS = RNG.integers(0, N_GROUPS, N) * 7 + 3  # unequal sizes, numbers with gaps, unsorted
EFFECT = RNG.normal(size=N_GROUPS * 7 + 4)[GROUPS]
X = np.column_stack([EFFECT, RNG.normal(size=(N, 4))])  # the first column identifies the group
Y = RNG.normal(size=N_GROUPS * 7 + 4)[GROUPS] + 0.1 * RNG.normal(size=N)
LABELS = (Y > 0).astype(int)
WEIGHTS = RNG.integers(0, 3, N).astype(float)

KINDS = [
    (RandomForestRegressor, {}),
    (RandomForestRegressor, {"max_samples": 0.5}),
    (RandomForestClassifier, {"class_weight": "balanced_subsample"}),
    (ExtraTreesClassifier, {"bootstrap": True}),
    (ForestRegressor, {"rows": "subsample", "max_samples": 12}),
    (ForestRegressor, {"rows": "bootstrap", "honest": True}),
    (ForestClassifier, {"recipe": "rotation_forest"}),
]


def forest(kind, **settings):
    return kind(**{"n_estimators": 10, "random_state": 1} | settings)


def outputs(kind):
    return LABELS if "Classifier" in kind.__name__ else Y


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize(("kind", "settings"), KINDS)
def test_groups_are_drawn_as_a_whole(kind, settings, weights):
    fitted = forest(kind, **settings).fit(X, outputs(kind), weights, groups=GROUPS)
    counts = fitted.in_bag_counts()
    by_group = pd.DataFrame(counts).groupby(GROUPS)
    assert (by_group.nunique() == 1).all(axis=None)
    each = by_group.first().to_numpy()
    wanted = settings.get("max_samples", 1.0)
    expected = wanted if isinstance(wanted, int) else round(wanted * len(each))
    assert (each.sum(axis=0) == expected).all()
    if settings.get("rows") == "subsample":
        assert each.max() == 1
    assert (
        fitted.digest()
        == forest(kind, n_jobs=2, **settings).fit(X, outputs(kind), weights, groups=GROUPS).digest()
    )


def test_each_row_a_group_is_the_forest_without_groups():
    for kind, settings in KINDS:
        y = outputs(kind)
        settings = settings | {"oob_score": True, "n_estimators": 30}
        alone = forest(kind, **settings).fit(X, y)
        grouped = forest(kind, **settings).fit(X, y, groups=np.arange(N))
        assert grouped.digest() == alone.digest()
        assert grouped.oob_score_ == alone.oob_score_


def test_a_tree_is_grown_on_the_rows_of_its_groups():
    fitted = forest(RandomForestRegressor, max_features=1.0).fit(X, Y, WEIGHTS, groups=GROUPS)
    counts = fitted.in_bag_counts()
    for m, tree in enumerate(fitted.estimators_):
        whole = counts[:, m] * WEIGHTS
        assert tree.tree_.weighted_n_node_samples[0] == whole.sum()
        assert tree.tree_.n_node_samples[0] == np.count_nonzero(whole)
        mean = np.average(Y, weights=whole)
        assert tree.tree_.value[0, 0, 0] == pytest.approx(mean, rel=1e-12)


def test_out_of_bag_predictions_come_from_trees_without_the_group():
    fitted = RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, Y, groups=GROUPS)
    out = fitted.in_bag_counts() == 0
    each = np.stack([tree.predict(X) for tree in fitted.estimators_], axis=1)
    expected = (each * out).sum(axis=1) / out.sum(axis=1)
    np.testing.assert_allclose(fitted.oob_prediction_, expected, rtol=1e-12)
    # The group determines the output and has nothing to do with that of another group.
    alone = RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, Y)
    assert alone.oob_score_ > 0.9
    assert fitted.oob_score_ < 0.2


def test_honest_trees_divide_groups():
    fitted = forest(ForestRegressor, rows="subsample", max_samples=30, honest=True)
    fitted.set_params(keep_samples=True).fit(X, Y, groups=GROUPS)
    counts = fitted.in_bag_counts()
    for m in range(10):
        rows = fitted._grown.samples.membership.in_bag(m)[0]
        estimates, drawn = np.unique(GROUPS[rows]), np.unique(GROUPS[counts[:, m] > 0])
        assert len(estimates) == 15
        assert len(drawn) == 30
        assert len(rows) == np.isin(GROUPS, estimates).sum()


def test_names_dates_and_blocks_in_time():
    names = np.array([f"patient {g}" for g in GROUPS])
    digest = forest(RandomForestRegressor).fit(X, Y, groups=names).digest()
    for groups in (list(names), pd.Series(names), pd.Categorical(names)):
        assert forest(RandomForestRegressor).fit(X, Y, groups=groups).digest() == digest
    hours = pd.date_range("2026-01-01", periods=N, freq="h")
    by_day = forest(RandomForestRegressor).fit(X, Y, groups=hours.floor("D"))
    blocks = forest(RandomForestRegressor).fit(X, Y, groups=np.arange(N) // 24)
    assert by_day.digest() == blocks.digest()


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_files_training_rows_and_warm_start(tmp_path, weights):
    n = {"n_estimators": 40}  # so that each group is out of bag in a tree
    kept = forest(RandomForestRegressor, keep_samples=True, **n).fit(X, Y, weights, groups=GROUPS)
    later = forest(RandomForestRegressor, **n).fit(X, Y, weights, groups=GROUPS)
    later.attach_samples(X, Y, weights, groups=GROUPS)
    np.testing.assert_array_equal(later.oob_curve().scores, kept.oob_curve().scores)
    with pytest.raises(ValueError, match="Pass the groups of fit"):
        later.attach_samples(X, Y, weights)

    kept.save(tmp_path / "whole", training_rows=True)
    loaded = silvics.load(tmp_path / "whole")
    np.testing.assert_array_equal(loaded.in_bag_counts(), kept.in_bag_counts())
    kept.save(tmp_path / "without")
    for name in ("without", "again"):
        loaded = silvics.load(tmp_path / name)
        assert loaded.digest() == kept.digest()
        with pytest.raises(ValueError, match="training_rows=True"):
            loaded.in_bag_counts()
        with pytest.raises(AttributeError, match="groups or classes"):
            loaded.estimators_samples_  # noqa: B018
        if name == "without":
            loaded.save(tmp_path / "again")
    loaded.attach_samples(X, Y, weights, groups=GROUPS)
    np.testing.assert_array_equal(loaded.in_bag_counts(), kept.in_bag_counts())

    grown = forest(RandomForestRegressor, n_estimators=4, warm_start=True)
    grown.fit(X, Y, weights, groups=GROUPS)
    grown.set_params(**n)
    for groups in (None, GROUPS[::-1]):
        with pytest.raises(ValueError, match="groups must be those of the previous fit"):
            grown.fit(X, Y, weights, groups=groups)
    assert grown.fit(X, Y, weights, groups=GROUPS).digest() == kept.digest()


def test_standard_errors_are_over_groups():
    settings = {"n_estimators": 300, "min_samples_leaf": 5, "random_state": 0}
    fitted = RandomForestRegressor(**settings).fit(X, Y, groups=GROUPS)
    each = np.stack([tree.predict(X[:3]) for tree in fitted.estimators_])
    first = np.unique(GROUPS, return_index=True)[1]
    counts = fitted.in_bag_counts()[first].T
    centred = each - each.mean(axis=0)
    covariance = (counts - counts.mean(axis=0)).T @ centred / 300
    products = ((counts - counts.mean(axis=0)) ** 2).sum() / 300
    expected = (covariance**2).sum(axis=0) - products * (centred**2).sum(axis=0) / 300**2
    raw = fitted.predict_standard_error(X[:3], raw=True)
    np.testing.assert_allclose(raw, expected, rtol=1e-4)


def test_metadata_are_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        model = RandomForestRegressor(5, random_state=0).set_fit_request(groups=True)
        pipeline = make_pipeline(StandardScaler(), model).fit(X, Y, groups=GROUPS)
        assert pipeline[-1]._grown.sampling.n_groups == len(np.unique(GROUPS))
        scores = cross_val_score(model, X, Y, cv=GroupKFold(3), params={"groups": GROUPS})
        assert len(scores) == 3
        search = GridSearchCV(model, {"max_features": [1, 2]}, cv=GroupKFold(3))
        search.fit(X, Y, groups=GROUPS)
        assert search.best_estimator_._grown.sampling.n_groups == len(np.unique(GROUPS))


@pytest.mark.parametrize(
    ("kind", "settings", "groups", "words"),
    [
        (RandomForestRegressor, {}, GROUPS[1:], "groups has 399 values"),
        (RandomForestRegressor, {}, np.where(GROUPS > 9, GROUPS, np.nan), "missing values"),
        (RandomForestRegressor, {}, [None, *map(str, GROUPS[1:])], "missing values"),
        (RandomForestRegressor, {}, np.stack([GROUPS, GROUPS], axis=1), "groups has the shape"),
        (RandomForestRegressor, {}, "patient", "got 'patient'. The name of a column"),
        (RandomForestRegressor, {}, 3, "group of each row, got 3"),
        (RandomForestRegressor, {}, np.zeros((N, 1, 2)), "groups has the shape"),
        (RandomForestRegressor, {"max_samples": 50}, GROUPS, "only 40 groups"),
        (RandomForestRegressor, {"bootstrap": False}, GROUPS, "Set bootstrap=True"),
        (ForestRegressor, {"recipe": "extra_trees"}, GROUPS, 'rows="subsample"'),
        (
            ForestRegressor,
            {"rows": "bootstrap", "pruning": "reduced_error"},
            GROUPS,
            "holds out single rows",
        ),
        (ForestRegressor, {"rows": "bootstrap", "honest": True}, np.ones(N), "1 group"),
        (RandomForestRegressor, {"oob_score": True, "n_estimators": 10}, np.ones(N), ""),
    ],
)
def test_refused_groups(kind, settings, groups, words):
    model = forest(kind, **settings)
    if not words:  # a single group is always in the bag
        with pytest.warns(UserWarning, match="out-of-bag"):
            model.fit(X, Y, groups=groups)
        return
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y, groups=groups)


def test_values_of_several_types_are_refused():
    with pytest.raises(TypeError, match="several types"):
        forest(RandomForestRegressor).fit(X, Y, groups=np.array(["a", 1] * 200, dtype=object))


def test_tests_that_fit_again_refuse_a_forest_with_groups():
    fitted = forest(RandomForestRegressor).fit(X, Y, groups=GROUPS)
    with pytest.raises(ValueError, match="fitted with groups"):
        permutation_test(fitted, X, Y, n_permutations=2)


def test_subsamples_of_all_groups_leave_no_rows_out():
    model = forest(ForestRegressor, rows="subsample", max_samples=1.0, oob_score=True)
    with pytest.raises(ValueError, match="out-of-bag rows"):
        model.fit(X, Y, groups=GROUPS)


def test_damaged_groups_in_files_are_refused():
    good = np.repeat(np.arange(4, dtype=np.uint32), 2)
    np.testing.assert_array_equal(_checked_groups(good, 8, 4), good)
    for bad in (good.astype(np.int64), good[1:], good + np.uint32(1), good // np.uint32(2)):
        with pytest.raises(silvics.ModelFileError, match="groups"):
            _checked_groups(bad, 8, 4)
