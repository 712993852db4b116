"""Whether a graph holds on rows that it was not chosen on.

Each kept edge is tested once more on the new rows beside the other kept ones, as the certificate does;
nothing is chosen there, so these p-values need no correction for a search. Then every effect is predicted one
step ahead on the new rows with weights learned on the old ones: from the kept causes, from all candidates (a
host's own graph), and from its own past alone. A share of 0 is what the mean of the old rows foretells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.checks import number
from grace_plugin.decide.effects import effect_sizes
from grace_plugin.exceptions import DataError
from grace_plugin.hosts.convert import matched, read_panel
from grace_plugin.moments.sums import Moments
from grace_plugin.prepare.preparing import prepare
from grace_plugin.regression.asked_for import effect_columns, row_rules
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.products import Product, find_products
from grace_plugin.regression.row_model import RowModel
from grace_plugin.results.findings import Findings
from grace_plugin.series.controls import with_controls, without_controlled_part
from grace_plugin.series.gaps import fill_gaps
from grace_plugin.series.panel import Panel
from grace_plugin.series.units import centred

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from grace_plugin.series.forms import Data

_RIDGE = 1e-6
_LEAST_ROWS = 10
MODELS = ("graph", "candidates", "own_past")


@dataclass(frozen=True, eq=False)
class Holdout:
    """How a graph fares on new rows; made by `Refinement.holdout`.

    Args:
        edges: one row per kept edge: `gain`, `p_value` and `effect_size` with `low` and `high` there,
            `effect_before`, whether it `holds` at the level, and whether its sign is the same.
        prediction: one row per effect: the share of its variance on the new rows that is foretold one step
            ahead from the kept causes (`graph`), all candidates, and its own past.
        rows: how many new rows there were.
        level: of the tests.
    """

    edges: pd.DataFrame
    prediction: pd.DataFrame
    rows: int
    level: float

    @property
    def share(self) -> float:
        """Of the kept edges that hold."""
        return float(self.edges["holds"].mean()) if len(self.edges) else 1.0

    def plot(self) -> Figure:
        """Draw both tables: effects before and there, and what is foretold."""
        from grace_plugin.show.held_out import draw_holdout

        return draw_holdout(self.edges, self.prediction)

    def __repr__(self) -> str:
        held = int(self.edges["holds"].sum())
        means = ", ".join(f"{name} {self.prediction[name].mean():.3f}" for name in MODELS)
        return (
            f"Holdout: {held} of {len(self.edges)} kept edges hold on {self.rows} new rows "
            f"(level {self.level:g}); variance foretold: {means}"
        )


def hold_out(findings: Findings, data: Data, level: float) -> Holdout:
    """See `Refinement.holdout`."""
    import pandas as pd

    number("level", level, 0.0, 1.0)
    old = _old_sums(findings)
    panel = _new_rows(findings, data)
    prepared = prepare(panel, findings.config.prepare)
    rows = LaggedRows.of(prepared.panel, old.max_lag, old.center, old.scale)
    if rows.count < _LEAST_ROWS:
        msg = f"{rows.count} of the new rows have a complete past; at least {_LEAST_ROWS} are needed."
        raise DataError(msg)
    judged = _judged_graph(findings)
    columns = effect_columns(prepared, rows)
    rules = row_rules(prepared)
    sizes = effect_sizes(judged, old, rows)
    before = (
        findings.outcome.further("effect_size") if _has_sizes(findings) else np.full(judged.shape, np.nan)
    )
    products = _products(rows, judged, old.basis)
    found = []
    for effect in np.flatnonzero(judged.any(axis=(0, 2))).tolist():
        cells = np.argwhere(judged[:, effect])
        model = RowModel(rows, effect, cells, old.basis, rules, columns.get(effect), products.get(effect, ()))
        stays: BoolArray = np.ones(len(cells), dtype=np.bool_)
        for place, (cause, lag) in enumerate(cells.tolist()):
            log_p, gain = model.log_p(place, stays)
            log_p = model.robust(place, stays, log_p)
            where = cause, effect, lag
            there = [float(part[where]) for part in (sizes.size, sizes.low, sizes.high, before)]
            found.append((*_named(findings, cause, effect), lag, gain, float(np.exp(log_p)), *there))
    names = ["cause", "effect", "lag", "gain", "p_value", "effect_size", "low", "high", "effect_before"]
    edges = pd.DataFrame(found, columns=names)
    edges["holds"] = edges["p_value"] <= level
    edges["same_sign"] = np.sign(edges["effect_size"]) == np.sign(edges["effect_before"])
    edges = edges.sort_values("gain", ascending=False, kind="stable", ignore_index=True)
    return Holdout(edges, _prediction(findings, old, rows), rows.count, level)


def _old_sums(findings: Findings) -> Moments:
    moments = findings.outcome.details.moments
    if findings.parts or not isinstance(moments, Moments) or findings.outcome.details.words:
        msg = (
            "holdout() needs the sums that the graph was learned from: a result that was read from a file, "
            "that joins several graphs, holds words, or was made by the neural engine has none. Run discover "
            "or analyze on the old rows first."
        )
        raise DataError(msg)
    return moments


def _new_rows(findings: Findings, data: Data) -> Panel:
    """The new rows as the old ones were taken: matched, beside controls, about their means, without gaps."""
    panel = read_panel(data, {})
    if panel is None:
        msg = "holdout() needs new rows; see `refine` for the forms it takes."
        raise DataError(msg)
    config, max_lag = findings.config, findings.skeleton.max_lag
    panel = with_controls(panel.loaded(), config.controls)
    _, panel = matched(findings.skeleton, panel)
    panel = centred(panel) if config.pool == "units" else replace(panel)
    panel = fill_gaps(panel, max_lag) if config.gaps == "fill" else panel
    return without_controlled_part(panel, max_lag)


def _has_sizes(findings: Findings) -> bool:
    return "effect_size" in findings.outcome.records.further


def _judged_graph(findings: Findings) -> BoolArray:
    """The kept edges of known direction, and open pairs within one step in one of their directions."""
    graph = findings.graph.copy()
    both = graph[:, :, 0] & graph[:, :, 0].T
    graph[:, :, 0] &= ~np.tril(both)
    return graph


def _products(rows: LaggedRows, graph: BoolArray, basis: tuple[str, ...]) -> dict[int, list[Product]]:
    """Kept causes that act together on the new rows too."""
    lagged = graph.copy()
    lagged[:, :, 0] = False
    effects = np.flatnonzero(lagged.sum(axis=(0, 2)) > 1).tolist()
    factors: dict[int, IntArray] = {effect: np.argwhere(lagged[:, effect]) for effect in effects}
    models = {effect: rows.features(cells.tolist(), basis) for effect, cells in factors.items()}
    return find_products(rows, models, factors, lagged) if effects and len(basis) > 1 else {}


def _prediction(findings: Findings, old: Moments, rows: LaggedRows) -> pd.DataFrame:
    import pandas as pd

    skeleton, graph = findings.skeleton, findings.graph & findings.skeleton.directed
    own = np.zeros_like(graph)
    every = np.arange(len(own))
    own[every, every, 1:] = True
    asked = findings.config.effects
    effects = range(len(own)) if not asked else np.flatnonzero(skeleton.mask.any(axis=(0, 2))).tolist()
    models = dict(zip(MODELS, (graph, skeleton.directed, own), strict=True))
    table = {name: [_foretold(old, rows, one, effect) for effect in effects] for name, one in models.items()}
    return pd.DataFrame({"effect": [findings.names[effect] for effect in effects], **table})


def _foretold(old: Moments, rows: LaggedRows, graph: BoolArray, effect: int) -> float:
    """The share of an effect's variance on new rows that weights of the old ones foretell."""
    cells = np.argwhere(graph[:, effect])
    width = len(old.basis)
    target = np.array([effect * width])
    columns = ((cells[:, 1] * old.n_variables + cells[:, 0])[:, None] * width + np.arange(width)).ravel()
    start, mean = float(old.mean[target[0]]), old.mean[columns]
    weights: FloatArray = np.zeros(len(columns))
    if len(columns):
        gram = old.covariance(columns, columns)
        gram = gram + _RIDGE * np.diag(gram.diagonal() + _RIDGE)
        weights = np.asarray(np.linalg.solve(gram, old.covariance(columns, target)[:, 0]), dtype=np.float64)
    now = rows.target(effect)
    guess = start + (rows.features(cells.tolist(), old.basis) - mean) @ weights
    return 1.0 - float(np.square(now - guess).sum() / max(np.square(now - start).sum(), 1e-300))


def _named(findings: Findings, cause: int, effect: int) -> tuple[str, str]:
    return findings.names[cause], findings.names[effect]
