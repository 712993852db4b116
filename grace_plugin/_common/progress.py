"""One progress bar for everything that may take seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_PATIENCE = 2.0  # seconds before an automatic bar shows up


class Tick(Protocol):
    """Called once per step; a note is shown at the end of the bar."""

    def __call__(self, note: str = "") -> None: ...


@contextmanager
def progress_bar(total: int | None, label: str, wanted: bool | None) -> Iterator[Tick]:
    """A function to call once per step; `wanted=None` shows the bar on a terminal after a while.

    The bar tells the time that is left; where no `total` is known, the time that has gone.
    """
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda note="": None
        return
    from tqdm.auto import tqdm  # looks right in notebooks too

    with tqdm(total=total, desc=label, delay=0.0 if wanted else _PATIENCE, leave=False) as bar:

        def tick(note: str = "") -> None:
            if note:
                bar.set_postfix_str(note, refresh=False)
            bar.update()

        yield tick
