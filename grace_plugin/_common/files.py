"""Files that are written whole or not at all: whatever happens, a good file is never half replaced."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from grace_plugin.exceptions import FileError


@contextmanager
def written(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` once the block ends without an error.

    It is written beside `path` under a hidden name, so a full disk or a killed process leaves what was
    there before. Where `path` is a pipe or a device it is written to as it is.
    """
    target = Path(os.path.realpath(path))  # what a link points to, not the link
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
        else:
            with _replacing(target) as file:
                yield file
    except OSError as error:
        if isinstance(error, FileError):
            raise
        why = error.strerror or str(error)
        msg = f"{path} cannot be written ({why}) and is as it was before; make room or choose another place."
        raise FileError(msg) from error


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text, whole or not at all."""
    with written(path) as file:
        file.write(text.encode("utf-8"))


def npz_path(path: str | Path) -> Path:
    """The name that numpy would give the file: with .npz at its end."""
    return Path(path) if str(path).endswith(".npz") else Path(f"{path}.npz")


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    draft = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
