"""Moved to `grace_plugin.series.panel`."""

from grace_plugin._moved import door

__getattr__ = door("panel", "grace_plugin.series.panel")
