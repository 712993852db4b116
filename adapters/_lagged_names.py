"""Node names that carry a lag: `(name, -lag)`, `(name, lag)` and `name_lagK`, read and made in one place."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from enum import Enum
from numbers import Integral

from grace_plugin.exceptions import AdapterError

_SUFFIX = re.compile(r"(?P<name>.+)_lag(?P<lag>[0-9]+)", re.DOTALL)
_NUMBER = r"(?:np\.u?int[0-9]+\()?(?P<{}>[+-]?[0-9]+)\)?"  # numpy 2 writes np.int64(3)
_TUPLE_TEXT = re.compile(r"\((?P<name>.+), *" + _NUMBER.format("lag") + r"\)", re.DOTALL)
_NUMBER_TEXT = re.compile(_NUMBER.format("number"))


class LagStyle(Enum):
    """How a node says which lag it stands for."""

    NEGATIVE = "(name, -lag)"
    POSITIVE = "(name, lag)"
    SUFFIX = "name_lagK"
    PLAIN = "name"


@dataclass(frozen=True)
class LaggedNames:
    """The nodes of one lag-expanded graph, understood.

    `variables` are in the order in which they first appear; `place` gives each node's
    (index of the variable, lag).
    """

    style: LagStyle
    variables: tuple[Hashable, ...]
    place: dict[Hashable, tuple[int, int]]

    @property
    def max_lag(self) -> int:
        return max((lag for _, lag in self.place.values()), default=0)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables as text, as a `Skeleton` wants them."""
        return tuple(str(variable) for variable in self.variables)

    @property
    def node_at(self) -> dict[tuple[int, int], Hashable]:
        """The inverse of `place`: (index of the variable, lag) to the node."""
        return {where: node for node, where in self.place.items()}


def split_suffix(name: str) -> tuple[str, int] | None:
    """`name_lagK` as (name, K), or None where there is no such suffix; only the last suffix counts.

    >>> split_suffix("flow_lag2"), split_suffix("flow_lag1_lag0"), split_suffix("jet_lag")
    (('flow', 2), ('flow_lag1', 0), None)
    """
    found = _SUFFIX.fullmatch(name)
    return None if found is None else (found["name"], int(found["lag"]))


def lagged_name(variable: Hashable, lag: int, style: LagStyle) -> Hashable:
    """The node of `variable` at `lag` (0, 1, 2, ...) in the given style.

    >>> lagged_name("flow", 2, LagStyle.NEGATIVE), lagged_name("flow", 2, LagStyle.SUFFIX)
    (('flow', -2), 'flow_lag2')
    """
    if style is LagStyle.NEGATIVE:
        return (variable, -lag)
    if style is LagStyle.POSITIVE:
        return (variable, lag)
    if style is LagStyle.SUFFIX:
        return f"{variable}_lag{lag}"
    if lag:
        msg = f"A plain node name cannot say lag {lag}; use one of {[s.value for s in LagStyle][:3]}."
        raise AdapterError(msg)
    return variable


def tuple_in_text(text: str) -> tuple[Hashable, int] | None:
    """The tuple that text such as "('flow', -1)" stands for, as files hold nodes; None for other text.

    >>> tuple_in_text("('flow', -1)"), tuple_in_text("(3, 0)"), tuple_in_text("flow (m, 1)")
    (('flow', -1), (3, 0), None)
    """
    found = _TUPLE_TEXT.fullmatch(text)
    if found is None:
        return None
    number = _NUMBER_TEXT.fullmatch(found["name"])
    return (_unquoted(found["name"]) if number is None else int(number["number"])), int(found["lag"])


def _unquoted(text: str) -> str:
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "'\"":
        return text
    if "\\" not in text:
        return text[1:-1]
    try:
        return str(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return text[1:-1]


def read_lagged_names(nodes: Iterable[Hashable], names: Iterable[object] | None = None) -> LaggedNames:
    """Find the style of `nodes` and what each one stands for.

    Strings without a suffix count as lag 0 beside others with one (`flow`, `flow_lag1`); nodes
    without any lag at all are plain variables.

    Args:
        nodes: the nodes.
        names: the variables of the data, where they are known: a node that is called as one of them is
            that variable, suffix and all. Where it could be another one's past too, it is refused.

    >>> read_lagged_names([("rain", -1), ("flow", 0)]).place
    {('rain', -1): (0, 1), ('flow', 0): (1, 0)}
    >>> read_lagged_names(["rain_lag1", "flow"], names=["rain_lag1", "flow"]).style
    <LagStyle.PLAIN: 'name'>
    """
    listed = list(nodes)
    whole = frozenset() if names is None else _called_as_data(listed, {str(name) for name in names})
    in_text = _tuples_in_text(listed)
    read = [in_text.get(node, node) for node in listed]
    style = _style_of(read, whole)
    variables: dict[Hashable, int] = {}
    place: dict[Hashable, tuple[int, int]] = {}
    for node, meant in zip(listed, read, strict=True):
        variable, lag = (node, 0) if node in whole else _parsed(meant, style)
        place[node] = (variables.setdefault(variable, len(variables)), lag)
    understood = LaggedNames(style, tuple(variables), place)
    _refuse_doubles(understood)
    return understood


def _tuples_in_text(nodes: list[Hashable]) -> dict[Hashable, Hashable]:
    """Nodes that are tuples written as text, if all of them are: one alone may be a name."""
    read = {node: tuple_in_text(node) for node in nodes if isinstance(node, str)}
    told: dict[Hashable, Hashable] = {node: meant for node, meant in read.items() if meant is not None}
    return told if len(told) == len(set(nodes)) else {}


def _called_as_data(nodes: list[Hashable], names: set[str]) -> frozenset[Hashable]:
    """The nodes with a suffix that are columns of the data."""
    columns = frozenset(node for node in nodes if isinstance(node, str) and node in names)
    for node in columns:
        found = split_suffix(str(node))
        if found is not None and found[0] in names:
            msg = (
                f"{node!r} may be the column of that name or {found[0]!r} {found[1]} steps earlier: the data "
                "have both columns. Rename one, or give the lags as numbers beside the names."
            )
            raise AdapterError(msg)
    return columns


def _style_of(nodes: list[Hashable], whole: frozenset[Hashable]) -> LagStyle:
    lags = [int(node[1]) for node in nodes if _is_lag_tuple(node)]  # type: ignore[index]
    if lags and len(lags) == len(nodes):
        if min(lags) < 0 < max(lags):
            msg = (
                f"The nodes hold negative and positive lags (from {min(lags)} to {max(lags)}); give the past "
                "one sign: (name, -lag) or (name, lag)."
            )
            raise AdapterError(msg)
        return LagStyle.POSITIVE if max(lags) > 0 else LagStyle.NEGATIVE
    if lags and any(lags):
        odd = next(node for node in nodes if not _is_lag_tuple(node))
        msg = (
            f"Some nodes are (name, lag) pairs, but {odd!r} is not; make every node one of "
            "(name, -lag), (name, lag) or name_lagK."
        )
        raise AdapterError(msg)
    if any(isinstance(node, str) and node not in whole and split_suffix(node) for node in nodes):
        odd_ones = [node for node in nodes if not isinstance(node, str)]
        if not odd_ones:
            return LagStyle.SUFFIX
        msg = f"Some nodes are called name_lagK, but {odd_ones[0]!r} is no string; name all nodes one way."
        raise AdapterError(msg)
    return LagStyle.PLAIN


def _is_lag_tuple(node: Hashable) -> bool:
    return (
        isinstance(node, tuple)
        and len(node) == 2
        and isinstance(node[1], Integral)
        and not isinstance(node[1], bool)
    )


def _parsed(node: Hashable, style: LagStyle) -> tuple[Hashable, int]:
    if style is LagStyle.SUFFIX:
        return split_suffix(str(node)) or (node, 0)
    if style is LagStyle.PLAIN:
        return node, 0
    assert isinstance(node, tuple)
    return node[0], abs(int(node[1]))


def _refuse_doubles(names: LaggedNames) -> None:
    seen: dict[tuple[int, int], Hashable] = {}
    for node, where in names.place.items():
        if where in seen:
            msg = f"The nodes {seen[where]!r} and {node!r} stand for the same variable at the same lag."
            raise AdapterError(msg)
        seen[where] = node
    texts: dict[str, Hashable] = {}
    for variable in names.variables:
        other = texts.setdefault(str(variable), variable)
        if other != variable:
            msg = f"The variables {other!r} and {variable!r} look the same as text; rename one."
            raise AdapterError(msg)
