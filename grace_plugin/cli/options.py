"""What the commands of `grace` share: options, and errors of one sentence."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from grace_plugin._common.log import LOGGER
from grace_plugin.cli.safe_text import visible
from grace_plugin.exceptions import GraceError

Command = TypeVar("Command", bound=Callable[..., Any])

EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
DATA = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
WRITTEN = click.Path(dir_okay=False, writable=True, path_type=Path)


class OneSentence(click.Group):
    """Turns errors into one sentence and an exit code; --debug shows the traceback instead."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if ctx.meta.get("grace.debug"):
                raise
            if isinstance(error, (GraceError, OSError)):
                raise click.ClickException(visible(" ".join(str(error).split()))) from error
            msg = f"{type(error).__name__}: {error} (unexpected; --debug shows where)"
            raise click.ClickException(visible(msg)) from error


def _show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """One sentence on standard error; the line of this package that warned tells nobody anything."""
    say(f"{category.__name__}: {message}")


def say(words: str) -> None:
    """To standard error, unless --quiet was given."""
    context = click.get_current_context(silent=True)
    if context is None or not context.find_root().meta.get("grace.quiet"):
        click.echo(visible(words), err=True)


def _set_debug(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().meta["grace.debug"] = True


def _set_quiet(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().meta["grace.quiet"] = True


def _set_verbose(_ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    """Show what the library logs, on standard error."""
    if not value:
        return
    for handler in LOGGER.handlers:
        if isinstance(handler, _Said):
            return
    LOGGER.addHandler(_Said())
    LOGGER.setLevel(logging.DEBUG)


class _Said(logging.Handler):
    """Log records as lines on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        say(f"{record.relativeCreated / 1000:8.2f} s  {record.getMessage()}")


def _options(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for one in reversed(decorators):
            command = one(command)
        return command

    return decorate


def examples(*lines: str) -> str:
    """An epilog that is not wrapped."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


debug = _options(
    click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_set_quiet,
        help="Say nothing but results and errors.",
    ),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_set_verbose,
        help="Say what is being done.",
    ),
    click.option(
        "--debug",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_set_debug,
        help="Show tracebacks.",
    ),
)
reading = _options(
    click.option(
        "--decimal",
        type=click.Choice(["auto", "point", "comma"]),
        default="auto",
        show_default=True,
        help="How numbers are written in CSV.",
    ),
    click.option("--time", metavar="NAME", help="The time column; recognised where it comes first."),
    click.option("--unit", metavar="NAME", help="The column that says of which series a row is."),
    click.option("--columns", metavar="A,B,...", help="Use only these columns."),
    click.option(
        "--missing",
        type=float,
        multiple=True,
        metavar="NUMBER",
        help="A value that means missing; repeatable.",
    ),
)
refining = _options(
    click.option(
        "--engine", type=click.Choice(["additive", "neural"]), default="additive", show_default=True
    ),
    click.option("--alpha", type=float, help="Level of the evidence [default: likelier true than not]."),
    click.option("--fdr", type=float, help="False discovery rate instead of a level."),
    click.option(
        "--prepare",
        metavar="auto|none|RULE,...",
        default="auto",
        show_default=True,
        help="What to do about tails, trends, steps, cycles and long memories.",
    ),
    click.option("--penalty", metavar="auto|paper|NUMBER", default="auto", show_default=True),
    click.option(
        "--keep", multiple=True, metavar="CAUSE,EFFECT[,LAG]", help="An edge never pruned; repeatable."
    ),
    click.option(
        "--forbid", multiple=True, metavar="CAUSE,EFFECT[,LAG]", help="An edge that cannot be; repeatable."
    ),
    click.option(
        "--knowledge",
        type=EXISTING,
        help="What is known of edges: .yaml or .json with required, forbidden, tiers, exogenous, likely.",
    ),
    click.option("--effects", metavar="A,B,...", help="Explain only these variables."),
    click.option(
        "--controls", metavar="A,B,...", help="Columns that every effect is judged beside, and no nodes."
    ),
    click.option("--seed", type=int, default=0, show_default=True),
    click.option("--progress/--no-progress", default=None, help="Show a progress bar [default: if slow]."),
)
within_step = click.option(
    "--contemporaneous",
    type=click.Choice(["auto", "yes", "no"]),
    default="auto",
    show_default=True,
    help="Look for effects within one step (lag 0).",
)
orient = click.option(
    "--orient", is_flag=True, help="Give open edges at lag 0 the direction that the data tell."
)
form = click.option(
    "--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True
)
writing = _options(
    click.option("--out", type=WRITTEN, help="Write the graph: .json, .csv, .npz, .gml, .graphml or .dot."),
    click.option("--report", type=WRITTEN, help="Write an HTML report."),
    click.option("--plot", type=WRITTEN, help="Write a picture of the graph before and after."),
    click.option("--all", "everything", is_flag=True, help="List pruned edges too."),
    form,
)
