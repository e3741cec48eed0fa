"""The portable loops and those for newer processors give the same bytes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .golden import FORESTS

FOLDER = Path(__file__).parent
PROGRAM = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("golden", sys.argv[1])
golden = importlib.util.module_from_spec(spec)
spec.loader.exec_module(golden)
print(json.dumps({name: golden.digest_of(name) for name in golden.FORESTS}))
"""


def run(cpu):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(FOLDER / "golden.py")],
        env={**os.environ, "SILVICS_CPU": cpu},
        capture_output=True,
        text=True,
        check=False,
    )


def test_portable_loops_give_the_golden_digests():
    done = run("portable")
    assert done.returncode == 0, done.stderr
    digests = json.loads(done.stdout)
    assert digests.keys() == FORESTS.keys()
    assert digests == json.loads((FOLDER / "golden.json").read_text())


def test_avx2_loops_give_the_golden_digests():
    if "avx2" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("the processor has no AVX2")
    done = run("avx2")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((FOLDER / "golden.json").read_text())


def test_an_unknown_path_is_refused_in_words():
    done = run("pentium")
    assert done.returncode != 0
    assert "SILVICS_CPU=pentium" in done.stderr
    assert "portable" in done.stderr
