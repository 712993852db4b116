"""setuptools, with an sdist that is the same bytes wherever and whenever it is built."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from pathlib import Path
from typing import Any

from setuptools.build_meta import (
    build_editable,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from setuptools.build_meta import build_sdist as _build_sdist

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

_EPOCH = 315_532_800  # 1980, where zip files begin


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """What setuptools builds, without the times, owners, modes and order of this machine's files."""
    name = str(_build_sdist(sdist_directory, config_settings))
    path = Path(sdist_directory) / name
    path.write_bytes(_normalised(path.read_bytes(), int(os.environ.get("SOURCE_DATE_EPOCH", _EPOCH))))
    return name


def _normalised(archive: bytes, epoch: int) -> bytes:
    plain = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive)) as old,
        tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=epoch) as file:
        file.write(plain.getvalue())
    return packed.getvalue()
