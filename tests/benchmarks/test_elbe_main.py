"""The loader of the Elbe's main branch, on a made-up file of the same form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.__main__ import main
from benchmarks.studies import elbe_main
from benchmarks.worlds.elbe_like import GAUGES, chain, main_branch, travelled
from grace_plugin.exceptions import DataError


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rivers") / "rivers.csv"
    main_branch(0, years=1).to_csv(path)
    return path


def test_six_hour_means_of_the_twelve_gauges_upstream_first(file: Path) -> None:
    data = elbe_main.read_rivers(file)
    assert list(data.columns) == GAUGES == [str(number) for number in range(177, 165, -1)]
    assert not data.isna().any().any()
    hourly = main_branch(0, years=1)
    assert {"165", "178"} <= set(hourly.columns)
    when = data.index[10]
    means = hourly.loc[when : when + pd.Timedelta("5h"), GAUGES].mean()
    np.testing.assert_allclose(data.loc[when], means)


def test_water_flows_to_the_next_lower_number() -> None:
    truth = chain(GAUGES)
    assert truth.sum() == 11
    assert truth[0, 1]  # 177 -> 176
    assert truth[10, 11]  # 167 -> 166
    assert not truth[1, 0]
    backwards = chain(GAUGES[::-1])
    assert backwards[1, 0]
    assert not backwards[0, 1]


def test_water_comes_later_downstream_and_sooner_in_a_flood() -> None:
    river = np.repeat([50.0, 400.0], 500)
    river[[200, 700]] *= 1.5  # one wave at low water, one in a flood
    down = travelled(np.random.default_rng(0), river)
    low, high = down[150:350].argmax() - 50, down[650:900].argmax() - 50
    assert 0 < high < low < 60


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    pd.DataFrame({"1": [1.0], "2": [2.0]}, index=pd.DatetimeIndex(["2019-01-01"])).to_csv(path)
    with pytest.raises(DataError, match="lacks the columns"):
        elbe_main.read_rivers(path)


def test_the_file_reaches_the_study(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "elbe_main", "--quick", "--again", "--rivers", str(file), "--methods", "CDNOTS"])
    said = capsys.readouterr().out
    assert "| 12 | CDNOTS |" in said
    assert "made-up" not in said
    with pytest.raises(SystemExit, match="takes no --rivers"):
        main(["run", "separation", "--quick", "--rivers", str(file)])
