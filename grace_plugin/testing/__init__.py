"""The contract that every adapter passes, ours and a stranger's: subclass `AdapterContract` in your tests."""

from grace_plugin.testing.contract import (
    AdapterContract,
    Edge,
    difference,
    named_edges,
    outcome_for,
    require_host,
)

__all__ = ["AdapterContract", "Edge", "difference", "named_edges", "outcome_for", "require_host"]
