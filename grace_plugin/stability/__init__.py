"""Which edges stay whatever part of the data is looked at: windows, their runs, their agreement."""

from grace_plugin.stability.result import Stability

__all__ = ["Stability"]
