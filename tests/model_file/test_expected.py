"""``load`` with the class that is expected."""

import pytest

import silvics

X, Y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]


@pytest.fixture
def path(tmp_path):
    at = tmp_path / "levels.silvics"
    silvics.ExtraTreeClassifier(random_state=0).fit(X, Y).save(at)
    return at


@pytest.mark.parametrize(
    "expected", [silvics.ExtraTreeClassifier, silvics.DecisionTreeClassifier, object, None]
)
def test_the_class_and_its_bases_are_taken(path, expected):
    assert silvics.load(path, expected).predict([[3.0]]).tolist() == ["high"]


def test_another_class_is_refused(path):
    with pytest.raises(silvics.ModelFileError, match="class ExtraTreeClassifier, but Random"):
        silvics.load(path, silvics.RandomForestRegressor)


@pytest.mark.parametrize("expected", ["RandomForestClassifier", silvics.ExtraTreeClassifier(), 3])
def test_what_is_no_class_is_refused(path, expected):
    with pytest.raises(TypeError, match="expected must be a class"):
        silvics.load(path, expected)
