"""What notebooks show: names are text, numbers are there."""

import sys

import pytest

import grace_plugin as gp
from grace_plugin._common.progress import progress_bar
from tests.support.people import HOSTILE, small_data, small_refinement


def test_an_explanation_shows_its_sentence_numbers_and_curve() -> None:
    explanation = small_refinement().explain("river", HOSTILE, 2)
    page = explanation._repr_html_()
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert "<td>kept</td>" in page
    assert page.count("<polyline") == 1


def test_a_stability_shows_its_pairs() -> None:
    stable = gp.bootstrap("basis", small_data(), max_lag=2, runs=4)
    page = stable._repr_html_()
    assert HOSTILE not in page
    assert "<td>rain</td>" in page
    assert "4 windows" in page


def test_a_wanted_bar_counts_to_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(3, "windows", wanted=True) as tick:
        for step in range(3):
            tick(f"step {step}")
    assert "windows" in capsys.readouterr().err
    assert "tqdm.auto" in sys.modules
