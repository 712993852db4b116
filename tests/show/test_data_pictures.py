"""The report draws what rules did to the data and what is left within one step, and nothing else."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.results.refinement import Refinement
from grace_plugin.show.report import report_html

pytestmark = pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")


def shifted() -> pd.DataFrame:
    """rain -> river within the step, a gate that opens at row 200, and tea."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(400, 4))
    x[:, 1] += 0.8 * x[:, 0]
    x[200:, 2] += 5.0
    return pd.DataFrame(x, columns=["rain", "river", "<gate>", "tea"])


@pytest.fixture(scope="module")
def found() -> Refinement:
    return gp.discover(shifted(), 2)


def section(page: str, name: str) -> str:
    body = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    return body.group() if body else ""


def test_a_rule_that_acted_has_its_sentence_and_its_picture(found: Refinement) -> None:
    body = section(report_html(found), "prepared")
    assert "Judged beside steps: &lt;gate&gt; (from row 200)." in body
    assert 'alt="steps: &lt;gate&gt;" src="data:image/png;base64,' in body
    assert body.count("<img") == 1


def test_residual_pairs_that_stand_out_are_told(found: Refinement) -> None:
    pairs = found.outcome.details.step
    assert pairs is not None
    assert pairs.names == ("rain", "river", "<gate>", "tea")
    assert np.argwhere(pairs.standing).tolist() == [[0, 1], [1, 0]]
    assert 0.5 < pairs.correlation[0, 1] < 0.75
    body = section(report_html(found), "within-step")
    assert "1 pair stands out (framed)" in body
    assert body.count("<img") == 1


def test_nothing_is_drawn_where_no_rule_acted_and_nothing_was_asked() -> None:
    mask = np.ones((3, 3, 2), dtype=bool)
    mask[:, :, 0] = False
    x = np.random.default_rng(0).normal(size=(300, 3))
    page = report_html(gp.analyze(gp.Skeleton(mask), x))
    assert not section(page, "prepared")
    assert not section(page, "within-step")


def test_a_result_from_a_file_says_that_nothing_is_drawn(found: Refinement, tmp_path: Path) -> None:
    found.to_json(tmp_path / "found.json")
    page = report_html(gp.read_json(tmp_path / "found.json"))
    assert "What was done to the data is not drawn" in section(page, "prepared")
    assert "<img" not in section(page, "prepared")
    assert not section(page, "within-step")


def test_of_many_variables_the_most_correlated_are_shown() -> None:
    x = np.random.default_rng(6).normal(size=(400, 45))
    x[:, 44] += 2.0 * x[:, 3]
    pairs = gp.discover(x, 1, contemporaneous=True).outcome.details.step
    assert pairs is not None
    assert (len(pairs.names), pairs.variables, pairs.pairs) == (40, 45, 1)
    place = {name: number for number, name in enumerate(pairs.names)}
    assert np.argwhere(np.triu(pairs.standing)).tolist() == [[place["x3"], place["x44"]]]


def wild() -> np.ndarray:
    """x0 -> x1 at lag 1, whose noise is five times as large from row 300 to 360; x2 is Gaussian."""
    x = np.random.default_rng(2).normal(size=(600, 3))
    x[300:360, 1] *= 5.0
    x[1:, 1] += 0.6 * x[:-1, 0]
    return x


def test_noise_that_changes_is_told_and_drawn_with_its_size() -> None:
    found = gp.discover(wild(), 2, progress=False)
    sentence = "so that p-values believe the residuals: x1."
    assert sentence in found.summary()
    (rule,) = (one for one in found.outcome.details.acted or () if one.rule == "noise")
    assert [one.name for one in rule.series] == ["x1"]
    (one,) = rule.series
    loud, quiet = (one.rows > 310) & (one.rows < 350), one.rows < 250
    assert one.taken[loud].mean() > 3.0 * one.taken[quiet].mean()
    assert np.std(one.values[quiet]) == pytest.approx(one.taken[quiet].mean(), rel=0.2)
    body = section(report_html(found), "prepared")
    assert sentence in body
    assert 'alt="noise: x1" src="data:image/png;base64,' in body


def test_noise_is_not_told_where_the_rule_is_off_or_noise_is_even() -> None:
    off = gp.discover(wild(), 2, prepare=["tails", "hidden"], progress=False)
    even = gp.discover(np.random.default_rng(1).normal(size=(600, 3)), 2, progress=False)
    assert all("believe the residuals" not in found.summary() for found in (off, even))
