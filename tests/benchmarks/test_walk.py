"""The tables of the documentation are those of the stored rows, and the commands it names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.__main__ import benchmark_names, every_store
from benchmarks.core import Row
from benchmarks.reporting.evidence import Evidence
from benchmarks.reporting.walk import PAGES, walked

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def stored() -> Evidence:
    return Evidence.stored(every_store())


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_pages_have_the_tables_of_the_stored_rows(page: Path, stored: Evidence) -> None:
    text = page.read_text()
    assert "<!-- rows of " in text
    assert walked(text, stored) == text, "run `python -m benchmarks report`"


def _row(method: str, seed: int) -> Row:
    return Row("paper_gates", method, 50, 1000, seed, False, {"true_edges": 7.0})


def test_only_what_stands_between_marks_is_written() -> None:
    evidence = Evidence([_row("a", 0), _row("b", 0), _row("b", 1)])
    text = "before\n<!-- rows of paper_gates{} -->\nold\n<!-- end of rows -->\nafter\n"
    both, one = (walked(text.format(method), evidence) for method in ("", ": b"))
    assert both.startswith("before\n<!-- rows of paper_gates -->\n")
    assert both.endswith("<!-- end of rows -->\nafter\n")
    assert "old" not in both
    assert "| 50 | 1000 | a | 7.000 |" in both
    assert "| a |" not in one
    assert "| 50 | 1000 | b | 7.000 |" in one
    assert walked(both, evidence) == both


@pytest.mark.parametrize(
    "page", ["README.md", "benchmarks/README.md", *(f"docs/{one.name}" for one in PAGES)]
)
def test_commands_name_benchmarks_that_exist(page: str) -> None:
    named = set(re.findall(r"benchmarks run (\w+)", (ROOT / page).read_text())) - {"NAME", "all"}
    assert named
    assert named <= set(benchmark_names())
