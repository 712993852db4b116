"""Long runs of the fuzzers.

python -m tests.fuzzing [inputs] [seed]               damaged inputs, in rounds of 10,000, within 6 GB
python -m tests.fuzzing meaning --cases N [--seed S]  good inputs in every disguise, with the right answers
python -m tests.fuzzing work --cases N [--seed S]     how the work of reading grows with the input
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from . import meaning, work
from .runner import Tally, run

_MEMORY = 6_000_000_000
_ROUND = 10_000
_MEANING_ROUND = 1_000


def main() -> int:
    kind = sys.argv[1] if len(sys.argv) > 1 else ""
    if kind in ("meaning", "work"):
        parser = argparse.ArgumentParser(prog=f"python -m tests.fuzzing {kind}")
        parser.add_argument("--cases", type=int, default=20_000 if kind == "meaning" else 200)
        parser.add_argument("--seed", type=int, default=0)
        given = parser.parse_args(sys.argv[2:])
        return (_meaning if kind == "meaning" else _work)(given.cases, given.seed)
    numbers = [int(word) for word in sys.argv[1:3]]
    inputs, seed = (*numbers, *(100_000, 0)[len(numbers) :])
    return _damage(inputs, seed)


def _damage(inputs: int, seed: int) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    refused: Counter[str] = Counter()
    read: Counter[str] = Counter()
    findings = 0
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, inputs, _ROUND):
            tally = run(min(_ROUND, inputs - start), seed + start // _ROUND, Path(folder))
            refused, read, findings = (
                refused + tally.refused,
                read + tally.read,
                findings + len(tally.findings),
            )
            _say(_round_lines(tally))
    width = f"{sum(refused.values()) + sum(read.values()) + findings} inputs, {findings} findings"
    _say([f"{name:<32} {refused[name]:>7} refused {read[name]:>7} read" for name in sorted(refused | read)])
    _say([f"{width}, {time.process_time():.0f} s of processor time"])
    return bool(findings)


def _meaning(cases: int, seed: int) -> int:
    whole = meaning.Tally()
    for start in range(0, cases, _MEANING_ROUND):
        tally = meaning.run(min(_MEANING_ROUND, cases - start), seed + start // _MEANING_ROUND)
        whole.right += tally.right
        whole.refused += tally.refused
        whole.findings += tally.findings
        _say(
            [
                *tally.findings,
                f"{start + min(_MEANING_ROUND, cases - start)} cases, {len(whole.findings)} findings",
            ]
        )
    forms = sorted(whole.right | whole.refused)
    _say([f"{form:<16} {whole.right[form]:>6} right {whole.refused[form]:>6} refused" for form in forms])
    _say([f"{cases} cases, {len(whole.findings)} findings, {time.process_time():.0f} s of processor time"])
    return bool(whole.findings)


def _work(cases: int, seed: int) -> int:
    found = [work.growth_of(what) for what in work.SIZES]
    found += [work.recognition(Random(f"{seed}:{number}")) for number in range(cases)]
    wrong = [one for one in found if one.ratio > work.LIMIT]
    largest = max(found, key=lambda one: one.ratio)
    _say([f"{one.ratio:.1f} times the scans at {work.GROWTH} times the size: {one.what}" for one in wrong])
    _say([f"{len(found)} measured, {len(wrong)} beyond {work.LIMIT}; the largest: {largest.ratio:.2f}"])
    return bool(wrong)


def _round_lines(tally: Tally) -> list[str]:
    speed = tally.inputs / tally.seconds
    return [
        *tally.findings[:100],
        f"{tally.inputs} inputs, {len(tally.findings)} findings, {speed:.0f} per second of processor",
    ]


def _say(lines: list[str]) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
