"""The errors users meet: one root, and each one also a fitting built-in."""

from __future__ import annotations

__all__ = [
    "AdapterError",
    "AdapterWarning",
    "DataError",
    "DataWarning",
    "FileError",
    "GraceError",
    "MissingPackageError",
    "OptionError",
    "SkeletonError",
    "UnknownAdapterError",
    "UnknownResultError",
    "WorkerError",
    "WorkerWarning",
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


class MissingPackageError(GraceError, ImportError):
    """A part of the library that needs a package which is not installed."""


class UnknownResultError(GraceError, TypeError):
    """An object that no adapter recognises."""


class UnknownAdapterError(GraceError, LookupError):
    """A name that no adapter has, or an adapter that could not be loaded."""


class AdapterWarning(UserWarning):
    """An adapter of another package that misbehaves and is left out; the message names it."""


class WorkerWarning(UserWarning):
    """A process that worked on a part of the job died, and the part is done again."""


class DataWarning(UserWarning):
    """Data from which no method can read a graph with confidence; the message names the variables.

    >>> import warnings
    >>> import numpy as np, grace_plugin as gp
    >>> x = np.random.default_rng(0).normal(size=(300, 2))
    >>> x[:, 1] = x[:, 0]
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     _ = gp.discover(x, 1)
    >>> print(str(told[0].message)[:42])
    x1 equals x0 (or a multiple of it): no met
    """
