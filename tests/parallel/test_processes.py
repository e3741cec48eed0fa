"""Forests and the operating system: forks, new processes, threads that come and go."""

import pytest


def test_fit_after_fork(run):
    run("""
        mine = digest_of_fit()
        child = os.fork()
        if child == 0:
            os._exit(0 if digest_of_fit() == mine else 1)
        pid, status = os.waitpid(child, 0)
        assert status == 0
        assert digest_of_fit() == mine
    """)


def test_predict_after_fork(run):
    run("""
        X, y = problem()
        some = forest(n_jobs=2).fit(X, y)
        large = np.tile(X, (500, 1))
        said = some.predict(large)
        child = os.fork()
        if child == 0:
            os._exit(0 if (some.predict(large) == said).all() else 1)
        pid, status = os.waitpid(child, 0)
        assert status == 0
    """)


def test_fork_while_another_thread_fits(run):
    run("""
        other = threading.Thread(target=forest(n_estimators=2000, n_jobs=2).fit, args=problem())
        other.start()
        time.sleep(0.1)
        child = os.fork()
        if child == 0:
            os._exit(0 if digest_of_fit() else 1)
        pid, status = os.waitpid(child, 0)
        assert status == 0
        other.join()
    """)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(run, method):
    run(f"""
        import multiprocessing
        mine = digest_of_fit()
        with multiprocessing.get_context({method!r}).Pool(2) as pool:
            assert pool.map(digest_of_fit, [1, 2, 3]) == [mine] * 3
    """)


def test_fitted_forests_travel_to_other_processes(run):
    run("""
        import multiprocessing
        X, y = problem()
        some = forest().fit(X, y)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert (pool.apply(some.predict, [X]) == some.predict(X)).all()
            assert pool.apply(some.digest) == some.digest()
    """)


def test_no_thread_is_left_behind(run):
    run("""
        X, y = problem()
        before = n_threads()
        some = forest(n_jobs=8, oob_score=True, n_estimators=50).fit(X, y)
        some.predict(np.tile(X, (500, 1)))
        assert n_threads() == before
        try:
            forest(n_jobs=8, n_estimators=1000, progress=lambda *_: 1 / 0).fit(X, y)
        except ZeroDivisionError:
            pass
        assert n_threads() == before
    """)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_as_many_threads_as_asked_for(run, n_jobs):
    run(f"""
        X, y = problem(2000)
        before = n_threads()
        seen = set()
        count = lambda *_: seen.add(n_threads() - before)
        forest(n_jobs={n_jobs}, n_estimators=300, progress=count).fit(X, y)
        # The first and the last look may come while threads start or have ended.
        assert max(seen) == {n_jobs}
    """)


def test_a_joblib_context_says_how_many_threads(run):
    run("""
        from joblib import parallel_config
        X, y = problem(2000)
        before = n_threads()
        seen = set()
        some = forest(n_estimators=300, progress=lambda *_: seen.add(n_threads() - before))
        with parallel_config("threading", n_jobs=2):
            some.fit(X, y)
        assert max(seen) == 2
    """)


def test_python_threads_at_once(run):
    run("""
        from concurrent.futures import ThreadPoolExecutor
        X, y = problem()
        shared = forest(n_jobs=2).fit(X, y)
        said, inside = shared.predict_proba(X), [tree.digest() for tree in shared]

        def own(seed):
            mine = forest(random_state=seed, n_jobs=1 + seed % 3).fit(X, y)
            return mine.digest(), mine.predict_proba(X).tobytes()

        def look(i):
            assert (shared.predict_proba(X) == said).all()
            assert shared.apply(X).shape == (len(X), 12)
            fresh = forest().fit(X, y)
            return [tree.digest() for tree in fresh] == inside

        alone = [own(seed) for seed in range(8)]
        with ThreadPoolExecutor(8) as pool:
            looks = [pool.submit(look, i) for i in range(30)]
            assert list(pool.map(own, range(8))) == alone
            assert all(seen.result() for seen in looks)
    """)


def test_trees_made_by_many_threads_at_once(run):
    run("""
        from concurrent.futures import ThreadPoolExecutor
        X, y = problem()
        shared = forest(n_estimators=200).fit(X, y)
        with ThreadPoolExecutor(8) as pool:
            lists = list(pool.map(lambda i: [t.tree_.value.sum() for t in shared], range(8)))
        assert all(each == lists[0] for each in lists)
    """)


def test_interpreter_is_free_while_growing(run):
    run("""
        X, y = problem(20_000)
        ticks, growing = [], threading.Event()

        def tick():
            while not growing.is_set():
                ticks.append(1)
                time.sleep(0.001)

        clock = threading.Thread(target=tick)
        clock.start()
        forest(n_estimators=40, n_jobs=1).fit(X, y)
        growing.set()
        clock.join()
        print(f"another thread had {len(ticks)} turns")
        assert len(ticks) > 10  # one or two, if the lock were held
    """)
