"""Every Python snippet of README, how-to and newcomers' page runs, in order, and prints what is shown."""

import contextlib
import io
import re
from pathlib import Path

import pytest
from matplotlib import pyplot as plt

from grace_plugin._common.citation import BIBTEX

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
HOWTO = (ROOT / "docs" / "howto.md").read_text(encoding="utf-8")
COMING_FROM = (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8")
KNOWLEDGE = (ROOT / "docs" / "knowledge.md").read_text(encoding="utf-8")
WITHIN_STEP = (ROOT / "docs" / "within_step.md").read_text(encoding="utf-8")
SNIPPET = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def snippets(text: str) -> list[tuple[str, str | None]]:
    return [(match[1], match[2]) for match in SNIPPET.finditer(text)]


# The hosts' own warnings: causal-learn and lingam on new numpy and pandas.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "page",
    [README, HOWTO, COMING_FROM, KNOWLEDGE, WITHIN_STEP],
    ids=["README.md", "howto.md", "coming_from.md", "knowledge.md", "within_step.md"],
)
def test_snippets_run_and_print_what_is_shown(page: str) -> None:
    namespace: dict[str, object] = {}
    found = snippets(page)
    assert len(found) == page.count("```python") >= 2
    plt.switch_backend("agg")
    for code, shown in found:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(code, "snippet", "exec"), namespace)
        assert output.getvalue() == (shown or ""), code
    plt.close("all")


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_commands_exist() -> None:
    from grace_plugin.cli.commands import main

    named = set(re.findall(r"^grace (\w+)", README, re.MULTILINE))
    assert named == set(main.commands)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert f"\n{target}:" in makefile


def test_citation_is_the_one_of_the_report() -> None:
    assert BIBTEX in README


def test_every_host_is_listed() -> None:
    import grace_plugin as gp

    for name in gp.available_adapters():
        assert f"docs/hosts/{name}.md" in README
