"""The sections of the report, from top to bottom.

A new one is a `Section` in this list: a name, a title, and a function from the `Subject` to HTML. It gets its
place in the navigation by itself, and is left out where the function returns "". `figures.embedded` turns a
matplotlib figure into an image inside the page, `figures.picture` any kind of `plot`.
"""

from __future__ import annotations

from grace_plugin.show.report.data_pictures import rules, within_step
from grace_plugin.show.report.edge_table import edge_table
from grace_plugin.show.report.explorer import explorer
from grace_plugin.show.report.figures import before_and_after, curves, gates
from grace_plugin.show.report.particulars import citation, quality, settings
from grace_plugin.show.report.subject import Section

SECTIONS: tuple[Section, ...] = (
    Section("graph", "Graph", explorer),
    Section("edges", "Edges", edge_table),
    Section("before-after", "Before and after", before_and_after),
    Section("responses", "How effects answer to their causes", curves),
    Section("gates", "Gates", gates),
    Section("prepared", "What was done to the data", rules),
    Section("within-step", "Within one step", within_step),
    Section("data", "Data quality", quality),
    Section("settings", "Settings and versions", settings),
    Section("cite", "Citation", citation),
)
