"""CONTRIBUTING.md names files and rooms that exist, and leaves out no room."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.layers import modules, room_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = sorted(set(re.findall(r"`([\w./]+(?:\.py|\.md|/))`", PAGE)))


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_named_is_there(name: str) -> None:
    places = [ROOT / name, ROOT / "grace_plugin" / name, ROOT / "grace_plugin/engines/additive" / name]
    assert any(place.exists() for place in places)


def test_it_names_enough_to_be_of_use() -> None:
    assert len(FILES) > 25


def test_every_room_is_in_the_picture() -> None:
    picture = PAGE.split("```")[1]
    rooms = {room_of(module) for module in modules()} - {"_moved", "__main__", "grace_plugin", "adapters"}
    assert {room for room in rooms if not re.search(rf"^  {room}(/|\.py) ", picture, re.MULTILINE)} == set()


def test_names_in_the_source_are_spelled_as_there() -> None:
    for name, file in (
        ("auto_alpha", "engines/level.py"),
        ("GRAPHS", "show/scene.py"),
        ("PipelineRun", "stability/window_runner.py"),
        ("HostRun", "stability/window_runner.py"),
        ("layers", "show/scene.py"),
        ("_unit_roots", "pipeline/data_warnings.py"),
        ("dickey_fuller", "pipeline/data_warnings.py"),
        ("with_columns", "graph/outcome.py"),
    ):
        assert f"`{name}`" in PAGE
        assert name in (ROOT / "grace_plugin" / file).read_text(encoding="utf-8")
