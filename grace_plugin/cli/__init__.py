"""The command line: `grace` and `python -m grace_plugin`."""

from grace_plugin.cli.commands import main

__all__ = ["main"]
