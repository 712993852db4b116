"""The documentation builds without a warning, and its pages show what they should."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_documentation_builds_without_warnings(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "-q", "docs", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    reference = (tmp_path / "api.html").read_text(encoding="utf-8")
    assert 'id="grace_plugin.refine"' in reference
    assert "&gt;&gt;&gt;" in reference  # doctests as code, not as quotations
    assert "0.1.0" in (tmp_path / "changelog.html").read_text(encoding="utf-8")
    notebook = (tmp_path / "notebooks" / "climate.html").read_text(encoding="utf-8")
    assert "<img" in notebook
    assert "refined" in notebook
    for page in tmp_path.rglob("*.html"):
        assert 'src="http' not in page.read_text(encoding="utf-8")  # nothing is fetched from elsewhere
