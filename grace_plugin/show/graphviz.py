"""Places of the variables by the program dot of Graphviz, where a user asks for it.

The only program that this library ever runs; it is told numbers, no names.
"""

from __future__ import annotations

import shutil
import subprocess

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import OptionError


def in_layers(graph: BoolArray) -> FloatArray:
    """[variable, 2]: causes above their effects, as far as the graph allows."""
    program = shutil.which("dot")
    if program is None:
        msg = 'layout="graphviz" needs the program dot of Graphviz, which is not installed; see graphviz.org.'
        raise OptionError(msg)
    pairs = np.argwhere(graph.any(axis=2) & ~np.eye(len(graph), dtype=np.bool_))
    lines = [f"n{index};" for index in range(len(graph))]
    lines += [f"n{cause} -> n{effect};" for cause, effect in pairs.tolist()]
    text = "digraph { ranksep=1; nodesep=1; " + " ".join(lines) + " }"
    done = subprocess.run(  # noqa: S603 - a fixed program; the text holds numbers only
        [program, "-Tplain"], input=text, capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("node ")]
    found = {int(row[1][1:]): (float(row[2]), float(row[3])) for row in rows}
    return np.array([found[index] for index in range(len(graph))], dtype=np.float64)
