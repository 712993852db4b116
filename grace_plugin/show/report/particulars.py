"""The quality of the data, the settings and versions, and what to cite."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from html import escape

import numpy as np

from grace_plugin._common.citation import BIBTEX
from grace_plugin._common.versions import package_version
from grace_plugin.show.report.subject import Subject, number_words

_PACKAGES = ("grace-plugin", "numpy", "scipy", "pandas", "torch", "matplotlib")
_NO_DATA = "<p class=soft>Pass the data to see their quality: <code>refinement.report(path, data)</code>.</p>"


def quality(subject: Subject) -> str:
    """Gaps, constants, tails and unit roots of every variable."""
    if subject.data is None:
        return _NO_DATA
    from grace_plugin.hosts.convert import read_panel
    from grace_plugin.series.data_quality import data_quality

    panel = read_panel(subject.data, {})
    assert panel is not None
    table = data_quality(panel)
    heads = "".join(f"<th scope=col>{name.replace('_', ' ')}</th>" for name in table.columns)
    rows = []
    for row in table.itertuples(index=False):
        *values, warnings = row
        cells = "".join(f"<td>{escape(_word(value))}</td>" for value in values)
        rows.append(f"<tr>{cells}<td class=flag>{escape(warnings)}</td></tr>")
    return (
        f'<div class=scroll tabindex=0 role=region aria-label="Data quality"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        "<p><small>Where a unit root is not rejected (Dickey-Fuller statistic above -2.86), edges are best "
        "corrected for it and judged beside trends, as prepare=auto does; differences would take effects "
        "of levels away.</small></p>"
    )


def settings(subject: Subject) -> str:
    """Everything that is needed to run it again."""
    result = subject.result
    options = {name: value for name, value in asdict(result.config).items() if name != "progress"}
    versions = {"python": platform.python_version(), **{name: package_version(name) for name in _PACKAGES}}
    found = {"adapter": result.adapter or None, "options": options, "versions": versions}
    return f"<pre tabindex=0>{escape(json.dumps(found, indent=2, default=str))}</pre>"


def citation(_: Subject) -> str:
    """The paper of the method."""
    return f"<p>The method:</p><pre tabindex=0>{escape(BIBTEX)}</pre>"


def _word(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    return number_words(value) if isinstance(value, float) else str(value)
