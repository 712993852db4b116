"""Moved to `grace_plugin.graph.outcome`."""

from grace_plugin._moved import door

__getattr__ = door("outcome", "grace_plugin.graph.outcome")
