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
OF_ANY_RECIPE = [silvics.ForestClassifier, silvics.ForestRegressor]
PATCHES = [silvics.RandomPatchesClassifier, silvics.RandomPatchesRegressor]
WITHOUT_OUTPUT = [silvics.IsolationForest, silvics.RandomTreesEmbedding]
# Those that stand for a class of scikit-learn, and all.
COUNTERPARTS = TREES + FORESTS + WITHOUT_OUTPUT
ESTIMATORS = COUNTERPARTS + OF_ANY_RECIPE + PATCHES


def known(estimator, **given):
    """Those of the parameters that the class has."""
    return {name: value for name, value in given.items() if name in estimator().get_params()}


def answer(model, X):
    """What a model is asked for."""
    return model.predict(X) if hasattr(model, "predict") else model.transform(X).toarray()
