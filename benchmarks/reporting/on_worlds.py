"""The page on worlds: every method in the mean, world by world, null worlds, rules, and what was aimed at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.hosts.on_worlds import PROGRAMS
from benchmarks.reporting.evidence import Evidence, short
from benchmarks.reporting.tables import bullets
from benchmarks.reporting.world_evidence import NULL, REAL, WorldEvidence
from benchmarks.studies.worlds import REFINED
from benchmarks.worlds import Entry

BEHIND = 0.05  # of F1: more than this is said world by world
_ENOUGH = 250  # rows of a clean world: a short record is a trouble of its own, and told


def section(evidence: Evidence) -> str:
    """All of it."""
    found = WorldEvidence(evidence.of("worlds"))
    if not found.rows:
        return "Not run yet."
    parts = [
        _about(found),
        "Means over worlds:\n\n" + overall(found) + bullets(losses(found)),
        "World by world (F1; warned: share of runs of `discover` with a warning):\n\n" + by_world(found),
        "False edges on null worlds, where nothing acts on anything else:\n\n" + nulls(found),
        "What was aimed at:" + bullets(aims(found)),
    ]
    return "\n\n".join(parts)


def _about(found: WorldEvidence) -> str:
    return (
        f"{len(REAL)} worlds at their sizes and strengths, {len(NULL)} null worlds, {found.seeds_text} of "
        "each so far (of 20 reported ones). F1 of edges between different variables, with their lags, or "
        "as pairs "
        "where the lag means nothing (differential equations, slow sampling); an edge within one step whose "
        "direction is left open is half right. Tuned: the level that is best over tuning seeds of the same "
        "world. Best: the best level for each data set in hindsight."
    )


def overall(found: WorldEvidence) -> str:
    """A line for each way: F1, what `discover` has more, AUROC, AUPRC, time."""
    heads = ("", "F1", "`discover` minus it", "precision", "recall", "AUROC", "AUPRC", "cpu", "worlds")
    lines = [heads, ("---",) * len(heads)]
    for way in found.ways:
        more = found.difference("discover", way) if way != "discover" else None
        own = [_cell(_over(found, way, name)) for name in ("precision", "recall", "auroc", "auprc", "cpu")]
        count = sum(found.mean(entry, way) is not None for entry in REAL)
        lines.append((way, _cell(found.overall(way)), more.text if more else "", *own, str(count)))
    return _table(lines)


def _over(found: WorldEvidence, way: str, name: str) -> float | None:
    values = [found.metric(entry, way, name) for entry in REAL]
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def best_host(found: WorldEvidence, entry: Entry, use: str) -> tuple[str, float] | None:
    """The host with the highest F1 in one world, used in one way."""
    values = [(host, found.mean(entry, f"{host}, {use}")) for host in PROGRAMS]
    known = [(host, value) for host, value in values if value is not None]
    return max(known, key=lambda pair: pair[1]) if known else None


def by_world(found: WorldEvidence) -> str:
    heads = (
        "world",
        "d x T",
        "discover",
        "PCMCI",
        "PCMCI refined",
        "best host, tuned",
        "best host, best",
        "warned",
    )
    lines = [heads, ("---",) * len(heads)]
    for entry in REAL:
        mine = found.mean(entry, "discover")
        if mine is None:
            continue
        hosts = [best_host(found, entry, use) for use in ("tuned", "best")]
        told = [f"{short(one[1])} ({one[0]})" if one else "" for one in hosts]
        plain = [_cell(found.mean(entry, way)) for way in ("discover", "PCMCI", "PCMCI refined")]
        warned = warned_share(found, entry)
        lines.append(
            (f"{entry.world}, {entry.strength}", f"{entry.d} x {entry.T}", *plain, *told, _cell(warned, 2))
        )
    return _table(lines)


def warned_share(found: WorldEvidence, entry: Entry) -> float | None:
    made = found.numbers(entry, "discover").values()
    return float(np.mean([numbers["warned"] > 0 for numbers in made])) if made else None


def nulls(found: WorldEvidence) -> str:
    ways = [
        "discover",
        *(way for way in REFINED if way in found.ways),
        *(h for h in PROGRAMS if h in found.ways),
    ]
    lines: list[Sequence[str]] = [("world", "d x T", *ways), ("---",) * (len(ways) + 2)]
    for entry in NULL:
        values = [found.metric(entry, way, "false") for way in ways]
        if values[0] is not None:
            name = entry.world.removeprefix("null_")
            told = ["" if value is None else f"{value:.1f}" for value in values]
            lines.append((f"{name}, {entry.strength}", f"{entry.d} x {entry.T}", *told))
    return _table(lines)


def losses(found: WorldEvidence) -> list[str]:
    """Sentences on where ours is worse, for the first page."""
    said = []
    for host in PROGRAMS:
        for use, words in (("tuned", "at its tuned level"), ("best", "at its best level in hindsight")):
            more = found.difference("discover", f"{host}, {use}")
            if more and more.mean < 0:
                said.append(
                    f"`discover` is **worse than** {host} {words} in the mean over {more.count} worlds "
                    f"({more.text})."
                )
        less = found.difference(f"{host} refined", host)
        if less and less.mean < 0:
            said.append(
                f"{host} refined is **worse than** {host} at its default over the worlds ({less.text})."
            )
    behind = [entry for entry in REAL if _behind(found, entry)]
    if behind:
        named = ", ".join(f"{entry.key} ({_behind(found, entry):.2f})" for entry in behind)
        said.append(
            f"`discover` is **worse than** the best tuned host by more than {BEHIND} in {len(behind)} of "
            f"{len(REAL)} worlds: {named}."
        )
    return said


def _behind(found: WorldEvidence, entry: Entry) -> float | None:
    """By how much the best tuned host is ahead, where that is more than a little."""
    mine, host = found.mean(entry, "discover"), best_host(found, entry, "tuned")
    if mine is None or host is None or host[1] - mine <= BEHIND:
        return None
    return mine - host[1]


def aims(found: WorldEvidence) -> list[str]:
    """What was aimed at, each with its figure, met or not."""
    said = []
    for host in PROGRAMS:
        tuned, best = (found.difference("discover", f"{host}, {use}") for use in ("tuned", "best"))
        ranking = found.difference("discover", host, "auroc")
        if tuned and best and ranking:
            said.append(
                f"{host}: `discover` minus its tuned level {tuned.text} "
                f"({_met(tuned.mean - tuned.half > 0)}), "
                f"minus its best level {best.text} ({_met(best.mean >= -0.01)}), AUROC {ranking.text} "
                f"({_met(ranking.mean > 0)}), {_ahead(found, host)}."
            )
    said.append(_silent(found))
    said += [_refined(found, host) for host in PROGRAMS]
    wrong = [
        (entry, value) for entry in NULL if (value := found.metric(entry, "discover", "false")) and value > 1
    ]
    named = ", ".join(f"{entry.world.removeprefix('null_')} {value:.1f}" for entry, value in wrong)
    said.append(
        "At most one false edge on every null world: "
        f"{_met(not wrong)}{'; more on ' + named if named else ''}."
    )
    return [one for one in said if one]


def _ahead(found: WorldEvidence, host: str) -> str:
    gaps = [found.gap(entry, "discover", f"{host}, tuned") for entry in REAL]
    known = [round(gap, 3) for gap in gaps if gap is not None]
    ahead, level = (float(np.mean(which)) for which in ([g > 0 for g in known], [g == 0 for g in known]))
    return (
        f"ahead of the tuned level in {100 * ahead:.0f} % of worlds ({_met(ahead >= 0.75)}) and level with "
        "it "
        f"in {100 * level:.0f} %"
    )


def _silent(found: WorldEvidence) -> str:
    """Behind without a warning; and warnings where nothing is wrong."""
    silent = [entry for entry in REAL if _behind(found, entry) and (warned_share(found, entry) or 0) < 0.5]
    clean = [entry for entry in REAL if entry.world == "linear_var" and entry.T >= _ENOUGH]
    shares = [share for entry in clean if (share := warned_share(found, entry)) is not None]
    return (
        f"Behind the best tuned host by more than {BEHIND} without a warning in most runs: {len(silent)} "
        f"worlds ({_met(not silent)}); warnings on clean worlds (linear, 250 rows and more) in "
        f"{100 * float(np.mean(shares)) if shares else 0:.0f} % "
        f"of runs ({_met(not shares or float(np.mean(shares)) <= 0.05)})."
    )


def _refined(found: WorldEvidence, host: str) -> str:
    mine = f"{host} refined"
    gaps = [(entry, gap) for entry in REAL if (gap := found.gap(entry, mine, host)) is not None]
    tuned = found.difference(mine, f"{host}, tuned")
    if not gaps or not tuned:
        return ""
    worst, gap = min(gaps, key=lambda pair: pair[1])
    below = sum(value < -0.02 for _, value in gaps)
    return (
        f"{mine}: more than .02 below its own default in {below} of {len(gaps)} worlds ({_met(not below)}; "
        "worst "
        f"{worst.key} {gap:+.2f}), minus its tuned level {tuned.text} "
        f"({_met(tuned.mean > 0)})."
    )


def _met(yes: bool) -> str:
    return "met" if yes else "not met"


def _cell(value: float | None, digits: int = 3) -> str:
    return "" if value is None else short(value, digits)


def _table(lines: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
