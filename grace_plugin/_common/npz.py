"""npz files from anywhere: plain arrays only, and sizes checked before anything is read into memory."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.checks import file_path
from grace_plugin.exceptions import DataError

_MOST_BYTES = 2_000_000_000  # that a small file may swell to


def read_npz(path: str | Path) -> dict[str, npt.NDArray[Any]]:
    """Every array of an npz file; objects (which would be pickled) and bombs are refused."""
    source = file_path("path", path)
    try:
        with zipfile.ZipFile(source) as archive:
            _refuse_bomb(archive, source)
            return {info.filename.removesuffix(".npy"): _array(archive, info) for info in archive.infolist()}
    except DataError:
        raise
    except Exception as error:  # a damaged archive fails in many ways
        words = str(error).strip().splitlines()
        msg = f"{source} cannot be read as an npz file: {words[0] if words else type(error).__name__}"
        raise DataError(msg) from error


def _refuse_bomb(archive: zipfile.ZipFile, source: Path) -> None:
    swollen = sum(info.file_size for info in archive.infolist())
    if swollen > max(_MOST_BYTES, 1.1 * source.stat().st_size):
        msg = f"{source} would take {swollen:,} bytes of memory, far more than its own size; it is refused."
        raise DataError(msg)


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> npt.NDArray[Any]:
    with archive.open(info) as file:
        shape, fortran, dtype = _header(file)
        if dtype.hasobject:
            msg = f"its array {info.filename!r} holds Python objects, which are never loaded"
            raise ValueError(msg)
        count = math.prod(shape)
        if any(size < 0 for size in shape) or count * dtype.itemsize > info.file_size:
            msg = f"its array {info.filename!r} claims the shape {shape} but holds {info.file_size} bytes"
            raise ValueError(msg)
        array = np.frombuffer(file.read(count * dtype.itemsize), dtype=dtype, count=count).copy()
    return array.reshape(shape, order="F" if fortran else "C")


def _header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    reading: Any = np.lib.format
    old = reading.read_magic(file) == (1, 0)
    header: tuple[Any, Any, Any] = (
        reading.read_array_header_1_0(file) if old else reading.read_array_header_2_0(file)
    )
    return header
