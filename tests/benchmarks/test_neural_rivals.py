"""The neural rivals run in an environment of their own; here it is seen that nothing needs it by accident."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.hosts import neural_rivals
from benchmarks.studies.paper_rivals import pair_scores


def test_stored_scores_need_no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(neural_rivals, "_READY", tmp_path / "ready")
    found = neural_rivals.run("CUTS+", np.zeros((60, 10)), "scp_10_0_60")
    assert found.pairs.shape == (10, 10)
    assert 0.0 < found.pairs.min() < found.pairs.max() < 1.0
    assert found.above(0.0).all()


def test_a_missing_environment_is_told_with_its_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(neural_rivals, "_READY", tmp_path / "ready")
    monkeypatch.setattr(neural_rivals, "CACHE", tmp_path)
    with pytest.raises(SystemExit, match=r"python -m benchmarks\.hosts\.neural_rivals"):
        neural_rivals.run("CUTS+", np.zeros((60, 10)), "never_run")


def test_pairs_are_counted_without_own_pasts() -> None:
    truth = np.zeros((3, 3, 3), dtype=bool)
    truth[0, 1, 2] = truth[1, 2, 1] = truth[0, 0, 1] = True
    pairs = np.zeros((3, 3), dtype=bool)
    pairs[0, 1] = pairs[2, 1] = pairs[1, 1] = True
    assert pair_scores(truth, pairs) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
