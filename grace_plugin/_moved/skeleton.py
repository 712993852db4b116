"""Moved to `grace_plugin.graph.skeleton`."""

from grace_plugin._moved import door

__getattr__ = door("skeleton", "grace_plugin.graph.skeleton", "grace_plugin._common.arrays")
