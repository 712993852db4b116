"""The JSON form of a refinement: readable by anything, and how it is written.

`json_reader` reads it back and checks it; schemas/refinement.json says the same as a JSON Schema.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias, TypedDict, TypeGuard

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin._common.config import OptionValue, RefineConfig
from grace_plugin._common.files import write_text
from grace_plugin._common.versions import package_version
from grace_plugin.graph.outcome import Reason
from grace_plugin.results.findings import Findings

FORMAT = "grace_plugin.refinement"  # part of the files, whatever the module is called
VERSION = 1
FURTHER = "further."  # before the names of columns that not every result has


Column: TypeAlias = list[int] | list[float | None] | list[bool] | list[str]


class JsonForm(TypedDict):
    """What a file holds.

    Args:
        format: `FORMAT`.
        version: `VERSION`.
        library: the version of this library that wrote it.
        names: of the variables.
        named: whether the names were given.
        max_lag: the largest lag.
        penalty: the price of an open gate, nats per sample.
        alpha: the level that was used.
        rows_used: lagged rows.
        rows_given: rows of data.
        notes: what was done to the data.
        words: the levels of variables that hold words.
        adapter: of the host's result.
        config: the options.
        edges: one list per column, one entry per candidate; null is a number that is not known.
        parts: the graphs of several regimes.
    """

    format: str
    version: int
    library: str
    names: list[str]
    named: bool
    max_lag: int
    penalty: float | None
    alpha: float | None
    rows_used: int
    rows_given: int
    notes: list[str]
    words: dict[str, list[str]]
    adapter: str
    config: dict[str, OptionValue]
    edges: dict[str, Column]
    parts: dict[str, JsonForm]


def to_json(refinement: Findings, path: str | Path | None = None) -> str:
    """See `Refinement.to_json`."""
    text = json.dumps(_packed(refinement), indent=1, allow_nan=False)
    if path is not None:
        write_text(path, text + "\n")
    return text


def is_refinement(stored: object) -> TypeGuard[JsonForm]:
    """Whether parsed JSON claims to be a refinement."""
    return isinstance(stored, dict) and stored.get("format") == FORMAT


def _packed(refinement: Findings) -> JsonForm:
    skeleton, outcome, records = refinement.skeleton, refinement.outcome, refinement.outcome.records
    assert skeleton.required is not None
    columns: dict[str, Column] = {
        "cause": records.cause.tolist(),
        "effect": records.effect.tolist(),
        "lag": records.lag.tolist(),
        "gate": _plain(records.gate),
        "gain": _plain(records.gain),
        "p_value": _plain(records.p_value),
        "kept": records.kept.tolist(),
        "reason": [str(Reason(code)) for code in records.reason],
        "required": skeleton.required[records.cells].tolist(),
    }
    if skeleton.scores is not None:
        columns["score"] = _plain(skeleton.scores[records.cells])
    columns |= {FURTHER + name: _plain(column) for name, column in records.further.items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        "library": package_version(),
        "names": list(skeleton.names),
        "named": skeleton.named,
        "max_lag": skeleton.max_lag,
        "penalty": _plain_number(outcome.penalty),
        "alpha": _plain_number(outcome.alpha),
        "rows_used": int(outcome.rows_used),
        "rows_given": int(outcome.rows_given),
        "notes": list(outcome.details.notes),
        "words": {name: list(labels) for name, labels in outcome.details.words.items()},
        "adapter": refinement.adapter,
        "config": _plain_config(refinement.config),
        "edges": columns,
        "parts": {str(name): _packed(part) for name, part in refinement.parts.items()},
    }


def _plain(values: FloatArray) -> list[float | None]:
    return [_plain_number(value) for value in values.tolist()]


def _plain_number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _plain_config(config: RefineConfig) -> dict[str, OptionValue]:
    kept: dict[str, OptionValue] = json.loads(json.dumps(asdict(config), default=_plain_value))
    return kept


def _plain_value(value: object) -> object:
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    return str(value)
