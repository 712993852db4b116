"""Workers that die: what they had not handed in is run again by those that are left or take their place.

A machine of a cluster may go at any time, and with it windows that were finished but not handed in, or data
that only it held. A window gives the same record wherever it runs, so the rest is sent out anew. A window
that kills whoever runs it (for lack of memory, say) is given up after a few deaths without any progress.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from grace_plugin._common.telling import tell
from grace_plugin.exceptions import WorkerError, WorkerWarning
from grace_plugin.protocols import HostResult
from grace_plugin.stability.run_store import RunRecord
from grace_plugin.stability.windows import Window

_MOST_IN_VAIN = 3  # deaths one after the other, without one finished window between them
_PATIENCE = 30.0  # seconds for a cluster to start a new worker, which takes Dask's nanny one or two
_DEATHS = {  # what the backends raise, by name: none of them is loaded for this
    "BrokenProcessPool",  # joblib's own processes
    "KilledWorker",  # Dask: one task has seen several workers die
    "CancelledError",  # Dask: data or results were lost with a worker
    "RayActorError",
    "WorkerCrashedError",
    "ObjectLostError",
    "NodeDiedError",
}


def through_deaths(
    sent: Callable[[Sequence[Window]], Iterator[RunRecord]],
    windows: Sequence[Window],
    backend: HostResult,
    workers: int,
) -> Iterator[RunRecord]:
    """The records of all windows, which `sent` has run by the `workers` of a backend of joblib.

    Raises:
        WorkerError: where workers die and nothing gets finished between their deaths.
    """
    left, in_vain = list(windows), 0
    while left:
        done: set[int] = set()
        try:
            for record in sent(left):
                done.add(record.run)
                yield record
        except Exception as error:
            if not _is_death(error):
                raise
            in_vain = 1 if done else in_vain + 1
            _speak_of(error, in_vain)
            _await(backend, workers)
        left = [window for window in left if window.run not in done]


def _is_death(error: Exception) -> bool:
    return any(kind.__name__ in _DEATHS for kind in type(error).__mro__)


def _speak_of(error: Exception, in_vain: int) -> None:
    if in_vain >= _MOST_IN_VAIN:
        msg = (
            f"Worker processes died {in_vain} times and no window was finished between, perhaps for lack of "
            "memory; give a smaller n_jobs or fewer workers. With cache=, the same call goes on from the "
            "windows that were finished."
        )
        raise WorkerError(msg) from error
    tell("A worker process died; the windows that it had not handed in are run again.", WorkerWarning)


def _await(backend: Any, workers: int) -> None:
    """Let Dask replace who died; pools of processes and of Ray's actors are made anew by each call.

    With a single worker left, joblib would run the windows in the user's own process: not one to die too.
    """
    client = getattr(backend, "client", None)
    until = time.monotonic() + _PATIENCE
    while client is not None and sum(client.ncores().values()) < workers and time.monotonic() < until:
        time.sleep(0.1)
