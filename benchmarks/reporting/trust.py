"""docs/when_to_trust.md: what each violation does, how often a warning comes, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.reporting.evidence import Evidence, short
from benchmarks.reporting.on_worlds import best_host, warned_share
from benchmarks.reporting.world_evidence import NULL, REAL, WorldEvidence
from benchmarks.worlds import Entry
from benchmarks.worlds.grid import kinds

PAGE = Path(__file__).parents[2] / "docs" / "when_to_trust.md"
_WAYS = ("discover", "PCMCI", "PCMCI refined")


@dataclass(frozen=True)
class Violation:
    """One way in which data break what methods assume: its worlds, what happens, what to do."""

    title: str
    worlds: tuple[str, ...]
    happens: str
    do: str


VIOLATIONS = (
    Violation(
        "Nothing is violated",
        ("linear_var", "weak_effects", "dense", "many_small_effects", "spread_lags", "cancelling_paths"),
        "Linear effects, Gaussian noise, everything measured. What limits a graph is the number of rows "
        "beside "
        "the size of the effects: a short series hides weak effects, and no method gets them back.",
        "Read `alpha` as what it is, look at the intervals, and take more rows rather than more variables.",
    ),
    Violation(
        "Strong memory",
        ("own_past", "null_own_past", "null_random_walk", "null_moving_average"),
        "Series that move slowly look alike by chance, and tests that know only a few own lags believe it.",
        "Keep the levels: `discover` judges each effect beside more of its own past and of the cause's where "
        "roots are near one. Differences throw away the slow effects with the slow noise.",
    ),
    Violation(
        "Effects within one step",
        ("within_step_gaussian", "within_step_laplace", "within_step_uniform", "within_step_many",
         "averaged", "subsampled", "tigramite_within_step", "gcastle_gaussian", "gcastle_exponential",
         "gcastle_quadratic", "lingam_simulated"),
        "Where data are slower than what happens, causes and effects fall into the same row. A method that "
        "looks "
        "at lags alone misses them, and reports their echo at lag 1 instead.",
        "Sample faster if you can. `contemporaneous=\"auto\"` looks within a step where the residuals ask "
        "for it; trust a direction there less than the presence of an edge (`oriented` in the table).",
    ),
    Violation(
        "A hidden common cause",
        ("hidden_fast", "hidden_slow", "hidden_lagged", "noise_by_distance", "noisy_shared", "rivers"),
        "What nobody measured acts on several variables. Where it hits them at different times, the early "
        "ones "
        "seem to act on the late ones, and every method here reports that.",
        "Measure it, or something close to it, and add it as a variable. `gp.bootstrap` helps only where "
        "it comes "
        "and goes.",
    ),
    Violation(
        "Noise of the measurement",
        ("noisy", "noisy_persistent", "noisy_multiplicative"),
        "Noise on top of the values does not travel. It hides effects, and because a cause is then known "
        "only "
        "roughly, its own past and its neighbours seem to act in its place.",
        "Average repeated measurements; treat edges beside a strong true one with care.",
    ),
    Violation(
        "Gaps",
        ("missing_at_random", "missing_blocks", "missing_sensor", "missing_by_value", "null_missing"),
        "Few rows have all values of all lags at once, so that leaving out incomplete rows leaves nothing.",
        "Hand gaps over as NaN, not as zeros or as lines drawn across them.",
    ),
    Violation(
        "Trends, cycles and shifts",
        ("trends", "cycles", "long_cycles", "trends_and_cycles", "level_shifts", "common_shift",
         "null_trends", "null_cycles", "null_long_cycles", "null_level_shifts", "null_common_shift",
         "causalts_trends"),
        "What time does to several variables at once looks like an effect of one on the other.",
        "Hand the data over as they are: trends, steps and cycles that the data show become controls "
        "(`prepare=\"auto\"`, and the summary names them). What you know of, a holiday or a change of the "
        "instrument, belongs into `controls=`. Differences remove a trend and most of the slow effects too.",
    ),
    Violation(
        "Effects that change",
        ("changing_effects",),
        "An effect that turns its sign cancels itself in the mean of a long series.",
        "Look at windows with `gp.bootstrap`, and at the frequency of each edge over time.",
    ),
    Violation(
        "Noise that is not Gaussian or not constant",
        ("spells", "shared_volatility", "variance_shift", "heavy_tails", "skewed", "outliers", "null_spells",
         "null_shared_volatility", "null_variance_shift", "null_heavy_tails", "null_skewed", "null_outliers",
         "null_cauchy_persistent"),
        "A few wild rows decide every test. Where several variables are wild at the same time, they seem "
        "to act "
        "on each other.",
        "Mark values that cannot be right as NaN. Logarithms help where sizes multiply. What was clipped or "
        "weighed is in the summary.",
    ),
    Violation(
        "Counts, events, categories",
        ("counts", "sparse_events", "rounded", "binary", "categorical", "null_counts", "null_sparse_events",
         "null_rounded", "null_binary", "null_categorical"),
        "Tests assume a continuous scale. Counts and events with many zeros have few informative rows; a "
        "category "
        "that is coded by numbers has an order that means nothing.",
        "Give categories as a pandas categorical or as words: they are then one variable, tested jointly. "
        "Codes such as 0, 1, 2 are read as numbers.",
    ),
    Violation(
        "Bent effects",
        ("monotone", "even", "saturating", "periodic", "tigramite_nonlinear", "causalts_scp",
         "causalts_small_world", "causalts_scale_free"),
        "An even effect (a square, an absolute value) leaves no correlation: linear tests cannot see it.",
        "Use `discover`: refining a linear host's graph cannot add what the host has missed.",
    ),
    Violation(
        "Causes that act together",
        ("products", "thresholds", "exclusive_or"),
        "Where one cause acts only through another, none of them is seen alone.",
        "Nothing for two causes: `discover` multiplies all pairs. What shows only with three at once needs "
        "`engine=\"neural\"` and few variables.",
    ),
    Violation(
        "Chaotic systems and fields with equations",
        ("lorenz96", "lorenz96_coarse", "coupled_lorenz", "coupled_roessler", "predator_prey", "genes",
         "causalts_henon_chain"),
        "Every variable follows nearly exactly from the past of a few. With fine steps its own past "
        "explains almost "
        "everything; with coarse ones everything depends on everything.",
        "Pairs mean more than lags here. Several steps between rows and a lag of one or two are a good "
        "start.",
    ),
    Violation(
        "Two at once",
        ("season_within_step", "season_near_places", "season_and_outliers", "outliers_within_step",
         "trend_within_step_missing", "season_and_missing", "season_and_counts"),
        "Data in the field break several assumptions together, and what is done about one can hide the "
        "other: lags "
        "stand in for a season where effects within the step are looked for, and outliers hide in its range.",
        "Read in the summary which rules acted, and look at them in the report.",
    ),
    Violation(
        "Handed on by somebody",
        ("gaps_held", "gaps_interpolated", "chaos_in_season", "chaos_measured", "chaos_in_classes"),
        "Somebody closed the gaps before, by the last value or by straight lines; or the system is chaotic "
        "and its data are what the field makes of them.",
        "Ask for the data as they were measured: a gap that is marked is filled in with what is known, one "
        "that was closed looks like a measurement.",
    ),
)  # fmt: skip


def write(evidence: Evidence, page: Path = PAGE) -> None:
    """The whole page; nothing where no world was run."""
    found = WorldEvidence(evidence.of("worlds"))
    if found.rows:
        page.write_text("\n\n".join([_head(found), *(_shown(found, one) for one in VIOLATIONS)]) + "\n")


def _head(found: WorldEvidence) -> str:
    return f"""# When to trust a graph

Each part below is about one way in which data break what methods assume: what happens, how often
`gp.discover` warns, what to do. All figures are from small worlds whose graph is known (5 to 50 variables,
50 to 4000 rows, {found.seeds_text} each, `python -m benchmarks run worlds`; `python -m benchmarks report`
writes this page).

F1 counts edges between different variables with their lags; of systems of differential equations and of
slowly sampled data it counts pairs. PCMCI is tigramite's at its default. "Best host" is the best of PCMCI,
PCMCI+, VAR, VARLiNGAM, LASSO-VAR, CDNOTS and Granger, each at the level that is best for this very world on
other seeds: what an expert could reach. "False" counts wrong edges where nothing acts on anything else."""


def _shown(found: WorldEvidence, one: Violation) -> str:
    real = [entry for entry in REAL if entry.world in one.worlds and found.f1(entry, "discover")]
    null = [entry for entry in NULL if entry.world in one.worlds and found.f1(entry, "discover")]
    parts = [f"## {one.title}", one.happens, _sentence(found, real, null)]
    parts += [_real_table(found, real)] * bool(real) + [_null_table(found, null)] * bool(null)
    parts += [f"**What to do.** {one.do}", _worlds_named([*real, *null])]
    return "\n\n".join(part for part in parts if part)


def _sentence(found: WorldEvidence, real: Sequence[Entry], null: Sequence[Entry]) -> str:
    """How we stand and how often a warning comes, in one line."""
    said = []
    ours = _mean(found.mean(entry, "discover") for entry in real)
    rivals = [best_host(found, entry, "tuned") for entry in real]
    hosts = _mean(rival[1] if rival else None for rival in rivals)
    if ours is not None and hosts is not None:
        word = "above" if ours > hosts + 0.01 else ("below" if ours < hosts - 0.01 else "level with")
        here = f"`discover` has a mean F1 of {short(ours)} here"
        said.append(f"{here}, {word} the best tuned host ({short(hosts)})")
    shares = _mean(warned_share(found, entry) for entry in (*real, *null))
    if shares is not None:
        said.append(f"a warning comes in {100 * shares:.0f} % of the runs")
    return "; ".join(said) + "." if said else ""


def _real_table(found: WorldEvidence, entries: Sequence[Entry]) -> str:
    heads = ("world", "d x T", "`discover`", "PCMCI", "PCMCI refined", "best host, tuned", "warned")
    lines = [heads, ("---",) * len(heads)]
    for entry in entries:
        host = best_host(found, entry, "tuned")
        told = f"{short(host[1], 2)} ({host[0]})" if host else ""
        plain = [_cell(found.mean(entry, way)) for way in _WAYS]
        warned = f"{100 * (warned_share(found, entry) or 0):.0f} %"
        lines.append((label(entry), f"{entry.d} x {entry.T}", *plain, told, warned))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _null_table(found: WorldEvidence, entries: Sequence[Entry]) -> str:
    heads = ("nothing acts", "d x T", "false, `discover`", "PCMCI", "PCMCI refined", "warned")
    lines = [heads, ("---",) * len(heads)]
    for entry in entries:
        values = [found.metric(entry, way, "false") for way in _WAYS]
        told = ["" if value is None else f"{value:.1f}" for value in values]
        warned = f"{100 * (warned_share(found, entry) or 0):.0f} %"
        lines.append((label(entry), f"{entry.d} x {entry.T}", *told, warned))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _worlds_named(entries: Sequence[Entry]) -> str:
    """What each world of a part is, in its own words."""
    names = dict.fromkeys(entry.world for entry in entries)
    return "\n".join(f"- *{spaced(name)}*: {kinds()[name].about}" for name in names)


def spaced(name: str) -> str:
    return name.removeprefix("null_").replace("_", " ")


def label(entry: Entry) -> str:
    return f"{spaced(entry.world)}, {entry.strength}"


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _cell(value: float | None) -> str:
    return "" if value is None else short(value, 2)
