"""Walks the tables of docs/hard_use.md: every row is built, every answer is checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.hard_use.answers import answers

PAGE = Path(__file__).parents[2] / "docs" / "hard_use.md"
TABLES = ("data", "results", "skeletons", "options", "meanings")
KNOWN = {
    "right",
    "true edges only",
    "taken",
    "warns",
    "DataError",
    "SkeletonError",
    "OptionError",
    "AdapterError",
    "UnknownResultError",
    "UnknownAdapterError",
}


def documented(table: str) -> dict[str, dict[str, str]]:
    """Row -> column -> answer, as the page has it."""
    part = PAGE.read_text(encoding="utf-8").split(f"<!-- table: {table} -->")[1].split("<!-- end -->")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    head, _, *body = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines)
    return {
        row[0].strip("`"): dict(zip((name.strip("`") for name in head[1:]), row[1:], strict=True))
        for row in body
    }


def cells(table: str) -> Iterator[tuple[str, str, str]]:
    for row, columns in documented(table).items():
        for column in columns:
            yield table, row, column


@pytest.mark.parametrize("table", TABLES)
def test_every_row_has_a_check_and_every_check_a_row(table: str) -> None:
    found = answers(table)
    assert list(documented(table)) == list(found)
    for row, columns in documented(table).items():
        assert list(columns) == list(found[row])
        assert set(columns.values()) <= KNOWN


@pytest.mark.parametrize(("table", "row", "column"), [cell for table in TABLES for cell in cells(table)])
def test_the_answer_is_the_documented_one(table: str, row: str, column: str) -> None:
    assert answers(table)[row][column]() == documented(table)[row][column]


def test_every_attack_names_a_test_that_is_there() -> None:
    part = PAGE.read_text(encoding="utf-8").split("<!-- attacks -->")[1].split("<!-- end -->")[0]
    named = re.findall(r"`(\w[\w/]*\.py)::(\w+)`", part)
    assert len(named) == part.count("\n| ") - 1  # all rows but the head
    tests = Path(__file__).parents[1]
    lost = [
        f"{file}::{test}" for file, test in named if f"def {test}(" not in (tests / file).read_text("utf-8")
    ]
    assert not lost
