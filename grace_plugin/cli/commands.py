"""The command line `grace`: results on standard output, everything else on standard error."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grace_plugin import __version__
from grace_plugin._common.config import OptionValue
from grace_plugin.cli.looking import inspect, plot, read_given
from grace_plugin.cli.options import (
    DATA,
    EXISTING,
    WRITTEN,
    OneSentence,
    debug,
    examples,
    form,
    orient,
    reading,
    refining,
    say,
    within_step,
    writing,
)
from grace_plugin.cli.safe_text import visible

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.results.refinement import Refinement

_COLUMNS = [  # those of them that a result has
    *("cause", "effect", "lag", "effect_size", "probability", "q_value"),
    *("gain", "p_value", "gate", "kept", "reason"),
]


@click.group(
    cls=OneSentence,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "grace inspect data.csv",
        "grace discover data.csv --max-lag 5 --out graph.json --report report.html",
        "grace plot graph.json --out graph.png",
        "grace refine pcmci.npz --data data.csv --format csv > edges.csv",
        "grace bootstrap data.csv --max-lag 5 --window 30D --runs 50",
        "grace hosts",
        "grace demo",
    ),
)
@click.version_option(__version__, prog_name="grace")
@debug
def main() -> None:
    """Find causal graphs of time series, or prune the false edges of graphs that others found."""


@main.command(
    epilog=examples(
        "grace discover data.csv --max-lag 5",
        "grace discover data.parquet --max-lag auto --time when --missing -999 --report report.html",
        "grace discover data.csv --max-lag 5 --knowledge known.yaml --controls month,holiday --effects river",
    )
)
@click.argument("data", type=DATA)
@click.option("--max-lag", required=True, metavar="N|auto", help="The largest lag to search.")
@click.option("--skeleton", default="basis", show_default=True, help="Where candidate edges come from.")
@reading
@refining
@within_step
@writing
@debug
def discover(data: Path, max_lag: str, skeleton: str, **options: OptionValue) -> None:
    """Find the causal graph of DATA (CSV or Parquet)."""
    from grace_plugin.pipeline.discovery import discover as find

    table = read_given(data, options)
    lag = max_lag if max_lag == "auto" else _whole(max_lag, "--max-lag")
    _finish(find(table, lag, skeleton, **_engine_options(options)), table, options)


@main.command(
    epilog=examples(
        "grace refine pcmci.npz --data data.csv --out refined.npz",
        "grace refine edges.csv --data data.csv --keep rain,river,1 --all",
    )
)
@click.argument("result", type=EXISTING)
@click.option("--data", type=EXISTING, required=True, help="The data that RESULT was learned from.")
@click.option("--max-lag", type=click.IntRange(min=0), help="Of pairs whose lags RESULT does not tell.")
@reading
@refining
@orient
@writing
@debug
def refine(result: Path, data: Path, max_lag: int | None, **options: OptionValue) -> None:
    """Prune the false edges of RESULT.

    RESULT is a .json (written by grace, a tigramite result, or a list of edges), .npz (tigramite's arrays, or
    "mask" [cause, effect, lag]), .gml, .graphml or .dot (nodes like rain_lag1), or .csv (cause, effect, lag;
    without lags every lag up to --max-lag of a pair is a candidate).
    """
    from grace_plugin.cli.files import read_result
    from grace_plugin.graph.skeleton import Skeleton
    from grace_plugin.pipeline.verbs import analyze

    table = read_given(data, options)
    native = read_result(result)
    extra = _engine_options(options)
    if not isinstance(native, (Skeleton, dict)):
        extra["names"] = list(_nodes(table, options))  # a list of edges cannot name variables without edges
    if max_lag is not None:
        extra["max_lag"] = max_lag
    _finish(_as_passed_in(analyze(native, table, **extra), native, extra), table, options)


@main.command(
    epilog=examples(
        "grace bootstrap data.csv --max-lag 5 --window 30D --runs 50 --threshold 0.7",
        "grace bootstrap data.csv --source pcmci.npz --window 500 --jobs 2",
    )
)
@click.argument("data", type=DATA)
@click.option("--max-lag", type=click.IntRange(min=1), help="The largest lag to search.")
@click.option(
    "--source", default="basis", show_default=True, help="A skeleton's name, or a file as in refine."
)
@click.option("--window", help="Rows per window, or a duration such as 30D.")
@click.option("--runs", type=click.IntRange(min=1), default=50, show_default=True)
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.7, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="Processes.")
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), help="Folder to resume from.")
@reading
@refining
@within_step
@click.option("--out", type=WRITTEN, help="Write the table of edges: .csv or .json.")
@form
@debug
def bootstrap(data: Path, source: str, window: str | None, jobs: int, **options: OptionValue) -> None:
    """Refine many windows of DATA and keep the edges that most of them agree on."""
    from grace_plugin.cli.files import read_result
    from grace_plugin.stability.bootstrapping import bootstrap as repeat

    table = read_given(data, options)
    candidates = read_result(Path(source)) if Path(source).is_file() else source
    size = int(window) if window is not None and _is_whole(window) else window
    named = {name: options[name] for name in ("max_lag", "runs", "threshold", "cache")}
    found = repeat(candidates, table, window=size, n_jobs=jobs, **named, **_engine_options(options))
    if options["out"] is not None:
        _write_table(found.edges, options["out"])
    _say(found.edges, options["form"])


main.add_command(inspect)
main.add_command(plot)


@main.command()
@debug
def hosts() -> None:
    """List the libraries whose results can be refined."""
    from grace_plugin.exceptions import UnknownAdapterError
    from grace_plugin.hosts.registry import available_adapters, get_adapter

    for name in available_adapters():
        try:
            click.echo(visible(f"{name:<14} {get_adapter(name).accepts}"))
        except UnknownAdapterError as error:
            click.echo(f"{name:<14} not usable: {visible(str(error))}", err=True)


@main.command()
@click.option("--plot", "picture", type=WRITTEN, default=Path("grace-demo.png"), show_default=True)
@debug
def demo(picture: Path) -> None:
    """Refine a graph of built-in data whose truth is known, and draw it before and after."""
    from grace_plugin.cli.demo import run_demo

    for line in run_demo(picture):
        click.echo(line)


def _engine_options(options: dict[str, Any]) -> dict[str, Any]:
    penalty = options["penalty"]
    chosen: dict[str, Any] = {name: options[name] for name in ("engine", "seed", "progress")}
    chosen["penalty"] = penalty if penalty in ("auto", "paper") else _number(penalty, "--penalty")
    chosen["prepare"] = _rules(options["prepare"])
    for name in ("keep", "forbid"):
        chosen[name] = [_edge(words, f"--{name}") for words in options[name]]
    for name in ("effects", "controls"):
        chosen[name] = _listed(options[name])
    if options["knowledge"] is not None:
        from grace_plugin.hosts.knowledge import read_knowledge

        chosen["knowledge"] = read_knowledge(options["knowledge"])
    if "contemporaneous" in options:
        said = options["contemporaneous"]
        chosen["contemporaneous"] = said if said == "auto" else said == "yes"
    if options.get("orient"):
        chosen["orient"] = True
    return chosen | {name: options[name] for name in ("alpha", "fdr") if options[name] is not None}


def _rules(words: str) -> str | list[str]:
    return words if words in ("auto", "none") else _listed(words)


def _listed(words: str | None) -> list[str]:
    return [part.strip() for part in (words or "").split(",") if part.strip()]


def _nodes(table: pd.DataFrame, options: dict[str, Any]) -> pd.DataFrame:
    """The table without its controls."""
    controls = _listed(options["controls"])
    return table.drop(columns=[name for name in controls if name in table.columns])


def _edge(words: str, option: str) -> tuple[Any, ...]:
    parts = [part.strip() for part in words.split(",")]
    if len(parts) == 2:
        return tuple(parts)
    if len(parts) == 3:
        return parts[0], parts[1], parts[2] if parts[2] == "*" else _whole(parts[2], option)
    msg = f"{option} {words!r}: give CAUSE,EFFECT or CAUSE,EFFECT,LAG."
    raise click.UsageError(msg)


def _is_whole(words: str) -> bool:
    return words.isascii() and words.isdigit()  # a superscript is a digit too, but no number


def _whole(words: str, option: str) -> int:
    if not _is_whole(words):
        msg = f"{option} {words!r}: give a whole number."
        raise click.UsageError(msg)
    return int(words)


def _number(words: str, option: str) -> float:
    try:
        return float(words)
    except ValueError:
        msg = f"{option} {words!r}: give a number."
        raise click.UsageError(msg) from None


def _as_passed_in(refinement: Refinement, native: Any, options: dict[str, Any]) -> Refinement:
    """Without the own lags that a list of edges gets as controls: refining adds no edge."""
    from grace_plugin._common.signatures import keyword_only
    from grace_plugin.hosts.registry import get_adapter
    from grace_plugin.results.refinement import within

    adapter = get_adapter(refinement.adapter) if refinement.adapter else None
    if adapter is None or "own_lags" not in keyword_only(adapter.to_skeleton):
        return refinement
    taken = {name: options[name] for name in keyword_only(adapter.to_skeleton) & set(options)}
    return within(refinement, adapter.to_skeleton(native, **{**taken, "own_lags": False}).mask)


def _finish(refinement: Refinement, data: pd.DataFrame, options: dict[str, Any]) -> None:
    from grace_plugin.cli.files import write_result

    if options["out"] is not None:
        write_result(refinement, options["out"])
    if options["report"] is not None:
        refinement.report(options["report"], _nodes(data, options))
    if options["plot"] is not None:
        _save_plot(refinement, options["plot"])
    say(refinement.summary())
    table = refinement.edges if options["everything"] else refinement.edges[refinement.edges.kept]
    _say(table[[name for name in _COLUMNS if name in table]], options["form"])


def _save_plot(refinement: Refinement, path: Path) -> None:
    import matplotlib as mpl

    from grace_plugin.cli.files import write_picture

    mpl.use("Agg")
    write_picture(refinement.plot()[0], path)


def _write_table(table: pd.DataFrame, path: Path) -> None:
    from grace_plugin._common.files import write_text
    from grace_plugin.cli.files import format_table

    suffix = path.suffix.lower()
    if suffix not in (".csv", ".json"):
        msg = f"--out {path}: give a file that ends in .csv or .json."
        raise click.UsageError(msg)
    write_text(path, format_table(table, suffix[1:]) + "\n")


def _say(table: pd.DataFrame, form: str) -> None:
    from grace_plugin.cli.files import about, format_table

    context = click.get_current_context()
    settings = {
        name: str(value) if isinstance(value, Path) else value for name, value in context.params.items()
    }
    text = format_table(table, form, about(str(context.info_name), settings))
    click.echo(visible(text) if form == "table" or sys.stdout.isatty() else text)


if __name__ == "__main__":
    main()
