"""Some thousands of changed files, the same each time; ``make test-long`` goes on for minutes."""

import pytest

from .files import outcome, quickly_used
from .keep import FOLDER
from .mutator import mutated

FILES = {path.stem: path.read_bytes() for path in sorted(FOLDER.glob("*.silvics"))}
N_EACH = 250


@pytest.mark.parametrize("name", FILES)
def test_changed_files_are_refused_or_can_be_used(name):
    others = [content for other, content in FILES.items() if other != name]
    n_loaded = 0
    for seed in range(N_EACH):
        content = FILES[name]
        for step in range(1 + seed % 2):
            content = mutated(content, 1000 * step + seed, others)
        n_loaded += (outcome if seed % 16 == 0 else quickly_used)(content)
    assert n_loaded > N_EACH // 30  # or too little is looked at
