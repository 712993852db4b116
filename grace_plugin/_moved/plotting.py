"""Moved to `grace_plugin.show`."""

from grace_plugin._moved import door

__getattr__ = door("plotting", "grace_plugin.show")
