"""The options of the neural engine, and the paper's own values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin._common.checks import number, shown, whole
from grace_plugin._common.config import Options
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.features import check_basis

_CHOICES: dict[str, tuple[object, ...]] = {
    "preset": (None, "paper"),
    "noise": ("decoder", "constant"),
    "decoder": ("own", "shared"),
    "gate_noise": ("step", "row"),
    "initial_weights": ("uniform", "normal"),
    "rates": ("constant", "cosine"),
    "certify": ("either", "additive", "likelihood", None),
}
_COUNTS = ("hidden", "decoder_hidden", "decoder_layers", "epochs", "patience", "folds", "certificate_epochs")
_MOST = 1_000_000  # beyond it a typing error is likelier than a wish
_LARGEST_GATE = 10.0  # beyond it a gate is shut or open for good
_RATES = ("learning_rate", "gate_learning_rate")


@dataclass(frozen=True)
class NeuralOptions:
    """Options of the neural engine alone; docs/engines.md says what each difference to the paper earned.

    Args:
        preset: "paper" starts from the paper's values; options given beside it still count.
        hidden: size of the shared encoder.
        decoder_hidden: size of each effect's decoder.
        decoder_layers: its hidden layers of that size.
        features: of a lagged value, before the encoder; the paper has ("linear",).
        decoder: "own" gives each effect its own, "shared" one to all of them (the paper's rejected choice).
        noise: "decoder" lets the noise scale depend on the parents, "constant" has one per effect.
        epochs: passes over the data, at most.
        patience: epochs without a better training loss before stopping.
        warm_up: epochs that do not count for patience, so that it cannot end before gates have moved.
        batch_size: rows per step, or "auto": a share of the rows between 32 and 256.
        learning_rate: of the weights.
        gate_learning_rate: of the gates.
        initial_weights: "uniform" as torch's own layers, "normal" as in the authors' package.
        initial_gate: log alpha at which every gate starts; below 0 it starts closed.
        weight_decay: of the weights (and, in the paper, the gates).
        rates: "constant" or "cosine" (falling to zero over the epochs).
        gate_noise: "step" draws each gate once per step, "row" once per row.
        degrees: penalty="auto" is the gain of an edge that is just significant at alpha in a model where it
            has this many degrees of freedom; with preset="paper", "auto" is the paper's rule instead.
        least_share: of what all candidates of an effect bring together beside its own past (in the additive
            model), the part that one of them must bring to be worth its penalty; only for penalty="auto"
            without the preset.
        settled: an effect whose gates are all closer than this to 0 or 1 leaves training; 0 trains all to
            the end.
        certify: what a proposed edge must pass: the additive engine's test ("additive"), a test on
            held-out rows ("likelihood"), one of them ("either"), or nothing (None: gates decide).
        folds: blocks of the held-out likelihood.
        certificate_epochs: passes over the data for each of its networks.
        device: where torch computes, such as "cpu" or "cuda".
        pair_free_lags: [cause, effect], instead of the one number `free_lags` for all pairs.
    """

    preset: str | None = None
    hidden: int = 64
    decoder_hidden: int = 64
    decoder_layers: int = 1
    features: tuple[str, ...] = ("linear",)
    decoder: str = "own"
    noise: str = "decoder"
    epochs: int = 60
    patience: int = 20
    warm_up: int = 20
    batch_size: int | str = "auto"
    learning_rate: float = 1e-3
    gate_learning_rate: float = 2e-2
    initial_weights: str = "uniform"
    initial_gate: float = -0.5
    weight_decay: float = 1e-4
    rates: str = "constant"
    gate_noise: str = "step"
    degrees: float = 5.0
    least_share: float = 0.05
    settled: float = 0.2
    certify: str | None = "either"
    folds: int = 2
    certificate_epochs: int = 40
    device: str = "cpu"
    pair_free_lags: FloatArray | None = None

    @classmethod
    def of(cls, given: Options, skeleton: Skeleton) -> NeuralOptions:
        """Checked options; `given` ones win over the preset's."""
        values = dict(given)
        preset = values.get("preset")
        start = PAPER if isinstance(preset, str) and preset == "paper" else cls()
        if isinstance(values.get("features"), list):
            values["features"] = tuple(values["features"])
        if values.get("pair_free_lags") is not None:
            values["pair_free_lags"] = _checked_lags(values["pair_free_lags"], skeleton)
        return replace(start, **values)

    def __post_init__(self) -> None:
        check_basis(self.features)
        for name, accepted in _CHOICES.items():
            value = getattr(self, name)
            if not (value is None or isinstance(value, str)) or value not in accepted:
                msg = f"{name}={shown(value)}; give one of {list(accepted)}."
                raise OptionError(msg)
        for name in _COUNTS:
            whole(name, getattr(self, name), 2 if name == "folds" else 1, _MOST)
        whole("warm_up", self.warm_up, 0)
        if not isinstance(self.device, str):
            msg = f"device={shown(self.device)}; give the name of a torch device such as 'cpu' or 'cuda'."
            raise OptionError(msg)
        if not isinstance(self.batch_size, str) or self.batch_size != "auto":
            whole("batch_size", self.batch_size, 1, also=", or 'auto'")
        for name in (*_RATES, "weight_decay", "degrees", "least_share", "settled"):
            number(name, getattr(self, name), 0.0, np.inf)
        number("initial_gate", self.initial_gate, -_LARGEST_GATE, _LARGEST_GATE)


def _checked_lags(lags: Any, skeleton: Skeleton) -> FloatArray:
    try:
        table = np.asarray(lags, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"pair_free_lags={shown(lags)}; give numbers >= 0, [cause, effect]."
        raise OptionError(msg) from error
    shape = skeleton.mask.shape[:2]
    if table.shape != shape or not (table >= 0.0).all():
        msg = f"pair_free_lags has shape {table.shape}; give numbers >= 0, [cause, effect] = {shape}."
        raise OptionError(msg)
    return table


PAPER = NeuralOptions(
    preset="paper",
    epochs=150,
    patience=20,
    warm_up=0,
    gate_learning_rate=1e-3,
    # The text says -0.5, from which steps of 1e-3 open hardly any gate; the authors' own package starts here,
    # and from here the tables come out.
    initial_gate=0.5,
    decoder_layers=2,  # the paper's "two-layer MLP" has two hidden ones in the authors' package
    initial_weights="normal",  # from others the noisy loss stops falling early, with every gate still open
    settled=0.0,
    certify=None,
)
