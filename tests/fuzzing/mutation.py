"""Small random damages, to text, bytes and nested Python objects; the same for the same generator."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

ODD_NUMBERS = (0, -1, 1, 2, 3.5, 1e308, -1e308, 10**9, 10**18, -(10**18), float("nan"), float("inf"), True)
ODD_TEXTS = (
    "",
    "a",
    "b",
    "auto",
    "a_lag1",
    "a_lag99999999999",
    "\ud800",
    "\0",
    "-->",
    "o-o",
    "x" * 2000,
    "(",
    "{",
)
ODD_VALUES = (*ODD_NUMBERS, *ODD_TEXTS, None, [], {}, (), [[]], [None], b"a", object(), {1: 2}, set())
TOKENS = (
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b'"',
    b",",
    b":",
    b"\n",
    b"-",
    b"e",
    b"9" * 30,
    b"\xff",
    b"\0",
    b"NaN",
)


def odd_value(random: Random) -> Any:
    """Something that hardly anyone expects in any place."""
    if random.random() < 0.2:
        shape = tuple(random.choice((0, 1, 2, 3)) for _ in range(random.randrange(5)))
        return np.zeros(shape, dtype=random.choice(("f8", "i8", "bool", "O", "<U3", "c16", "M8[s]", "f2")))
    return copy.copy(random.choice(ODD_VALUES))


def damaged_bytes(content: bytes, random: Random) -> bytes:
    """A few bytes changed, left out, doubled, or put in."""
    data = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 4, 16))):
        at = random.randrange(len(data) + 1)
        kind = random.randrange(5)
        if kind == 0 and at < len(data):
            data[at] = random.randrange(256)
        elif kind == 1:
            del data[at : at + random.choice((1, 4, 64))]
        elif kind == 2:
            data[at:at] = data[at : at + random.choice((1, 8, 200))]
        elif kind == 3:
            data[at:at] = random.choice(TOKENS) * random.choice((1, 1, 1, 3000))
        else:
            del data[at:]
    return bytes(data)


def damaged_object(value: Any, random: Random) -> Any:
    """A copy of nested lists, dicts, tuples and arrays in which a few places hold something odd."""
    result = copy.deepcopy(value)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        holders = list(_holders(result))
        if not holders:
            return odd_value(random)
        _damage(random.choice(holders), random)
    return result


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)) or (isinstance(value, np.ndarray) and value.size):
        yield value
    if isinstance(value, dict):
        for inner in value.values():
            yield from _holders(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _holders(inner)


def _damage(holder: Any, random: Random) -> None:
    new = odd_value(random)
    if isinstance(holder, np.ndarray):
        try:
            holder[tuple(random.randrange(size) for size in holder.shape)] = new
        except (TypeError, ValueError, OverflowError, RuntimeError):  # numpy cannot put it there
            holder.flat[random.randrange(holder.size)] = holder.flat[0]
    elif isinstance(holder, dict):
        keys = list(holder)
        if keys and random.random() < 0.3:
            del holder[random.choice(keys)]
        elif keys and random.random() < 0.8:
            holder[random.choice(keys)] = new
        else:
            holder[random.choice(("extra", "graph", 7, ("a", -1)))] = new
    elif holder and random.random() < 0.3:
        del holder[random.randrange(len(holder))]
    elif holder and random.random() < 0.8:
        holder[random.randrange(len(holder))] = new
    else:
        holder.append(new)
