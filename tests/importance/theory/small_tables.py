"""Small tables, and a process of bounded memory and time."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd

from silvics.importance import asymptotic_importances

rng = np.random.default_rng(0)
X = rng.integers(0, 3, (40, 3))
Y = rng.integers(0, 2, 40)
LABELS = np.array(["a", "b"])[Y]
NAMES = list("abc")
EVERY_SPLIT = ["multiway", "extra", "best", "encoded"]
EVERY_CRITERION = ["entropy", "gini", "variance"]
PLAIN = asymptotic_importances(X, Y).importances


def first_missing(values, missing=None):
    return [missing, *list(values)[1:]]


# Seconds, only to end a hang: such a process usually takes one or two.
HANG = 300


def run_apart(code, *, gigabytes=4):
    """What a process prints that may hang or eat all memory; None if it had to be stopped."""
    limits = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({gigabytes} << 30,) * 2)\n"
    setup = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "import numpy as np\n"
        "from silvics.importance import *\n"
        "rng = np.random.default_rng(0)\n"
        "def bits(*shape): return rng.integers(0, 2, shape)\n"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", limits + setup + code],
            capture_output=True,
            text=True,
            timeout=HANG,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout + done.stderr


numbers = pd.DataFrame(X, columns=NAMES)
texts = pd.DataFrame(np.array(["u", "v", "w"])[X], columns=NAMES)
times = numbers.apply(lambda column: pd.Timestamp(2020, 1, 1) + pd.to_timedelta(column, unit="D"))
