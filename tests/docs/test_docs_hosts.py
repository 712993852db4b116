"""The pages about hosts: complete, with the versions that are installed, and with output that is real."""

from __future__ import annotations

import contextlib
import io
import re
from importlib.metadata import version
from pathlib import Path

import pytest

from grace_plugin.hosts.registry import _BUILT_IN

DOCS = Path(__file__).parents[2] / "docs"
INDEX = DOCS / "hosts.md"
PAGES = sorted((DOCS / "hosts").glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PACKAGE = re.compile(r"([A-Za-z][\w-]*) (\d+(?:\.\d+)+)")

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.* deprecated - use .*:DeprecationWarning"),  # pydot to pyparsing
]


def page_of(adapter: str) -> Path:
    return DOCS / "hosts" / f"{adapter}.md"


def versions_in(text: str) -> dict[str, str]:
    line = re.search(r"^Tested with: (.+)$", text, re.MULTILINE)
    return dict(PACKAGE.findall(line[1])) if line else {}


def examples(text: str) -> list[tuple[str, str | None]]:
    """Every python block with the text block that directly follows it, if one does."""
    blocks = [(found[1], found[2], found.span()) for found in BLOCK.finditer(text)]
    paired = []
    for place, (language, content, span) in enumerate(blocks):
        if language != "python":
            continue
        following = blocks[place + 1 : place + 2]
        adjacent = following and following[0][0] == "text" and not text[span[1] : following[0][2][0]].strip()
        paired.append((content, following[0][1] if adjacent else None))
    return paired


def run(code: str, namespace: dict[str, object]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), namespace)
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines()) + "\n"


@pytest.mark.parametrize("adapter", sorted(_BUILT_IN))
def test_every_adapter_has_a_page_and_a_line_in_the_index(adapter):
    assert page_of(adapter).is_file()
    rows = [line for line in INDEX.read_text().splitlines() if line.startswith("|")]
    row = [line for line in rows if f"](hosts/{adapter}.md)" in line]
    assert len(row) == 1
    for package, number in versions_in(page_of(adapter).read_text()).items():
        assert f"{package} {number}" in row[0], "the index must name the versions of the page"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_versions_named_are_those_installed(page):
    named = versions_in(page.read_text())
    assert named, "the page must say `Tested with: package version, ...`"
    assert named == {package: version(package) for package in named}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_print_what_the_page_shows(page):
    namespace: dict[str, object] = {"__name__": "example"}
    for code, _ in examples(INDEX.read_text()):
        run(code, namespace)
    shown = examples(page.read_text())
    assert any(output is not None for _, output in shown), "the page must show an example with its output"
    for code, output in shown:
        printed = run(code, namespace)
        assert output is None or printed == output


@pytest.mark.parametrize("page", [INDEX, *PAGES], ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target
