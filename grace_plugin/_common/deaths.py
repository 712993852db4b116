"""Workers that die: what they had not handed in is run again by those that are left or take their place.

A machine of a cluster may go at any time, and with it pieces that were finished but not handed in, or data
that only it held. A piece gives the same result wherever it runs, so the rest is sent out anew. One that
kills whoever runs it (for lack of memory, say) is given up after a few deaths without any progress.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from grace_plugin._common.telling import tell
from grace_plugin.exceptions import WorkerError, WorkerWarning

_MOST_IN_VAIN = 3  # deaths one after the other, without one finished piece between them
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


Item = TypeVar("Item")
Result = TypeVar("Result")


def through_deaths(
    sent: Callable[[Sequence[tuple[int, Item]]], Iterator[tuple[int, Result]]],
    items: Sequence[Item],
    backend: Any,
    workers: int,
    piece: str,
    advice: str,
) -> Iterator[Result]:
    """The results of all items, which `sent` has made by the `workers` of a backend of joblib, numbered.

    Args:
        sent: from numbered items to numbered results, in any order.
        items: the work.
        backend: of joblib.
        workers: how many.
        piece: what an item is called.
        advice: what a user can do beside having fewer workers.

    Raises:
        WorkerError: where workers die and nothing gets finished between their deaths.
    """
    left, in_vain = list(enumerate(items)), 0
    while left:
        done: set[int] = set()
        try:
            for number, result in sent(left):
                done.add(number)
                yield result
        except Exception as error:
            if not _is_death(error):
                raise
            in_vain = 1 if done else in_vain + 1
            _speak_of(error, in_vain, piece, advice)
            _await(backend, workers)
        left = [numbered for numbered in left if numbered[0] not in done]


def _is_death(error: Exception) -> bool:
    return any(kind.__name__ in _DEATHS for kind in type(error).__mro__)


def _speak_of(error: Exception, in_vain: int, piece: str, advice: str) -> None:
    if in_vain >= _MOST_IN_VAIN:
        msg = (
            f"Worker processes died {in_vain} times and no {piece} was finished between, perhaps for lack of "
            f"memory; give a smaller n_jobs or fewer workers.{advice}"
        )
        raise WorkerError(msg) from error
    tell(f"A worker process died; the {piece}s that it had not handed in are run again.", WorkerWarning)


def _await(backend: Any, workers: int) -> None:
    """Let Dask replace who died; pools of processes and of Ray's actors are made anew by each call.

    With a single worker left, joblib would work in the user's own process: not one to die too.
    """
    client = getattr(backend, "client", None)
    until = time.monotonic() + _PATIENCE
    while client is not None and sum(client.ncores().values()) < workers and time.monotonic() < until:
        time.sleep(0.1)
