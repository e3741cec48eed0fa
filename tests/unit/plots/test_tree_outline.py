"""Trees as text, DOT and pictures: every kind of split says where samples go."""

import inspect
import re
import sys

import matplotlib.figure
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import silvics
from silvics import DecisionTreeClassifier, DecisionTreeRegressor, ForestClassifier
from silvics.recipes import RECIPES

RNG = np.random.default_rng(0)
N = 200
TABLE = pd.DataFrame(
    {
        "species": RNG.choice(["ash", "oak", "elm", "yew", None], N),
        "height": np.where(RNG.random(N) < 0.2, np.nan, RNG.integers(0, 40, N)),
        "zone": pd.Categorical(RNG.integers(1, 5, N).astype(float)),
        "girth": RNG.integers(0, 30, N),
    }
)
LABELS = np.where(
    TABLE.species.isin(["ash", "yew"]) ^ (TABLE.height > 17) ^ (TABLE.girth > 20), "tall", "short"
)


# ---- the text, read as a program: it must predict as the tree does


def holds(condition, row):
    """Whether a condition of the text holds for a row of the table."""
    condition, *others = condition.split(" or ")
    name = next(n for n in TABLE.columns if re.search(rf"\b{n}\b", condition))
    value = row[name]
    if pd.isna(value):
        return "missing" in others or condition == f"{name} is missing"
    if condition in (f"{name} is missing", f"{name} is known"):
        return condition.endswith("known")
    if found := re.fullmatch(rf"{name} in \{{(.*)\}}", condition):
        return f"{value:g}" in found[1].split(", ") if name == "zone" else value in found[1]
    if found := re.fullmatch(rf"{name} = (.*)", condition):
        return (f"{value:g}" if name == "zone" else value) == found[1]
    if found := re.fullmatch(rf"(\S+) < {name} <= (\S+)", condition):
        return float(found[1]) < value <= float(found[2])
    sign, at = re.fullmatch(rf"{name} (<=|>) (\S+)", condition).groups()
    return value <= float(at) if sign == "<=" else value > float(at)


def predicted(text, row):
    """What the text says of a row."""
    depth = -1  # of the node that the row is at
    for line in text.splitlines():
        at = line.count("|")
        said = line.split("|-- ")[-1]
        condition, content = re.fullmatch(r"(.*?)(?:: | -> )(.*)", said).groups()
        if at != depth + 1 or (at and not holds(condition, row)):
            continue
        depth = at
        if " -> " in said:
            return content.split(" (")[0]
    raise AssertionError(text)


KINDS = {
    "binary": {},
    "extra": {"recipe": "extra_trees"},
    "apart": {"missing": "apart"},
    "multiway": {"recipe": "id3"},
    "categories": {"recipe": "c4.5"},
    "apart multiway": {"recipe": "id3", "missing": "apart"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_text_predicts_as_the_tree(kind):
    settings = {"n_estimators": 1, "rows": "all", "min_samples_leaf": 3} | KINDS[kind]
    forest = ForestClassifier(**settings, random_state=0).fit(TABLE, LABELS)
    text = forest.estimators_[0].to_text(max_depth=None)
    expected = forest.predict(TABLE)
    rows = [predicted(text, row) for _, row in TABLE.iterrows()]
    shares = forest.predict_proba(TABLE)
    sure = np.abs(shares[:, 0] - 0.5) > 1e-9
    assert np.array_equal(np.array(rows)[sure], expected[sure])
    assert sure.sum() > 100


# ---- what each kind of node says


def test_numbers_and_classes():
    tree = DecisionTreeClassifier(random_state=0).fit([[1.0], [2.0], [7.0]], ["a", "a", "b"])
    assert tree.to_text() == (
        "all samples: a (67%), 3 samples\n"
        "|-- x0 <= 4.5 or missing -> a (100%), 2 samples\n"
        "|-- x0 > 4.5 -> b (100%), 1 sample\n"
    )
    assert (
        "missing"
        not in DecisionTreeClassifier(missing="error").fit([[1.0], [2.0]], [0, 1]).to_text()
    )


def lines_of(column, y, **settings):
    frame = pd.DataFrame({"it": column})
    return DecisionTreeRegressor(random_state=0, **settings).fit(frame, y).to_text()


def test_values_in_the_words_of_their_columns():
    y = [0.0, 0.0, 1.0, 1.0]
    days = pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-05", "2020-01-09"])
    assert "it <= 2020-01-04 " in lines_of(days, y)
    assert "it > 2 days, 12:00:00" in lines_of(pd.to_timedelta([1, 2, 3, 4], unit="D"), y)
    sizes = pd.Categorical(list("sslm"), categories=list("sml"), ordered=True)
    assert "it <= s " in lines_of(sizes, y)
    assert "it in {10, 20}" in lines_of(pd.Categorical([10.0, 20.0, 30.0, 30.0] * 3), y * 3)
    assert "it is missing" in lines_of([np.nan, np.nan, 1.0, 1.0], y)
    many = [f"level {i}" for i in range(40)] * 2
    assert re.search(r"it in \{level .* and \d+ more\}", lines_of(many, (np.arange(80) % 40) % 2))


def test_missing_values_both_ways_and_levels_not_seen():
    settings = {"n_estimators": 1, "random_state": 0}
    both = ForestClassifier(missing="both", **settings).fit(TABLE, LABELS).estimators_[0]
    first = both.to_text(1).splitlines()[1:]
    assert sum("or missing (half)" in line for line in first) == 2
    heavier = ForestClassifier(unknown_category="heavier", columns="all", **settings)
    assert " or unseen" in heavier.fit(TABLE[["species"]], LABELS).estimators_[0].to_text()


def test_combinations():
    forest = ForestClassifier(split="oblique", n_combined=2, n_estimators=1, random_state=0)
    text = forest.fit(TABLE[["height", "girth"]].fillna(0), LABELS).estimators_[0].to_text(None)
    assert re.search(r"-?[\d.e+-]+\*(height|girth) [+-] [\d.e+-]+\*(girth|height) <= ", text)


def test_several_outputs():
    y = np.c_[LABELS, np.where(TABLE.girth > 5, "thick", "thin")]
    tree = silvics.RandomForestClassifier(1, random_state=0).fit(TABLE, y).estimators_[0]
    assert re.search(r"(tall|short) \(\d+%\); (thick|thin) \(\d+%\), ", tree.to_text(1))


def test_names_stay_on_one_line():
    frame = pd.DataFrame({'a\n"b"\\$': [1.0, 2.0]})
    tree = DecisionTreeClassifier().fit(frame, ["c\nd", "e"])
    assert tree.to_text().count("\n") == 3
    assert r"a \"b\"\\$ <= 1.5" in tree.to_dot()
    tree.plot().figure_.canvas.draw()
    plt.close("all")


# ---- depth


def test_truncation_says_what_is_hidden():
    tree = DecisionTreeClassifier(random_state=0).fit(TABLE, LABELS)
    for depth in (0, 2, 5):
        text, dot = tree.to_text(depth), tree.to_dot(depth)
        hidden = sum(int(n.replace(",", "")) for n in re.findall(r"\.\.\. ([\d,]+) more", text))
        shown = len(re.findall(r"^  n\d+ \[", dot, flags=re.MULTILINE))
        assert hidden + shown == tree.tree_.node_count
        assert len(text.splitlines()) == shown + text.count("more nodes")
    assert "more nodes" not in tree.to_text(None)
    assert "more nodes" not in tree.to_dot()


def test_a_deep_tree_needs_no_recursion():
    X = np.arange(500.0)[:, None]
    tree = DecisionTreeRegressor().fit(X, 4.0 ** X[:, 0])
    assert tree.get_depth() > 400
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        dot, text, ax = tree.to_dot(), tree.to_text(None), tree.plot(None).ax_
    finally:
        sys.setrecursionlimit(before)
    assert len(dot.splitlines()) == 2 * tree.tree_.node_count + 3
    assert len(text.splitlines()) == len(boxes(ax)) == tree.tree_.node_count
    plt.close("all")


@pytest.mark.parametrize("depth", [-1, 1.5, "3", True])
def test_depths_are_checked(depth):
    tree = DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    for show in (tree.to_text, tree.to_dot, tree.plot):
        with pytest.raises(ValueError, match="max_depth must be a non-negative integer"):
            show(max_depth=depth)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        DecisionTreeClassifier().to_text()


# ---- every recipe, and pictures


@pytest.mark.parametrize("recipe", [name for name in RECIPES if RECIPES[name].stages == 1])
def test_trees_of_every_recipe(recipe):
    plain = TABLE[["height", "girth"]].fillna(0)
    forest = ForestClassifier(recipe, n_estimators=1, random_state=0).fit(plain, LABELS)
    tree = forest.estimators_[0]
    assert len(tree.to_text(None).splitlines()) == tree.tree_.node_count
    assert tree.to_dot().count("->") == tree.tree_.node_count - 1
    assert re.search("tall|short", tree.to_text())


def boxes(ax):
    return [text for text in ax.texts if text.get_zorder() == 3]


@pytest.mark.parametrize("kind", KINDS)
def test_pictures(kind):
    settings = {"n_estimators": 1, "random_state": 0} | KINDS[kind]
    tree = ForestClassifier(**settings).fit(TABLE, LABELS).estimators_[0]
    ax = tree.plot(max_depth=2).ax_
    shown = tree.to_dot(2).count("label=") - tree.to_dot(2).count("->")
    assert len(boxes(ax)) == shown
    ax.figure.canvas.draw()
    frames = [text.get_bbox_patch().get_window_extent() for text in boxes(ax)]
    overlaps = [
        (a, b)
        for i, a in enumerate(frames)
        for b in frames[:i]
        if a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1
    ]
    assert overlaps == []
    plt.close("all")


def test_axes_of_the_user():
    ax = matplotlib.figure.Figure((4, 3)).add_subplot()
    tree = DecisionTreeRegressor(random_state=0).fit(TABLE[["girth"]], TABLE.girth**2)
    assert tree.plot(ax=ax).ax_ is ax
    assert len(boxes(ax)) == 15
    leaf = DecisionTreeRegressor().fit([[1.0], [2.0]], [3.0, 3.0])
    assert len(boxes(leaf.plot().ax_)) == 1
    plt.close("all")
