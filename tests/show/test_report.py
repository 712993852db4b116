"""The report in a real browser: it opens without errors, sorts, filters, and shows names as text."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.series.data_quality import data_quality
from grace_plugin.series.panel import as_panel
from tests.support.people import HOSTILE, small_data, small_refinement

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.xdist_group("report"),
]  # one page and one browser for all that is seen of it

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1100,3000",
]

# Runs before the page's own script: whatever goes wrong, and whatever is asked of the network, is noted.
LISTEN = """
window.problems = [];
window.addEventListener("error", e => problems.push("error: " + e.message), true);
window.addEventListener("unhandledrejection", e => problems.push("rejected: " + e.reason));
document.addEventListener("securitypolicyviolation", e => problems.push("policy: " + e.blockedURI));
console.error = (...words) => problems.push("console: " + words.join(" "));
"""

USE = """
const rows = () => [...document.querySelectorAll("#table tbody tr")].filter(r => !r.hidden);
const column = k => rows().map(r => r.cells[k].textContent);
const count = () => document.getElementById("count").textContent;
const found = {title: document.title, all: rows().length, count: count()};
const heads = [...document.querySelectorAll("#table th button")];
heads[4].click(); found.rising = column(4).map(Number);
heads[4].click(); found.falling = column(4).map(Number);
found.sorted = document.querySelectorAll("#table th")[4].getAttribute("aria-sort");
heads[0].click(); found.causes = column(0);
const filter = document.getElementById("filter"), verdict = document.getElementById("verdict");
const set = (e, v, kind) => { e.value = v; e.dispatchEvent(new Event(kind)); };
set(filter, "tea", "input");
found.tea = rows().map(r => [0, 1].map(k => r.cells[k].textContent).join("|"));
found.counted = count();
set(filter, "", "input"); set(verdict, "kept", "change");
found.kept = rows().map(r => [0, 1, 2].map(k => r.cells[k].textContent).join("|"));
set(filter, "nobody", "input"); found.nobody = rows().length;
set(filter, "", "input"); set(verdict, "", "change");
const level = document.getElementById("level"), at = document.getElementById("at");
const arrows = () => [...document.querySelectorAll("#net > path")].filter(p => p.style.display !== "none");
const cut = v => { set(level, v, "input"); return [at.textContent, arrows().length]; };
found.path = ["0.01", "0.1", "0.5"].map(cut);
set(level, "0.01", "input");
arrows()[0].dispatchEvent(new MouseEvent("click"));
found.clicked = document.getElementById("why").textContent;
found.chosen = document.querySelectorAll("tr.chosen, path.chosen").length;
[...document.querySelectorAll("#table tbody tr")].find(r => r.cells[0].textContent === "tea").click();
found.tea_why = document.getElementById("why").textContent;
found.pictures = [...document.images].map(i => i.complete && i.naturalWidth > 100);
found.outside = performance.getEntriesByType("resource").map(e => e.name).filter(n => !n.startsWith("data:"));
found.wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
found.problems = problems;
const note = document.createElement("pre");
note.id = "probe"; note.textContent = JSON.stringify(found); document.body.append(note);
"""


@pytest.fixture(scope="module")
def chromium() -> str:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "The report is tested in Chromium, which is not installed: apt-get install chromium"
    return program


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    return small_refinement().report(path, small_data(), title="Rain & <b>river</b>")


@pytest.fixture(scope="module")
def seen(chromium: str, page: Path, tmp_path_factory: pytest.TempPathFactory) -> dict:
    """What a visitor's clicks lead to."""
    text = page.read_text(encoding="utf-8")
    assert text.count("<head>") == 1
    text = text.replace("<head>", f"<head><script>{LISTEN}</script>")
    folder = tmp_path_factory.mktemp("browser")
    probed = folder / "probed.html"
    probed.write_text(
        text.replace("</body>", f"<script>addEventListener('load', () => {{{USE}}})</script></body>"),
        encoding="utf-8",
    )
    command = [chromium, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", probed.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)
    match = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
    assert match, done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(html.unescape(match[1]))


def test_opens_without_errors_and_asks_nothing_of_the_network(seen: dict) -> None:
    assert seen["problems"] == []
    assert seen["outside"] == []


def test_names_from_data_are_text(seen: dict) -> None:
    assert seen["title"] == "Rain & <b>river</b>"
    assert HOSTILE in seen["causes"]


def test_table_shows_every_candidate(seen: dict) -> None:
    assert seen["all"] == len(small_refinement().edges) == 32
    assert seen["count"] == "32 of 32 edges"


def test_sorts_by_number_both_ways(seen: dict) -> None:
    assert seen["rising"] == sorted(seen["rising"])
    assert seen["falling"] == sorted(seen["falling"], reverse=True)
    assert seen["rising"][0] < seen["rising"][-1]
    assert seen["sorted"] == "descending"


def test_sorts_by_name(seen: dict) -> None:
    lowered = [cause.lower() for cause in seen["causes"]]
    assert lowered == sorted(lowered)


def test_filters_by_variable_and_verdict(seen: dict) -> None:
    assert len(seen["tea"]) == 14
    assert all("tea" in pair for pair in seen["tea"])
    assert seen["counted"] == "14 of 32 edges"
    assert set(seen["kept"]) == {"rain|river|1", f"river|{HOSTILE}|2"}
    assert seen["nobody"] == 0


def test_the_slider_shows_what_comes_and_goes(seen: dict) -> None:
    edges = small_refinement().edges
    for share, (words, drawn) in zip((0.01, 0.1, 0.5), seen["path"], strict=True):
        shown = edges[edges.q_value <= share]
        assert words == f"{round(100 * share)} %: {len(shown)} edges"
        assert drawn == int((shown.cause != shown.effect).sum())
    assert seen["path"][0][1] == 2


def test_a_click_tells_about_the_edge(seen: dict) -> None:
    assert seen["chosen"] == 2  # the arrow and its row
    assert "at lag" in seen["clicked"]
    assert "stayed" in seen["clicked"]
    assert seen["tea_why"].startswith("tea -> ")
    assert "pruned" in seen["tea_why"]


def test_pictures_are_inside_and_fit(seen: dict) -> None:
    assert len(seen["pictures"]) == 4  # both graphs, two curves, gates
    assert all(seen["pictures"])
    assert not seen["wide"]


def test_screenshot_is_not_blank(chromium: str, page: Path, tmp_path: Path) -> None:
    from matplotlib.image import imread

    shot = tmp_path / "shot.png"
    command = [
        chromium,
        *FLAGS,
        f"--user-data-dir={tmp_path / 'profile'}",
        f"--screenshot={shot}",
        page.as_uri(),
    ]
    subprocess.run(command, capture_output=True, timeout=90, check=True)
    pixels = imread(shot)
    assert pixels.shape[:2] == (3000, 1100)
    assert len(np.unique(pixels.reshape(-1, pixels.shape[-1])[::50], axis=0)) > 20


def test_one_file_without_addresses(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    without_pictures = re.sub(r"base64,[^\"]*", "", text)
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
