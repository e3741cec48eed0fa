"""The page of a report in a real browser: Debian's chromium, driven by playwright."""

import shutil
import warnings

import numpy as np
import pandas as pd
import pytest

import silvics
from silvics.datasets import load_penguins

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="NO BROWSER: install chromium to test the page of reports"
)

WIDTHS, SCHEMES = (400, 1400), ("light", "dark")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        try:
            found = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"NO BROWSER: {BROWSER} does not start: {str(error).splitlines()[0]}")
        yield found
        found.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page about classes, and one about numbers with names and levels of hostile length."""
    X, y = load_penguins(return_X_y=True)
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    long = pd.DataFrame(
        {
            "a_name_of_a_column_that_is_much_longer_than_any_chart_has_space_for": rng.normal(
                size=150
            ),
            "level": rng.choice(["x" * 80, "<b>bold</b>", "many words that do not end soon"], 150),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "classes": silvics.report(X, pd.Series(y, name="species")).save(folder / "classes"),
            "numbers": silvics.report(long, long.iloc[:, 0] * 2 + 1).save(folder / "numbers"),
        }


@pytest.fixture
def opened(browser, pages):
    """Open a page; errors of the console and requests fail the test."""
    contexts, complaints = [], []

    def opened(name, width=1400, scheme="light", **settings):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, **settings
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        address = pages[name].as_uri()
        page.on(
            "request",
            lambda r: r.url.split("#")[0] in (address, "data:,") or complaints.append(r.url),
        )
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("name", ["classes", "numbers"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_pages_are_accessible_and_nothing_is_cut_off(opened, name, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(name, width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        """() => [...document.querySelectorAll('svg[role=img]')].flatMap(svg => {
             const box = svg.getBoundingClientRect();
             return [...svg.querySelectorAll('text')].filter(text => {
               const own = text.getBoundingClientRect();
               return own.left < box.left - 1 || own.right > box.right + 1 ||
                      own.top < box.top - 1 || own.bottom > box.bottom + 1;
             }).map(text => text.textContent);
           })"""
    )
    assert outside == []
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []


def test_tooltips_by_mouse_and_by_keyboard(opened):
    page = opened("classes")
    tip, bar = page.locator("#tip"), page.locator("#importances rect[data-tip]").first
    assert tip.is_hidden()
    bar.hover()
    assert tip.is_visible()
    assert tip.text_content().startswith("bill_length_mm: ")
    page.mouse.move(0, 0)
    page.locator("#target .chart").focus()
    page.keyboard.press("ArrowRight")
    assert tip.text_content() == "Adelie: 152"
    page.keyboard.press("ArrowDown")
    assert tip.text_content() == "Gentoo: 124"
    page.keyboard.press("Escape")
    assert tip.is_hidden()


def test_sections_open_and_close_by_keyboard_and_by_link(opened):
    page = opened("classes")
    section = page.locator("details#data")
    page.locator("details#data > summary").focus()
    page.keyboard.press("Enter")
    assert section.get_attribute("open") is None
    page.locator("nav a[href='#data']").click()
    assert section.get_attribute("open") is not None
    numbers = page.locator("#importances .numbers")
    numbers.locator("summary").click()
    assert numbers.locator("table").is_visible()


def test_charts_can_be_saved(opened):
    page = opened("classes")
    with page.expect_download() as download:
        page.locator("#importances .get").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert download.value.suggested_filename == "importances.svg"
    assert text.startswith("<svg")
    assert "bill_length_mm" in text


def test_pages_work_without_scripts(opened):
    page = opened("classes", java_script_enabled=False)
    assert page.locator("#importances svg").is_visible()
    page.locator("details#advice > summary").click()
    assert not page.locator("#advice pre").is_visible()


def test_pages_print(opened):
    page = opened("classes")
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator("#confusion").is_visible()
    assert len(page.pdf()) > 10_000
