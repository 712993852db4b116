"""Where `Any` or `object` stands in a signature or a field that others may use, and why it may stay.

`python -m tests.untyped` prints them with their reasons, and fails where there is none. A host's objects,
data and options have names of their own: `HostResult` (protocols), `HostData` (series/rows), `OptionValue`
(_common/config).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tests.layers import modules, room_of

# Rooms whose trade are objects of hosts that have no types.
HOSTS = ("adapters", "protocols", "testing")
# Questions that are asked of anything at all, and answered with yes, no, or an error.
CHECKS = "_common.checks"
_OF_DTYPES = ("npt.NDArray", "pd.Index")
ALLOWED = {
    "_common.deaths:through_deaths backend": "joblib's own object for a cluster, of no common type",
    "_common.signatures:keyword_only function": "a function of any signature; only names are read",
    "_moved:door return": "a module's __getattr__: whatever has the name",
    "cli.looking:inspected return": "what is printed as JSON",
    "cli.options:OneSentence.invoke return": "click's own signature",
    "graph.outcome:EngineOptions __dataclass_fields__": "what Python calls a dataclass",
    "hosts.registry:find_adapter native": "asks who knows an object, of whatever type",
    "hosts.registry:find_data_reader data": "likewise",
    "results.refinement:Refinement.plot return": "one axes or several, as matplotlib's own subplots()",
    "show:plot return": "likewise",
    "show:plot_before_after return": "likewise",
    "stability.agreement:Agreement times": "of pandas, numpy or Python, as the data have them",
}


@dataclass(frozen=True)
class Untyped:
    """One annotation that says nothing."""

    module: str
    place: str  # Class.function
    name: str  # the argument, the field, or "return"
    words: str
    answers: str = ""  # what the function returns

    def __str__(self) -> str:
        return f"{self.key}: {self.words}"

    @property
    def key(self) -> str:
        return f"{self.module}:{self.place} {self.name}"

    @property
    def excuse(self) -> str:
        """Why it may stay; empty where it may not."""
        last = self.place.rpartition(".")[2]
        if room_of(self.module) in HOSTS:
            return "a host's object"
        if self.module == CHECKS or (
            self.words == "object" and self.answers.startswith(("bool", "TypeGuard"))
        ):
            return "asked of anything"
        if last.startswith("__") and last not in ("__init__", "__call__"):
            return "Python's or a host's own protocol"
        return ALLOWED.get(self.key, "")


def untyped_in(module: str, source: str) -> Iterator[Untyped]:
    """Every public annotation of a module with `Any` or `object` in it."""
    yield from _in_body(module, "", ast.parse(source).body)


def _in_body(module: str, place: str, body: list[ast.stmt]) -> Iterator[Untyped]:
    for node in body:
        if isinstance(node, ast.ClassDef) and _public(node.name):
            yield from _in_body(module, f"{place}{node.name}.", node.body)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _public(node.name):
            yield from _of_function(module, f"{place}{node.name}", node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if _public(node.target.id) and _says_nothing(node.annotation):
                yield Untyped(module, place.rstrip("."), node.target.id, ast.unparse(node.annotation))
        elif isinstance(node, (ast.If, ast.Try)):
            yield from _in_body(module, place, node.body)


def _of_function(module: str, place: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Untyped]:
    every = node.args
    given = [*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg]
    answers = "" if node.returns is None else ast.unparse(node.returns)
    for one in given:
        if one is not None and one.annotation is not None and _says_nothing(one.annotation):
            yield Untyped(module, place, one.arg, ast.unparse(one.annotation), answers)
    if node.returns is not None and _says_nothing(node.returns):
        yield Untyped(module, place, "return", answers)


def _public(name: str) -> bool:
    return not name.startswith("_") or name.endswith("__")


def _says_nothing(annotation: ast.expr) -> bool:
    """`Any` as the element of a numpy array or a pandas index says "of whichever dtype"."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value).endswith(
        ("NDArray", "pd.Index")
    ):
        return False
    if isinstance(annotation, ast.Name):
        return annotation.id in ("Any", "object")
    return any(_says_nothing(node) for node in ast.iter_child_nodes(annotation) if isinstance(node, ast.expr))


def everything() -> list[Untyped]:
    """All of the library's."""
    return [
        one
        for module, path in sorted(modules().items())
        for one in untyped_in(module, path.read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Print them; the exit code says whether one has no excuse."""
    found = everything()
    sys.stdout.write("\n".join([*(f"{one}  [{one.excuse or 'NO REASON'}]" for one in found), ""]))
    return 0 if all(one.excuse for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
