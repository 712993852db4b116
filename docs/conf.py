"""How the documentation is built: Sphinx with MyST, so that pages are Markdown and notebooks are pages.

Sphinx was chosen over Material for MkDocs, which announced the end of its development: it is what the
neighbours of this library use, has been kept for two decades, shows notebooks, and checks every link.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parents[1]))

import grace_plugin

project = "grace-plugin"
author = "The grace-plugin authors"
version = release = grace_plugin.__version__
html_title = f"grace-plugin {version}"
html_theme = "furo"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "**.ipynb_checkpoints"]

myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # notebooks hold what their last run showed; a test runs them
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"FloatArray": "FloatArray", "BoolArray": "BoolArray", "IntArray": "IntArray"}
autodoc_default_options = {"members": True, "inherited-members": False}
napoleon_google_docstring = True
napoleon_use_rtype = False


def _as_restructured_text(
    _app: Sphinx, what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Docstrings have `code` in single backticks, as Markdown does; modules are listed without notes."""
    if what == "module":
        lines.clear()
    lines[:] = [
        _CODE.sub(r"``\1``\\ ", line) if not line.lstrip().startswith(">>>") else line for line in lines
    ]


_CODE = re.compile(r"(?<![`:])`([^`]+)`(?!`)")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _as_restructured_text, priority=400)  # before napoleon
