"""Windows to workers through joblib, so that the user's own backend serves; data travel once."""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin.engines import load_engine
from grace_plugin.stability.deaths import through_deaths
from grace_plugin.stability.run_store import RunRecord
from grace_plugin.stability.window_runner import WindowRunner
from grace_plugin.stability.windows import Window

Parcel = npt.NDArray[np.uint8]

_PROCESSES = ("LokyBackend", "MultiprocessingBackend", "ThreadingBackend", "SequentialBackend")
_TASKS_PER_WORKER = 2  # in flight at once where results only come back together
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_KEPT_BYTES = 32 * 1024 * 1024  # the most that glibc takes
_unpacked: dict[str, WindowRunner] = {}


def run_windows(runner: WindowRunner, windows: Sequence[Window], n_jobs: int | None) -> Iterator[RunRecord]:
    """The records of all windows, in whichever order they are finished."""
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    n_jobs = None if n_jobs == 1 else n_jobs  # None lets joblib.parallel_config decide, which is 1 by default
    backend, _ = get_active_backend()
    workers = effective_n_jobs(n_jobs)
    with one_thread():
        if workers == 1 and type(backend).__name__ in _PROCESSES:
            yield from map(runner.run, windows)
        else:
            yield from _through_joblib(runner, windows, n_jobs, workers, backend)


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
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        if not self.callers:
            self.torch_threads, self.blas = torch_threads, threadpool_limits(limits=1)
        self.callers += 1
        inherited = torch_threads == 1  # a thread that began meanwhile
        return self.torch_threads if inherited else torch_threads

    def leave(self) -> None:
        self.callers -= 1
        if not self.callers:
            self.blas.restore_original_limits()


_limits, _limits_lock = _Limits(), threading.Lock()


def _through_joblib(
    runner: WindowRunner, windows: Sequence[Window], n_jobs: int | None, workers: int, backend: Any
) -> Iterator[RunRecord]:
    with _pool_lock:
        _pool.enter()
    try:
        yield from _sent_to_workers(runner, windows, n_jobs, workers, backend)
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


def _sent_to_workers(
    runner: WindowRunner, windows: Sequence[Window], n_jobs: int | None, workers: int, backend: Any
) -> Iterator[RunRecord]:
    packed = _pack(runner)
    key = hashlib.sha256(packed.data).hexdigest()

    def sent(left: Sequence[Window]) -> Iterator[RunRecord]:
        parcel = packed.copy()  # one of its own: what was sent before may have died with who held it
        return _by_workers(left, key, parcel, n_jobs, workers, backend)

    yield from through_deaths(sent, windows, backend, workers)


def _by_workers(
    windows: Sequence[Window], key: str, parcel: Parcel, n_jobs: int | None, workers: int, backend: Any
) -> Iterator[RunRecord]:
    from joblib import Parallel, delayed

    sent = _put_on_ray(parcel) if type(backend).__module__.startswith("ray.") else parcel
    if getattr(backend, "supports_return_generator", False):
        parallel = Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
        yield from parallel(delayed(_run)(window, key, sent) for window in windows)
        return
    step = _TASKS_PER_WORKER * max(workers, 1)
    with Parallel(n_jobs=n_jobs, batch_size=1) as parallel:
        for start in range(0, len(windows), step):  # so that finished ones can be kept meanwhile
            yield from parallel(delayed(_run)(window, key, sent) for window in windows[start : start + step])


def _pack(runner: WindowRunner) -> Parcel:
    """One flat array: Dask sends it to each worker once, loky maps it into memory."""
    return np.frombuffer(_cloudpickle().dumps(runner), dtype=np.uint8)


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
    """Undo a setting of Dask's workers that returns every larger block to the system when it is freed.

    The gates free and take such blocks hundreds of times per run; the page faults cost as much as half
    of the computation.
    """
    if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        return
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc only
    if set_option is not None:
        set_option(_M_TRIM_THRESHOLD, 8 * _KEPT_BYTES)
        set_option(_M_MMAP_THRESHOLD, _KEPT_BYTES)


def _run(window: Window, key: str, sent: Any) -> RunRecord:
    runner = _unpacked.get(key)
    if runner is None:
        _keep_freed_memory()
        parcel = sent if isinstance(sent, np.ndarray) else sys.modules["ray"].get(sent)
        runner = _cloudpickle().loads(parcel.tobytes())
        load_engine(runner.config.engine)  # before the threads are limited
        _unpacked.clear()  # a worker outlives many calls
        _unpacked[key] = runner
    with one_thread():
        return runner.run(window)
