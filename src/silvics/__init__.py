"""Fast random forests and tools to understand them.

The estimators have scikit-learn's interface: replace ``from sklearn.ensemble import
RandomForestClassifier`` by ``from silvics import RandomForestClassifier``.
"""

from typing import TYPE_CHECKING

from silvics._lazy import attach
from silvics._version import __version__

if TYPE_CHECKING:
    from silvics import (
        bias_variance,
        datasets,
        importance,
        impute,
        inspection,
        network,
        patches,
        recipes,
    )
    from silvics._sources.scanning import scan
    from silvics.embedding import RandomTreesEmbedding
    from silvics.forest_embedding import ForestEmbedding
    from silvics.forests import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from silvics.interop.from_sklearn import from_sklearn
    from silvics.isolation import IsolationForest
    from silvics.merging import merge
    from silvics.model_file.container import ModelFileError
    from silvics.model_file.loading import load
    from silvics.patches.forests import RandomPatchesClassifier, RandomPatchesRegressor
    from silvics.recipe_forests import ForestClassifier, ForestRegressor
    from silvics.reporting.report import report
    from silvics.trees import (
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ExtraTreeClassifier,
        ExtraTreeRegressor,
    )
else:
    # The same names as above, which a test compares. Each is imported on first use.
    __getattr__, __dir__ = attach(
        __name__,
        {
            "_sources.scanning": ["scan"],
            "bias_variance": [],
            "datasets": [],
            "embedding": ["RandomTreesEmbedding"],
            "forest_embedding": ["ForestEmbedding"],
            "forests": [
                "ExtraTreesClassifier",
                "ExtraTreesRegressor",
                "RandomForestClassifier",
                "RandomForestRegressor",
            ],
            "importance": [],
            "impute": [],
            "inspection": [],
            "interop.from_sklearn": ["from_sklearn"],
            "isolation": ["IsolationForest"],
            "merging": ["merge"],
            "model_file.container": ["ModelFileError"],
            "model_file.loading": ["load"],
            "network": [],
            "patches": [],
            "patches.forests": ["RandomPatchesClassifier", "RandomPatchesRegressor"],
            "recipe_forests": ["ForestClassifier", "ForestRegressor"],
            "recipes": [],
            "reporting.report": ["report"],
            "trees": [
                "DecisionTreeClassifier",
                "DecisionTreeRegressor",
                "ExtraTreeClassifier",
                "ExtraTreeRegressor",
            ],
        },
    )

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForestClassifier",
    "ForestEmbedding",
    "ForestRegressor",
    "IsolationForest",
    "ModelFileError",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomPatchesClassifier",
    "RandomPatchesRegressor",
    "RandomTreesEmbedding",
    "__version__",
    "bias_variance",
    "datasets",
    "from_sklearn",
    "importance",
    "impute",
    "inspection",
    "load",
    "merge",
    "network",
    "patches",
    "recipes",
    "report",
    "scan",
]
