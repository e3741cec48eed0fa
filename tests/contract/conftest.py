import pytest
import sklearn.ensemble
import sklearn.tree

from .estimators import ESTIMATORS, TREES


@pytest.fixture(params=ESTIMATORS, ids=lambda estimator: estimator.__name__)
def ours(request):
    """Each public class in turn."""
    return request.param


@pytest.fixture
def theirs(ours):
    """The class of scikit-learn that ours stands for."""
    place = sklearn.tree if ours in TREES else sklearn.ensemble
    return getattr(place, ours.__name__)
