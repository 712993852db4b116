"""Run the notebooks and keep what they show: python docs/run_notebooks.py [NAME ...]."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent / "notebooks"
PATIENCE = 600  # seconds for a cell, on a busy machine
_PLACE = re.compile(r"\S*ipykernel\S*?:\d+: ")  # where the kernel keeps a cell while it runs


def run(path: Path) -> Any:
    """The notebook with what it shows now; an error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    plain = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}  # pictures are shown
    client = NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(FOLDER)}})
    client.execute(env=plain)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if "text" in output:
                output["text"] = _PLACE.sub("", output["text"])
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def main() -> None:
    """Run and write all, or those named."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not sys.argv[1:] or path.stem in sys.argv[1:]:
            nbformat.write(run(path), path)


if __name__ == "__main__":
    main()
