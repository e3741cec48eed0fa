"""Forests with calibrated probabilities, and what calibration changes elsewhere."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification

import silvics
from silvics import ExtraTreesClassifier, ForestClassifier
from silvics import RandomForestClassifier as Forest

X, Y = make_classification(
    900, 12, n_informative=4, n_classes=3, flip_y=0.15, n_clusters_per_class=1, random_state=0
)
NAMES = np.array(["a", "b", "c"])[Y]
TRAIN, TEST = slice(0, 500), slice(500, None)


def grown(y=NAMES, **parameters):
    parameters = {"calibrate": "oob", "random_state": 0, **parameters}
    return Forest(50, **parameters).fit(X[TRAIN], y[TRAIN])


@pytest.fixture(scope="module")
def forest():
    return grown()


def loss(p, y=Y[TEST]):
    return -np.log(np.maximum(p[np.arange(len(y)), y], 0.01)).mean()


def test_probabilities_are_better_and_labels_agree(forest):
    raw = grown(calibrate=None)
    p = forest.predict_proba(X[TEST])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert forest.calibration_.method != "raw"
    assert loss(p) < loss(raw.predict_proba(X[TEST])) - 0.01
    np.testing.assert_array_equal(forest.predict(X[TEST]), forest.classes_[p.argmax(axis=1)])
    np.testing.assert_allclose(forest.predict_log_proba(X[TEST]), np.log(p))
    assert forest.digest() == raw.digest()
    assert not hasattr(raw, "calibration_")
    assert abs(forest.score(X[TEST], NAMES[TEST]) - raw.score(X[TEST], NAMES[TEST])) < 0.03


def test_the_result(forest):
    found = forest.calibration_
    assert found.n_rows == 500
    assert found.log_loss[found.method] < found.log_loss["raw"]
    frame = found.to_frame()
    assert frame.columns.tolist() == ["probabilities", "mean", "share", "n_rows"]
    assert frame.groupby("probabilities")["n_rows"].sum().tolist() == [500, 500]
    mean, share, size = found.reliability.T
    raw_mean, raw_share, raw_size = found.raw_reliability.T
    apart = np.average(np.abs(mean - share), weights=size)
    assert apart < np.average(np.abs(raw_mean - raw_share), weights=raw_size)
    assert f"Calibration by {found.method}" in repr(found)
    pytest.importorskip("matplotlib")
    assert found.plot().ax_.get_xlabel() == "mean predicted probability"


def test_any_number_of_threads_and_kept_rows_give_the_same(forest):
    for parameters in ({"n_jobs": 3}, {"keep_samples": True}, {"oob_score": True}):
        np.testing.assert_array_equal(
            grown(**parameters).predict_proba(X[TEST]), forest.predict_proba(X[TEST])
        )


def test_several_outputs():
    both = np.column_stack([NAMES, np.where(X[:, 0] > 0, "x", "y")])
    forest = grown(both)
    first, second = forest.predict_proba(X[TEST])
    assert len(forest.calibration_) == 2
    labels = forest.predict(X[TEST])
    np.testing.assert_array_equal(labels[:, 0], forest.classes_[0][first.argmax(axis=1)])
    np.testing.assert_array_equal(labels[:, 1], forest.classes_[1][second.argmax(axis=1)])


def test_weights_and_class_weights_are_kept():
    rare = (Y == 0).astype(int)
    plain, weighted, each = (
        grown(rare, class_weight=weight).predict_proba(X[TEST])[:, 1].mean()
        for weight in (None, "balanced", "balanced_subsample")
    )
    assert plain == pytest.approx(rare.mean(), abs=0.04)
    assert weighted > plain + 0.05
    assert each > plain + 0.05


def test_fitting_again_forgets(forest):
    again = clone(forest).fit(X[TRAIN], NAMES[TRAIN])
    again.set_params(calibrate=None).fit(X[TRAIN], NAMES[TRAIN])
    assert not hasattr(again, "calibration_")
    more = grown(warm_start=True)
    more.set_params(n_estimators=60).fit(X[TRAIN], NAMES[TRAIN])
    whole = Forest(60, calibrate="oob", random_state=0).fit(X[TRAIN], NAMES[TRAIN])
    np.testing.assert_array_equal(more.predict_proba(X), whole.predict_proba(X))


def test_calibration_travels(forest, tmp_path):
    wanted = forest.predict_proba(X[TEST])
    forest.save(tmp_path / "a.silvics")
    forest.save(tmp_path / "b.silvics", for_prediction=True)
    for made in (
        silvics.load(tmp_path / "a.silvics"),
        silvics.load(tmp_path / "b.silvics"),
        pickle.loads(pickle.dumps(forest)),
    ):
        np.testing.assert_array_equal(made.predict_proba(X[TEST]), wanted)
        assert made.calibration_.log_loss == forest.calibration_.log_loss
    predict = pickle.loads(pickle.dumps(forest.predictor()))
    np.testing.assert_array_equal(predict.predict_proba(X[TEST]), wanted)
    np.testing.assert_array_equal(predict.predict_proba(X[TEST][0]), wanted[0])
    np.testing.assert_array_equal(predict(X[TEST]), forest.predict(X[TEST]))
    labels = [predict(row.tolist()) for row in X[TEST][:50]]
    assert labels == forest.predict(X[TEST][:50]).tolist()


def test_what_cannot_calibrate_refuses(forest):
    for convert in (forest.to_json, forest.to_c, forest.to_sklearn):
        with pytest.raises(ValueError, match="probabilities of this forest are calibrated"):
            convert()
    with pytest.raises(ValueError, match="calibrated for their own trees"):
        silvics.merge([forest, grown(random_state=1)])
    raw = grown(np.where(X[:, 0] > -99, "one", "two"))  # a single class stays raw
    assert raw.calibration_.method == "raw"
    raw.to_json()


def test_trees_must_leave_rows_out():
    with pytest.raises(ValueError, match=r"calibrate='oob' needs out-of-bag rows"):
        ExtraTreesClassifier(5, calibrate="oob").fit(X, Y)
    with pytest.raises(ValueError, match="'calibrate' parameter"):
        Forest(5, calibrate="isotonic").fit(X, Y)
    drawn = ForestClassifier("extra_trees", rows="subsample", max_samples=0.6, calibrate="oob")
    assert drawn.fit(X[TRAIN], Y[TRAIN]).calibration_.n_rows > 480
