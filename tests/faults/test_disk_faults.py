"""Full disks, interrupted writing, and folders that cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grace_plugin._common.files import write_text, written
from grace_plugin.exceptions import FileError
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import as_panel
from grace_plugin.stability.bootstrapping import bootstrap
from grace_plugin.stability.run_store import RunCache, RunRecord

ROOT = Path(__file__).parents[2]
ROWS = np.random.default_rng(0).normal(size=(300, 2))


# What a full disk does: a write beyond the limit fails with an OSError.
FULL_DISK = """
import resource, signal, sys
from pathlib import Path
import matplotlib; matplotlib.use("Agg")
import numpy as np
import grace_plugin as gp
from grace_plugin.cli.files import write_picture, write_result
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import as_panel
folder = Path(sys.argv[1])
x = np.random.default_rng(0).normal(size=(300, 8))
found = gp.analyze(gp.Skeleton(np.ones((8, 8, 3)) * [0, 1, 1]), x)
figure = found.plot()[0]
sums = Moments.of(as_panel(x), 2)
writers = {
    "report.html": found.report,
    "plain.json": found.to_json,
    "sums.npz": sums.save,
    "picture.png": lambda path: write_picture(figure, path),
    **{f"out.{kind}": lambda path: write_result(found, path) for kind in "json csv npz dot gml".split()},
}
for name in writers:
    (folder / name).write_text("good")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))
for name, write in writers.items():
    try:
        write(folder / name)
    except gp.GraceError as error:
        print(name, type(error).__name__, error)
"""


def test_a_full_disk_leaves_the_good_file_and_one_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 9
    for line in lines:
        name, kind, sentence = line.split(" ", 2)
        assert kind == "FileError"
        assert sentence.startswith(f"{tmp_path / name} cannot be written (File too large)")
    assert {path.read_text() for path in tmp_path.iterdir()} == {"good"}
    assert len(list(tmp_path.iterdir())) == 9  # no drafts either


@pytest.mark.parametrize(
    "error", [MemoryError(), KeyboardInterrupt(), OSError(28, "No space left on device")]
)
def test_any_interruption_leaves_what_was_there(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "report.html"
    path.write_text("good")
    expected = FileError if isinstance(error, OSError) else type(error)

    def interrupted() -> None:
        with written(path) as file:
            file.write(b"half of")
            raise error

    with pytest.raises(expected):
        interrupted()
    assert path.read_text() == "good"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "real.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_devices_are_written_to_and_not_replaced() -> None:
    write_text("/dev/null", "text")
    assert Path("/dev/null").is_char_device()


def test_a_folder_in_the_way_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot be written \(Is a directory\)"):
        write_text(tmp_path, "text")
    with pytest.raises(FileError, match=r"No such file or directory"):
        write_text(tmp_path / "nowhere" / "file", "text")
    assert list(tmp_path.iterdir()) == []


def test_a_cache_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    for place in (file, file / "deeper"):
        with pytest.raises(FileError, match=r"cache=.* cannot be used as a folder"):
            bootstrap("basis", ROWS, max_lag=1, window=80, runs=2, cache=place)


def test_a_cache_that_stops_taking_files_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = RunCache(tmp_path, "key")
    one = np.ones(1)
    whole = RunRecord(0, (2, 2, 2), np.array([1]), one, one.astype(bool), one.astype(np.int8), 1, one, one)
    cache.save(whole)

    def refuse(self: Path, *_: object, **__: object) -> Any:
        raise PermissionError(13, "Permission denied", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        with pytest.raises(FileError, match=r"run-00001.npz cannot be written \(Permission denied\)"):
            cache.save(replace(whole, run=1))
    assert cache.load(0) is not None
    assert cache.load(1) is None


def test_moments_get_the_ending_that_numpy_gives(tmp_path: Path) -> None:
    moments = Moments.of(as_panel(ROWS), 1)
    moments.save(tmp_path / "sums")
    assert Moments.load(tmp_path / "sums.npz").rows == moments.rows
