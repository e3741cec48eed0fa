"""Decompositions on simulated problems."""

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from silvics import RandomForestClassifier, RandomForestRegressor
from silvics.bias_variance import decompose, decompose_over
from silvics.datasets import LED, NoisyCosine, SumOfNormals, TwoGaussians

mpl.use("Agg")
SMALL = {"n_samples": 40, "n_learning_sets": 8, "n_test": 60, "random_state": 0}


def test_linear_regression_has_its_known_variance():
    """Least squares on n normal rows of p columns: variance s^2 (p + 1) / (n - p - 2), roughly."""
    problem = SumOfNormals(3, 0, noise=1.0)
    found = decompose(
        LinearRegression(), problem, n_samples=50, n_learning_sets=400, n_test=300, random_state=0
    )
    assert found.noise == 1.0
    assert abs(found.bias) < 4 * found.standard_errors["bias"] + 1e-3
    assert found.variance == pytest.approx(4 / (50 - 5), rel=0.15)
    assert np.isnan(found.rho)
    assert found.n_members == 1
    assert found.measured_error == pytest.approx(found.error, abs=0.1)


def test_nearest_neighbour_has_the_variance_of_the_noise():
    problem = NoisyCosine(noise=0.5)
    found = decompose(
        KNeighborsRegressor(1), problem, n_samples=500, n_learning_sets=60, random_state=0
    )
    assert found.variance == pytest.approx(0.25, rel=0.1)
    assert found.error == pytest.approx(0.5, rel=0.1)


def test_parts_add_up_to_the_measured_error():
    found = decompose(
        RandomForestRegressor(10), SumOfNormals(noise=1.0), n_samples=50, n_learning_sets=40,
        n_test=400, random_state=1,
    )  # fmt: skip
    assert found.error == pytest.approx(found.noise + found.bias + found.variance, rel=1e-12)
    off = np.hypot(found.standard_errors["error"], found.standard_errors["measured_error"])
    assert abs(found.error - found.measured_error) < 3 * off
    assert found.variance == pytest.approx(found.variance_with(10), rel=1e-12)
    assert found.variance_with(1) == pytest.approx(found.member_variance, rel=1e-12)


def test_classification_is_the_brier_score():
    found = decompose(RandomForestClassifier(10), LED(), **SMALL)
    problem = LED()
    points = found.points
    np.testing.assert_allclose(
        points["noise"],
        1 - (problem.bayes_model.predict_proba(found.X) ** 2).sum(axis=1),
    )
    assert 0 < found.rho < 1
    assert found.error == pytest.approx(found.noise + found.bias + found.variance)


def test_learning_sets_may_lack_classes():
    found = decompose(TheirForest(3), LED(), n_samples=4, n_learning_sets=5, random_state=0)
    assert np.isfinite([found.bias, found.variance, found.rho]).all()


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_number_of_threads_does_not_matter(n_jobs):
    model = make_pipeline(StandardScaler(), RandomForestRegressor(4))
    one = decompose(model, SumOfNormals(), **SMALL)
    several = decompose(model, SumOfNormals(), n_jobs=n_jobs, **SMALL)
    assert one.averages == several.averages
    assert one.standard_errors == several.standard_errors


def test_progress_and_the_estimator_is_left_alone():
    reported = []
    forest = RandomForestRegressor(3)
    decompose(forest, SumOfNormals(), progress=lambda *at: reported.append(at), **SMALL)
    assert reported == [(k, 8) for k in range(1, 9)]
    assert not hasattr(forest, "n_features_in_")


def test_results_have_frames_plots_and_text():
    found = decompose(RandomForestRegressor(4), SumOfNormals(), **SMALL)
    frame = found.to_frame()
    assert frame["value"][frame["part"] == "variance"].item() == found.variance
    assert list(found.points.columns[-4:]) == ["noise", "error", "rho", "member_variance"]
    assert "squared bias" in repr(found)
    assert "<table>" in found._repr_html_()
    assert found.plot().ax_.patches
    curves = decompose(LinearRegression(), NoisyCosine(), **SMALL).plot()
    assert len(curves.ax_.get_lines()) == 4


def test_curves_over_a_parameter():
    curve = decompose_over(
        RandomForestRegressor(3), SumOfNormals(), "max_features", [1, 5], **SMALL
    )
    alone = decompose(RandomForestRegressor(3, max_features=5), SumOfNormals(), **{
        **SMALL, "random_state": np.random.RandomState(0).randint(2**31 - 1, size=1).item(),
    })  # fmt: skip
    assert curve.results[1].averages == alone.averages
    assert curve.best in (1, 5)
    assert pl.from_pandas(curve.to_frame())["max_features"].to_list() == [1, 5]
    for what in ("error", "rho", "variance"):
        assert curve.plot(what=what).ax_.get_lines()
    with pytest.raises(ValueError, match="what must be one of"):
        curve.plot(what="biass")


def test_curves_over_values_that_are_no_numbers():
    curve = decompose_over(RandomForestRegressor(3), SumOfNormals(), "max_features",
                           ["sqrt", None], **SMALL)  # fmt: skip
    assert curve.to_frame()["max_features"].tolist() == ["sqrt", "None"]
    labels = [text.get_text() for text in curve.plot().ax_.get_xticklabels()]
    assert labels == ["sqrt", "None"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_learning_sets": 1}, "n_learning_sets must be between 2"),
        ({"n_samples": 0}, "n_samples must be between 1"),
        ({"n_test": 2.5}, "n_test must be an integer"),
        ({"problem": "friedman"}, "problem must be a problem of silvics.datasets"),
        ({"estimator": RandomForestRegressor}, "must be an estimator"),
        ({"problem": TwoGaussians()}, "must be a classifier"),
        ({"estimator": RandomForestClassifier()}, "must be a regressor"),
    ],
)
def test_wrong_arguments(change, message):
    arguments = {
        "estimator": RandomForestRegressor(2),
        "problem": SumOfNormals(),
        **SMALL,
        **change,
    }
    with pytest.raises((TypeError, ValueError), match=message):
        decompose(**arguments)


def test_wrong_numbers_of_members_and_values():
    found = decompose(RandomForestRegressor(2), SumOfNormals(), **SMALL)
    with pytest.raises(ValueError, match="n_members must be at least 1"):
        found.variance_with(0)
    with pytest.raises(ValueError, match="param_range has no values"):
        decompose_over(RandomForestRegressor(2), SumOfNormals(), "max_depth", [])
