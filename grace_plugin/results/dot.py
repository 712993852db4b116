"""A refinement in the language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grace_plugin.results.findings import Findings

_WIDEST = 4.0


def to_dot(refinement: Findings, pruned: bool = False) -> str:
    """See `Refinement.to_dot`."""
    table = refinement.edges if pruned else refinement.edges[refinement.edges.kept]
    largest = max(float(table.gain.max()), 1e-12) if len(table) else 1.0
    lines = ["digraph grace {", '  node [shape=ellipse, fontname="sans-serif"];', "  edge [fontsize=10];"]
    lines += [f"  {quoted(name)};" for name in refinement.names]
    for row in table.itertuples():
        marks = [f'label="{row.lag}"', f"lag={row.lag}"]
        if not row.oriented:
            marks.append("dir=none")
        if row.kept:
            strength = max(float(row.gain), 0.0) if row.gain == row.gain else 0.0
            marks.append(f"penwidth={1.0 + (_WIDEST - 1.0) * (strength / largest) ** 0.5:.2f}")
        else:
            marks.append('style=dashed, color="#8a8f98", fontcolor="#8a8f98"')
        lines.append(f"  {quoted(row.cause)} -> {quoted(row.effect)} [{', '.join(marks)}];")
    return "\n".join([*lines, "}", ""])


def quoted(name: str) -> str:
    r"""A name as a Graphviz string.

    >>> print(quoted('say "hi"'))
    "say \"hi\""
    """
    plain = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{plain}"'
