"""Tables that the paper does not have: the rivals, hard worlds, calibration, and what costs what."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from benchmarks.reporting.evidence import Cell, Evidence, short
from benchmarks.reporting.tables import bullets, duel, is_worse

WAYS = ("raw", "FDR 0.05", "best threshold", "CAM-pruned", "refined", "refined, neural")
RIVAL_COLUMNS = (
    "precision",
    "recall",
    "f1",
    "shd",
    "auroc",
    "pair_precision",
    "pair_recall",
    "pair_f1",
    "pair_auroc",
    "cpu",
    "peak_mib",
)


def own_table(name: str, evidence: Evidence) -> str:
    """The table that a benchmark makes of its own rows."""
    rows = evidence.of(name)
    return str(import_module(f"benchmarks.studies.{name}").table(rows)) if rows else "Not run yet."


def rivals(evidence: Evidence) -> str:
    rows = evidence.of("rivals")
    if not rows:
        return "Not run yet."
    methods = sorted({row.method for row in rows}, key=_host_then_way)
    lines = [_line(["method", *RIVAL_COLUMNS, "seeds"]), _line(["---"] * (len(RIVAL_COLUMNS) + 2))]
    for method in methods:
        cells = [evidence.cell("rivals", method, 20, 1000, name) for name in RIVAL_COLUMNS]
        seeds = max(len(cell.values) for cell in cells if cell)
        texts = [_plain(cell, name) for cell, name in zip(cells, RIVAL_COLUMNS, strict=True)]
        lines.append(_line([method, *texts, str(seeds)]))
    hosts = sorted({method.split(":")[0] for method in methods if ": refined" in method})
    return (
        "\n".join(lines) + "\n\n" + "\n".join(f"- {text}" for text in _rival_words(evidence, hosts, methods))
    )


def _host_then_way(method: str) -> tuple[bool, str, int]:
    host, _, way = method.partition(": ")
    return "discover" in host, host, WAYS.index(way) if way in WAYS else 0


def _rival_words(evidence: Evidence, hosts: Sequence[str], methods: Sequence[str]) -> list[str]:
    said = []
    for host in hosts:
        for way in ("refined", "refined, neural"):
            others = [f"{host}: {one}" for one in WAYS[: WAYS.index(way)]]
            said.append(duel(evidence, "rivals", f"{host}: {way}", others, 20, 1000))
    rivals_of_all = [one for one in methods if "refined" not in one and "discover" not in one]
    for method in (one for one in methods if one.startswith("discover")):
        said.append(duel(evidence, "rivals", method, rivals_of_all, 20, 1000))
    return said


def hard_worlds(evidence: Evidence) -> str:
    from benchmarks.studies.hard_worlds import WORLDS, host_of

    said = []
    for world in WORLDS:
        host = host_of(world)
        rivals_here = [f"{world}: {host}, {way}" for way in ("alpha 0.05", "FDR 0.05", "best alpha")]
        for mine in (f"{host} refined", f"{host} refined, neural", "discover, basis", "discover, cdnots"):
            said.append(duel(evidence, "hard_worlds", f"{world}: {mine}", rivals_here, 10, 1000))
    every = "products: every candidate, neural"
    said.append(duel(evidence, "hard_worlds", every, ["products: PCMCI, best alpha"], 10, 1000))
    return own_table("hard_worlds", evidence) + bullets(said)


def calibration(evidence: Evidence) -> str:
    from benchmarks.studies.calibration import level

    rows = evidence.of("calibration")
    said = []
    for method in sorted({row.method for row in rows}):
        same = [row for row in rows if row.method == method]
        tests = sum(row.numbers["tests"] for row in same)
        share = sum(row.numbers[level(2.0)] for row in same) / max(tests, 1)
        error = 2 * (0.01 * 0.99 / max(tests, 1)) ** 0.5
        word = (
            "as it should be"
            if abs(share - 0.01) <= error
            else ("too often" if share > 0.01 else "too rarely")
        )
        said.append(
            f"{method}: {100 * share:.2f} % of {tests:.0f} p-values are at or below 0.01, {word} "
            f"(1 % is right, two standard errors are {100 * error:.2f} %)."
        )
    return own_table("calibration", evidence) + bullets(said)


def noise(evidence: Evidence) -> str:
    said = []
    for T in (300, 500, 1000):  # noqa: N806
        pair = evidence.paired("noise", "PCMCI refined", "PCMCI, alpha 0.05", 50, T, "false_cross_edges")
        if pair:
            said.append(f"T {T}: {pair[0]:.1f} false edges per graph are left of {pair[1]:.0f}.")
    return own_table("noise", evidence) + bullets(said)


def ablation(evidence: Evidence) -> str:
    said = []
    for d, T in ((20, 300), (20, 1000), (50, 1000), (100, 1000)):  # noqa: N806
        for skeleton in ("full", "cdnots"):
            others = [f"{skeleton}: certificate", f"{skeleton}: gates"]
            text = duel(evidence, "ablation", f"{skeleton}: both", others, d, T)
            said.append(f"d {d}, T {T}: {text}" if text else "")
    for d in (20, 50, 100):
        others = ["refined, certificate only", "refined, gates only"]
        text = duel(evidence, "refine_pcmci", "refined", others, d, 1000)
        said.append(f"PCMCI skeletons, d {d}, T 1000: {text}" if text else "")
    return own_table("ablation", evidence) + bullets(said)


def refined_pcmci(evidence: Evidence) -> str:
    said = []
    for d in (20, 50, 100):
        others = ["PCMCI, alpha 0.05", "PCMCI, FDR 0.05", "PCMCI, best alpha"]
        text = duel(evidence, "refine_pcmci", "refined", others, d, 1000)
        said.append(f"d {d}: {text}" if text else "")
    weak = [f"weak: {one}" for one in ("PCMCI, alpha 0.05", "PCMCI, FDR 0.05", "PCMCI, best alpha")]
    text = duel(evidence, "refine_pcmci", "weak: refined", weak, 20, 1000)
    said.append(f"weak effects, d 20: {text}" if text else "")
    return own_table("refine_pcmci", evidence) + bullets(said)


def neural(evidence: Evidence) -> str:
    """The engine's own table, and what the paper's own settings do."""
    text = duel(evidence, "neural", "scp: neural, preset paper", ["scp: neural"], 20, 1000)
    return own_table("neural", evidence) + bullets([text])


def elbe_hosts(evidence: Evidence) -> str:
    said = []
    for d in (4, 42):
        many, once = (
            evidence.cell("elbe_hosts", f"PCMCI, {way}", d, 753) for way in ("bootstrap", "refined")
        )
        if many and once:
            word = "**worse than**" if is_worse(many.mean, once.mean) else "no worse than"
            said.append(
                f"{d} gauges: a bootstrap of PCMCI's graph ({short(many.mean)}, {len(many.values)} seeds) is "
                f"{word} one refined run ({short(once.mean)})."
            )
    return own_table("elbe_hosts", evidence) + bullets(said)


def mechanisms(evidence: Evidence) -> str:
    names = sorted({row.method.split(":")[0] for row in evidence.of("mechanisms")})
    texts = [duel(evidence, "mechanisms", f"{n}: neural", [f"{n}: additive"], 20, 1000) for n in names]
    return own_table("mechanisms", evidence) + bullets(texts)


def neural_speed(evidence: Evidence) -> str:
    rows = evidence.of("neural_speed")
    said = []
    for row in rows:
        mine, theirs = row.numbers["f1"], row.numbers["causalts_f1"]
        word = "**worse than**" if mine < theirs else "no worse than"
        said.append(
            f"d {row.d}, seed {row.seed}: our F1 {short(mine)} is {word} that of causalts ({short(theirs)})."
        )
    return own_table("neural_speed", evidence) + bullets(said)


def _plain(cell: Cell | None, name: str) -> str:
    if cell is None:
        return ""
    return f"{cell.mean:.1f}" if name in ("shd", "cpu", "peak_mib") else short(cell.mean)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
