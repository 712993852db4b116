"""Windows to workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grace_plugin._common.parallel import Words, one_thread, run_through
from grace_plugin.stability.run_store import RunRecord
from grace_plugin.stability.window_runner import WindowRunner
from grace_plugin.stability.windows import Window

__all__ = ["one_thread", "run_windows"]

_WORDS = Words("window", " With cache=, the same call goes on from the windows that were finished.")


def run_windows(runner: WindowRunner, windows: Sequence[Window], n_jobs: int | None) -> Iterator[RunRecord]:
    """The records of all windows, in whichever order they are finished."""
    return run_through(runner, windows, n_jobs, _WORDS)
