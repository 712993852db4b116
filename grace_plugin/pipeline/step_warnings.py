"""What is said where residuals move together within one step beyond chance."""

from __future__ import annotations

from collections.abc import Iterator

from grace_plugin._common.telling import tell
from grace_plugin.exceptions import DataWarning
from grace_plugin.pipeline.within_step import StepLook


def warn_about_step(look: StepLook | None, names: tuple[str, ...]) -> None:
    """How many pairs, the strongest, what it may mean, and what to do; nothing where a user asked to look."""
    for sentence in () if look is None else step_sentences(look, names):
        tell(sentence, DataWarning)


def step_sentences(look: StepLook, names: tuple[str, ...]) -> Iterator[str]:
    """The same sentence, if there is one to be said."""
    if look.question.pairs and _worth_saying(look):
        yield f"{_seen(look, names)}: {_meant(look)}"


def _worth_saying(look: StepLook) -> bool:
    return not look.wanted or look.common or bool(look.question.hidden)


def _seen(look: StepLook, names: tuple[str, ...]) -> str:
    asked = look.question
    one, other = (names[index] for index in asked.strongest)
    return (
        f"What lagged causes leave of {asked.pairs} of {asked.possible} pairs moves together within one step "
        f"(strongest: {one} and {other}, correlation {asked.correlation:.2f})"
    )


def _meant(look: StepLook) -> str:
    asked = look.question
    if asked.hidden:
        which = "as" if asked.hidden == asked.pairs else f"{asked.hidden} of them as"
        return (
            f"{which} a hidden common cause, or noise that they share, would have it. Add that cause to the "
            "data if it was measured; contemporaneous=True searches lag 0 of all pairs; believe it little."
        )
    if look.common:
        told = "; believe those found at lag 0 little." if look.wanted else ", so none were kept (lag 0)."
        return (
            "noise that they share, or a hidden common cause: with it the data need fewer lagged causes than "
            f"with effects within the step{told}"
        )
    if look.searched:
        return (
            "effects faster than the sampling, or a hidden common cause of few variables. Effects within the "
            "step were looked for (lag 0); contemporaneous=False leaves them out."
        )
    if look.many:
        return (
            "effects faster than the sampling, or a hidden common cause. They are not looked for among so "
            "many variables, and edges at later lags may stand in for them: believe those of such "
            "variables little, or give the variables that matter alone; contemporaneous=True looks among "
            "all, which takes long and much memory."
        )
    return (
        "effects faster than the sampling, or a hidden common cause. Edges at later lags may stand in for "
        "them; contemporaneous='auto' looks for effects within the step."
    )
