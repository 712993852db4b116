"""What ships: the wheel holds the package and nothing else at top level, adapters and data included."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.xdist_group("distribution")  # one wheel for all of them


def copied(folder: Path, mode: int) -> Path:
    """The source as another machine might have it: other times, other modes."""
    names = (
        "pyproject.toml",
        "MANIFEST.in",
        "README.md",
        "LICENSE",
        "build_backend",
        "grace_plugin",
        "adapters",
    )
    for name in names:
        files = [ROOT / name] if (ROOT / name).is_file() else sorted((ROOT / name).rglob("*"))
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                target = folder / file.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.read_bytes())
                target.chmod(mode)
                os.utime(target, (mode * 1e6, mode * 1e6))
    return folder


def built(source: Path, folder: Path, *options: str) -> list[Path]:
    """What `python -m build` makes of a source that no other test looks at or writes into meanwhile."""
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", str(folder), str(source)],
        capture_output=True,
        text=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = copied(tmp_path_factory.mktemp("source"), 0o644)
    return built(source, tmp_path_factory.mktemp("wheel"), "--wheel")[0]


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"grace_plugin"}
    shipped = set(names)
    for source in sorted((ROOT / "grace_plugin").rglob("*.py")):
        assert str(source.relative_to(ROOT)) in shipped
    for source in sorted((ROOT / "adapters").glob("*.py")):
        assert f"grace_plugin/adapters/{source.name}" in shipped
    assert "grace_plugin/py.typed" in shipped
    for folder in ("show/templates", "results/schemas", "data"):
        for source in sorted((ROOT / "grace_plugin" / folder).iterdir()):
            assert str(source.relative_to(ROOT)) in shipped
    assert "grace_plugin/show/templates/cytoscape.LICENSE.txt" in shipped  # goes with the library it is of


def test_the_wheel_imports_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = (
        "import grace_plugin as gp; a = gp.get_adapter('numpy'); import inspect;"
        "print(gp.__file__); print(inspect.getfile(type(a)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert all(line.startswith(str(tmp_path)) for line in done.stdout.split())


def test_the_same_source_builds_the_same_bytes(tmp_path: Path) -> None:
    hashes = []
    for name, mode in (("one", 0o644), ("two", 0o600)):
        made = built(copied(tmp_path / name, mode), tmp_path / f"{name}_out")
        assert [path.suffix for path in made] == [".whl", ".gz"]
        hashes.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in made])
    assert hashes[0] == hashes[1]
