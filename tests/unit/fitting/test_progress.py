"""Long work shows how far it is: printed, told to a callable, or to scikit-learn's callbacks."""

import re

import pytest

from silvics._fitting import progress
from silvics._fitting.progress import PrintedProgress, seconds_left

from ..kinds import FORESTS, name_of, problem

forests = pytest.mark.parametrize("kind", FORESTS, ids=name_of)


@forests
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_is_called_up_to_the_end(kind, n_jobs):
    told = []
    forest = kind(n_estimators=40, random_state=0, n_jobs=n_jobs)
    forest.set_params(progress=lambda done, total: told.append((done, total)))
    forest.fit(*problem())
    assert told[-1] == (40, 40)
    assert {total for _, total in told} == {40}
    done = [done for done, _ in told]
    assert done == sorted(set(done))
    assert forest.digest() == kind(n_estimators=40, random_state=0).fit(*problem()).digest()


@forests
def test_progress_of_warm_start_counts_new_trees(kind):
    told = []
    forest = kind(n_estimators=5, random_state=0, warm_start=True).fit(*problem())
    forest.set_params(n_estimators=12, progress=lambda *step: told.append(step)).fit(*problem())
    assert told[-1] == (7, 7)


@forests
def test_silence_is_the_default(kind, capfd):
    kind(n_estimators=20).fit(*problem()).predict(problem()[0])
    assert capfd.readouterr() == ("", "")


LINE = re.compile(r"silvics: (\d+) of 30 trees, \d+\.\d s, \d+\.\d s left")


@forests
@pytest.mark.parametrize("verbose", [1, True, 2, 10])
def test_verbose_prints_to_the_standard_error(kind, verbose, capfd):
    kind(n_estimators=30, random_state=0, verbose=verbose).fit(*problem())
    out, err = capfd.readouterr()
    assert out == ""
    steps = [int(LINE.fullmatch(line)[1]) for line in err.splitlines()]
    assert steps[-1] == 30
    assert steps == sorted(set(steps))
    assert len(steps) <= (10 if verbose == 1 else 30)


class Witness:
    """A callback of scikit-learn that writes down what it is told."""

    def __init__(self):
        self.told = []

    def setup(self, estimator, context):
        self.told.append("setup")

    def teardown(self, estimator, context):
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator, context, **_):
        self.told.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context, **_):
        self.told.append(("end", context.task_name))


@forests
def test_callbacks_of_sklearn(kind):
    witness = Witness()
    forest = kind(n_estimators=6, random_state=0).set_callbacks(witness)
    forest.fit(*problem())
    assert witness.told[0] == "setup"
    assert witness.told[-1] == "teardown"
    assert witness.told.count(("begin", "tree")) == 6
    assert witness.told.count(("end", "tree")) == 6
    assert forest.digest() == kind(n_estimators=6, random_state=0).fit(*problem()).digest()


@forests
def test_callbacks_are_let_go_when_progress_fails(kind):
    witness = Witness()
    forest = kind(n_estimators=100_000, progress=lambda done, total: done > 3 and 1 / 0)
    forest.set_callbacks(witness)
    with pytest.raises(ZeroDivisionError):
        forest.fit(*problem())
    assert witness.told[-1] == "teardown"


# ---- the time that is left


@pytest.mark.parametrize("n_workers", [1, 2, 3, 8])
def test_the_time_left_is_that_of_units_which_take_equally_long(n_workers):
    """Workers that started one after another, so that units are finished at even intervals."""
    total, seconds = 240, 6.0
    for done in range(n_workers, total - n_workers):
        spent = seconds * (done + 0.5 * (n_workers - 1)) / n_workers
        truth = seconds * (total - done - 0.5 * (n_workers - 1)) / n_workers
        assert seconds_left(spent, done, total, n_workers) == pytest.approx(truth)


def test_nothing_is_left_at_the_end():
    assert seconds_left(10.0, 5, 5, 4) == 0.0


def test_a_budget_bounds_the_time_left(monkeypatch, capfd):
    now = iter([0.0, 10.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    printed = PrintedProgress(2, limit=lambda: 3.0)
    printed(1, 100)
    assert "10.0 s, 3.0 s left" in capfd.readouterr().err
