"""A drop-in proxy: every run_*() of the wrapped object returns refined results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from grace_plugin.exceptions import UnknownResultError
from grace_plugin.hosts.registry import find_adapter
from grace_plugin.pipeline.verbs import refine


def wrap(host: Any, **options: Any) -> Any:
    """Wrap an object whose `run_*` methods return results, a tigramite `PCMCI` for instance.

    All attributes are those of `host`; only the `run_*` methods differ: what they return is refined on
    the host's own data, with `options` as in `refine`. A result that no adapter knows (or None) is
    returned as it is.

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
    return _Wrapped(host, adapter.data_of, options)


class _Wrapped:
    def __init__(self, host: Any, data_of: Callable[[Any], Any], options: dict[str, Any]) -> None:
        self.__dict__.update(_host=host, _data_of=data_of, _options=options)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._host, name)
        if not (name.startswith("run_") and callable(value)):
            return value

        @functools.wraps(value)
        def refined(*args: Any, **kwargs: Any) -> Any:
            return self._refined(value(*args, **kwargs))

        return refined

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._host, name, value)

    def __dir__(self) -> list[str]:
        return dir(self._host)

    def __repr__(self) -> str:
        return f"grace_plugin.wrap({self._host!r})"

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
