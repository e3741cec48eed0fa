"""The public classes."""

import silvics

TREES = [
    silvics.DecisionTreeClassifier,
    silvics.DecisionTreeRegressor,
    silvics.ExtraTreeClassifier,
    silvics.ExtraTreeRegressor,
]
FORESTS = [
    silvics.RandomForestClassifier,
    silvics.RandomForestRegressor,
    silvics.ExtraTreesClassifier,
    silvics.ExtraTreesRegressor,
]
ESTIMATORS = TREES + FORESTS
