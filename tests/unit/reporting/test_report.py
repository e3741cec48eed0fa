import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import silvics
from silvics.datasets import load_penguins, load_seattle_weather

VOID = {"meta", "link", "line", "rect", "circle", "path", "polyline", "polygon", "br"}


class Page(HTMLParser):
    """Checks that tags are closed in order, and collects attributes."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.text = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.links += [attrs[name] for name in ("href", "src") if name in attrs]

    def handle_startendtag(self, tag, attrs):
        assert tag in VOID

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def penguins():
    X, y = load_penguins(return_X_y=True)
    return silvics.report(X, pd.Series(y, name="species"))


@pytest.fixture(scope="module")
def weather():
    X, y = load_seattle_weather(return_X_y=True)
    return silvics.report(
        X.iloc[:300], pd.Series(y[:300], name="high"), sections=["quality", "cases"]
    )


def test_the_page_is_whole_and_loads_nothing(penguins, weather):
    for found in (penguins, weather):
        page = Page(found.to_html())
        assert page.open == []
        assert len(page.ids) == len(set(page.ids))
        assert all(link.startswith("#") or link == "data:," for link in page.links)
        assert {link[1:] for link in page.links if link[0] == "#"} <= set(page.ids)
        assert "http://" not in found.to_html().replace("http://www.w3.org/2000/svg", "")
        assert len(found.to_html()) < 400_000


def test_the_sections_and_the_summary(penguins):
    assert penguins.sections == ["summary", "data", "quality", "inputs", "cases", "advice"]
    lines = repr(penguins).splitlines()
    assert lines[0] == "What predicts species?"
    assert len(lines) == 6
    assert "accuracy of 9" in lines[1]


def test_the_numbers_are_those_of_the_forest(penguins):
    sections = penguins.to_dict()["sections"]
    score = sections["quality"]["values"]["scores"]["accuracy"]
    assert score["value"] == pytest.approx(penguins.forest.oob_score_)
    assert score["low"] < score["value"] < score["high"]
    confusion = sections["quality"]["tables"]["confusion"]["columns"]
    assert sum(sum(v) for name, v in confusion.items() if name.startswith("as ")) == 344
    found = sections["inputs"]["values"]["importances"]
    assert found["variable"][0] in ("bill_length_mm", "flipper_length_mm")
    assert found["p_value"][0] <= 0.01


def test_the_curves_are_partial_dependences(penguins):
    X, _ = load_penguins(return_X_y=True)
    names = X.columns.tolist()
    table = penguins.to_dict()["sections"]["inputs"]["tables"][
        f"dependence-{names.index('bill_length_mm')}"
    ]["columns"]
    assert len(penguins.to_dict()["sections"]["inputs"]["tables"]) >= 5
    found = penguins.forest.partial_dependence("bill_length_mm", X, grid_resolution=25)
    np.testing.assert_allclose(table["mean, Adelie"], found.average[:, 0], atol=1e-12)
    assert table["bill_length_mm"][-1] == "missing"


def test_the_files(tmp_path, penguins):
    page = penguins.save(tmp_path / "new" / "folder")
    assert sorted(path.name for path in page.parent.iterdir()) == [
        "model.silvics", "report.html", "report.json",
    ]  # fmt: skip
    assert json.loads((page.parent / "report.json").read_text()) == penguins.to_dict()
    assert silvics.load(page.parent / "model.silvics").digest() == penguins.forest.digest()


def test_the_page_says_whether_it_has_rows(weather):
    assert "contains values of single rows" in weather.to_html()
    X, y = load_penguins(return_X_y=True)
    without = silvics.report(X, y, rows=False, sections=["data", "cases"])
    assert without.sections == ["summary", "data"]
    assert "contains no single rows" in without.to_html()


def test_the_same_table_gives_the_same_report():
    X, y = load_penguins(return_X_y=True)
    one, two = (silvics.report(X, y, sections=["inputs"], n_jobs=n).to_dict() for n in (1, 2))
    assert one["sections"] == two["sections"]
    assert one["about"]["fingerprint"] == two["about"]["fingerprint"]


def test_names_and_levels_are_escaped():
    rng = np.random.default_rng(0)
    evil = "<script>alert('x')</script>`"
    X = pd.DataFrame({evil: rng.normal(size=60), "b": rng.choice([evil, "</svg>"], 60)})
    y = pd.Series(np.where(rng.random(60) < 0.5, evil, "no"), name="</script><b>")
    html = silvics.report(X, y, sections=["data", "quality", "cases"]).to_html()
    assert "<script>alert" not in html
    assert html.count("</script>") == 2
    assert Page(html).open == []


def test_test_rows_are_scored():
    X, y = load_penguins(return_X_y=True)
    frame = X.assign(species=y)
    found = silvics.report(frame.iloc[::2], "species", test=frame.iloc[1::2], sections=["quality"])
    table = found.to_dict()["sections"]["quality"]["tables"]["test"]["columns"]
    assert table["score"][0] == "accuracy"
    rows = frame.iloc[1::2]
    accuracy = np.mean(found.forest.predict(rows[X.columns]) == rows["species"])
    assert table["value"][0] == pytest.approx(accuracy)
    with pytest.raises(ValueError, match="lacks the columns 'island'"):
        silvics.report(frame, "species", test=frame.drop(columns="island"), sections=["quality"])


def test_weights_and_progress():
    X, y = load_penguins(return_X_y=True)
    steps = []
    found = silvics.report(
        X.assign(w=np.arange(344.0)), y, weight="w", sections=["data"],
        progress=lambda what, done, total: steps.append(what),
    )  # fmt: skip
    assert "w" not in found.forest.feature_names_in_
    assert steps[-1] == "done"
    assert {"growing", "data"} <= set(steps)


@pytest.mark.parametrize("n", [2, 3, 12])
def test_tiny_tables(n):
    X = pd.DataFrame({"a": np.arange(float(n)), "b": [f"level {k % 2}" for k in range(n)]})
    found = silvics.report(X, np.arange(n) % 2)
    assert Page(found.to_html()).open == []


def test_wrong_sections_are_named():
    with pytest.raises(ValueError, match="sections must be one of"):
        silvics.report([[0.0], [1.0]], [0, 1], sections=["datas"])


def test_notebooks_show_the_page_in_a_frame(weather):
    shown = weather._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<!DOCTYPE html>" not in shown  # it is escaped


def test_budgets_end_growth_early():
    X, y = load_penguins(return_X_y=True)
    found = silvics.report(X, y, sections=["advice"], max_memory="1MB", max_time=1000.0, n_jobs=1)
    assert 1 <= len(found.forest) < 500
    assert found.forest.stopped_ in " ".join(found.to_dict()["sections"]["advice"]["texts"])
    with pytest.raises(ValueError, match="max_memory=1 kB is not enough"):
        silvics.report(X, y, sections=["data"], max_memory=1000)


def test_test_rows_may_have_one_class_and_missing_columns():
    X, y = load_penguins(return_X_y=True)
    frame = X.assign(species=y)
    test = frame[frame["species"] == "Adelie"].assign(sex=None).head(5)
    found = silvics.report(frame, "species", test=test, sections=["quality"])
    assert "test" in found.to_dict()["sections"]["quality"]["tables"]


def test_names_are_not_code_in_the_program():
    rng = np.random.default_rng(0)
    name = 'a\nimport os; print("INJECTED")\n#'
    X = pd.DataFrame({name: [f"{v:.3f}" for v in rng.normal(size=80)], "b": rng.normal(size=80)})
    html = silvics.report(X, X["b"] > 0, sections=["advice"]).to_html()
    program = html[html.index("<pre") : html.index("</pre>")]
    assert not any(line.startswith("import os") for line in program.splitlines())


def test_rows_of_weight_zero_do_not_count():
    X, y = load_penguins(return_X_y=True)
    half = X.assign(w=(np.arange(344) % 2).astype(float))
    found = silvics.report(half, y, weight="w", sections=["quality"])
    confusion = found.to_dict()["sections"]["quality"]["tables"]["confusion"]["columns"]
    assert sum(sum(v) for name, v in confusion.items() if name.startswith("as ")) == 172
    nearly_none = X.assign(w=(np.arange(344) % 100 == 0).astype(float))
    with pytest.raises(ValueError, match="too few rows have a positive weight"):
        silvics.report(nearly_none, y, weight="w", sections=["quality"])
