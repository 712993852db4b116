"""Candidates and evidence begin with the same forward selection, which is made once."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.moments.sums import Moments
from grace_plugin.regression import evidence, search_blocks
from grace_plugin.regression.evidence import Forward, SearchSpace, search
from grace_plugin.regression.forward import Candidates, select_forward
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.series.panel import Panel, as_panel


def _data() -> tuple[Panel, Moments]:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 5))
    values[1:, 1] += 0.5 * values[:-1, 0]
    values[2:, 3] += 0.4 * np.abs(values[:-2, 2])
    panel = as_panel(values)
    return panel, Moments.of(panel, 3)


def test_a_stricter_level_is_the_beginning_of_a_liberal_one() -> None:
    _, moments = _data()
    begun = Forward.of(moments)
    candidates = Candidates(moments, 1)
    strict = select_forward(candidates, np.arange(5), 1e-3, 20)
    found = begun.selection.until(1e-3)
    assert len(found.effect) < len(begun.selection.effect)
    pairs = sorted(zip(found.effect.tolist(), found.candidate.tolist(), strict=True))
    assert pairs == sorted(zip(strict.effect.tolist(), strict.candidate.tolist(), strict=True))


def test_evidence_is_the_same_and_forward_selection_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    panel, moments = _data()
    rows = LaggedRows.of(panel, 3, moments.center, moments.scale)
    allowed = np.ones((5, 5, 4), dtype=np.bool_)
    allowed[:, :, 0] = False
    allowed[4, 3, 1] = False
    space = SearchSpace(allowed, columns={2: np.arange(rows.count, dtype=float)[:, None]})
    plain, begun = search(moments, space, rows), Forward.of(moments)
    searched: list[int] = []

    def counted(*args: object, **options: object) -> object:
        searched.extend(np.asarray(args[1]).tolist())
        return select_forward(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(search_blocks, "select_forward", counted)
    again = search(moments, space, rows, begun=begun)
    assert searched == [2, 3]  # one has columns beside it, of the other something is forbidden
    np.testing.assert_array_equal(again.cells, plain.cells)
    np.testing.assert_allclose(again.log_p, plain.log_p, rtol=1e-9)
    np.testing.assert_allclose(again.rest, plain.rest, rtol=1e-9, atol=1e-12)


def test_another_selection_is_not_believed() -> None:
    _, moments = _data()
    _, others = _data()
    assert evidence._Search(moments, SearchSpace(), None, False, Forward.of(others)).begun is None
