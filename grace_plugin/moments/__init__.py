"""The sums over lagged rows, from which everything else is computed."""

from grace_plugin.moments.sums import Moments

__all__ = ["Moments"]
