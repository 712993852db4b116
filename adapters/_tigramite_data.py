"""tigramite's DataFrame as a Panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.series.panel import Panel, Series

AUTO = "auto"
_VECTOR_HELP = (
    "The DataFrame has vector_vars: the nodes {} are made of several columns each. An edge needs one column "
    "per variable. After J-PCMCI+ pass the JPCMCIplus object, refine(jpcmciplus), or say what its dict "
    "cannot: refine(results, dataframe, dummies={}, context=[...])."
)
_MASK_HELP = (
    "The DataFrame has a mask, and it does not say how the test used it. Pass the mask_type of your "
    'conditional independence test: mask_type="y" (masked rows are not explained), "x" or "z" (they do not '
    'serve as past), "yxz" (both), or None to ignore the mask, as a test without mask_type does and as is '
    "right after RPCMCI, which leaves a mask behind. refine(pcmci) needs none of this."
)


def panel_of(frame: Any, mask_type: str | None = AUTO) -> Panel:
    """All datasets of a tigramite DataFrame, one series each."""
    if frame.has_vector_data:
        _refuse_vectors(_vector_nodes(frame))
    matrices = {key: frame.values[key] for key in frame.datasets}
    return _panel(frame, matrices, mask_type)


def panel_with_dummies(frame: Any, mask_type: str | None, dummies: Sequence[int | str]) -> Panel:
    """The same where the user says which nodes are dummies; each of several columns must be one."""
    if not frame.has_vector_data:
        return panel_of(frame, mask_type)
    names = names_of(frame.var_names) or tuple(map(str, range(int(frame.N))))
    known = dict(enumerate(names))
    told = {known.get(node, str(node)) if isinstance(node, int) else node for node in dummies}
    left = [node for node in _vector_nodes(frame) if str(node) not in told]
    if left:
        _refuse_vectors(left)
    return panel_of_nodes(frame, mask_type)


def panel_of_nodes(frame: Any, mask_type: str | None) -> Panel:
    """The same for a DataFrame with vector nodes: such a node becomes the number of its active column.

    That is the category which a dummy node encodes. The adapter proposes no edge of a dummy, so the
    column only keeps the nodes in their places.
    """
    matrices = {key: _one_column_per_node(frame, frame.values[key]) for key in frame.datasets}
    return _panel(frame, matrices, mask_type)


def names_of(var_names: Any) -> tuple[str, ...] | None:
    """The variables' names; tigramite has a dict {0: 0, ...} where the user gave none."""
    if var_names is None or isinstance(var_names, dict):
        return None
    return tuple(str(name) for name in var_names)


def _panel(frame: Any, matrices: dict[Any, npt.NDArray[Any]], mask_type: str | None) -> Panel:
    blocked = _blocked_rows(frame, mask_type)
    no_target = mask_type is not None and "y" in mask_type
    no_input = mask_type is not None and bool(set("xz") & set(mask_type))
    series = []
    for key, values in matrices.items():
        free = None if blocked is None else ~blocked[key]
        targets = _reference_rows(frame, key, len(values))
        if free is not None and no_target:
            targets = free if targets is None else free & targets
        series.append(Series(values, targets, free if no_input else None))
    _refuse_nothing_left(series)
    return Panel(tuple(series), names_of(frame.var_names), n_variables=int(frame.N))


def _blocked_rows(frame: Any, mask_type: str | None) -> dict[Any, BoolArray] | None:
    """Per dataset the rows in which any variable is masked, or None where no mask counts."""
    if mask_type not in (None, AUTO) and not (mask_type and set(mask_type) <= set("xyz")):
        msg = f'mask_type={mask_type!r} is not known; give letters of "xyz" as tigramite does, or None.'
        raise OptionError(msg)
    if frame.mask is None or mask_type is None:
        return None
    blocked: dict[Any, BoolArray] = {}
    for key in frame.datasets:
        blocked[key] = np.atleast_1d(np.asarray(frame.mask[key], dtype=np.bool_).any(axis=1))
    if not any(rows.any() for rows in blocked.values()):
        return None
    if mask_type == AUTO:
        raise DataError(_MASK_HELP)
    return blocked


def _reference_rows(frame: Any, key: Any, length: int) -> BoolArray | None:
    """The rows that reference_points name; they count on the datasets' common clock."""
    if frame.reference_points_is_none:
        return None
    times = np.arange(length) + int(frame.time_offsets[key])
    return np.isin(times, np.asarray(frame.reference_points))


def _refuse_nothing_left(series: Sequence[Series]) -> None:
    for words, selections in (
        ("may be explained", [one.as_target for one in series]),
        ("may serve as past", [one.as_input for one in series]),
    ):
        if all(rows is not None and not rows.any() for rows in selections):
            msg = (
                f"No row {words}: the mask or the reference_points of the DataFrame exclude all of them "
                "(a row is excluded when any of its variables is masked)."
            )
            raise DataError(msg)


def _vector_nodes(frame: Any) -> list[int | str]:
    """The nodes that are made of several columns, by name where they have one."""
    names = names_of(frame.var_names) or range(int(frame.N))
    return [names[node] for node in range(int(frame.N)) if len(frame.vector_vars[node]) > 1]


def _refuse_vectors(nodes: Sequence[int | str]) -> None:
    raise DataError(_VECTOR_HELP.format(list(nodes), list(nodes)))


def _one_column_per_node(frame: Any, values: npt.NDArray[Any]) -> FloatArray:
    columns = []
    for node in range(int(frame.N)):
        parts = [column for column, _ in frame.vector_vars[node]]
        columns.append(values[:, parts[0]] if len(parts) == 1 else values[:, parts].argmax(axis=1))
    return np.column_stack(columns).astype(np.float64)
