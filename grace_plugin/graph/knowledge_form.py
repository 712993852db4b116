"""Background knowledge as plain lists and dicts, as files hold it.

required: [[rain, river, 1]]
forbidden: [["*", rain]]
tiers: [[sun], [rain, wind], [river]]
tier_lags: now
exogenous: [sun]
likely: [{edge: [rain, soil, 2], odds: 10}]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeAlias

from grace_plugin._common.checks import shown
from grace_plugin._common.config import OptionValue, refuse_unknown_options
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.background import Knowledge, Pattern

JsonValue: TypeAlias = "str | int | float | list[JsonValue] | dict[str, JsonValue] | None"
Plain: TypeAlias = Mapping[str, OptionValue]  # as a file holds it: checked name by name


def knowledge_of(plain: Plain) -> Knowledge:
    """Knowledge that was written down.

    >>> known = knowledge_of({"forbidden": [["*", "rain"]], "likely": [{"edge": ["a", "b"], "odds": 3}]})
    >>> known.forbidden, known.likely
    ((('*', 'rain'),), {('a', 'b'): 3.0})
    """
    if not isinstance(plain, Mapping):
        msg = f"Knowledge is written as names with lists (required, forbidden, ...), not as {shown(plain)}."
        raise OptionError(msg)
    given = {str(name): value for name, value in plain.items() if value is not None}
    refuse_unknown_options(given, [one.name for one in fields(Knowledge)])
    if "likely" in given:
        given["likely"] = _odds(given["likely"])
    return Knowledge(**given)


def plain_knowledge(known: Knowledge) -> dict[str, JsonValue]:
    """The same to be written down; what says nothing is left out.

    >>> plain_knowledge(Knowledge(required=[("rain", "river", 1)]))
    {'required': [['rain', 'river', 1]]}
    """
    found: dict[str, JsonValue] = {
        "required": [list(edge) for edge in known.required],
        "forbidden": [list(edge) for edge in known.forbidden],
        "tiers": [list(tier) for tier in known.tiers],
        "tier_lags": known.tier_lags if known.tiers else None,
        "exogenous": list(known.exogenous),
        "likely": [{"edge": list(edge), "odds": odds} for edge, odds in known.likely.items()],
    }
    return {name: value for name, value in found.items() if value}


def _odds(given: Any) -> dict[Pattern, float]:
    if isinstance(given, Mapping):
        return dict(given)
    try:
        return {tuple(one["edge"]): one["odds"] for one in given}
    except (TypeError, LookupError) as error:
        msg = f"likely: {shown(given)}; give a list of {{edge: [cause, effect, lag], odds: 10}}."
        raise OptionError(msg) from error
