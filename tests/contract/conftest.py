import pytest
import sklearn.ensemble
import sklearn.tree

from .estimators import COUNTERPARTS, ESTIMATORS, TREES


def pytest_generate_tests(metafunc):
    """``ours`` is each public class in turn; beside ``theirs``, each that has a counterpart."""
    marked: set[str] = set()
    for mark in metafunc.definition.iter_markers("parametrize"):
        names = mark.args[0]
        marked |= set(names.replace(" ", "").split(",") if isinstance(names, str) else names)
    if "ours" in metafunc.fixturenames and "ours" not in marked:
        kinds = COUNTERPARTS if "theirs" in metafunc.fixturenames else ESTIMATORS
        metafunc.parametrize("ours", kinds, ids=lambda estimator: estimator.__name__)


@pytest.fixture
def theirs(ours):
    """The class of scikit-learn that ours stands for."""
    place = sklearn.tree if ours in TREES else sklearn.ensemble
    return getattr(place, ours.__name__)
