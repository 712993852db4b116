"""The documentation builds without a warning, and its pages show what they should."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_documentation_builds_without_warnings(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    reference = (tmp_path / "api" / "index.html").read_text(encoding="utf-8")
    assert 'id="grace_plugin.pipeline.verbs.refine"' in reference
    assert "&gt;&gt;&gt;" in reference  # doctests as code, not as quotations
    assert "<blockquote" not in reference
    changes = (tmp_path / "changelog" / "index.html").read_text(encoding="utf-8")
    assert "0.1.0" in changes
