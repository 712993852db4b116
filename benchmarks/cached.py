"""Arrays that took long to make: kept in files that are written whole, and made anew where one is damaged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.files import written
from grace_plugin._common.npz import read_npz
from grace_plugin.exceptions import DataError

Arrays = dict[str, npt.NDArray[Any]]


def cached(path: Path, make: Callable[[], Mapping[str, Any]]) -> Arrays:
    """The arrays that `path` holds; those of `make()`, stored there, where it is missing or damaged."""
    if path.exists():
        try:
            return read_npz(path)
        except DataError as error:
            print(f"{error} It is made again.", file=sys.stderr)
    made = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    with written(path) as file:
        np.savez_compressed(file, **made)
    return read_npz(path)
