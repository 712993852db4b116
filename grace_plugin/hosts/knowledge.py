"""Background knowledge in other forms: what hosts use, and files."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from grace_plugin._common.checks import shown
from grace_plugin._common.files import write_text
from grace_plugin.exceptions import FileError, MissingPackageError, OptionError, UnknownAdapterError
from grace_plugin.graph.background import Knowledge
from grace_plugin.graph.knowledge_form import knowledge_of, plain_knowledge
from grace_plugin.hosts.registry import available_adapters, get_adapter
from grace_plugin.protocols import HostResult, KnowingAdapter

_YAML = (".yaml", ".yml")


def read_knowledge(
    given: str | Path | Knowledge | HostResult, names: Sequence[str] | None = None, max_lag: int | None = None
) -> Knowledge:
    """Background knowledge from what a host uses, or from a file.

    Args:
        given: tigramite's `link_assumptions`, causal-learn's `BackgroundKnowledge` over lagged nodes, a prior
            matrix of lingam (what it says of one step), a .yaml or .json file, or what such a file holds.
        names: the variables in the order of the host's; without them edges go by position, where the host
            has no names.
        max_lag: the largest lag to speak of, where the host's form does not tell.

    >>> known = read_knowledge({0: {(0, -1): "o?>"}, 1: {(0, -1): "-->", (1, -1): "o?>"}})
    >>> known.required, known.forbidden
    (((0, 1, 1),), ((0, 1, 0), (1, 0, 0), (1, 0, 1)))
    """
    if isinstance(given, Knowledge):
        return given
    if isinstance(given, (str, os.PathLike)):
        return knowledge_of(_loaded(Path(given)))
    for adapter in _knowing().values():
        if adapter.is_knowledge(given):
            return adapter.read_knowledge(given, names, max_lag)
    if isinstance(given, dict):
        return knowledge_of(given)
    msg = (
        f"{shown(given)} is no knowledge that can be read; give tigramite's link_assumptions, causal-learn's "
        "BackgroundKnowledge, a prior matrix of lingam (with -1 where nothing is known), or a file."
    )
    raise OptionError(msg)


def write_knowledge(known: Knowledge, to: str | Path, names: Sequence[str], max_lag: int) -> HostResult:
    """Background knowledge in a host's own form, or as a file.

    Args:
        known: what is known.
        to: "tigramite" (link_assumptions), "causal-learn" (BackgroundKnowledge over nodes `{var}_lag{k}`),
            "lingam" (the prior matrix of effects within one step), or a path that ends in .yaml or .json.
        names: the variables in the order of the host's.
        max_lag: the largest lag that the host looks at.

    Odds (`likely`) have no place in any host's form. A prior matrix speaks of paths, so that a forbidden edge
    is written only where no path may lead around it.

    >>> known = Knowledge(required=[("rain", "river", 1)], exogenous=["rain"])
    >>> write_knowledge(known, "tigramite", ["rain", "river"], max_lag=1)[1]
    {(0, 0): '-?>', (0, -1): '-->', (1, -1): 'o?>'}
    """
    if isinstance(to, os.PathLike) or (isinstance(to, str) and Path(to).suffix in (*_YAML, ".json")):
        _store(known, Path(to))
        return Path(to)
    adapter = get_adapter(to)
    if not isinstance(adapter, KnowingAdapter):
        msg = f"The adapter {to!r} has no form for knowledge; write to one of {list(_knowing())}, or a file."
        raise OptionError(msg)
    return adapter.write_knowledge(known.on(tuple(names), max_lag), tuple(names))


def _knowing() -> dict[str, KnowingAdapter]:
    found: dict[str, KnowingAdapter] = {}
    for name in available_adapters():
        with suppress(UnknownAdapterError):  # another package's that cannot be loaded
            adapter = get_adapter(name)
            if isinstance(adapter, KnowingAdapter):
                found[name] = adapter
    return found


def _loaded(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path} cannot be read: {error}"
        raise FileError(msg) from error
    if path.suffix in _YAML:
        yaml = _yaml()
        try:
            return yaml.safe_load(text)
        except yaml.YAMLError as error:
            msg = f"{path} is no YAML: {' '.join(str(error).split())}"
            raise OptionError(msg) from error
    try:
        return json.loads(text)
    except ValueError as error:
        msg = f"{path} is no JSON: {error}"
        raise OptionError(msg) from error


def _store(known: Knowledge, path: Path) -> None:
    plain = plain_knowledge(known)
    if path.suffix in _YAML:
        write_text(path, _yaml().safe_dump(plain, sort_keys=False, default_flow_style=None))
    else:
        write_text(path, json.dumps(plain, indent=1) + "\n")


def _yaml() -> Any:
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError as error:
        msg = "YAML needs the package pyyaml: pip install pyyaml, or write the same as JSON."
        raise MissingPackageError(msg) from error
    return yaml
