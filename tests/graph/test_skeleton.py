from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grace_plugin import Skeleton
from grace_plugin.exceptions import SkeletonError


def mask(d: int = 3, lags: int = 3, edges: list[tuple[int, int, int]] | None = None) -> np.ndarray:
    array = np.zeros((d, d, lags), dtype=bool)
    for edge in edges or []:
        array[edge] = True
    return array


def test_it_keeps_absolute_positions() -> None:
    skeleton = Skeleton(mask(edges=[(0, 1, 2)]), names=["a", "b", "c"])
    assert skeleton.mask[0, 1, 2]
    assert not skeleton.mask[1, 0, 2]
    assert skeleton.max_lag == 2
    assert skeleton.names == ("a", "b", "c")


def test_it_is_frozen_and_does_not_share_memory() -> None:
    given_mask = mask(edges=[(0, 1, 1)])
    skeleton = Skeleton(given_mask)
    given_mask[2, 1, 1] = True
    assert not skeleton.mask[2, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        skeleton.mask[0, 0, 1] = True
    with pytest.raises(AttributeError):
        skeleton.names = ("x",)  # type: ignore[misc]


def test_an_unoriented_pair_is_one_edge() -> None:
    skeleton = Skeleton(mask(edges=[(0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 2, 1)]))
    assert skeleton.unoriented[0, 1]
    assert skeleton.unoriented[1, 0]
    assert not skeleton.unoriented[1, 2]
    assert list(skeleton) == [(0, 1, 0), (1, 2, 0), (2, 2, 1)]
    assert len(skeleton) == 3
    assert not skeleton.directed[0, 1, 0]
    assert skeleton.directed[1, 2, 0]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.zeros((2, 3, 2), bool), "shape"),
        (np.zeros((2, 2), bool), "shape"),
        (np.zeros((0, 0, 2), bool), "shape"),
        (np.full((2, 2, 2), 0.5), "values other than 0 and 1"),
        (np.ones((2, 2, 2), bool), "to themselves at lag 0"),
    ],
)
def test_a_bad_mask_is_refused(bad: np.ndarray, words: str) -> None:
    with pytest.raises(SkeletonError, match=words):
        Skeleton(bad)


@pytest.mark.parametrize(
    ("names", "words"),
    [(["a"], "1 names were given for 3"), (["a", "a", "b"], "repeated"), ("abc", "single string")],
)
def test_bad_names_are_refused(names: list[str], words: str) -> None:
    with pytest.raises(SkeletonError, match=words):
        Skeleton(mask(), names=names)


def test_scores_and_required_must_fit() -> None:
    with pytest.raises(SkeletonError, match="scores have shape"):
        Skeleton(mask(), scores=np.zeros((1, 2)))
    with pytest.raises(SkeletonError, match="not among the candidates"):
        Skeleton(mask(), required=mask(edges=[(0, 1, 1)]))
    assert Skeleton(mask(edges=[(0, 1, 1)]), required=mask(edges=[(0, 1, 1)])).required[0, 1, 1]


@given(
    hnp.arrays(
        bool,
        st.tuples(
            st.shared(st.integers(1, 5), key="d"), st.shared(st.integers(1, 5), key="d"), st.integers(1, 4)
        ),
    )
)
def test_iteration_covers_the_mask(array: np.ndarray) -> None:
    array[np.arange(len(array)), np.arange(len(array)), 0] = False
    skeleton = Skeleton(array)
    rebuilt = np.zeros_like(array)
    for cause, effect, lag in skeleton:
        rebuilt[cause, effect, lag] = True
    rebuilt[:, :, 0] |= skeleton.unoriented
    assert np.array_equal(rebuilt, array)
    assert len(list(skeleton)) == len(skeleton)
