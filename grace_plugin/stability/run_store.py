"""What one run of a bootstrap leaves behind, and where it outlives an interruption."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin._common.files import written
from grace_plugin.exceptions import FileError

_DIGEST = 32  # bytes of sha256 in front of a file's content
_MOST_CELLS = 500_000_000  # as of any graph


def _no_cells() -> IntArray:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class RunRecord:
    """The candidates of one run whose gate is not 0, as flat positions in [cause, effect, lag].

    Args:
        run: number of the run.
        shape: of the gates, (d, d, max_lag + 1).
        cells: flat positions.
        gates: of these cells.
        kept: whether each of them stayed.
        signs: of their linear effects, given all other kept parents: -1, 0 or 1.
        rows_used: complete lag windows in the data of this run.
        gains: of these cells, in nats per sample.
        p_values: of these cells.
        failure: why the run has no result; "" where it has.
    """

    run: int
    shape: tuple[int, ...] = (0, 0, 0)
    cells: IntArray = field(default_factory=_no_cells)
    gates: FloatArray = field(default_factory=lambda: np.zeros(0))
    kept: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    signs: npt.NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, dtype=np.int8))
    rows_used: int = 0
    gains: FloatArray = field(default_factory=lambda: np.zeros(0))
    p_values: FloatArray = field(default_factory=lambda: np.zeros(0))
    failure: str = ""


class RunCache:
    """A folder with one file per finished run; runs of other calls live in other subfolders.

    A file counts only if it is one that this call could have written: the digest tells damage, the shapes
    and types tell a file from elsewhere. Nothing in it is unpickled.
    """

    def __init__(self, folder: str | Path, fingerprint: str, variables: int | None = None) -> None:
        self.variables = variables
        self.folder = Path(folder) / fingerprint
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            msg = (
                f"cache={str(folder)!r} cannot be used as a folder ({error.strerror}); choose another place."
            )
            raise FileError(msg) from error

    def load(self, run: int) -> RunRecord | None:
        """The record of `run`, or None where it is missing or was not written to its end."""
        try:
            content = self._path(run).read_bytes()
        except OSError:
            return None
        digest, body = content[:_DIGEST], content[_DIGEST:]
        if hashlib.sha256(body).digest() != digest:
            return None
        try:
            record = _decoded(body)
        except Exception:  # written by another version, or by someone who can compute a digest
            return None
        return record if record.run == run and _fits(record, self.variables) else None

    def save(self, record: RunRecord) -> None:
        """Keep `record`; a failed run is not kept, so that the next call tries it again."""
        if record.failure:
            return
        body = _encoded(record)
        with written(self._path(record.run)) as file:
            file.write(hashlib.sha256(body).digest() + body)

    def _path(self, run: int) -> Path:
        return self.folder / f"run-{run:05d}.npz"


def _fits(record: RunRecord, variables: int | None) -> bool:
    """Whether the arrays are what `_encoded` writes: a right digest says nothing of shapes and types."""
    columns = (record.cells, record.gates, record.kept, record.signs)
    kinds = "".join(column.dtype.kind for column in columns)
    d, effects, lags = record.shape if len(record.shape) == 3 else (0, 0, 0)
    if d != effects or min(d, lags) < 1 or d * d * lags > _MOST_CELLS or variables not in (None, d):
        return False
    if kinds != "ifbi" or any(column.shape != record.cells.shape for column in columns):
        return False
    inside = record.cells.ndim == 1 and ((record.cells >= 0) & (record.cells < np.prod(record.shape))).all()
    return bool(inside and record.rows_used >= 0 and np.isfinite(record.gates).all())


def _encoded(record: RunRecord) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        head=np.array([record.run, record.rows_used, *record.shape]),
        cells=record.cells,
        gates=record.gates,
        kept=record.kept,
        signs=record.signs,
        gains=record.gains,
        p_values=record.p_values,
    )
    return buffer.getvalue()


def _decoded(body: bytes) -> RunRecord:
    with np.load(io.BytesIO(body), allow_pickle=False) as stored:
        run, rows_used, *shape = (int(number) for number in stored["head"])
        return RunRecord(
            run=run,
            shape=tuple(shape),
            cells=stored["cells"],
            gates=stored["gates"],
            kept=stored["kept"],
            signs=stored["signs"],
            rows_used=rows_used,
            gains=stored["gains"],
            p_values=stored["p_values"],
        )
