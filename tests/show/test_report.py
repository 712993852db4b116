"""The report in a real browser: it opens without errors, sorts, filters, and shows names as text."""

import html
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.series.data_quality import data_quality
from grace_plugin.series.panel import as_panel
from tests.support.browser import Browser
from tests.support.people import HOSTILE, small_data, small_refinement

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.xdist_group("report"),
]  # one page and one browser for all that is seen of it

WHERE = "[...document.querySelectorAll('#table tbody tr')]"
SHOWN = f"{WHERE}.filter(r => !r.hidden)"
EDGES = "document.getElementById('net').graph.edges().filter(e => !e.hasClass('away'))"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    return small_refinement().report(path, small_data(), title="Rain & <b>river</b>")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as one:
        yield one


@pytest.fixture
def visit(browser: Browser, page: Path) -> Browser:
    """The page, freshly opened."""
    browser.open(page)
    return browser


def column(browser: Browser, place: int) -> list[str]:
    return browser.value(f"{SHOWN}.map(r => r.cells[{place}].textContent)")


def text(browser: Browser, name: str) -> str:
    return browser.value(f"document.getElementById('{name}').textContent")


def head(browser: Browser, place: int) -> None:
    browser.click(f"#table th:nth-child({place + 1}) button")


def point_of(browser: Browser, element: str, where: str) -> tuple[float, float]:
    """Where an element of the graph is in the window."""
    browser.middle("#net")
    x, y = browser.value(
        f"(() => {{ const at = {element}.{where}();"
        " const box = document.getElementById('net').getBoundingClientRect();"
        " return [box.x + at.x, box.y + at.y]; })()"
    )
    return x, y


def slide(browser: Browser, share: float) -> None:
    """With the keys, from the left end."""
    browser.value("document.getElementById('level').focus()")
    browser.press("Home")
    for _ in range(round(100 * share) - 1):
        browser.press("ArrowRight")


def test_opens_without_errors_and_asks_nothing_of_the_network(visit: Browser, page: Path) -> None:
    assert visit.problems == []
    assert visit.asked == [page.as_uri()]


def test_runs_no_script_but_its_own(visit: Browser) -> None:
    visit.value(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.owned = 1'}))"
    )
    visit.settle()
    assert visit.value("window.owned") is None
    assert any("Content Security Policy" in one for one in visit.problems)


def test_names_from_data_are_text(visit: Browser) -> None:
    assert visit.value("document.title") == "Rain & <b>river</b>"
    assert HOSTILE in column(visit, 0)


def test_table_shows_every_candidate(visit: Browser) -> None:
    assert len(column(visit, 0)) == len(small_refinement().edges) == 32
    assert text(visit, "count") == "32 of 32 edges"


def test_sorts_by_number_both_ways(visit: Browser) -> None:
    head(visit, 4)
    rising = [float(words) for words in column(visit, 4)]
    head(visit, 4)
    falling = [float(words) for words in column(visit, 4)]
    assert rising == sorted(rising)
    assert falling == sorted(falling, reverse=True)
    assert rising[0] < rising[-1]
    assert visit.value("document.querySelectorAll('#table th')[4].ariaSort") == "descending"


def test_sorts_by_name(visit: Browser) -> None:
    head(visit, 0)
    lowered = [cause.lower() for cause in column(visit, 0)]
    assert lowered == sorted(lowered)


def test_filters_by_variable_and_verdict(visit: Browser) -> None:
    visit.write("#filter", "tea")
    assert len(column(visit, 0)) == 14
    assert all("tea" in pair for pair in zip(column(visit, 0), column(visit, 1), strict=True))
    assert text(visit, "count") == "14 of 32 edges"
    assert visit.value(f"{EDGES}.every(e => e.hasClass('faded'))")  # no kept edge has to do with tea
    visit.write("#filter", "nobody")
    assert column(visit, 0) == []
    visit.write("#filter", "")
    visit.value("verdict.value = 'kept'; verdict.dispatchEvent(new Event('change'))")
    assert set(zip(column(visit, 0), column(visit, 1), strict=True)) == {
        ("rain", "river"),
        ("river", HOSTILE),
    }


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_the_slider_shows_what_comes_and_goes(visit: Browser, share: float) -> None:
    slide(visit, share)
    edges = small_refinement().edges
    shown = edges[edges.q_value <= share]
    assert text(visit, "at") == f"{round(100 * share)} %: {len(shown)} edges"
    assert visit.value(f"{EDGES}.length") == int((shown.cause != shown.effect).sum())
    visit.value("verdict.value = 'slider'; verdict.dispatchEvent(new Event('change'))")
    assert len(column(visit, 0)) == len(shown)


def test_a_click_on_an_edge_tells_about_it(visit: Browser) -> None:
    slide(visit, 0.01)
    visit.click(point_of(visit, f"{EDGES}[0]", "renderedMidpoint"))
    assert "at lag" in text(visit, "sentence")
    assert "stayed" in text(visit, "sentence")
    assert "certificate" in text(visit, "numbers")
    assert visit.value("document.querySelectorAll('#answer svg polyline').length") >= 1
    assert visit.value("document.querySelectorAll('tr.chosen').length") == 1
    assert visit.value(f"{EDGES}.filter('.chosen').length") == 1
    visit.press("Escape")
    assert visit.value("document.getElementById('why').hidden")


def test_a_click_on_a_variable_shows_its_neighbours(visit: Browser) -> None:
    slide(visit, 0.01)
    node = "document.getElementById('net').graph.nodes().filter(n => n.data('name') === 'rain')[0]"
    visit.click(point_of(visit, node, "renderedPosition"))
    assert visit.value("document.getElementById('filter').value") == "rain"
    assert visit.value(f"{EDGES}.filter('.faded').map(e => e.source().data('name'))") == ["river"]
    visit.click("#net")  # the ground
    assert visit.value(f"{EDGES}.filter('.faded').length") == 0


def test_works_with_the_keyboard_alone(visit: Browser) -> None:
    visit.value("document.querySelector('#table tbody tr').focus()")
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        visit.press(key)
    assert visit.value(f"{WHERE}.findIndex(r => r.classList.contains('chosen'))") == 1
    assert visit.value(f"{WHERE}.filter(r => r.tabIndex === 0).length") == 1  # one stop for Tab
    visit.value("document.getElementById('net').focus()")
    visit.press("Escape")
    visit.press("ArrowRight")
    first = text(visit, "sentence")
    visit.press("ArrowRight")
    assert text(visit, "sentence") != first


def test_a_row_of_a_pruned_edge_says_so(visit: Browser) -> None:
    visit.write("#filter", "tea")
    visit.value(f"{SHOWN}[0].click()")
    assert "tea" in text(visit, "sentence")
    assert "pruned" in text(visit, "numbers")


def test_names_its_parts_for_screen_readers(visit: Browser) -> None:
    parts = "button, input, select, img, [role=application], [role=region]"
    named = "e.ariaLabel || e.alt || e.textContent.trim() || (e.labels && e.labels.length)"
    assert visit.value(f"[...document.querySelectorAll('{parts}')].filter(e => !({named})).length") == 0
    titled = "document.getElementById(s.getAttribute('aria-labelledby'))"
    assert visit.value(f"[...document.querySelectorAll('section')].every(s => {titled})")
    assert visit.value("document.getElementById('level').getAttribute('aria-valuetext')").endswith("edges")


def test_pictures_are_inside_and_fit(visit: Browser) -> None:
    pictures = visit.value(
        "[...document.images].filter(i => i.id !== 'printed').map(i => i.complete && i.naturalWidth > 100)"
    )
    assert len(pictures) == 4  # both graphs, two curves, gates
    assert all(pictures)
    assert not visit.value("document.documentElement.scrollWidth > document.documentElement.clientWidth")


def test_screenshot_and_print_are_not_blank(visit: Browser, tmp_path: Path) -> None:
    from matplotlib.image import imread

    visit.middle("#net")
    pixels = imread(visit.screenshot(tmp_path / "shot.png"))
    assert len(np.unique(pixels.reshape(-1, pixels.shape[-1])[::50], axis=0)) > 20
    assert visit.print(tmp_path / "report.pdf").stat().st_size > 50_000
    assert visit.value(
        "document.getElementById('printed').src.startsWith('data:image/png')"
    )  # the graph, too
    assert visit.problems == []


def test_works_with_a_hundred_variables_of_long_names(browser: Browser, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 100))
    x[1:, 50:] += 0.8 * x[:-1, :50]
    names = [f"sea surface temperature, region {index} of the northern hemisphere" for index in range(100)]
    found = gp.discover(pd.DataFrame(x, columns=names), max_lag=1)
    browser.open(found.report(tmp_path / "many.html"))
    assert browser.problems == []
    assert browser.value("document.getElementById('net').graph.nodes().length") == 100
    assert browser.value(f"{EDGES}.length") >= 45
    browser.click(point_of(browser, f"{EDGES}[0]", "renderedMidpoint"))
    assert "region" in text(browser, "sentence")
    labels = "document.getElementById('net').graph.nodes().filter(n => !n.hasClass('quiet'))"
    assert 20 < browser.value(f"{labels}.length") <= 100  # names that would overlap give way
    browser.write("#filter", "region 7 ")
    assert set(column(browser, 0) + column(browser, 1)) & {names[7]}


def test_one_file_without_addresses(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    library = (files("grace_plugin.show") / "templates" / "cytoscape.min.js").read_text(encoding="utf-8")
    assert library in text
    assert "Permission is hereby granted" in library  # its licence goes with it
    without_pictures = re.sub(r"base64,[^\"]*", "", text.replace(library, ""))
    assert "http://" not in without_pictures
    assert "https://" not in without_pictures
    assert HOSTILE not in without_pictures
    assert "<b>river</b>" not in without_pictures
    assert "GRACE: Gated Refinement" in text
    assert '"torch"' in html.unescape(text)


def test_report_without_data_or_moments_says_so(tmp_path: Path) -> None:
    from grace_plugin.results.json_reader import read_json
    from grace_plugin.show.report import report_html

    text = report_html(read_json(small_refinement().to_json()))
    assert "Pass the data to see their quality" in text
    assert "There are no curves" in text


def test_a_large_table_is_cut_and_says_so() -> None:
    from grace_plugin.show.report import report_html

    mask = np.ones((40, 40, 3), dtype=bool)
    mask[:, :, 0] = False
    data = np.random.default_rng(0).normal(size=(400, 40))
    refinement = gp.analyze(gp.Skeleton(mask), data, decide="certificate", basis=("linear",))
    text = report_html(refinement)
    assert text.count("<tr class=") == 3000
    assert "200 weakest pruned edges are left out" in text


def test_quality_flags_gaps_constants_tails_and_unit_roots() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 5))
    x[:, 1] = 7.0
    x[:, 2] = np.cumsum(x[:, 2])
    x[10:110, 3] = np.nan
    x[::40, 4] = 500.0
    table = data_quality(as_panel(x)).set_index("variable")
    assert table.warnings.tolist() == ["", "constant", "unit root not rejected", "many gaps", "heavy tails"]
    assert table.missing["x3"] == 100
    assert table.longest_gap["x3"] == 100
    assert table.dickey_fuller["x0"] < -10


def test_quality_of_several_short_series() -> None:
    table = data_quality(as_panel([np.arange(6.0).reshape(3, 2), np.ones((2, 2))]))
    assert table.rows.tolist() == [5, 5]
    assert np.isnan(table.dickey_fuller).all()
