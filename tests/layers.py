"""Who may import whom: the table of layers, what the source really imports, and what breaks the table.

`python -m tests.layers` prints which room imports which, and fails where one imports upwards, or where
two modules import each other.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = "grace_plugin"

# From the ground up. A room imports itself and rooms of lower lines, wherever the import stands.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("exceptions",),
    ("_common",),
    ("graph", "datasets"),
    ("series",),
    ("protocols",),
    ("hosts", "adapters"),
    ("testing",),
    ("prepare",),
    ("moments",),
    ("regression",),
    ("skeletons", "engines"),
    ("lag0",),
    ("decide",),
    ("show",),
    ("results",),
    ("pipeline",),
    ("stability",),
    ("cli",),
    ("_moved", "__main__", PACKAGE),  # old names, and the package that shows everything
)
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}


@dataclass(frozen=True)
class Import:
    """One name that a module takes from another module of ours."""

    module: str
    line: int
    target: str  # dotted, without the package
    name: str | None = None

    @property
    def room(self) -> str:
        return room_of(self.module)

    @property
    def target_room(self) -> str:
        return room_of(self.target)

    def module_among(self, known: set[str]) -> str:
        """The module that is imported; `from room import module` names it last."""
        longer = f"{self.target}.{self.name}" if self.target else str(self.name)
        return longer if longer in known else self.target

    def __str__(self) -> str:
        what = self.target if self.name is None else f"{self.target}.{self.name}"
        return f"{self.module}, line {self.line}: {what}"


def room_of(module: str) -> str:
    """The room of a dotted name without the package; "" is the package itself."""
    return module.partition(".")[0] or PACKAGE


def modules() -> dict[str, Path]:
    """Every module of the library by its dotted name without the package."""
    found = {_dotted(path.relative_to(ROOT / PACKAGE)): path for path in (ROOT / PACKAGE).rglob("*.py")}
    for path in (ROOT / "adapters").rglob("*.py"):
        found[_dotted(path.relative_to(ROOT))] = path
    return found


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(module: str, source: str, package: bool) -> Iterator[Import]:
    """Imports of our own modules: absolute and relative, in functions, and under TYPE_CHECKING."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == PACKAGE:
                    yield Import(module, node.lineno, alias.name.partition(".")[2])
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, module, package)
            if base is not None:
                yield from (Import(module, node.lineno, *_place(base, alias.name)) for alias in node.names)


def _base(node: ast.ImportFrom, module: str, package: bool) -> str | None:
    """What stands after `from`, as a dotted name without the package; None for other people's modules."""
    named = node.module or ""
    if node.level == 0:
        top, _, rest = named.partition(".")
        return rest if top == PACKAGE else None
    here = module.split(".") if module else []
    here = here if package else here[:-1]
    kept = here[: len(here) - node.level + 1]
    return ".".join([*kept, named] if named else kept)


def _place(base: str, name: str) -> tuple[str, str | None]:
    """`from package import room` names a room, everything else a name in a module."""
    if not base and name in LEVEL:
        return name, None
    return base, name


def breaches(found: Iterable[Import]) -> list[str]:
    """What the table forbids, in words."""
    told = []
    for one in found:
        if one.target_room == PACKAGE and one.name == "__version__":
            continue  # a number that the package itself knows
        if one.room == one.target_room:
            continue
        if LEVEL[one.target_room] >= LEVEL[one.room]:
            told.append(f"{one} goes up or aside, from {one.room} to {one.target_room}")
        if one.name is not None and one.name.startswith("_") and not one.name.startswith("__"):
            told.append(f"{one} is private to {one.target_room}")
    return told


def cycles(found: Iterable[Import]) -> list[str]:
    """Modules that import each other, also within one room, in words; one sentence a knot."""
    known = set(modules())
    after: dict[str, set[str]] = {}
    for one in found:
        after.setdefault(one.module, set()).add(one.module_among(known))
    told, ways = [], {module: _reached(module, after) for module in sorted(after)}
    while ways:
        module, reached = ways.popitem()
        knot = {other for other in reached if module in ways.get(other, ())}
        if module in reached or knot:
            told.append(
                f"{', '.join(sorted({module, *knot}))} import each other; let one know the other's data only"
            )
        ways = {other: seen for other, seen in ways.items() if other not in knot}
    return told


def _reached(module: str, after: dict[str, set[str]]) -> set[str]:
    """Every module that is imported from here, directly or by way of others."""
    reached: set[str] = set()
    waiting = list(after.get(module, ()))
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting += after.get(one, ())
    return reached


def everything() -> list[Import]:
    """Every import of our own modules in the library."""
    return [
        one
        for module, path in modules().items()
        for one in imports_of(module, path.read_text(encoding="utf-8"), path.name == "__init__.py")
    ]


def table(found: Iterable[Import]) -> str:
    """One line for each room, from the ground up: what it imports, and how often."""
    counts = Counter((one.room, one.target_room) for one in found if one.room != one.target_room)
    lines = []
    for level, rooms in enumerate(LAYERS):
        for room in rooms:
            taken = sorted((LEVEL[to], to, n) for (of, to), n in counts.items() if of == room)
            words = ", ".join(f"{to} {n}" for _, to, n in taken) or "nothing"
            lines.append(f"{level:>2} {room:<12} <- {words}")
    return "\n".join(lines)


def main() -> int:
    """Print the table; the exit code says whether something breaks it."""
    found = everything()
    broken = breaches(found) + cycles(found)
    sys.stdout.write("\n".join([table(found), *broken, ""]))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
