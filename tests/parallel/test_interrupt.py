"""Ctrl-C is felt soon, wherever it comes, and keeps the trees that are complete."""

import pytest
from sklearn.datasets import load_iris

from silvics import RandomForestClassifier

from .victim import forest, problem


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_trees_so_far_are_kept(run, n_jobs):
    run(f"""
        X, y = problem(2000)
        grown = threading.Event()
        tell = lambda done, total: done >= 3 and grown.set()
        some = forest(n_estimators=1_000_000, n_jobs={n_jobs}, progress=tell)
        feel_an_interrupt(lambda: some.fit(X, y), delay=0.1, ready=grown)
        assert some.interrupted_
        m = len(some.estimators_)
        print(m, "trees are kept")
        assert 0 < m < 1_000_000
        same = forest(n_estimators=m).fit(X, y)
        assert not same.interrupted_
        assert some.digest() == same.digest()
        assert (some.predict_proba(X) == same.predict_proba(X)).all()
    """)


def test_an_interrupted_forest_grows_on(run):
    run("""
        X, y = problem(2000)
        grown = threading.Event()
        tell = lambda done, total: done >= 3 and grown.set()
        some = forest(n_estimators=1_000_000, warm_start=True, progress=tell)
        feel_an_interrupt(lambda: some.fit(X, y), delay=0.1, ready=grown)
        m = len(some.estimators_) + 5
        some.set_params(n_estimators=m).fit(X, y)
        assert not some.interrupted_
        assert some.digest() == forest(n_estimators=m).fit(X, y).digest()
    """)


def test_interrupted_growing_on_keeps_what_there_was(run):
    run("""
        X, y = problem(2000)
        some = forest(n_estimators=5, warm_start=True).fit(X, y)
        grown = threading.Event()
        tell = lambda done, total: done >= 3 and grown.set()
        some.set_params(n_estimators=1_000_000, progress=tell)
        feel_an_interrupt(lambda: some.fit(X, y), delay=0.1, ready=grown)
        assert some.interrupted_
        m = len(some.estimators_)
        assert m > 5
        assert some.digest() == forest(n_estimators=m).fit(X, y).digest()
    """)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error"])
def test_one_large_tree(run, criterion):
    kind = "Classifier" if criterion in ("gini", "entropy") else "Regressor"
    run(f"""
        X = np.random.default_rng(0).random((2_000_000, 5))
        y = np.arange(len(X)) % 2
        parameters = dict(criterion={criterion!r}, random_state=0)
        tree = silvics.DecisionTree{kind}(**parameters)

        def forget():
            vars(tree).clear()
            tree.__init__(**parameters)

        def learn_little():
            tree.fit(X[:100], y[:100])

        for delay in (0.3, 0.9, 1.5, 2.1):
            feel_an_interrupt(lambda: tree.fit(X, y), delay, again=forget)
            assert vars(tree) == tree.get_params()
        learn_little()
        before = tree.digest()
        feel_an_interrupt(lambda: tree.fit(X, y), delay=1.0, again=learn_little)
        assert tree.digest() == before
    """)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_while_coding_the_table(run, n_jobs):
    run(f"""
        from silvics import _core
        X = _core.Matrix([np.random.default_rng(0).random((1_000_000, 20))])
        for delay in (0.05, 0.2, 0.4):
            work = lambda: [_core.code_table(X, 0, False, {n_jobs}) for _ in range(20)]
            feel_an_interrupt(work, delay)
    """)


def test_a_forest_without_a_complete_tree_is_as_before(run):
    run("""
        X = np.random.default_rng(0).random((1_000_000, 5))
        y = np.arange(len(X)) % 2
        none = forest(n_estimators=2, n_jobs=1)
        feel_an_interrupt(lambda: none.fit(X, y), delay=0.2, again=lambda: none.__dict__.clear()
                          or none.__init__(**forest(n_estimators=2, n_jobs=1).get_params()))
        assert vars(none) == none.get_params()
    """)


def test_while_predicting(run):
    run("""
        X, y = problem(2000)
        some = forest(n_estimators=200).fit(X, y)
        X = np.tile(X, (250, 1))
        for method in (some.predict, some.apply):
            feel_an_interrupt(lambda: method(X), delay=0.3)
        assert len(some.predict(X[:10])) == 10
    """)


def test_while_estimating_out_of_bag(run):
    run("""
        from silvics import _core
        X, y = problem(200_000)
        some = forest(n_estimators=5, max_depth=10).fit(X, y)
        many = _core.PackedForest.of(list(some._trees) * 400)
        predictor, seeds = _core.Predictor(many, False), _core.tree_seeds(0, 0, 2000)
        X, sampling = _core.Matrix([X]), some._grown.native_sampling()
        work = lambda: predictor.out_of_bag(X, seeds, sampling, 2)
        feel_an_interrupt(work, delay=0.5)
    """)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_while_computing_proximities(run, n_jobs):
    """Also in leaves that hold a large part of the rows."""
    run(f"""
        X, y = problem(60_000)
        some = forest(n_estimators=50, max_depth=3, keep_samples=True, n_jobs={n_jobs}).fit(X, y)
        feel_an_interrupt(lambda: some.neighbors(max_samples_leaf=100_000), delay=0.5)
        feel_an_interrupt(lambda: some.proximity(kind="oob", output="sparse"), delay=0.5)
        from silvics.inspection import outliers
        feel_an_interrupt(lambda: outliers(some), delay=0.5)
        assert some.neighbors(X[:3], max_samples_leaf=10)[0].shape == (3, 5)
    """)


class Weary(Exception):
    pass


def test_an_exception_of_progress_keeps_the_trees_so_far():
    X, y = problem()

    def complain(done, total):
        if done >= 20:
            raise Weary(done, total)

    some = forest(n_estimators=100_000, progress=complain)
    with pytest.raises(Weary) as raised:
        some.fit(X, y)
    done, total = raised.value.args
    assert total == 100_000
    assert some.interrupted_
    assert done <= len(some) < total
    assert some.digest() == forest(n_estimators=len(some)).fit(X, y).digest()


def test_an_exception_before_the_first_tree_leaves_the_forest_as_it_was():
    told = []

    def complain(done, total):
        told.append(done)
        raise Weary

    X, y = problem(400_000)
    # On a busy machine a tree may be there before anyone asks,
    for _ in range(20):
        some = forest(n_estimators=100_000, progress=complain)
        before = dict(vars(some))
        with pytest.raises(Weary):
            some.fit(X, y)
        # or be finished between the complaint and the stop, and is kept then.
        if told[-1] == 0 and not vars(some).get("interrupted_", False):
            break
    assert told[-1] == 0
    assert vars(some) == before


def test_no_out_of_bag_score_of_another_forest():
    X, y = problem()
    some = forest(n_estimators=100, oob_score=True).fit(X, y)

    def complain(done, total):
        if done >= 5:
            raise Weary

    some.set_params(n_estimators=100_000, progress=complain)
    with pytest.raises(Weary):
        some.fit(X, y)
    assert some.interrupted_
    assert not hasattr(some, "oob_score_")
    assert not hasattr(some, "oob_decision_function_")


def test_an_interrupted_forest_survives_a_failed_fit():
    X, y = problem()

    def complain(done, total):
        if done >= 5:
            raise Weary

    some = forest(n_estimators=100_000, progress=complain)
    with pytest.raises(Weary):
        some.fit(X, y)
    said = some.predict(X)
    with pytest.raises(ValueError, match="inconsistent"):
        some.fit(X[:, :2], y[:-1])
    assert (some.predict(X) == said).all()


@pytest.mark.parametrize("early_stopping", [False, True])
def test_interrupts_of_estimates_keep_the_trees(early_stopping):
    """Ctrl-C after growth, while scores are computed, for example by a slow function."""

    def interrupted(y_true, y_pred):
        raise KeyboardInterrupt

    X, y = load_iris(return_X_y=True)
    some = RandomForestClassifier(
        20, oob_score=interrupted, early_stopping=early_stopping, random_state=0
    )
    with pytest.raises(KeyboardInterrupt):
        some.fit(X, y)
    assert some.interrupted_
    same = RandomForestClassifier(len(some), random_state=0).fit(X, y)
    assert some.digest() == same.digest()
    assert (some.predict(X) == same.predict(X)).all()
