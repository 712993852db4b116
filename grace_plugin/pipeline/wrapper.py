"""A drop-in proxy: every run_*() of the wrapped object returns refined results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from grace_plugin._common.config import OptionValue
from grace_plugin.exceptions import UnknownResultError
from grace_plugin.hosts.registry import find_adapter
from grace_plugin.pipeline.verbs import refine

H = TypeVar("H")


def wrap(host: H, **options: OptionValue) -> H:
    """Wrap an object whose `run_*` methods return results, a tigramite `PCMCI` for instance.

    All attributes are those of `host`; only the `run_*` methods differ: what they return is refined on
    the host's own data, with `options` as in `refine`, and so are the last results that the host keeps
    (`.results`); the host itself is left as it is. A result that no adapter knows (or None) is returned as
    it is. The wrapper can be copied and pickled wherever its host can.

    >>> import numpy as np
    >>> from tigramite.data_processing import DataFrame
    >>> from tigramite.independence_tests.parcorr import ParCorr
    >>> from tigramite.pcmci import PCMCI
    >>> x = np.random.default_rng(0).normal(size=(300, 2))
    >>> x[1:, 1] += 0.8 * x[:-1, 0]
    >>> pcmci = wrap(PCMCI(DataFrame(x), ParCorr()))
    >>> np.argwhere(pcmci.run_pcmci(tau_max=2)["graph"] == "-->").tolist()
    [[0, 1, 1]]
    """
    adapter = find_adapter(host)
    return cast("H", _Wrapped(host, adapter.data_of, options))


class _Wrapped:
    """Stands for its host; `last` are the results of the last run as the host has them, and refined."""

    def __init__(
        self,
        host: Any,
        data_of: Callable[[Any], Any],
        options: dict[str, Any],
        last: tuple[Any, Any] = (None, None),
    ) -> None:
        self.__dict__.update(_host=host, _data_of=data_of, _options=options, _last=last)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_host" not in self.__dict__:  # while it is copied there is no host yet
            raise AttributeError(name)
        value = getattr(self._host, name)
        if not (name.startswith("run_") and callable(value)):
            return self._instead_of(value)

        @functools.wraps(value)
        def refined(*args: Any, **kwargs: Any) -> Any:
            result = value(*args, **kwargs)
            pruned = self._refined(result)
            self.__dict__["_last"] = (result, pruned)
            return pruned

        return refined

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._host, name, value)

    def __dir__(self) -> list[str]:
        return dir(self._host)

    def __repr__(self) -> str:
        return f"grace_plugin.wrap({self._host!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rewrapped, (self._host, self._options, self._last)

    def _instead_of(self, value: Any) -> Any:
        """The refined form of what the host keeps of its last run: the results, or an array in them."""
        kept, pruned = self._last
        if value is None or kept is None:
            return value
        if value is kept:
            return pruned
        if isinstance(kept, dict) and isinstance(pruned, dict):
            return next((pruned[key] for key, one in kept.items() if one is value and key in pruned), value)
        return value

    def _refined(self, result: Any) -> Any:
        if result is None:
            return None
        try:
            find_adapter(result)
        except UnknownResultError:
            return result
        # The object may know more of its last results than they say themselves: context nodes, names.
        native = self._host if getattr(self._host, "results", None) is result else result
        pruned = refine(native, self._data_of(self._host), **self._options)
        if isinstance(pruned, dict):  # so that refine(result) works without the data once more
            pruned.setdefault("dataframe", getattr(self._host, "dataframe", None))
        return pruned


def _rewrapped(host: Any, options: dict[str, Any], last: tuple[Any, Any]) -> _Wrapped:
    """A wrapper as it was, in another process or as a copy."""
    return _Wrapped(host, find_adapter(host).data_of, options, last)
