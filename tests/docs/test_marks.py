"""docs/marks.md says what the adapters' tables say today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_of_marks_is_current():
    spec = importlib.util.spec_from_file_location("make_marks", DOCS / "make_marks.py")
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    assert (DOCS / "marks.md").read_text(encoding="utf-8") == maker.page()  # python docs/make_marks.py


def test_the_page_tells_directions():
    text = (DOCS / "marks.md").read_text(encoding="utf-8")
    assert "| `<--` | first causes second | second causes first |" in text
    assert "| `o-o` | first causes second | an edge of unknown direction |" in text
    assert "| tail | arrow | first causes second | first causes second |" in text
    assert "| arrow | tail | first causes second | second causes first |" in text
