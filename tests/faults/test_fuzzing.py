"""A short run of the fuzzer; `python -m tests.fuzzing 100000` is the long one."""

from __future__ import annotations

import zipfile
from pathlib import Path
from random import Random

import numpy as np
import pytest

from grace_plugin._common.npz import read_npz
from grace_plugin.exceptions import DataError, UnknownResultError
from grace_plugin.hosts.registry import find_adapter
from grace_plugin.results.json_reader import read_json
from tests.fuzzing import meaning, work
from tests.fuzzing.encodings import BY_LABEL, BY_POSITION
from tests.fuzzing.runner import run
from tests.fuzzing.targets import TARGETS


def test_damaged_inputs_are_read_or_refused_with_a_sentence(tmp_path: Path) -> None:
    tally = run(1500, seed=1, folder=tmp_path)
    assert tally.findings == []
    assert tally.inputs == 1500
    assert {*tally.refused, *tally.read} == set(TARGETS)
    assert sum(tally.refused.values()) > 300  # the damage is real
    assert sum(tally.read.values()) > 100  # and not all of it is fatal


def crafted(path: Path, header: str, content: bytes = b"", name: str = "mask.npy") -> Path:
    text = header.encode() + b"\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        start = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
        archive.writestr(name, start + content)
    return path


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }", "claims the shape"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 3), }", "claims the shape"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "Python objects"),
        ("__import__('os').system('true')", "cannot be read"),
        ("[" * 9000, "cannot be read"),
    ],
)
def test_headers_are_checked_before_anything_is_read(tmp_path: Path, header: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_npz(crafted(tmp_path / "evil.npz", header))


def test_an_archive_that_swells_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grace_plugin._common.npz._MOST_BYTES", 1_000_000)
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mask.npy", bytes(5_000_000))
    assert path.stat().st_size < 10_000
    with pytest.raises(DataError, match="far more than its own size"):
        read_npz(path)


def test_a_small_text_cannot_ask_for_a_large_graph() -> None:
    names = ", ".join(f'"{i}"' for i in range(9000))
    edges = ", ".join(
        f'"{column}": []'
        for column in ("cause", "effect", "lag", "gate", "gain", "p_value", "kept", "reason", "required")
    )
    text = (
        f'{{"format": "grace_plugin.refinement", "version": 1, "names": [{names}], "named": true, '
        f'"max_lag": 5, "edges": {{{edges}}}, "parts": {{}}}}'
    )
    with pytest.raises(DataError, match="more than"):
        read_json(text)


def test_good_archives_are_read_as_numpy_reads_them(tmp_path: Path) -> None:
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.asfortranarray(np.eye(3)), "c": np.array(["ä", "b"])}
    np.savez_compressed(tmp_path / "good.npz", **arrays)
    for name, array in read_npz(tmp_path / "good.npz").items():
        assert np.array_equal(array, arrays[name])
        assert array.dtype == arrays[name].dtype


def test_good_inputs_in_every_disguise_are_read_right_or_refused() -> None:
    tally = meaning.run(250, seed=7)
    assert tally.findings == []
    assert set(tally.right) == {*BY_LABEL, *BY_POSITION, "discover"}
    assert sum(tally.right.values()) > 190  # what leaves no choice is read
    assert sum(tally.refused.values()) > 5  # what leaves one is not


@pytest.mark.parametrize("what", work.SIZES)
def test_the_work_of_reading_grows_with_the_input_alone(what: str) -> None:
    assert work.growth_of(what).ratio < work.LIMIT


def test_recognising_any_text_is_linear_work() -> None:
    found = [work.recognition(Random(f"11:{number}")) for number in range(6)]
    assert [one for one in found if one.ratio > work.LIMIT] == []


@pytest.mark.parametrize("text", ['Creator "" ' * 22, 'Creator "' * 40, "/* " * 40, "strict " * 40])
def test_texts_that_once_took_exponential_work_are_refused(text: str) -> None:
    with pytest.raises(UnknownResultError):
        find_adapter(text)


def test_the_measure_sees_quadratic_work() -> None:
    assert (
        work._growth(lambda n: "a " * n, lambda text: [text.count(" ") for _ in range(len(text) // 8)], 4000)
        > work.LIMIT
    )
