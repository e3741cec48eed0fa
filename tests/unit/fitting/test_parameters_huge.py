"""Whole numbers larger than any size: a limit that is never reached, or an error of ours."""

import inspect
import warnings

import numpy as np
import pytest

import silvics
from silvics import _core, _threads, importance

HUGE = [2**31, 2**32, 2**62, 2**63, 2**64, 2**70]

# Choices under which a parameter is looked at.
LOOKED_AT = [
    {"choice": "significant", "significance": 0.05},
    {"choice": "one_of_best"},
    {"choice": "near_best"},
    {"split": "oblique"},
    {"split": "multiway", "variables": "unused"},
    {"columns": "subspace"},
    {"columns": "rotation"},
    {"rows": "bootstrap"},
    {"rows": "subsample"},
    {"variables": "poisson"},
    {"variables": "weighted"},
    {"honest": True},
    {"cut": "uniform"},
]


def problem():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4))
    X[:, 3] = random.integers(0, 3, 60)
    return X, (X[:, 0] > 0).astype(int)


def takes_whole_numbers(constraints):
    return isinstance(constraints, list) and any(
        c in ("random_state", "verbose") if isinstance(c, str) else "Integral" in str(vars(c))
        for c in constraints
        if isinstance(c, str) or hasattr(c, "__dict__")
    )


ESTIMATORS = [
    found
    for name in dir(silvics)
    if inspect.isclass(found := getattr(silvics, name)) and hasattr(found, "_parameter_constraints")
]
SELECTORS = [getattr(importance, name) for name in dir(importance) if name.startswith("Select")]
PARAMETERS = [
    (kind, name)
    for kind in ESTIMATORS + SELECTORS
    for name, constraints in kind._parameter_constraints.items()
    if takes_whole_numbers(constraints) or name == "n_jobs"
]


def bare(kind):
    """An estimator with its defaults, and a forest where one is required."""
    forest = silvics.RandomForestClassifier(3, random_state=0)
    return kind(forest) if "estimator" in inspect.signature(kind).parameters else kind()


def check(name, work):
    """For every huge number the work is done, or refused by name."""
    n_refused = 0
    for value in HUGE:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work(value)
        except (ValueError, TypeError) as error:
            n_refused += 1
            message = str(error)
            seed = "Seed must be between 0 and 2**32 - 1"  # NumPy's and scikit-learn's word
            assert name in message or (name == "random_state" and seed in message), message
            assert "incompatible function arguments" not in message
    return n_refused


def made(kind, name, chosen):
    few = {"n_estimators": 3} if hasattr(bare(kind), "n_estimators") else {}
    if hasattr(bare(kind), "bootstrap") and name == "max_samples":
        few["bootstrap"] = True
    if kind is silvics.ForestEmbedding:
        few = {"estimator": silvics.RandomForestClassifier(3, random_state=0)}
    if kind in SELECTORS:
        few = {"forest": silvics.RandomForestClassifier(3, random_state=0)}
    return lambda value: kind(**few | chosen | {name: value})


def test_there_is_something_to_try():
    names = {name for _, name in PARAMETERS}
    assert {"n_jobs", "max_samples", "n_estimators", "max_depth", "n_best", "n_steps"} <= names
    assert len(PARAMETERS) > 100


@pytest.mark.parametrize(
    ("kind", "name"), PARAMETERS, ids=[f"{k.__name__}-{name}" for k, name in PARAMETERS]
)
def test_huge_parameters(kind, name, capsys):
    X, y = problem()
    recipes = LOOKED_AT if kind is silvics.ForestClassifier else []
    for chosen in [{}, *(c for c in recipes if name not in c)]:
        make = made(kind, name, chosen)

        def fit(value, make=make):
            estimator = make(value).fit(X, y)
            if hasattr(estimator, "predict"):
                estimator.predict(X)

        check(name, fit)


@pytest.mark.parametrize(
    "kind",
    [kind for kind in ESTIMATORS if hasattr(bare(kind), "n_jobs") and hasattr(kind, "digest")],
)
def test_results_do_not_depend_on_a_huge_number_of_threads(kind):
    X, y = problem()
    one = kind(n_estimators=3, random_state=0, n_jobs=1).fit(X, y)
    for n_jobs in HUGE:
        many = kind(n_estimators=3, random_state=0, n_jobs=n_jobs).fit(X, y)
        assert many.digest() == one.digest()
        np.testing.assert_array_equal(many.apply(X, n_jobs=n_jobs), one.apply(X))


@pytest.mark.parametrize("max_samples", [2**31, 2**33, 2**70, 1e9, 1e300])
def test_more_draws_than_there_can_be_are_refused(max_samples):
    X, y = problem()
    with pytest.raises(ValueError, match=r"max_samples=.* maximum, 2147483647"):
        silvics.RandomForestClassifier(3, max_samples=max_samples).fit(X, y)


def test_a_sum_of_weights_can_ask_for_too_many_draws():
    X, y = problem()
    forest = silvics.RandomForestClassifier(3, max_samples=0.5)
    with pytest.raises(ValueError, match=r"max_samples=0.5 of 6e\+11 samples or sample weight"):
        forest.fit(X, y, sample_weight=np.full(60, 1e10))


def test_more_draws_than_rows_are_drawn():
    X, y = problem()
    forest = silvics.RandomForestClassifier(2, max_samples=1000, random_state=0).fit(X, y)
    assert [len(rows) for rows in forest.estimators_samples_] == [1000, 1000]
    many = silvics.RandomForestClassifier(1, max_samples=300_000, random_state=0).fit(X, y)
    rows = many.estimators_samples_[0]  # drawn by another thread, which looks for Ctrl-C
    assert len(rows) == 300_000
    expected = 300_000 / 60
    assert np.abs(np.bincount(rows, minlength=60) - expected).max() < 6 * expected**0.5


def test_the_core_refuses_what_python_does_not_let_through():
    for n_draws in (2**31, 2**63):
        with pytest.raises(ValueError, match="at most 2147483647 rows drawn for a tree"):
            _core.Sampling(60, True, n_draws, False, None)


def test_predictions_of_more_rows_than_memory_holds():
    X, y = problem()
    forest = silvics.RandomForestClassifier(2**7, max_depth=1, random_state=0).fit(X, y)
    rows = np.broadcast_to(X[0], (2**57, 4))  # rows x trees wraps to 0
    with pytest.raises(MemoryError):
        forest._trees.predictor.apply(_core.Matrix([rows]), 1)


def functions():
    X, y = problem()
    few = (X > 0).astype(int)[:, :3]
    forest = silvics.RandomForestClassifier(3, random_state=0)
    fitted = silvics.RandomForestClassifier(3, random_state=0).fit(X, y)
    tested = (importance.permutation_test, importance.conditional_error_rate)
    for function in (*tested, importance.boruta, importance.contrast_test):
        small = {"permutation_test": "n_permutations", "conditional_error_rate": "n_permutations",
                 "boruta": "n_rounds", "contrast_test": "n_repeats"}[function.__name__]  # fmt: skip
        for name in ("n_permutations", "n_rounds", "n_repeats", "max_rank", "n_jobs"):
            if name in inspect.signature(function).parameters:
                yield function, name, (forest, X, y), {small: 20}
    for name in ("K", "n_jobs"):
        yield importance.forest_masking, name, (forest, X, y), {}
    for name in ("K", "depth", "subspace", "n_trees", "n_jobs", "random_state"):
        yield importance.asymptotic_importances, name, (few, y), {}
    for name in ("depth", "n_jobs"):
        yield importance.asymptotic_importances, name, (few, y), {"method": "sampled", "n_trees": 5}
    for name in ("n_trees", "n_jobs"):
        yield importance.masking, name, (few, y), {}
    for name in ("n_copies", "n_jobs"):
        yield importance.copies, name, (few, y, 0), {}
    for name in ("max_size", "n_jobs"):
        yield importance.relevance, name, (few, y), {}
    for kind, names in {
        "mdi": ("max_degree", "min_samples"), "mda": ("n_repeats", "random_state"),
        "mda_tree": ("n_repeats",), "conditional": ("min_samples",),
        "mdi_oob": ("min_samples",), "ufi": ("min_samples",),
        "surrogate": (), "air": ("random_state",), "local": (),
    }.items():  # fmt: skip
        for name in (*names, "n_jobs"):
            data = {} if kind == "mdi" else {"X": X} if kind == "local" else {"X": X, "y": y}
            by = {"by": "context"} if name == "max_degree" else {}
            yield fitted.importances, name, (kind,), data | by
    yield fitted.importances().interval, "n_resamples", (), {}
    for method in (fitted.predict, fitted.apply, fitted.decision_path, fitted.predict_proba):
        yield method, "n_jobs", (X,), {}
    yield lambda n_jobs: fitted.predictor(n_jobs=n_jobs)(np.tile(X, (500, 1))), "n_jobs", (), {}


CALLS = list(functions())


@pytest.mark.parametrize(
    ("function", "name", "given", "chosen"),
    CALLS,
    ids=[f"{getattr(function, '__name__', '')}-{name}" for function, name, _, _ in CALLS],
)
def test_huge_arguments(function, name, given, chosen):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(*given, **{name: 3} | chosen)  # otherwise its name could be in another error
    check(name, lambda value: function(*given, **chosen | {name: value}))


def test_the_bound_on_threads_is_the_same_on_both_sides():
    assert _threads.n_threads(2**70) == _threads.MAX_THREADS
    assert _threads.n_threads(-(2**70)) == 1
