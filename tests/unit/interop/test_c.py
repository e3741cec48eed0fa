"""to_c(): compiled, it predicts the same to the last bit."""

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest

import silvics

from .exported_models import ANY, ODD_LEVELS, PLAIN, coded, made, mixed, values_of

COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
STRICT = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def compiled(code, folder, name="predict", options=STRICT):
    source, library = folder / "model.c", folder / "model.so"
    source.write_text(code, encoding="ascii")
    command = [COMPILER, *options, "-shared", "-fPIC", str(source), "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    function = getattr(ctypes.CDLL(str(library)), name)
    pointer = ctypes.POINTER(ctypes.c_double)
    function.argtypes, function.restype = [pointer, pointer], None

    def predict(rows, width):
        rows = np.ascontiguousarray(rows)
        out = np.full((len(rows), width), np.nan)
        for row, to in zip(rows, out, strict=True):
            function(row.ctypes.data_as(pointer), to.ctypes.data_as(pointer))
        return out

    return predict


def assert_same(model, tables, folder, options=STRICT):
    predict = compiled(model.to_c(), folder, options=options)
    for X in tables:
        expected = values_of(model, X)
        found = predict(coded(model, X), expected.shape[1])
        np.testing.assert_array_equal(found.view(np.int64), expected.view(np.int64))


@pytest.mark.parametrize("name", PLAIN | ANY)
def test_same_to_the_last_bit(name, tmp_path):
    assert_same(*made(name), tmp_path)


@pytest.mark.parametrize("options", [["-O0"], ["-O3", "-march=native", "-ffp-contract=fast"]])
@pytest.mark.parametrize(
    "name", ["both-oblique-ForestRegressor-None", "rotation_forest-ForestRegressor-numbers"]
)
def test_no_compiler_changes_a_sum(name, options, tmp_path):
    assert_same(*made(name), tmp_path, options)


def test_two_models_in_one_file(tmp_path):
    (one, [X]), (other, _) = made("both-ForestClassifier-numbers"), made("DecisionTreeClassifier")
    code = one.to_c("first_model") + other.to_c(name="_second")
    for model, name in ((one, "first_model"), (other, "_second")):
        expected = values_of(model, X)
        found = compiled(code, tmp_path, name)(X, expected.shape[1])
        np.testing.assert_array_equal(found, expected)


def test_the_comment_lists_levels_and_classes():
    frame, _, classes = mixed()
    forest = silvics.RandomForestClassifier(2, random_state=0).fit(frame, classes)
    code = forest.to_c()
    comment = code[: code.index("*/")]
    assert 'x[1]: "tree *\\u002f", category' in comment
    for i, level in enumerate(forest.categories_[1]):
        assert level in ODD_LEVELS
        assert re.search(rf"^ \*     {i}: \".*\"$", comment, re.MULTILINE)
    assert '0: "small"' in comment  # of an ordered one, in its order
    assert "out[2]: share of the class 2 of output 0" in comment


@pytest.mark.parametrize("name", ["", "2x", "a b", "int", "predict()", "é", "x\n", None, 3])
def test_the_name_must_be_one_of_a_function(name):
    with pytest.raises((ValueError, TypeError), match=r"name|string"):
        made("DecisionTreeClassifier")[0].to_c(name)


def test_numbers_that_are_no_levels_are_missing(tmp_path):
    model, [X, *_] = made("RandomForestClassifier-categories")
    predict = compiled(model.to_c(), tmp_path)
    rows = coded(model, X)
    gone = rows.copy()
    gone[:, model.is_categorical_] = np.nan
    for strange in (-1.0, -2.0, 1e9, 1e300, -1e300):
        rows[:, model.is_categorical_] = strange
        np.testing.assert_array_equal(predict(rows, 3), predict(gone, 3))


def test_left_levels_of_nodes_that_keep_missing_values_apart():
    model, _ = made("apart-binary-ForestClassifier-soft")
    seen = 0
    for tree in model.estimators_:
        for node in range(tree.tree_.node_count):
            told = tree.tree_.split(node)
            if told is not None and told["test"] == "subset":
                n_levels = tree._variables.n_levels[tree.tree_.feature[node]]
                left = tree.tree_.left_levels(node).tolist()
                assert 0 < len(left) <= n_levels
                seen += 1
    assert seen > 0


MATH = (
    "isnan isinf isfinite signbit fpclassify isless NAN INFINITY HUGE_VAL FP_NAN double_t M_PI "
    "sqrt sqrtf sqrtl exp floor fma nan nanf pow lgamma tgamma nexttoward llroundl math_errhandling"
)


@pytest.mark.parametrize("name", MATH.split())
def test_names_of_the_mathematical_library_are_refused(name):
    model, _ = made(next(iter(PLAIN)))
    with pytest.raises(ValueError, match=f"name='{name}' is a name of C's <math.h>.*{name}_model"):
        model.to_c(name=name)


@pytest.mark.parametrize("name", ["isnan_model", "predict", "expf2", "sqrt_", "_isnan", "modelf"])
def test_names_that_are_only_similar_compile(name, tmp_path):
    model, _ = made(next(iter(PLAIN)))
    compiled(model.to_c(name=name), tmp_path, name)
