"""What benchmarks/big.py measures; each function prints one line of JSON and is called in a new process."""

from __future__ import annotations

import json
import resource
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

_MAX_LAG = 5
_CHUNK = 100_000
_PIECE = 20_000
_SHARE = 20  # the bare products are made for one chunk in so many


def long_file(kind: str, d: int, rows: int) -> None:
    """Moments of a file of float32, against reading it and one matrix product per chunk."""
    from grace_plugin.moments.sums import Moments
    from grace_plugin.series.panel import as_panel

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("x.npy" if kind.startswith("memory") else "x.parquet")
        write, data, chunks = _KINDS[path.suffix]
        write(path, d, rows)
        with private_memory() as memory:
            ours, moments = _cpu_seconds(lambda: Moments.of(as_panel(data(path)), _MAX_LAG))
        some = islice(chunks(path), max(1, rows // _PIECE // _SHARE))
        part, products = _cpu_seconds(lambda: [len(_product(chunk)) for chunk in some])
    bare = part * (rows / _PIECE) / len(products)
    numbers = {"seconds": ours, "bare_seconds": bare, "ratio": ours / bare, "GiB": max(memory)}
    print(json.dumps({**numbers, "windows": moments.rows}))


@contextmanager
def private_memory() -> Iterator[list[float]]:
    """Peak GiB that are the process's own, looked at often; pages of a mapped file are the system's."""
    seen, stop = [0.0], threading.Event()

    def look() -> None:
        while not stop.wait(0.02):
            status = Path("/proc/self/status").read_text()
            seen.append(int(status.split("RssAnon:")[1].split()[0]) / 2**20)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        stop.set()
        watcher.join()


def _product(chunk: Any) -> Any:
    """The one product that a plain program would make: all lags of all features side by side."""
    from grace_plugin.moments.features import DEFAULT_BASIS, expand

    features = expand(np.asarray(chunk, dtype=np.float64), DEFAULT_BASIS)
    lagged = [features[_MAX_LAG - lag : len(features) - lag] for lag in range(_MAX_LAG + 1)]
    windows = np.concatenate(lagged, axis=1)
    return windows.T @ windows


def _pieces(d: int, rows: int) -> Iterator[Any]:
    rng = np.random.default_rng(0)
    for start in range(0, rows, _CHUNK):
        yield rng.normal(size=(min(_CHUNK, rows - start), d)).astype(np.float32)


def _write_npy(path: Path, d: int, rows: int) -> None:
    stored = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, d))
    start = 0
    for piece in _pieces(d, rows):
        stored[start : start + len(piece)] = piece
        start += len(piece)
    stored.flush()


def _write_parquet(path: Path, d: int, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"x{i}" for i in range(d)]
    schema = pa.schema([(name, pa.float32()) for name in names])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for piece in _pieces(d, rows):
            writer.write_table(pa.table(list(piece.T.copy()), schema=schema))


def _map(path: Path) -> Any:
    return np.load(path, mmap_mode="r")


def _rows_of_map(path: Path) -> Iterator[Any]:
    stored = _map(path)
    return (stored[start : start + _PIECE] for start in range(0, len(stored), _PIECE))


def _batches(path: Path) -> Iterator[Any]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, pre_buffer=False) as file:  # a buffer would hold the whole file
        for batch in file.iter_batches(_PIECE):
            yield batch.to_pandas()


_KINDS: dict[str, tuple[Callable[..., None], Callable[[Path], Any], Callable[[Path], Iterator[Any]]]] = {
    ".npy": (_write_npy, _map, _rows_of_map),
    ".parquet": (_write_parquet, _batches, _batches),
}


def discover(d: int, seed: int) -> None:
    """From data alone: scores, CPU seconds, peak memory."""
    import grace_plugin as gp
    from benchmarks.metrics import scores
    from benchmarks.studies.growth import sparse_process
    from grace_plugin.stability.workers import one_thread

    values, truth = sparse_process(d, seed)
    with one_thread():
        seconds, found = _cpu_seconds(lambda: gp.discover(values, max_lag=_MAX_LAG, progress=False))
    print(json.dumps({**scores(truth, found.graph), "seconds": seconds, "GiB": _peak()}))


def hub(d: int, seed: int) -> None:
    """One effect with d - 100 candidates, of which 12 are true; every other effect has its own past."""
    import grace_plugin as gp
    from benchmarks.metrics import scores
    from grace_plugin.stability.workers import one_thread

    rng = np.random.default_rng(seed)
    values = rng.normal(size=(3000, d))
    truth = np.zeros((d, d, 2), dtype=np.bool_)
    truth[1:13, 0, 1] = True
    values[1:, 0] += 0.25 * values[:-1, 1:13].sum(axis=1)
    mask = truth.copy()
    mask[range(d), range(d), 1] = True
    mask[: max(20, d - 100), 0, 1] = True
    with one_thread():
        seconds, found = _cpu_seconds(lambda: gp.analyze(gp.Skeleton(mask), values, progress=False))
    print(json.dumps({**scores(truth, found.graph), "seconds": seconds, "GiB": _peak()}))


def _cpu_seconds(action: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    made = action()
    return time.process_time() - start, made


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
