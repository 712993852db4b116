"""Tables with a column per method, the paper's beside ours, and sentences on where ours is worse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.reporting.evidence import Cell, Evidence, short
from benchmarks.reporting.paper import Key

MANY = 6


@dataclass(frozen=True)
class Column:
    """One method; `beside` names the column that it must not fall behind."""

    title: str
    cells: Mapping[Key, Cell]
    beside: str = ""
    digits: int | None = None  # where they differ from those of the table

    @property
    def measured(self) -> bool:
        return any(cell.measured for cell in self.cells.values())


def from_paper(title: str, values: Mapping[Key, float]) -> Column:
    """A column of the paper's figures, marked as such."""
    return Column(f"{title} [paper]", {key: Cell((value,), measured=False) for key, value in values.items()})


def ours(
    evidence: Evidence,
    title: str,
    sources: Sequence[tuple[str, str]],
    keys: Sequence[Key],
    metric: str = "f1",
    beside: str = "",
) -> Column:
    """A measured column; the first of `sources` (benchmark, method) that has a cell gives it."""
    cells = {}
    for key in keys:
        for benchmark, method in sources:
            cell = evidence.cell(benchmark, method, *key, metric)
            if cell is not None:
                cells[key] = cell
                break
    return Column(title, cells, f"{beside} [paper]" if beside else "")


def grid(
    columns: Sequence[Column],
    keys: Sequence[Key],
    lower_is_better: bool = False,
    digits: int = 3,
    label: Callable[[Key], Sequence[object]] = lambda key: key,
    heads: Sequence[str] = ("d", "T"),
) -> str:
    """A Markdown table of `keys` by `columns` and what it says in words; lines that nobody measured go."""
    shown = [key for key in keys if any(key in column.cells and column.measured for column in columns)]
    if not shown:
        return "Not run yet."
    titled = {column.title: column for column in columns}
    lines = [_line([*heads, *titled]), _line(["---"] * (len(heads) + len(titled)))]
    for key in shown:
        texts = [_text(column, titled, key, lower_is_better, digits) for column in columns]
        lines.append(_line([*map(str, label(key)), *texts]))
    pairs = [(column, titled[column.beside]) for column in columns if column.beside in titled]
    words = [verdict(mine, other, shown, lower_is_better, digits, heads, label) for mine, other in pairs]
    return "\n".join(lines) + bullets(words)


def bullets(sentences: Iterable[str]) -> str:
    """A list below a table; nothing where there is nothing to say."""
    said = [f"- {sentence}" for sentence in sentences if sentence]
    return "\n\n" + "\n".join(said) if said else ""


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _text(column: Column, titled: Mapping[str, Column], key: Key, lower: bool, digits: int) -> str:
    cell = column.cells.get(key)
    if cell is None:
        return ""
    other = titled[column.beside].cells.get(key) if column.beside in titled else None
    digits = digits if column.digits is None else column.digits
    return cell.text(digits) + (" worse" if other and is_worse(cell.mean, other.mean, lower, digits) else "")


def is_worse(mine: float, theirs: float, lower_is_better: bool = False, digits: int = 3) -> bool:
    """Whether it is worse as printed.

    >>> is_worse(0.9118, 0.912), is_worse(17.2, 17, lower_is_better=True, digits=0)
    (False, False)
    """
    mine, theirs = round(mine, digits), round(theirs, digits)
    return mine > theirs if lower_is_better else mine < theirs


def verdict(
    mine: Column,
    other: Column,
    keys: Sequence[Key],
    lower_is_better: bool,
    digits: int,
    heads: Sequence[str] = ("d", "T"),
    label: Callable[[Key], Sequence[object]] = lambda key: key,
) -> str:
    """One sentence on where one column falls behind another."""
    both = [key for key in keys if key in mine.cells and key in other.cells]
    behind = [
        key for key in both if is_worse(mine.cells[key].mean, other.cells[key].mean, lower_is_better, digits)
    ]
    if not both:
        return ""
    if not behind:
        return f"{mine.title} is nowhere worse than {other.title} ({_sizes(len(both))})."
    cases = "; ".join(
        ", ".join(f"{head} {part}" for head, part in zip(heads, label(key), strict=True))
        + f" ({short(mine.cells[key].mean, digits)} against {short(other.cells[key].mean, digits)})"
        for key in behind
    )
    return f"**{mine.title} is worse than {other.title} at {len(behind)} of {_sizes(len(both))}**: {cases}."


def _sizes(count: int) -> str:
    return f"{count} size{'s' * (count != 1)}"


def duel(
    evidence: Evidence,
    benchmark: str,
    mine: str,
    others: Sequence[str],
    d: int,
    rows: int,
    metric: str = "f1",
) -> str:
    """One sentence on a method against others, each over common seeds; empty if there are none."""
    groups: dict[str, list[str]] = {"**worse than**": [], "level with": [], "better than": []}
    for other in others:
        pair = evidence.paired(benchmark, mine, other, d, rows, metric)
        if pair is None:
            continue
        left, right, seeds = pair
        word = "better than" if is_worse(right, left) else "level with"
        text = f"{other} ({short(left)} against {short(right)}, {seeds} seed{'s' * (seeds > 1)})"
        groups["**worse than**" if is_worse(left, right) else word].append(text)
    said = [f"{word} {_listed(word, texts)}" for word, texts in groups.items() if texts]
    return f"{mine} is {'; '.join(said)}." if said else ""


def _listed(word: str, texts: Sequence[str]) -> str:
    """All that are better than ours, but of a long list of others only the number."""
    return ", ".join(texts) if len(texts) <= MANY or "worse" in word else f"{len(texts)} others"
