"""What columns span, by their Gram matrix, against a decomposition of the columns themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import orth

from grace_plugin.regression.span import Span


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), width=st.integers(1, 12), copies=st.integers(0, 3))
def test_it_leaves_what_least_squares_leave(seed: int, width: int, copies: int) -> None:
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(60, width)) * 10.0 ** rng.uniform(-3, 3, width)
    columns = np.column_stack([columns, columns[:, :copies] * 2.0, np.zeros(60)])
    values = rng.normal(size=(60, 3))
    basis, span = orth(columns / np.maximum(np.abs(columns).max(axis=0), 1e-300)), Span.of(columns)
    assert span.rank == basis.shape[1] == width
    assert span.left_of(values) == pytest.approx(values - basis @ (basis.T @ values), abs=1e-8)
    assert span.leverage == pytest.approx(np.square(basis).sum(axis=1), abs=1e-8)


def test_more_columns_and_weights_are_as_if_given_at_once() -> None:
    rng = np.random.default_rng(1)
    some, more, root = rng.normal(size=(80, 4)), rng.normal(size=(80, 2)), rng.uniform(0.5, 2.0, 80)
    span = Span.with_constant(some).and_of(more)
    once = Span.of(np.column_stack([np.ones(80), some, more]))
    assert span.leverage == pytest.approx(once.leverage)
    assert Span.of(some).weighted(root).leverage == pytest.approx(Span.of(some * root[:, None]).leverage)
    assert span.left_of(more) == pytest.approx(np.zeros((80, 2)), abs=1e-10)
