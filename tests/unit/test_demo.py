"""``make demo`` has what the package installs, and nothing besides."""

import subprocess
import sys

WITHOUT_FRAMES = """
import sys

class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name in ("pandas", "polars", "pyarrow", "matplotlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Lacking())
from silvics.demo import main
main()
"""


def test_the_demo_needs_no_data_frames():
    command = [sys.executable, "-c", WITHOUT_FRAMES]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "accuracy: out-of-bag" in run.stdout
    assert "500 of 500 trees" in run.stderr
