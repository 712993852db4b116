"""Every Python snippet of the README runs, in order, and prints what the README says it prints."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from grace_plugin.citation import BIBTEX

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPET = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def snippets(text: str) -> list[tuple[str, str | None]]:
    return [(match[1], match[2]) for match in SNIPPET.finditer(text)]


# The hosts' own warnings: causal-learn and lingam on new numpy and pandas.
@pytest.mark.filterwarnings("default")
def test_snippets_run_and_print_what_is_shown() -> None:
    namespace: dict[str, object] = {}
    found = snippets(README)
    assert len(found) == README.count("```python") >= 7
    for code, shown in found:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(code, "README.md", "exec"), namespace)
        assert output.getvalue() == (shown or ""), code


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_commands_exist() -> None:
    from grace_plugin.cli import main

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
