"""Tests from sums: groups of features, the sweep, F-tests, curves of kept edges."""
