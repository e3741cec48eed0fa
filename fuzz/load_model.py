"""Loads files that are changed in every way, and uses what loads; a crash, or an error that is no
``ModelFileError``, is a finding.

    make test-long                                             ten minutes of it, among other tests
    python fuzz/load_model.py -max_total_time=600 fuzz/corpus
    python fuzz/load_model.py crash-0123                       a finding again

Arguments are libFuzzer's. Atheris keeps what reaches new code, in a folder that is gone afterwards;
changes are those of tests/model_file/mutator.py, which knows the format and mends the checksum.
"""

import subprocess
import sys
import tempfile
import warnings
import zlib
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

with atheris.instrument_imports(include=["silvics"]):
    import silvics  # noqa: F401

from model_file.files import mended, outcome, quickly_used  # noqa: E402
from model_file.mutator import mutated  # noqa: E402

OTHERS = [path.read_bytes() for path in sorted((ROOT / "fuzz" / "corpus").glob("*.silvics"))]
SEEN = {"run": 0, "loaded": 0}


def run(content: bytes) -> None:
    SEEN["run"] += 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        everything = zlib.crc32(content) % 16 == 0
        SEEN["loaded"] += (outcome if everything else quickly_used)(content)
    if SEEN["run"] % 20_000 == 0:
        print(f"{SEEN['loaded']} of {SEEN['run']} files were models", file=sys.stderr)


def changed(content: bytes, max_size: int, seed: int) -> bytes:
    """Mostly ours; now and then libFuzzer's, of bytes, whose checksum is right all the same."""
    if seed % 20 == 0:
        made = mended(atheris.Mutate(content, max(len(content), 1)))
    elif seed % 3 == 0:  # from a good one, since most that are kept are not
        made = mutated(OTHERS[seed % len(OTHERS)], seed, OTHERS)
    else:
        made = mutated(content, seed, OTHERS)
    return made if len(made) <= max_size else content


def main() -> int:
    folders = [given for given in sys.argv[1:] if Path(given).is_dir()]
    if len(folders) == 1:  # the first of two is written to, and it is not to be the repository's
        with tempfile.TemporaryDirectory() as new:
            others = [given for given in sys.argv[1:] if given not in folders]
            options = ["-max_len=65536", "-timeout=20", "-reduce_inputs=0", *others]
            command = [sys.executable, __file__, *options, new, *folders]
            return subprocess.run(command, check=False).returncode
    atheris.Setup(sys.argv, run, custom_mutator=changed)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
