"""Functions among the parameters of a model that is pickled."""

import copy
import pickle
import warnings

import joblib
import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

import silvics

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] > 0


def grown(**parameters):
    return silvics.RandomForestClassifier(20, random_state=0, **parameters).fit(X, Y)


def test_a_lambda_is_left_out_with_a_warning():
    forest = grown(progress=lambda done, total: None)
    with pytest.warns(UserWarning, match=r"progress=<function .* cannot be pickled.* default"):
        content = pickle.dumps(forest)
    again = pickle.loads(content)
    assert again.progress is None
    assert again.digest() == forest.digest()
    assert again.get_params() == {**forest.get_params(), "progress": None}
    assert forest.progress is not None


def test_the_default_is_the_parameters_own():
    forest = grown(oob_score=lambda y, z: float((y == z).mean()))
    with pytest.warns(UserWarning, match="oob_score=.* cannot be pickled"):
        again = pickle.loads(pickle.dumps(forest))
    assert again.oob_score is False
    assert again.oob_score_ == forest.oob_score_


def test_joblib_goes_the_same_way(tmp_path):
    forest = grown(progress=lambda done, total: None)
    with pytest.warns(UserWarning, match="progress=.* cannot be pickled"):
        joblib.dump(forest, tmp_path / "forest.joblib")
    assert joblib.load(tmp_path / "forest.joblib").digest() == forest.digest()


def test_functions_that_can_be_imported_are_kept():
    forest = grown(oob_score=balanced_accuracy_score, progress=max)
    again = pickle.loads(pickle.dumps(forest))
    assert again.oob_score is balanced_accuracy_score
    assert again.progress is max


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_copies_keep_any_function(way):
    forest = grown(progress=lambda done, total: None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = way(forest)
    assert again.progress is forest.progress
    assert again.digest() == forest.digest()
