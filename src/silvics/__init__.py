"""Random forests, grown fast and explained.

The estimators follow scikit-learn: replace ``from sklearn.ensemble import
RandomForestClassifier`` by ``from silvics import RandomForestClassifier``.
"""

from importlib.metadata import version as _version

from silvics import importance, recipes
from silvics.embedding import RandomTreesEmbedding
from silvics.forests import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.interop.to_sklearn import from_sklearn
from silvics.isolation import IsolationForest
from silvics.merging import merge
from silvics.model_file import ModelFileError, load
from silvics.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

__version__ = _version("silvics")

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForestClassifier",
    "ForestRegressor",
    "IsolationForest",
    "ModelFileError",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
    "__version__",
    "from_sklearn",
    "importance",
    "load",
    "merge",
    "recipes",
]
