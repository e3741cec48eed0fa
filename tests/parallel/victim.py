"""What the processes do that the tests of this folder start, hurt and watch.

Such a process runs in this folder and imports this module by its name.
"""

import os
import signal
import threading
import time

import numpy as np

import silvics  # noqa: F401 (the tests use it)

# Loaded before threads are counted: libraries that it needs start threads of their own.
from silvics import RandomForestClassifier


def problem(n_rows=400, n_columns=5, seed=0):
    random = np.random.default_rng(seed)
    X = random.integers(0, 50, size=(n_rows, n_columns)).astype(np.float64)
    return X, (X[:, 0] + X[:, 1] > random.integers(0, 100, size=n_rows)).astype(np.int64)


def forest(**parameters):
    return RandomForestClassifier(**{"n_estimators": 12, "random_state": 0} | parameters)


def digest_of_fit(n_jobs=2, seed=0):
    return forest(n_jobs=n_jobs).fit(*problem(seed=seed)).digest()


def feel_an_interrupt(work, delay, ready=None, again=None):
    """Ctrl-C comes while work() is under way, and must be felt before it is done.

    It comes `delay` seconds after the work began, or after `ready` was set. On a machine that is
    done by then, again() undoes what was done, and the work is tried with half the delay.
    """
    for halving in range(20):
        sent, ended = [], False

        def interrupt(pause=delay / 2**halving, sent=sent):
            if ready is not None:
                ready.wait()
            time.sleep(pause)
            sent.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=interrupt, daemon=True)
        sender.start()
        try:
            work()
            ended = True
            while True:  # until it comes
                time.sleep(0.01)
        except KeyboardInterrupt:
            sender.join()
            if not ended:
                felt = time.process_time() - sent[0]
                print(f"felt after {1000 * felt:.0f} ms of work")
                # The promise is 0.1 s. Work is measured, not time, and much of it: a check that
                # is missing takes longer still.
                assert felt < 10.0
                return
        if again is not None:
            again()
    raise AssertionError("the work always ended before the interrupt came")


def n_threads():
    return len(os.listdir("/proc/self/task"))
