"""``make demo`` has what the package installs, and nothing besides."""

import subprocess
import sys

LACKING = ["pandas", "polars", "pyarrow", "matplotlib"]


def test_the_demo_needs_no_data_frames():
    code = f"import sys\nsys.modules.update(dict.fromkeys({LACKING}))\n"
    code += "from silvics.demo import main\nmain()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "accuracy out of bag" in run.stdout
    assert "500 of 500 trees" in run.stderr
