"""The same forest for any number of threads and any number of warm-start steps."""

import numpy as np
import pytest
from joblib import parallel_config

import silvics

from .victim import problem

FORESTS = [
    silvics.RandomForestClassifier,
    silvics.RandomForestRegressor,
    silvics.ExtraTreesClassifier,
    silvics.ExtraTreesRegressor,
]


@pytest.fixture(params=FORESTS, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.fixture
def alone(kind):
    return kind(n_estimators=11, random_state=5, n_jobs=1).fit(*problem())


@pytest.mark.parametrize("n_jobs", [2, 3, 8, -1])
def test_any_number_of_threads(kind, alone, n_jobs):
    team = kind(n_estimators=11, random_state=5, n_jobs=n_jobs).fit(*problem())
    assert team.digest() == alone.digest()


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 8])
@pytest.mark.parametrize("steps", [(1, 11), (4, 5, 11), range(1, 12)])
def test_any_warm_start_steps(kind, alone, n_jobs, steps):
    forest = kind(random_state=5, n_jobs=n_jobs, warm_start=True)
    for n_estimators in steps:
        forest.set_params(n_estimators=n_estimators).fit(*problem())
    assert forest.digest() == alone.digest()


def test_warm_start_keeps_the_seed_of_its_first_fit(kind):
    X, y = problem()
    forest = kind(n_estimators=3, warm_start=True, random_state=np.random.RandomState(0)).fit(X, y)
    first = [tree.digest() for tree in forest]
    forest.set_params(n_estimators=6).fit(X, y)
    assert [tree.digest() for tree in forest][:3] == first
    assert len({tree.digest() for tree in forest}) == 6


def test_out_of_bag_estimates(kind):
    X, y = problem()
    scores = {
        kind(n_estimators=30, random_state=0, bootstrap=True, oob_score=True, n_jobs=n_jobs)
        .fit(X, y)
        .oob_score_
        for n_jobs in (1, 2, 3, 8)
    }
    assert len(scores) == 1


@pytest.mark.parametrize("n_jobs", [2, 3, 8])
def test_predictions(kind, alone, n_jobs):
    X = np.tile(problem()[0], (60, 1))  # large enough to start threads
    team = kind(n_estimators=11, random_state=5, n_jobs=n_jobs).fit(*problem())
    for method in ("predict", "apply", "predict_proba"):
        if hasattr(alone, method):
            np.testing.assert_array_equal(getattr(team, method)(X), getattr(alone, method)(X))


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_inside_a_parallel_config(kind, alone, backend):
    with parallel_config(backend, n_jobs=2):
        forest = kind(n_estimators=11, random_state=5).fit(*problem())
        np.testing.assert_array_equal(forest.predict(problem()[0]), alone.predict(problem()[0]))
    assert forest.digest() == alone.digest()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_nested_in_joblib(run, backend):
    run(f"""
        from joblib import Parallel, delayed
        jobs = Parallel(n_jobs=2, backend={backend!r})
        mine = digest_of_fit(1)
        for n_jobs in (None, 2):
            assert jobs(delayed(digest_of_fit)(n_jobs) for _ in range(3)) == [mine] * 3
    """)
