"""scikit-learn's own tests of trees and forests hold for ours, but for those in xfail.toml."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

from .plugin import expected_failures

HERE = Path(__file__).parent
FILES = (
    "sklearn.tree.tests.test_tree",
    "sklearn.ensemble.tests.test_forest",
    "sklearn.ensemble.tests.test_iforest",
    "sklearn.tree.tests.test_monotonic_tree",
)


def run_upstream(tests, *options):
    """Run tests of the installed scikit-learn in a process of their own, with our plugin only."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "SKLEARN"))}
    env |= {
        "PYTHONPATH": str(HERE),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "SKLEARN_WARNINGS_AS_ERRORS": "1",
    }
    command = [sys.executable, "-m", "pytest", "-c", HERE / "upstream.ini", "-p", "plugin"]
    command += ["--rootdir", Path(sklearn.__file__).parents[1], *options, "--pyargs", tests]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("tests", FILES)
def test_upstream_tests_pass_with_our_estimators(tests):
    done = run_upstream(tests)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    grown = re.search(r"silvics grew (\d+) times", done.stdout)
    assert int(grown[1]) > 50, done.stdout[-2000:]
    assert re.search(r"\d+ passed", done.stdout), done.stdout[-2000:]


def test_the_list_is_short():
    assert len(list(expected_failures())) <= 25


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        ("test_no_such_function", "test_monotonic_tree::test_no_such_function matches no test"),
        ("test_multiclass_raises", r"\[XPASS\(strict\)\] listed in error"),
    ],
)
def test_the_list_is_strict(tmp_path, function, complaint):
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(f'[g]\nreason = "listed in error"\n[g.test_monotonic_tree]\n{function} = {{}}')
    test = "sklearn.tree.tests.test_monotonic_tree::test_multiclass_raises"
    done = run_upstream(test, "--expected-failures", wrong)
    assert done.returncode != 0
    assert re.search(complaint, done.stdout + done.stderr)
