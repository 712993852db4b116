"""The errors users meet: one root, and each one also a fitting built-in."""

from __future__ import annotations

__all__ = [
    "AdapterError",
    "DataError",
    "FileError",
    "GraceError",
    "OptionError",
    "SkeletonError",
    "UnknownAdapterError",
    "UnknownResultError",
    "WorkerError",
]


class GraceError(Exception):
    """Root of every error that grace_plugin raises on purpose.

    >>> import grace_plugin as gp
    >>> try:
    ...     gp.get_adapter("tigramit")
    ... except gp.GraceError as error:
    ...     print(str(error)[-25:])
    Did you mean 'tigramite'?
    """


class SkeletonError(GraceError, ValueError):
    """A skeleton (mask, names, scores) that contradicts itself."""


class DataError(GraceError, ValueError):
    """Data that cannot be used, or that do not belong to the skeleton."""


class OptionError(GraceError, ValueError):
    """An option that is unknown or outside its range."""


class AdapterError(GraceError, ValueError):
    """A host's result that its adapter cannot read or write."""


class FileError(GraceError, OSError):
    """A file or folder that cannot be written."""


class WorkerError(GraceError, RuntimeError):
    """A process that worked on a part of the job and died."""


class UnknownResultError(GraceError, TypeError):
    """An object that no adapter recognises."""


class UnknownAdapterError(GraceError, LookupError):
    """A name that no adapter has, or an adapter that could not be loaded."""
