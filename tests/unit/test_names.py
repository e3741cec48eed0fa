"""Names that are not known are answered with the one that may have been meant."""

import numpy as np
import pandas as pd
import pytest

from silvics import (
    DecisionTreeClassifier,
    ForestClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    recipes,
)
from silvics._names import did_you_mean, one_of
from silvics.importance import (
    SelectByTest,
    SelectByThreshold,
    asymptotic_importances,
    contrast_test,
    null_information,
    permutation_test,
)

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(40, 3)), columns=["height", "girth", "age"])
Y = X["height"] > 0


def grown():
    return RandomForestClassifier(4, random_state=0).fit(X, Y)


CALLS = {
    "kind": (lambda: grown().importances("mda_tre", X, Y), "mda_tree"),
    "kind in other letters": (lambda: grown().importances("MDI"), "mdi"),
    "alias": (lambda: grown().importances("permutations", X, Y), "permutation"),
    "by": (lambda: grown().importances("mdi", by="clas"), "class"),
    "null": (lambda: grown().importances("mdi", X, Y, null="permutted"), "permuted"),
    "loss": (lambda: grown().importances("mda", X, Y, loss="logloss"), "log_loss"),
    "rows": (lambda: grown().importances("mda", X, Y, rows="held out"), "held_out"),
    "variable": (lambda: grown().importances(feature_groups=[["heigth", "age"]]), "height"),
    "recipe": (lambda: recipes.get("random_forrest"), "random_forest"),
    "recipe of a forest": (lambda: ForestClassifier("exta_trees").fit(X, Y), "extra_trees"),
    "null of a test": (lambda: permutation_test(grown(), X, Y, null="norml"), "normal"),
    "against": (lambda: contrast_test(grown(), X, Y, against="al"), "all"),
    "over": (lambda: contrast_test(grown(), X, Y, over="dat"), "data"),
    "how": (
        lambda: permutation_test(grown(), X, Y, n_permutations=2).adjusted("familly"), "family",
    ),
    "kind of a test": (lambda: permutation_test(grown(), X, Y, kind="ufii"), "ufi"),
    "kind of a selector": (lambda: SelectByThreshold(kind="mdi_obb").fit(X, Y), "mdi_oob"),
    "splits": (lambda: asymptotic_importances([[0], [1]], [0, 1], splits="multi-way"), "multiway"),
    "method": (lambda: asymptotic_importances([[0], [1]], [0, 1], method="exakt"), "exact"),
    "criterion": (lambda: null_information([0, 1], [0, 1], criterion="entropie"), "entropy"),
    "categories": (
        lambda: RandomForestClassifier(2, categorical_features=["ag"]).fit(X, Y), "age",
    ),
    "relevant": (
        lambda: ForestClassifier("breiman_2004", n_estimators=2, relevant=["girt"]).fit(X, Y),
        "girth",
    ),
    # Those that scikit-learn checks.
    "criterion of a tree": (
        lambda: DecisionTreeClassifier(criterion="entropi").fit(X, Y), "entropy",
    ),
    "rows of a forest": (lambda: ForestClassifier(rows="bootstraps").fit(X, Y), "bootstrap"),
    "missing": (lambda: RandomForestRegressor(missing="learnt").fit(X, X["age"]), "learned"),
    "unknown_category": (lambda: IsolationForest(unknown_category="mising").fit(X), "missing"),
    "test": (lambda: SelectByTest(test="permutations").fit(X, Y), "permutation"),
    "task": (lambda: SelectByThreshold(task="regresion").fit(X, Y), "regression"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_did_you_mean(name):
    call, meant = CALLS[name]
    with pytest.raises(ValueError, match=rf"Did you mean '{meant}'\?"):
        call()


def test_nothing_like_it():
    with pytest.raises(ValueError, match="kind must be one of") as error:
        grown().importances("zebra")
    assert "Did you mean" not in str(error.value)
    with pytest.raises(ValueError, match="criterion") as error:
        DecisionTreeClassifier(criterion="zebra").fit(X, Y)
    assert "Did you mean" not in str(error.value)


@pytest.mark.parametrize("value", [None, 3, ["mdi"], ""])
def test_what_is_no_name(value):
    assert did_you_mean(value, ["mdi", None]) == ""
    with pytest.raises(ValueError, match="kind must be one of"):
        one_of("kind", value, ["mdi"])


def test_other_wrong_parameters_are_as_scikit_learn_says():
    with pytest.raises(ValueError, match="max_depth") as error:
        RandomForestClassifier(max_depth=-1).fit(X, Y)
    assert "Did you mean" not in str(error.value)


def test_text_where_true_or_false_is_expected():
    with pytest.raises(ValueError, match=r"'early_stopping'.*'auto'.* Set it to True or False"):
        RandomForestClassifier(early_stopping="auto").fit(X, Y)
