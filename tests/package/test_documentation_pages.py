"""The pages of the documentation: their code runs, their links resolve, and none is left out."""

import doctest
import inspect
import re
import shlex
from pathlib import Path

import pytest

import silvics
from silvics.cli.main import parser

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
# Made while the site is built.
MADE = {"auto_examples/index", "api/index"}


def name_of(page):
    return str(page.relative_to(ROOT))


def parsed(page):
    """Lines of a page outside of code, and its blocks of Python."""
    prose, blocks, block = [], [], None
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.lstrip().startswith("```"):
            if block is None:
                block = (line.strip(" `"), [])
            else:
                blocks.append((block[0], "\n".join(block[1])))
                block = None
        elif block is not None:
            block[1].append(line)
        else:
            prose.append(line)
    assert block is None, "a block of code has no end"
    return "\n".join(prose), [text for language, text in blocks if language == "python"]


def run(text, names):
    if ">>> " in text:
        text = re.sub(r"\n\n(?=  )", "\n<BLANKLINE>\n", text)  # within an output
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        example = doctest.DocTestParser().get_doctest(text, names, "page", None, 0)
        assert runner.run(example, clear_globs=False).failed == 0
        names.update(example.globs)
    else:
        exec(compile(text, "page", "exec"), names)


@pytest.mark.parametrize("page", [p for p in GUIDES if parsed(p)[1]], ids=name_of)
def test_code_runs(page, tmp_path, monkeypatch):
    """All blocks of a page, one after the other, in one program."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for text in parsed(page)[1]:
        run(text, names)


def commands(page):
    """Commands of silvics with their options, in blocks of commands and in backticks."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^ {4}silvics ([^#\n]+)", text, flags=re.MULTILINE)
    found += re.findall(r"`silvics ([^`]+)`", text)
    return [part for part in found if " " in part.strip() and "..." not in part]


@pytest.mark.parametrize("page", [p for p in GUIDES if commands(p)], ids=name_of)
def test_commands_are_accepted(page):
    for command in commands(page):
        parser().parse_args(shlex.split(command))  # exits if it is not known


# ---- links


def anchors(page):
    """Identifiers of headings, as renderers of Markdown make them."""
    prose, _ = parsed(page)
    found = set()
    for heading in re.findall(r"^#+ (.*)$", prose, flags=re.MULTILINE):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


def links(page):
    prose, _ = parsed(page)
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", prose)):
        if not re.match(r"[a-z]+:", target):
            yield target


def broken(page):
    for target in links(page):
        path, _, anchor = target.partition("#")
        to = (page.parent / path).resolve() if path else page
        made = to.is_relative_to(DOCS) and str(to.relative_to(DOCS)) in MADE
        if not (made or to.exists()) or (anchor and anchor not in anchors(to)):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_resolve(page):
    assert list(broken(page)) == []


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One title\n[a](#one-title) [b](#other) [c](page.md) [d](none.md) `[e](x)`")
    assert list(broken(page)) == ["#other", "none.md"]


# ---- navigation


def toctree(page):
    """Pages in the navigation below this one; patterns are resolved."""
    text = page.read_text(encoding="utf-8")
    for body in re.findall(r"```\{toctree\}\n(.*?)```", text, flags=re.DOTALL):
        for entry in body.splitlines():
            if entry and not entry.startswith(":"):
                yield from (p for p in page.parent.glob(f"{entry}.md") if p != page)


def test_every_page_of_the_docs_is_in_the_navigation():
    listed = {path for page in DOCS.rglob("*.md") for path in toctree(page)}
    site = {path for path in DOCS.rglob("*.md") if "auto_examples" not in path.parts}
    assert sorted(map(name_of, site - listed)) == ["docs/index.md"]


def records():
    return sorted((DOCS / "decisions").glob("[0-9]*.md"))


@pytest.mark.parametrize("record", records(), ids=lambda record: record.stem)
def test_decision_records_have_a_date_and_a_status(record):
    head = " ".join(record.read_text(encoding="utf-8").splitlines()[:6])
    assert re.search(r"\d{1,2} [A-Z][a-z]+ \d{4}|\d{4}-\d\d-\d\d", head)
    assert re.search("accepted|superseded|rejected|proposed", head, flags=re.IGNORECASE)


def test_the_index_lists_all_decision_records():
    assert sorted(set(links(DOCS / "decisions/README.md"))) == [path.name for path in records()]


# ---- the reference


def reference():
    """Names that the API reference documents."""
    for page in (DOCS / "api").glob("*.rst"):
        module = "silvics"
        for line in page.read_text().splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.split()[-1]
            elif re.fullmatch(r"   [\w.]+", line):
                yield f"{module}.{line.strip()}"


def public_names(package):
    for name in package.__all__:
        member = getattr(package, name)
        if inspect.ismodule(member):
            yield from public_names(member)
        elif not name.startswith("__"):
            yield f"{package.__name__}.{name}"


def test_every_public_name_is_in_the_reference():
    missing = set(public_names(silvics)) - set(reference())
    assert missing == set(), "add these to a page of docs/api"


def test_results_are_in_the_reference():
    """Classes that methods return and that are not public names themselves."""
    assert {
        "silvics._predicting.predictor.Predictor",
        "silvics._predicting.tree_arrays.Tree",
        "silvics._results.oob_curve.OobCurve",
        "silvics._results.summary.OutputErrors",
        "silvics._results.summary.Summary",
    } <= set(reference())


# ---- tables that translate


def known_names():
    """Parameters, methods and attributes of forests, trees and results, and public names."""
    X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]] * 5, [0, 0, 1, 1] * 5
    forests = [
        silvics.RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, y),
        silvics.RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, y),
        silvics.ForestClassifier("bagging", 5, random_state=0).fit(X, y),
    ]
    tree, importances = forests[0].estimators_[0], forests[0].importances()
    objects = [*forests, tree, tree.tree_, importances, forests[0].summary()]
    objects += [silvics, silvics.importance, silvics.impute, silvics.inspection]
    names = {name for thing in objects for name in dir(thing)}
    names |= {name for forest in forests for name in forest.get_params()}
    names |= set(inspect.signature(silvics.RandomForestClassifier.importances).parameters)
    names |= set(inspect.signature(silvics.RandomForestClassifier.proximity).parameters)
    return names


TRANSLATIONS = ["from_sklearn.md", "from_ranger.md", "from_randomforest.md"]
# Names of Python, of scikit-learn and of the tables' own examples.
OTHERS = {
    *("silvics", "forests", "forest", "tree", "path", "X", "y", "X_test", "y_test", "a", "b"),
    *("sum", "axis", "None", "True", "GridSearchCV", "PartialDependenceDisplay", "MDS"),
}


@pytest.mark.parametrize("page", TRANSLATIONS)
def test_translations_name_what_exists(page):
    known = known_names()
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|", parsed(DOCS / page)[0], flags=re.MULTILINE)
    code = [text for row in rows for text in re.findall(r"`([^`]*)`", row)]
    words = {w for text in code for w in re.findall(r"[A-Za-z_]\w*", re.sub(r'"[^"]*"', "", text))}
    assert sorted(words - known - OTHERS) == []
    assert len(words & known) > 10


def test_quoted_kinds_of_the_translations_are_accepted():
    X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]] * 5, [0, 0, 1, 1] * 5
    forest = silvics.RandomForestClassifier(20, keep_samples=True, random_state=0).fit(X, y)
    text = "".join(parsed(DOCS / page)[0] for page in TRANSLATIONS)
    kinds = set(re.findall(r'importances\("(\w+)"', text))
    assert kinds >= {"mdi", "mda", "mda_tree", "local"}
    for kind in kinds:
        rows = (X,) if kind == "local" else (X, y)
        assert forest.importances(kind, *rows).kind == kind
    for kind in re.findall(r'proximity\(kind="(\w+)"', text):
        assert forest.proximity(kind=kind).shape == (20, 20)
