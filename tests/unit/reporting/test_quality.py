import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, log_loss, r2_score, roc_auc_score

from silvics.reporting.learning import learn
from silvics.reporting.quality import quality_section
from silvics.reporting.scores import Score, scores_for, with_interval
from silvics.reporting.subject import subject_of


def learned(X, y, **columns):
    subject = subject_of(X, y, **columns)
    return subject, learn(subject, seed=0, n_jobs=1, progress=None, n_trees=50)


@pytest.mark.parametrize("seed", range(3))
def test_perfect_scores_have_intervals(seed):
    """The AUC of resampled rows differs from one by rounding."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 80)
    right = rng.uniform(0.6, 0.9, 80)
    p = np.where(np.stack([1 - y, y], axis=1) == 1, right[:, None], 1 - right[:, None])
    for score in scores_for(np.arange(2))[:3]:
        value, low, high = with_interval(score, y, p, np.ones(80))
        assert value == pytest.approx(1)
        assert 0.94 < low < 0.96
        assert high == pytest.approx(1)


def test_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, weights = rng.integers(0, 3, 200), rng.random(200)
    shares = rng.dirichlet([1, 1, 1], 200)
    of = {score.name: score.of for score in scores_for(np.arange(3))}
    label = shares.argmax(axis=1)
    assert of["accuracy"](y, shares, weights) == pytest.approx(
        accuracy_score(y, label, sample_weight=weights)
    )
    assert of["log-loss"](y, shares, weights) == pytest.approx(
        log_loss(y, shares, sample_weight=weights)
    )
    assert of["AUC"](y, shares, weights) == pytest.approx(
        roc_auc_score(y, shares, multi_class="ovr", sample_weight=weights)
    )
    numbers = {score.name: score.of for score in scores_for(None)}
    z = rng.normal(size=200)
    assert numbers["R2"](z, shares[:, 0], weights) == pytest.approx(
        r2_score(z, shares[:, 0], sample_weight=weights)
    )


def test_intervals_cover_the_score_of_many_rows():
    score = scores_for(np.arange(2))[0]
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(100):
        right = rng.random(300) < 0.8
        shares = np.stack([right, ~right], axis=1).astype(float)
        _, low, high = with_interval(score, np.zeros(300, int), shares, np.ones(300))
        covered += low <= 0.8 <= high
    assert covered >= 88


@pytest.mark.parametrize("n_wrong", [0, 1, 20])
def test_intervals_of_accuracies_are_wilsons(n_wrong):
    accuracy = scores_for(np.arange(2))[0]
    wrong = np.arange(200) < n_wrong
    shares = np.stack([~wrong, wrong], axis=1).astype(float)
    _, low, high = with_interval(accuracy, np.zeros(200, int), shares, np.ones(200))
    asked = binomtest(200 - n_wrong, 200).proportion_ci(method="wilson")
    assert low == pytest.approx(asked.low, abs=0.006)  # n is estimated by resampling
    assert high == pytest.approx(asked.high, abs=0.006)


def test_a_score_of_one_has_an_interval_although_resamples_have_less():
    distinct = Score("distinct", lambda y, _p, _w: len(np.unique(y)) / len(y), True, "", 0, 1)
    value, low, high = with_interval(distinct, np.arange(12), np.zeros((12, 2)), np.ones(12))
    assert value == high == 1
    assert low == pytest.approx(binomtest(12, 12).proportion_ci(method="wilson").low, abs=1e-4)


def test_intervals_stay_within_the_range_of_their_score():
    rng = np.random.default_rng(0)
    y, weights = np.arange(30) % 2, np.ones(30)
    shares = np.stack([y == 0, y == 1], axis=1) * 0.9 + 0.05
    for score in scores_for(np.arange(2)):
        value, low, high = with_interval(score, y, shares, weights)
        assert score.least <= low <= value <= high <= score.most, score.name
    z = rng.normal(size=30)
    for score in scores_for(None):
        value, low, high = with_interval(score, z, z + rng.normal(scale=1e-3, size=30), weights)
        assert score.least <= low <= value <= high <= score.most, score.name


def test_groups_are_predicted_by_forests_that_have_not_seen_them():
    """The inputs name the group and nothing else: only rows of the same group could help."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(40), 10)
    X = pd.DataFrame({"of_group": rng.normal(size=40)[group], "group": group})
    y = (rng.random(40) < 0.5).astype(int)[group]
    subject, by_group = learned(X, y, group="group")
    assert by_group.how == "by group"
    accuracy = np.mean(subject.classes[by_group.predicted.argmax(axis=1)] == y)
    assert accuracy < 0.75 < by_group.forest.oob_score_


def test_times_are_predicted_from_earlier_rows():
    X = pd.DataFrame({"t": np.arange(120)[::-1], "a": np.random.default_rng(0).normal(size=120)})
    _, found = learned(X, X["a"].to_numpy() * 2, time="t")
    assert found.how == "in time"
    assert np.isnan(found.predicted[X["t"] < 20]).all()  # the earliest rows have no earlier ones
    assert len(found.rows) == 100


def test_segments_with_large_errors_are_found():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=1500), "kind": rng.choice(["clear", "noisy"], 1500)})
    noise = np.where(X["kind"] == "noisy", 3.0, 0.1)
    subject, found = learned(X, X["a"].to_numpy() + noise * rng.normal(size=1500))
    section = quality_section(subject, found, None, 0).to_dict()
    assert section["tables"]["segments"]["columns"]["rows where"] == ["`kind` is noisy"]
    assert section["values"]["scores"]["R2"]["value"] == pytest.approx(found.forest.oob_score_)


def test_a_linear_target_is_called_linear():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    subject, found = learned(X, X @ [1.0, 2.0, 3.0])
    texts = " ".join(quality_section(subject, found, None, 0).to_dict()["texts"])
    assert "linear model is better" in texts
