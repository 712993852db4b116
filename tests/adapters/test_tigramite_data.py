"""tigramite's DataFrame as a panel."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.hosts.registry import find_data_reader, get_adapter
from grace_plugin.protocols import DataReader
from grace_plugin.series.panel import Panel
from grace_plugin.testing.contract import require_host

PCMCI = require_host("tigramite.pcmci").PCMCI
ParCorr = require_host("tigramite.independence_tests.parcorr").ParCorr
DataFrame = require_host("tigramite.data_processing").DataFrame

adapter = get_adapter("tigramite")
assert isinstance(adapter, DataReader)


def rows(length=40, seed=0):
    return np.random.default_rng(seed).normal(size=(length, 3))


def mask_of(*blocked, length=40):
    mask = np.zeros((length, 3), dtype=bool)
    mask[list(blocked), 1] = True
    return mask


def test_only_tigramites_own_frame_is_its_data():
    pandas = require_host("pandas")
    assert adapter.is_data(DataFrame(rows()))
    assert find_data_reader(DataFrame(rows())) is adapter
    assert not any(adapter.is_data(obj) for obj in (pandas.DataFrame(rows()), rows(), None, DataFrame, {}))


def test_one_dataset():
    panel = adapter.to_panel(DataFrame(rows(), var_names=["a", "b", "c"]))
    assert panel.names == ("a", "b", "c")
    assert panel.n_variables == 3
    np.testing.assert_array_equal(panel.series[0].values, rows())
    assert panel.series[0].as_target is None
    assert panel.series[0].as_input is None


def test_names_that_were_not_given_are_none():
    assert adapter.to_panel(DataFrame(rows())).names is None


def test_several_datasets_stay_apart():
    frame = DataFrame({"one": rows(), "two": rows(25, seed=1)}, analysis_mode="multiple")
    panel = adapter.to_panel(frame)
    assert [len(one.values) for one in panel.series] == [40, 25]
    np.testing.assert_array_equal(panel.series[1].values, rows(25, seed=1))


def test_missing_values_are_nan():
    values = rows()
    values[7, 2] = 999.0
    panel = adapter.to_panel(DataFrame(values, missing_flag=999.0))
    assert np.argwhere(np.isnan(panel.series[0].values)).tolist() == [[7, 2]]


@pytest.mark.parametrize(
    ("mask_type", "target", "past"),
    [("y", True, False), ("x", False, True), ("z", False, True), ("yxz", True, True), (None, False, False)],
)
def test_a_mask_counts_as_its_type_says(mask_type, target, past):
    panel = adapter.to_panel(DataFrame(rows(), mask=mask_of(3, 9)), mask_type=mask_type)
    for selection, used in ((panel.series[0].as_target, target), (panel.series[0].as_input, past)):
        if used:
            assert np.flatnonzero(~selection).tolist() == [3, 9]
        else:
            assert selection is None


def test_a_mask_of_unknown_use_is_refused():
    with pytest.raises(DataError, match=r'Pass the mask_type.*mask_type="y"'):
        adapter.to_panel(DataFrame(rows(), mask=mask_of(3)))
    assert adapter.to_panel(DataFrame(rows(), mask=mask_of())).series[0].as_target is None


@pytest.mark.parametrize("wrong", ["w", "", "auto-x"])
def test_an_unknown_mask_type_is_refused(wrong):
    with pytest.raises(OptionError, match="is not known"):
        adapter.to_panel(DataFrame(rows(), mask=mask_of(3)), mask_type=wrong)


@pytest.mark.parametrize(("mask_type", "words"), [("y", "may be explained"), ("x", "may serve as past")])
def test_a_mask_that_leaves_nothing_is_refused(mask_type, words):
    with pytest.raises(DataError, match=f"No row {words}"):
        adapter.to_panel(DataFrame(rows(), mask=mask_of(*range(40))), mask_type=mask_type)


def test_reference_points_are_the_targets():
    panel = adapter.to_panel(DataFrame(rows(), reference_points=np.array([5, 6, 30])))
    assert np.flatnonzero(panel.series[0].as_target).tolist() == [5, 6, 30]
    both = DataFrame(rows(), mask=mask_of(6), reference_points=np.array([5, 6, 30]))
    assert np.flatnonzero(adapter.to_panel(both, mask_type="y").series[0].as_target).tolist() == [5, 30]


def test_reference_points_count_on_the_common_clock_as_in_tigramite():
    data = {"early": rows(), "late": rows(25, seed=1)}
    frame = DataFrame(
        data,
        analysis_mode="multiple",
        time_offsets={"early": 0, "late": 20},
        reference_points=np.arange(22, 30),
    )
    used = frame.construct_array(X=[(0, -1)], Y=[(1, 0)], Z=[], tau_max=1, cut_off="tau_max")[0]
    panel = adapter.to_panel(frame)
    targets = np.concatenate([one.values[one.as_target, 1] for one in panel.series])
    np.testing.assert_array_equal(np.sort(targets), np.sort(used[1]))


def test_an_object_knows_how_its_test_used_the_mask():
    for mask_type, expected in ((None, None), ("y", [3])):
        frame = DataFrame(rows(), mask=mask_of(3))
        panel = adapter.data_of(PCMCI(frame, ParCorr(mask_type=mask_type), verbosity=0))
        assert isinstance(panel, Panel)
        selection = panel.series[0].as_target
        assert (None if selection is None else np.flatnonzero(~selection).tolist()) == expected
