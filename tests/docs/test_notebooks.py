"""Every notebook runs from top to bottom; the last cell of each checks what the page claims."""

import json
from pathlib import Path

import pytest

from docs.run_notebooks import FOLDER, run

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_notebooks_for_all() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"chaos", "climate", "economy", "rivers", "trust"}


@pytest.mark.host
@pytest.mark.filterwarnings("ignore")  # of the machinery of notebooks
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_stored(path: Path) -> None:
    stored = json.loads(path.read_text(encoding="utf-8"))
    shown = run(path)
    assert "assert" in shown.cells[-1].source
    for before, after in zip(stored["cells"], shown.cells, strict=True):
        kinds = [[one["output_type"] for one in cell.get("outputs", [])] for cell in (before, after)]
        assert kinds[0] == kinds[1], after.source
    text = path.read_text(encoding="utf-8")
    assert "ipykernel" not in text  # no place of the machine that ran it
    assert "/tmp/" not in text
