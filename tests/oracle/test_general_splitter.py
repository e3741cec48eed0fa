"""The general splitter, forced on plain rules, grows the plain trees: ties and all."""

import numpy as np
import pytest

from silvics._fitting import parameters

from .tables import CRITERIA, Case, assert_same_leaves, assert_same_tree


@pytest.fixture(autouse=True)
def general(monkeypatch):
    monkeypatch.setattr(parameters, "_GENERAL", True)


def check(case):
    slow, model = case.slow_tree(general=True), case.fit()
    assert_same_tree(model.tree_, slow, case.label)
    assert_same_leaves(case, model, slow, case.label)


def cases(criterion, seeds, **about):
    """Numbers and categories, with and without holes."""
    for seed in seeds:
        share = [0.0, 0.5, 0.9][seed % 3]
        case = Case(criterion, seed, holes=seed % 2 == 1, levels=share, **about)
        # What levels give by chance is subtracted otherwise: equals would differ by rounding.
        plain = seed % 5 == 0 or criterion == "absolute_error"
        yield case.use(category_gain="plain") if plain else case


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_whole_and_stopped_trees(criterion, splitter):
    for case in cases(criterion, range(70_000, 70_008), max_rows=50):
        check(case.use(splitter=splitter))
        check(case.stop_somewhere())


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_some_variables(criterion, splitter):
    for case in cases(criterion, range(71_000, 71_008), max_rows=50):
        rule = ["count", "skip"][case.seed % 2]
        k = int(case.rng.integers(1, case.p + 1))
        check(case.use(splitter=splitter, max_features=k, constant_features=rule))


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_constraints(criterion, splitter):
    for case in cases(criterion, range(72_000, 72_007), n_outputs=1, n_classes=2, max_rows=50):
        signs = case.stop_somewhere().rng.integers(-1, 2, case.p)
        signs[list(case.categories)] = 0
        check(case.use(monotonic_cst=signs.tolist() if any(signs) else None, splitter=splitter))


# Sums of medians' deviations have no defined order, so absolute error needs exact numbers.
@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "absolute_error"])
def test_real_numbers(criterion):
    """Sums round here; columns have no ties, since equal splits are not summed alike."""
    for seed in range(73_000, 73_010):
        case = Case(criterion, seed, exact=False, max_rows=50)
        case.X = case.rng.normal(size=case.X.shape)
        check(case.stop_somewhere())


@pytest.mark.parametrize("growth", ["best_first", "breadth_first"])
def test_few_leaves(growth):
    for case in cases("entropy", range(74_000, 74_010), max_rows=50):
        check(case.use(max_leaf_nodes=int(case.rng.integers(2, 12)), growth=growth))


def test_it_is_forced():
    """Otherwise the tests above would say nothing of it."""
    rules = parameters.growth_rules
    from silvics import DecisionTreeClassifier

    tree = DecisionTreeClassifier()
    seen = []

    def spy(*about):
        seen.append(rules(*about))
        return seen[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parameters, "growth_rules", spy)
        tree.fit(np.arange(4.0).reshape(-1, 1), [0, 1, 0, 1])
    assert seen
    assert seen[0].needs_general_splitter
