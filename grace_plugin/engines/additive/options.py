"""What the additive engine takes beside the options of all engines."""

from __future__ import annotations

from dataclasses import dataclass

from grace_plugin._common.checks import choice, flag, whole
from grace_plugin.moments.features import DEFAULT_BASIS, check_basis

_MOST_STEPS = 1_000_000


@dataclass(frozen=True)
class AdditiveOptions:
    """Options of the additive engine alone.

    Args:
        basis: features of a lagged value; ("linear",) tests linear effects only.
        steps: the most iterations of gate training.
        decide: "both" (gates propose, the certificate decides), or one of "gates", "certificate" alone.
        second_look: whether kept edges are tested once more on the rows: beside fine curves of one another,
            beside slow waves where a mean drifts, with weights where the noise changes.
    """

    basis: tuple[str, ...] = DEFAULT_BASIS
    steps: int = 200
    decide: str = "both"
    second_look: bool = True

    def __post_init__(self) -> None:
        check_basis(self.basis)
        choice("decide", self.decide, ("both", "certificate", "gates"))
        whole("steps", self.steps, 0, _MOST_STEPS)
        flag("second_look", self.second_look)
