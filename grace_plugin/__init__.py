"""Prune the false edges of a causal graph on time series: any host's result in, the same kind out.

>>> import grace_plugin as gp
>>> "tigramite" in gp.available_adapters()
True
"""

from importlib import import_module as _import_module
from importlib.metadata import PackageNotFoundError as _PackageNotFoundError
from importlib.metadata import version as _version
from pathlib import Path as _Path
from typing import TYPE_CHECKING

# Source checkout only: adapters/ sits beside this package (see [tool.setuptools.package-dir]).
# An installed copy carries it inside and never takes this branch.
_root = _Path(__file__).resolve().parent.parent
if (_root / "pyproject.toml").is_file() and (_root / "adapters" / "__init__.py").is_file():
    __path__.append(str(_root))
__path__.append(str(_Path(__file__).resolve().parent / "_moved"))  # old homes of modules, with a warning

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from grace_plugin.datasets import load_example
    from grace_plugin.exceptions import DataWarning, GraceError
    from grace_plugin.graph.background import Knowledge
    from grace_plugin.graph.skeleton import Skeleton
    from grace_plugin.hosts.knowledge import read_knowledge, write_knowledge
    from grace_plugin.hosts.lagging import lag_expand
    from grace_plugin.hosts.registry import available_adapters, get_adapter, register_adapter
    from grace_plugin.moments.sums import Moments
    from grace_plugin.pipeline.compare import compare
    from grace_plugin.pipeline.consensus import consensus
    from grace_plugin.pipeline.conversion import convert
    from grace_plugin.pipeline.discovery import discover
    from grace_plugin.pipeline.estimator import GraceDiscovery
    from grace_plugin.pipeline.lag_search import LagSuggestion, suggest_max_lag
    from grace_plugin.pipeline.verbs import analyze, refine
    from grace_plugin.pipeline.wrapper import wrap
    from grace_plugin.protocols import HostResult
    from grace_plugin.results.comparison import Comparison
    from grace_plugin.results.consensus import Consensus
    from grace_plugin.results.holdout import Holdout
    from grace_plugin.results.json_reader import read_json
    from grace_plugin.results.refinement import Refinement
    from grace_plugin.skeletons import available_skeletons, register_skeleton
    from grace_plugin.stability.bootstrapping import bootstrap
    from grace_plugin.stability.result import Stability

    def lagged_knowledge(names: Iterable[Hashable], max_lag: int) -> HostResult:
        """causal-learn's BackgroundKnowledge for lagged columns (see adapters/causal_learn.py)."""


# Name -> module: each is imported when first asked for, so that `import grace_plugin` stays quick.
_PUBLIC = {
    "Comparison": "results.comparison",
    "Consensus": "results.consensus",
    "GraceDiscovery": "pipeline.estimator",
    "DataWarning": "exceptions",
    "GraceError": "exceptions",
    "Holdout": "results.holdout",
    "Knowledge": "graph.background",
    "LagSuggestion": "pipeline.lag_search",
    "Moments": "moments",
    "Refinement": "results.refinement",
    "Skeleton": "graph.skeleton",
    "Stability": "stability",
    "analyze": "pipeline.verbs",
    "available_adapters": "hosts.registry",
    "available_skeletons": "skeletons",
    "bootstrap": "stability.bootstrapping",
    "compare": "pipeline.compare",
    "consensus": "pipeline.consensus",
    "convert": "pipeline.conversion",
    "discover": "pipeline.discovery",
    "get_adapter": "hosts.registry",
    "lag_expand": "hosts.lagging",
    "lagged_knowledge": "adapters.causal_learn",
    "load_example": "datasets",
    "read_knowledge": "hosts.knowledge",
    "read_json": "results.json_reader",
    "refine": "pipeline.verbs",
    "register_adapter": "hosts.registry",
    "register_skeleton": "skeletons",
    "suggest_max_lag": "pipeline.lag_search",
    "wrap": "pipeline.wrapper",
    "write_knowledge": "hosts.knowledge",
}

__all__ = [
    "Comparison",
    "Consensus",
    "DataWarning",
    "GraceDiscovery",
    "GraceError",
    "Holdout",
    "Knowledge",
    "LagSuggestion",
    "Moments",
    "Refinement",
    "Skeleton",
    "Stability",
    "analyze",
    "available_adapters",
    "available_skeletons",
    "bootstrap",
    "compare",
    "consensus",
    "convert",
    "discover",
    "get_adapter",
    "lag_expand",
    "lagged_knowledge",
    "load_example",
    "read_json",
    "read_knowledge",
    "refine",
    "register_adapter",
    "register_skeleton",
    "suggest_max_lag",
    "wrap",
    "write_knowledge",
]

try:
    __version__ = _version("grace-plugin")
except _PackageNotFoundError:  # a bare checkout
    __version__ = "0.0.0"


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        msg = f"module 'grace_plugin' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(_import_module(f"grace_plugin.{_PUBLIC[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
