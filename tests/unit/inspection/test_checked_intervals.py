"""Reports on intervals: coverage, widths, plots."""

import numpy as np
import pandas as pd
import pytest

from silvics import RandomForestClassifier
from silvics import RandomForestRegressor as Forest
from silvics.inspection import interval_report

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
Y = X["a"].to_numpy() + rng.normal(size=300)
NEW, AFTER = X[:100] + 0.1, Y[:100]


@pytest.fixture(scope="module")
def forest():
    return Forest(30, keep_samples=True, random_state=0).fit(X, Y)


def test_new_samples(forest):
    report = interval_report(forest, NEW, AFTER, confidence_level=[0.9, 0.5], method="quantile")
    assert report.levels.tolist() == [0.5, 0.9]
    wanted = forest.predict_interval(NEW, [0.5, 0.9], method="quantile")
    np.testing.assert_array_equal(report.intervals, wanted)
    low, high = wanted[:, 0, 1], wanted[:, 1, 1]
    assert report.coverage[1] == ((low <= AFTER) & (high >= AFTER)).mean()
    np.testing.assert_array_equal(report.widths[:, 1], high - low)
    frame = report.to_frame()
    np.testing.assert_allclose(frame["mean_width"], report.widths.mean(axis=0))
    assert "method quantile" in repr(report)


def test_training_rows_are_out_of_bag(forest):
    report = interval_report(forest)
    np.testing.assert_allclose(report.coverage, report.levels, atol=0.01)
    few = Forest(2, keep_samples=True, random_state=0).fit(X, Y)
    known = (few.in_bag_counts() == 0).any(axis=1)
    assert len(interval_report(few).y) == known.sum()


def test_plots(forest):
    pytest.importorskip("matplotlib")
    report = interval_report(forest, NEW, AFTER)
    assert report.plot().ax_.get_xlabel() == "confidence level"
    assert report.plot_intervals(0.9).ax_.get_ylabel() == "output"
    assert report.plot_intervals().ax_.get_legend() is not None
    assert report.plot_fan(NEW["a"], name="_a").ax_.get_xlabel() == " _a"


def test_what_is_refused(forest):
    report = interval_report(forest, NEW, AFTER)
    with pytest.raises(ValueError, match="level must be one of"):
        report.plot_intervals(0.77)
    with pytest.raises(ValueError, match="one value for each of 100"):
        report.plot_fan([1.0])
    with pytest.raises(ValueError, match="a variable of numbers or dates"):
        report.plot_fan(["a"] * len(report.y))
    with pytest.raises(ValueError, match="given together"):
        interval_report(forest, NEW)
    with pytest.raises(ValueError, match="y must be of shape"):
        interval_report(forest, NEW, Y)
    with pytest.raises(TypeError, match="regression forest"):
        interval_report(RandomForestClassifier().fit(X, Y > 0))
    both = Forest(5, keep_samples=True).fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="one output"):
        interval_report(both, NEW, AFTER)
