"""The grid of worlds is frozen: what was drawn once is drawn again, and seeds for tuning stay apart."""

from __future__ import annotations

import doctest
import json
from pathlib import Path

import pytest

from benchmarks.worlds import KINDS, REPORTED, STRENGTHS, TUNING, World, grid, make, one_split, worlds
from benchmarks.worlds.base import world as register

FOREIGN = {entry.world for entry in worlds("by others")}


def test_the_grid_is_large_and_frozen() -> None:
    entries = worlds()
    assert len({entry.world for entry in entries if not KINDS[entry.world].null}) >= 35
    assert len({entry.key for entry in entries}) == len(entries)
    assert set(grid.frozen()) == {entry.key for entry in entries}
    assert all(set(map(int, seeds)) == {*TUNING, *REPORTED} for seeds in grid.frozen().values())
    assert not set(TUNING) & set(REPORTED)
    assert {entry.strength for entry in entries} <= set(STRENGTHS)


@pytest.mark.parametrize("seed", [0, 7, 1000, 1013])
def test_data_are_the_frozen_ones(seed: int) -> None:
    for entry in worlds()[seed % 4 :: 4]:
        if entry.world not in FOREIGN and entry.group != "chaotic":
            grid.verified(entry, seed)


@pytest.mark.parametrize("entry", worlds("chaotic", "by others")[::4], ids=lambda entry: entry.key)
def test_slow_worlds_are_the_frozen_ones(entry: grid.Entry) -> None:
    grid.verified(entry, 2)


def test_an_altered_world_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = worlds("trends")[0]
    wrong = {entry.key: {"0": "000000000000"}}
    monkeypatch.setattr(grid, "frozen", lambda: wrong)
    with pytest.raises(RuntimeError, match="added, never altered"):
        grid.verified(entry, 0)
    with pytest.raises(ValueError, match="already"):
        register("drifts", name="trends")(KINDS["trends"].draw)


def test_freezing_adds_and_never_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = worlds("trends")
    path = tmp_path / "frozen.json"
    path.write_text(json.dumps({first.key: {"0": "untouched"}}))
    monkeypatch.setattr(grid, "worlds", lambda: [first, second])
    assert grid.freeze(path, seeds=[0]) == 1
    stored = json.loads(path.read_text())
    assert stored[first.key] == {"0": "untouched"}
    assert stored[second.key] == {"0": grid.fingerprint(make(second, 0))}


def test_seeds_do_not_mix() -> None:
    for mixed in ([0, 1000], [50], [], [19, 20]):
        with pytest.raises(ValueError, match="They stay apart"):
            one_split(mixed)
    assert not doctest.testmod(grid)[0]


def test_a_fingerprint_sees_a_changed_value_and_not_the_last_bits() -> None:
    world = make("linear_var", 0, d=5, T=50)
    print_of = grid.fingerprint(world)
    data = world.data * (1 + 1e-13)
    assert grid.fingerprint(World(data, world.truth)) == print_of
    data[3, 2] *= 1.001
    assert grid.fingerprint(World(data, world.truth)) != print_of
    assert grid.fingerprint(World(world.data, world.truth.transpose(1, 0, 2))) != print_of
