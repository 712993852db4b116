"""`grace inspect` and `grace plot`: look at data before a search, and at a graph that was stored."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grace_plugin._common.config import OptionValue
from grace_plugin.cli.options import DATA, EXISTING, WRITTEN, debug, examples, reading
from grace_plugin.cli.safe_text import visible

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.series.panel import Panel

_KINDS = ("before_after", "graph", "network", "matrix", "time_series", "gates", "path")


def read_given(data: Path, options: dict[str, OptionValue]) -> pd.DataFrame:
    """The table that a command was given; `-` is CSV on standard input."""
    from grace_plugin.cli.data_files import read_data

    columns = [name.strip() for name in (options["columns"] or "").split(",") if name.strip()]
    chosen = (options["time"], columns, options["missing"], options["unit"], options["decimal"])
    if str(data) != "-":
        return read_data(data, *chosen)
    with tempfile.TemporaryDirectory() as folder:  # its header is read before the rest
        copy = Path(folder) / "standard-input.csv"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        return read_data(copy, *chosen)


@click.command(epilog=examples("grace inspect data.csv", "grace inspect data.csv --format json"))
@click.argument("data", type=DATA)
@reading
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@debug
def inspect(data: Path, form: str, **options: OptionValue) -> None:
    """Tell what is in DATA: rows, times, gaps, constants, drifts, cycles, and how far back to look."""
    found = inspected(read_given(data, options))
    text = json.dumps(found, indent=1, default=str) if form == "json" else _as_text(found)
    click.echo(visible(text) if form == "text" or sys.stdout.isatty() else text)


@click.command(
    epilog=examples("grace plot graph.json --out graph.png", "grace plot graph.json --out graph.pdf")
)
@click.argument("result", type=EXISTING)
@click.option("--out", type=WRITTEN, required=True, help="The picture: .png, .svg, .pdf, ...")
@click.option("--kind", type=click.Choice(_KINDS), default="graph", show_default=True)
@debug
def plot(result: Path, out: Path, kind: str) -> None:
    """Draw RESULT, a .json that `grace discover` or `grace refine` wrote with --out."""
    import matplotlib as mpl

    from grace_plugin.cli.files import write_picture
    from grace_plugin.results.json_reader import read_json

    mpl.use("Agg")
    write_picture(read_json(result).plot(kind)[0], out)


def inspected(table: pd.DataFrame) -> dict[str, Any]:
    """What a careful reader asks about data first, as plain values."""
    from grace_plugin.exceptions import GraceError
    from grace_plugin.hosts.convert import read_panel
    from grace_plugin.pipeline.lag_search import suggest_max_lag
    from grace_plugin.prepare.preparing import prepare
    from grace_plugin.series.data_quality import data_quality

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        panel = read_panel(table, {})
        assert panel is not None
        quality = data_quality(panel)
        notes = [note.sentence for note in prepare(panel).notes]
        _warn(panel)
        try:
            lag = suggest_max_lag(table.loc[:, ~quality.constant.to_numpy()])
            suggestion: dict[str, Any] = {"max_lag": int(lag), "why": str(lag)}
        except GraceError as error:
            suggestion = {"max_lag": None, "why": str(error)}
    return {
        "rows": len(table),
        "variables": [str(name) for name in table.columns],
        "series": len(panel.series),
        "time": _times(table),
        "missing": int(table.isna().to_numpy().sum()),
        "quality": json.loads(quality.to_json(orient="records")),
        "prepared": notes,
        "warnings": list(dict.fromkeys(str(one.message) for one in told)),
        "suggestion": suggestion,
    }


def _warn(panel: Panel) -> None:
    """The warnings that every verb gives about data alone."""
    from grace_plugin.exceptions import GraceError
    from grace_plugin.moments.sums import Moments
    from grace_plugin.pipeline.data_warnings import warn_about_data

    names = panel.names or tuple(f"x{index}" for index in range(panel.n_variables))
    try:
        warn_about_data(Moments.of(panel, 1), names, panel)
    except GraceError as error:  # too few complete rows
        warnings.warn(str(error), stacklevel=2)


def _times(table: pd.DataFrame) -> dict[str, Any] | None:
    """The index, where it is one of times; its usual step and how often another one follows."""
    index = table.index.get_level_values(-1)
    if index.name is None or len(index) < 2:
        return None
    steps = index.to_series().diff()[1:]
    if table.index.nlevels > 1:
        same = table.index.get_level_values(0)
        steps = steps[same[1:] == same[:-1]]
    usual = steps.mode().iloc[0] if len(steps) else None
    return {
        "name": str(index.name),
        "first": str(index.min()),
        "last": str(index.max()),
        "usual_step": str(usual),
        "other_steps": int((steps != usual).sum()),
    }


def _as_text(found: dict[str, Any]) -> str:
    import pandas as pd

    time = found["time"]
    names = ", ".join(found["variables"])
    lines = [f"{found['rows']} rows of {len(found['variables'])} variables: {names}"]
    if found["series"] > 1:
        lines.append(f"{found['series']} series")
    if time is None:
        lines.append("no time column: rows are taken as evenly spaced")
    else:
        lines.append(
            f"time {time['name']}: {time['first']} to {time['last']}, step {time['usual_step']}"
            f" ({time['other_steps']} other steps)"
        )
    lines += [f"{found['missing']} values are missing", ""]
    table = pd.DataFrame(found["quality"]).fillna({"dickey_fuller": float("nan")})
    lines += [table.to_string(index=False, float_format=lambda value: f"{value:.3g}"), ""]
    lines += [f"prepare: {note}" for note in found["prepared"]]
    lines += [f"warning: {warning}" for warning in found["warnings"]]
    return "\n".join([*lines, f"suggested: {found['suggestion']['why']}"])
