"""Versions of installed packages, for reports and files."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def package_version(name: str = "grace-plugin") -> str:
    """Of an installed package, or that it is not."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
