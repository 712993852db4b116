"""Work to workers through joblib, so that the user's own backend serves; what they need travels once."""

from __future__ import annotations

import ctypes
import hashlib
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from grace_plugin._common.deaths import through_deaths

Parcel = npt.NDArray[np.uint8]
Item = TypeVar("Item", contravariant=True)
Result = TypeVar("Result", covariant=True)

_PROCESSES = ("LokyBackend", "MultiprocessingBackend", "ThreadingBackend", "SequentialBackend")
_TASKS_PER_WORKER = 2  # in flight at once where results only come back together
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_KEPT_BYTES = 32 * 1024 * 1024  # the most that glibc takes
_unpacked: dict[str, Any] = {}
_inside: ContextVar[bool] = ContextVar("inside a worker", default=False)
# Of work, below which no workers are asked. Each takes 1 to 1.5 s to start and to take in the sums: 100,000
# candidates of 300 variables and 1000 rows (2.6 s of search) take as long with two workers as with none,
# 150,000 and 2000 rows (12 s) two thirds.
LEAST_SECONDS = 4.0


class Worker(Protocol[Item, Result]):
    """All that a worker needs, sent to it once."""

    def begin(self) -> None:
        """Called once in every process, before its threads are limited."""

    def run(self, item: Item) -> Result:
        """One piece of the work; the same wherever it is done."""


@dataclass(frozen=True)
class Words:
    """How an error speaks of the work.

    Args:
        piece: what an item is called.
        advice: a sentence, with a space before it, on what to do if workers die.
    """

    piece: str = "block"
    advice: str = ""


def run_through(
    worker: Worker[Item, Result], items: Sequence[Item], n_jobs: int | None, words: Words | None = None
) -> Iterator[Result]:
    """The results of all items, in whichever order they are finished."""
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    n_jobs = None if n_jobs == 1 else n_jobs  # None lets joblib.parallel_config decide, which is 1 by default
    backend, _ = get_active_backend()
    workers = effective_n_jobs(n_jobs)
    with one_thread():
        if workers == 1 and type(backend).__name__ in _PROCESSES:
            yield from map(worker.run, items)
        else:
            sending = _Sending(worker, n_jobs, workers, backend, words or Words())
            yield from _through_joblib(sending, items)


def run_where_worth(
    worker: Worker[Item, Result], items: Sequence[Item], n_jobs: int | None, seconds: float
) -> Iterator[Result]:
    """The same as `run_through` where so many `seconds` of work are worth it; else one by one, here.

    Here BLAS keeps its threads, so that one process does what it did without workers.
    """
    if seconds < LEAST_SECONDS or len(items) < 2 or not has_workers(n_jobs):
        return map(worker.run, items)
    return run_through(worker, items, n_jobs)


def has_workers(n_jobs: int | None) -> bool:
    """Whether `n_jobs` or the active joblib backend offers more than this process; a worker has no others."""
    if _inside.get() or (n_jobs == 1 and "joblib" not in sys.modules):  # nobody can have chosen a backend
        return False
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    return effective_n_jobs(None if n_jobs == 1 else n_jobs) > 1 or type(backend).__name__ not in _PROCESSES


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch and BLAS on one thread: workers share the cores, and sums round alike everywhere.

    Limits of BLAS belong to the whole process, so the first caller sets them and the last one takes them
    back, whichever threads they come from; torch's belong to the thread, but new threads inherit them.
    """
    torch = sys.modules.get("torch")  # an engine or a host that needs it has loaded it by now
    with _limits_lock:
        before = _limits.enter(torch.get_num_threads() if torch else 1)
    if torch:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if torch:
            torch.set_num_threads(before)
        with _limits_lock:
            _limits.leave()


class _Limits:
    """How many callers want one thread, and what there was before the first of them."""

    def __init__(self) -> None:
        self.callers = 0
        self.torch_threads = 1
        self.blas: Any = None

    def enter(self, torch_threads: int) -> int:
        """The number of threads that the caller must give back to torch."""
        if not self.callers:
            self.torch_threads, self.blas = torch_threads, _thread_pools(len(sys.modules)).limit(limits=1)
        self.callers += 1
        inherited = torch_threads == 1  # a thread that began meanwhile
        return self.torch_threads if inherited else torch_threads

    def leave(self) -> None:
        self.callers -= 1
        if not self.callers:
            self.blas.restore_original_limits()


_limits, _limits_lock = _Limits(), threading.Lock()


@lru_cache(maxsize=1)
def _thread_pools(modules: int) -> Any:
    """Those of all libraries; to look for them takes longer than a small test, so only after an import."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


class _Sending(Generic[Item, Result]):
    """One call's work on its way to workers."""

    def __init__(
        self, worker: Worker[Item, Result], n_jobs: int | None, workers: int, backend: Any, words: Words
    ) -> None:
        self.packed = _pack(worker)
        self.key = hashlib.sha256(self.packed.data).hexdigest()
        self.n_jobs, self.workers, self.backend, self.words = n_jobs, workers, backend, words

    def results(self, items: Sequence[Item]) -> Iterator[Result]:
        """Of all items, in any order."""
        words = self.words
        return through_deaths(self._sent, items, self.backend, self.workers, words.piece, words.advice)

    def _sent(self, items: Sequence[tuple[int, Item]]) -> Iterator[tuple[int, Result]]:
        from joblib import Parallel, delayed

        parcel = self.packed.copy()  # one of its own: what was sent before may have died with who held it
        on_ray = type(self.backend).__module__.startswith("ray.")
        sent = _put_on_ray(parcel) if on_ray else parcel
        if getattr(self.backend, "supports_return_generator", False):
            parallel = Parallel(n_jobs=self.n_jobs, batch_size=1, return_as="generator_unordered")
            yield from parallel(delayed(_run)(item, self.key, sent) for item in items)
            return
        step = _TASKS_PER_WORKER * max(self.workers, 1)
        with Parallel(n_jobs=self.n_jobs, batch_size=1) as parallel:
            for start in range(0, len(items), step):  # so that finished ones can be kept meanwhile
                some = items[start : start + step]
                yield from parallel(delayed(_run)(item, self.key, sent) for item in some)


def _through_joblib(sending: _Sending[Item, Result], items: Sequence[Item]) -> Iterator[Result]:
    with pool_of_processes():
        yield from sending.results(items)


@contextmanager
def pool_of_processes() -> Iterator[None]:
    """Processes that joblib starts inside serve until the end of it, and what they were sent stays there."""
    with _pool_lock:
        _pool.enter()
    try:
        yield
    finally:
        with _pool_lock:
            _pool.leave()


class _Pool:
    """The pool of processes that joblib keeps for the next call: ended by its last user.

    One that the caller had before stays.
    """

    def __init__(self) -> None:
        self.users = 0
        self.ours = False

    def enter(self) -> None:
        if not self.users:
            self.ours = self._kept() is None
        self.users += 1

    def leave(self) -> None:
        self.users -= 1
        pool = self._kept()
        if not self.users and self.ours and pool is not None:
            pool.terminate()

    def _kept(self) -> Any:
        """The pool, if it is alive; joblib remembers one that has ended until it needs the next."""
        pool = getattr(sys.modules.get("joblib.externals.loky.reusable_executor"), "_executor", None)
        flags = getattr(pool, "_flags", None)
        return None if getattr(flags, "shutdown", False) or getattr(flags, "broken", False) else pool


_pool, _pool_lock = _Pool(), threading.Lock()


def _pack(worker: Any) -> Parcel:
    """One flat array: Dask sends it to each worker once, loky maps it into memory."""
    return np.frombuffer(_cloudpickle().dumps(worker), dtype=np.uint8)


def _cloudpickle() -> Any:
    """The pickler that takes lambdas; joblib requires it or, before 1.6, brings its own copy."""
    try:
        return import_module("cloudpickle")
    except ImportError:
        return import_module("joblib.externals.cloudpickle")


def _put_on_ray(parcel: Parcel) -> Any:
    """Ray's joblib backend would send the array with every task; its object store holds it once."""
    return sys.modules["ray"].put(parcel)


def _keep_freed_memory() -> None:
    """Let workers not return every larger block to the system when it is freed.

    The gates and the search free and take such blocks hundreds of times per run; the page faults cost as
    much as half of the computation with a setting of Dask's workers, and a fifth in loky's, whose memory
    holds little else. The user's own process is left alone.
    """
    ours = type(multiprocessing.current_process()).__name__.startswith("Loky")
    if not ours and "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        return
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc only
    if set_option is not None:
        set_option(_M_TRIM_THRESHOLD, 8 * _KEPT_BYTES)
        set_option(_M_MMAP_THRESHOLD, _KEPT_BYTES)


def _hold_what_is_needed() -> None:
    """Let loky's workers keep more than 300 MB beyond their first task, which loky takes for a leak.

    Where psutil is installed it ends such a worker, with a warning, and the next one begins anew: rows and
    features of many variables are more.
    """
    loky = sys.modules.get("joblib.externals.loky.process_executor")
    if hasattr(loky, "_MAX_MEMORY_LEAK_SIZE"):
        setattr(loky, "_MAX_MEMORY_LEAK_SIZE", sys.maxsize)  # noqa: B010 - private, and not there for mypy


def _run(numbered: tuple[int, Any], key: str, sent: Any) -> tuple[int, Any]:
    worker = _unpacked.get(key)
    if worker is None:
        _keep_freed_memory()
        _hold_what_is_needed()
        parcel = sent if isinstance(sent, np.ndarray) else sys.modules["ray"].get(sent)
        worker = _cloudpickle().loads(parcel.tobytes())
        worker.begin()
        _unpacked.clear()  # a worker outlives many calls
        _unpacked[key] = worker
    inside = _inside.set(True)
    try:
        with one_thread():
            return numbered[0], worker.run(numbered[1])
    finally:
        _inside.reset(inside)
