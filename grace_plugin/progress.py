"""One progress bar for everything that may take seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 2.0  # seconds before an automatic bar shows up


@contextmanager
def progress_bar(total: int, label: str, wanted: bool | None) -> Iterator[Callable[[], None]]:
    """A function to call once per step; `wanted=None` shows the bar on a terminal after a while."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=label, delay=0.0 if wanted else _PATIENCE, leave=False) as bar:
        yield lambda: bar.update() and None
