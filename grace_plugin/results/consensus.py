"""Several hosts under one certificate: who proposed an edge, and how far each host can be trusted.

A host's weight is the share of its edges that are true, as far as the data tell: the mean probability of its
edges between different variables. For one edge it counts the host's *other* edges, so that no edge speaks for
itself. The support of an edge is the weighted share of hosts that propose it. Weights are told, they decide
nothing: hosts saw the same rows as the certificate, and counting them as further witnesses gained nothing
(37 worlds, tuning seed 1002, odds to the power of .1 to .5: F1 .847 to .848, without .852).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.convert import made_as
from grace_plugin.protocols import HostResult
from grace_plugin.results.refinement import Refinement

if TYPE_CHECKING:
    import pandas as pd

_PRIOR = 0.5, 1.0  # true edges, of so many: what a host without edges is worth
_NOT_ASKED = "step"  # the data do not ask for effects within one step


@dataclass(frozen=True, eq=False)
class Consensus:
    """What several hosts see, judged by one decision; made by `gp.consensus`.

    Args:
        refinement: everything that was learned of the union of all candidates.
        proposals: host -> [cause, effect, lag], what it proposed.
        form: the host whose kind of object `native` is; "" for a `Skeleton`.
    """

    refinement: Refinement
    proposals: Mapping[str, BoolArray]
    form: str = ""

    @property
    def graph(self) -> BoolArray:
        """[cause, effect, lag]: the edges that stayed."""
        return self.refinement.graph

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in axis order."""
        return self.refinement.names

    @cached_property
    def native(self) -> HostResult:
        """The graph in the form that was asked for."""
        return self.to(self.form) if self.form else self._skeleton

    def to(self, host: str) -> HostResult:
        """The graph as an object of any host that `gp.convert` can make."""
        return made_as(host, self._skeleton)

    @property
    def _skeleton(self) -> Skeleton:
        return Skeleton(self.graph, self.names if self.refinement.skeleton.named else None)

    @cached_property
    def edges(self) -> pd.DataFrame:
        """One row per edge of any host: that of `Refinement.edges`, and `hosts`, `votes`, `support`.

        An edge within one step for which the data do not ask has `reason` "step" and no numbers.
        """
        import pandas as pd

        table = self.refinement.edges
        place = {name: number for number, name in enumerate(self.names)}
        missing = [
            {"cause": self.names[c], "effect": self.names[e], "lag": int(lag)}
            for c, e, lag in np.argwhere(self._unseen())
        ]
        if missing:
            open_pair = [bool(self._union[place[one["effect"]], place[one["cause"]], 0]) for one in missing]
            more = pd.DataFrame(missing).assign(kept=False, reason=_NOT_ASKED, oriented=~np.array(open_pair))
            table = pd.concat([table, more], ignore_index=True)
        cells = (table["cause"].map(place), table["effect"].map(place), table["lag"])
        where = tuple(np.asarray(part, dtype=np.int64) for part in cells)
        seen = np.array([_seen(mask)[where] for mask in self.proposals.values()])
        hosts = np.array(list(self.proposals), dtype=object)
        found = table.assign(
            hosts=[", ".join(hosts[column]) for column in seen.T],
            votes=seen.sum(axis=0),
            support=self._support(where, seen),
        )
        return found[found.votes > 0].reset_index(drop=True)

    @cached_property
    def weights(self) -> pd.DataFrame:
        """One row per host: its edges between variables, how many stayed, and how far it can be trusted."""
        import pandas as pd

        off = ~np.eye(len(self.names), dtype=np.bool_)[:, :, None]
        rows = []
        for host, mask in self.proposals.items():
            mine = mask & off
            rows.append((host, int(mine.sum()), int((mine & self.graph).sum()), self._weight(mine)))
        return pd.DataFrame(rows, columns=["host", "edges", "kept", "weight"])

    @cached_property
    def _probability(self) -> FloatArray:
        """[cause, effect, lag]: of an edge; 0 or 1 where the options leave no probabilities."""
        outcome = self.refinement.outcome
        if "probability" not in outcome.records.further:
            return self.graph.astype(np.float64)
        known = np.nan_to_num(outcome.further("probability"))
        return np.where(outcome.reason == 0, 0.0, known)

    @property
    def _union(self) -> BoolArray:
        return np.asarray(np.any(list(self.proposals.values()), axis=0))

    def _unseen(self) -> BoolArray:
        """Proposals of which there is no record in either direction, open pairs once."""
        nothing = self.refinement.outcome.reason == 0
        union: BoolArray = self._union & nothing
        union[:, :, 0] &= nothing[:, :, 0].T
        union[:, :, 0] &= ~np.tril(union[:, :, 0] & union[:, :, 0].T)
        return union

    def _weight(self, mine: BoolArray) -> float:
        true, count = _PRIOR
        return float((self._probability[mine].sum() + true) / (mine.sum() + count))

    def _support(self, where: tuple[IntArray, ...], seen: BoolArray) -> FloatArray:
        """[row]: the share of hosts that see an edge, by what their other edges are worth."""
        chance = self._probability[where]
        cross = where[0] != where[1]
        shares = []
        true, count = _PRIOR
        off = ~np.eye(len(self.names), dtype=np.bool_)[:, :, None]
        for mask, mine in zip(self.proposals.values(), seen, strict=True):
            others = (mask & off).sum() - (mine & cross)
            worth = self._probability[mask & off].sum() - np.where(mine & cross, chance, 0.0)
            shares.append((np.maximum(worth, 0.0) + true) / (np.maximum(others, 0) + count))
        weight = np.array(shares)
        return np.asarray((weight * seen).sum(axis=0) / weight.sum(axis=0))

    def __repr__(self) -> str:
        kept, hosts = int(self.edges["kept"].sum()), len(self.proposals)
        every = int((self.edges["kept"] & (self.edges["votes"] == hosts)).sum())
        told = ", ".join(f"{row.host} {row.weight:.2f}" for row in self.weights.itertuples())
        return (
            f"Consensus of {hosts} hosts: {len(self.edges)} edges proposed, {kept} kept "
            f"({every} by all hosts); weights {told}"
        )


def _seen(mask: BoolArray) -> BoolArray:
    """A proposal, with an edge within one step seen in either direction."""
    found = mask.copy()
    found[:, :, 0] |= mask[:, :, 0].T
    return found
