"""Many inputs, one after the other: only the project's own errors may come back, and soon."""

from __future__ import annotations

import signal
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

import grace_plugin as gp

from .targets import TARGETS, files

HANG = 20.0  # seconds of processor time for one input; a busy machine does not count


class Hang(BaseException):
    """Not an Exception, so that nothing on the way takes it for a damaged input."""


@dataclass
class Tally:
    """What came of the inputs."""

    seconds: float = 0.0
    refused: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        return sum(self.refused.values()) + sum(self.read.values()) + len(self.findings)


def run(inputs: int, seed: int, folder: Path) -> Tally:
    """`inputs` damaged inputs; input i of seed s is always the same one."""
    tally = Tally()
    names = [name for name, (share, _) in TARGETS.items() for _ in range(share)]
    files()  # made once, before the clock runs
    before = signal.signal(signal.SIGPROF, _alarm)
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number in range(inputs):
                _one(names[number % len(names)], f"{seed}:{number}", folder, tally)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    tally.seconds = time.process_time() - start
    return tally


def _one(name: str, label: str, folder: Path, tally: Tally) -> None:
    signal.setitimer(signal.ITIMER_PROF, HANG)
    try:
        TARGETS[name][1](Random(label), folder)
        tally.read[name] += 1
    except gp.GraceError as error:
        if isinstance(error.__cause__, MemoryError):
            tally.findings.append(f"{name} {label}: MemoryError behind {error}")
        else:
            tally.refused[name] += 1
    except (Exception, Hang) as error:  # the finding itself
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        tally.findings.append(f"{name} {label}: {type(error).__name__} at {where}: {str(error)[:120]}")


def _alarm(_signal: int, _frame: FrameType | None) -> None:
    msg = f"more than {HANG:g} s"
    raise Hang(msg)
