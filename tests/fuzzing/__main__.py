"""python -m tests.fuzzing [inputs] [seed]: a long run in rounds of 10,000, within 6 GB of memory."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from .runner import Tally, run

_MEMORY = 6_000_000_000
_ROUND = 10_000


def main() -> int:
    given = [int(word) for word in sys.argv[1:3]]
    inputs, seed = (*given, *(100_000, 0)[len(given) :])
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
    cpu = time.process_time()
    _say([f"{width}, {cpu:.0f} s of processor time"])
    return bool(findings)


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
