"""Row chunks of a stream, gathered so that where they were cut never matters.

A stream that ends within `GATHERED_BYTES` is the same as the array of its rows: it is put together, and
everything that looks at rows twice (products of causes, noise, drifts) does. A longer one is read once:
its first `GATHERED_BYTES` are put together and give center and scale of every variable, so that its moments
depend on the rows and on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.series.panel import Panel, Series

GATHERED_BYTES = 64_000_000  # 400,000 rows of 20 variables; memory that any machine can spare


def gathered(panel: Panel) -> Panel:
    """`panel` with a short stream as rows, and with the beginning of a long one as a single chunk.

    >>> chunks = iter([np.zeros((3, 2)), np.ones((2, 2))])
    >>> gathered(Panel((), None, chunks, 2)).series[0].values.shape
    (5, 2)
    """
    if panel.stream is None or panel.lazy is not None:
        return panel
    limit = max(1, GATHERED_BYTES // (8 * panel.n_variables))
    begun = _beginning(panel.stream, limit)
    first, more = begun[:limit], begun[limit:]
    following = more if len(more) else next(panel.stream, None)
    if following is None:
        return replace(panel, series=(Series(first),), stream=None)
    return replace(panel, stream=chain([first, following], panel.stream))


def _beginning(stream: Iterator[FloatArray], rows: int) -> FloatArray:
    """At least `rows` rows of a stream, or all that it has."""
    parts: list[FloatArray] = []
    while sum(map(len, parts)) < rows and (chunk := next(stream, None)) is not None:
        parts.append(np.asarray(chunk, dtype=np.float64))
    return np.concatenate(parts)
