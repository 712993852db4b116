"""JSON: what is written can be read, and what is damaged is refused with a sentence."""

import json
from pathlib import Path

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataError
from grace_plugin.results.json_reader import read_json
from grace_plugin.results.refinement import joined_refinements
from tests.support.people import small_data, small_refinement


def test_everything_comes_back(tmp_path: Path) -> None:
    once = small_refinement()
    path = tmp_path / "graph.json"
    text = once.to_json(path)
    assert path.read_text().rstrip("\n") == text
    for again in (read_json(path), read_json(str(path)), read_json(text)):
        assert again.edges.equals(once.edges)
        np.testing.assert_array_equal(again.graph, once.graph)
        np.testing.assert_array_equal(again.gates, once.gates)
        np.testing.assert_array_equal(again.outcome.reason, once.outcome.reason)
        assert again.names == once.names
        assert again.summary() == once.summary()
        assert again.config == once.config
        assert list(again.native) == list(once.native)
        assert again.to_json() == text


def test_absolute_cells() -> None:
    stored = json.loads(small_refinement().to_json())
    kept = {
        (c, e, lag)
        for c, e, lag, k in zip(
            *(stored["edges"][n] for n in ("cause", "effect", "lag", "kept")), strict=True
        )
        if k
    }
    assert kept == {(0, 1, 1), (1, 2, 2)}


def test_scores_requirements_options_and_pairs_come_back() -> None:
    mask = np.zeros((3, 3, 2), dtype=bool)
    mask[0, 1, 1] = mask[0, 2, 0] = mask[2, 0, 0] = True
    scores = np.where(mask, 0.5, 0.0)
    required = mask & (np.arange(2) == 1)
    data = small_data().to_numpy()[:, :3]
    once = gp.analyze(
        gp.Skeleton(mask, None, scores, required), data, keep=[(0, 2, 0)], alpha=0.01, basis=("linear",)
    )
    again = read_json(once.to_json())
    assert again.config == once.config
    assert again.config.engine_options == {"basis": ("linear",)}
    assert again.skeleton.scores is not None
    assert again.skeleton.scores[0, 1, 1] == 0.5
    assert again.skeleton.required is not None
    assert again.skeleton.required[0, 1, 1]
    assert not again.skeleton.named
    assert again.edges.equals(once.edges)


def test_parts_come_back() -> None:
    one = small_refinement()
    whole = joined_refinements(None, {"winter": one, "summer": one})
    again = read_json(whole.to_json())
    assert list(again.parts) == ["winter", "summer"]
    assert again.parts["winter"].edges.equals(one.edges)


def damaged(**changes: object) -> str:
    stored = json.loads(small_refinement().to_json())
    for name, value in changes.items():
        if name in stored["edges"]:
            stored["edges"][name] = value
        else:
            stored[name] = value
    return json.dumps(stored)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ('{"a": 1}', "does not hold a refinement"),
        (damaged(version=99), "version 99"),
        (damaged(alpha=float("inf")), "inf is no finite number"),
        (damaged(alpha=2), "alpha is 2, outside of 0 to 1"),
        (damaged(penalty=-1), "penalty is -1"),
        (damaged(rows_used=-5), "rows_used is -5"),
        (damaged(rows_given=2.5), "rows_given is 2.5"),
        (damaged(p_value=[-7.0] * 32), "p-values must be numbers from 0 to 1"),
        (damaged(gain=["1.0"] * 32), "'1.0' is no finite number"),
        (damaged(max_lag=10**9), "more than"),
        (damaged(max_lag=-1), "max_lag is -1"),
        (damaged(max_lag="2"), "max_lag is '2'"),
        (damaged(names=[]), "0 names"),
        (damaged(names=["a", "a", "b", "c"]), "repeated"),
        (damaged(gate=[0.0]), "differ in length"),
        (damaged(lag=[1] * 32), "listed twice"),
        (damaged(lag=[9] * 32), "outside the graph"),
        (damaged(cause=[0.5] * 32), "whole numbers"),
        (damaged(kept=["yes"] * 32), "true or false"),
        (damaged(reason=["mood"] * 32), "mood"),
        (damaged(gain=["much"] * 32), "much"),
        (damaged(config={"nonsense": 1}), "nonsense|engine_options"),
        (damaged(edges=None), "damaged"),
    ],
)
def test_damage_is_refused(text: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_json(text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.json cannot be read"):
        read_json(tmp_path / "nowhere.json")


def test_a_file_of_the_first_release_is_read() -> None:
    """Its records, and options that have moved since (`device`)."""
    stored = read_json(Path(__file__).parents[1] / "support" / "refinement_v1.json")
    assert np.argwhere(stored.graph).tolist() == [[0, 1, 1]]
    assert stored.edges.loc[0, ["cause", "effect", "lag", "reason"]].tolist() == [
        "x0",
        "x1",
        1,
        "certificate",
    ]
    assert stored.config.engine == "additive"
    assert len(stored.outcome.records) == len(stored.skeleton)
