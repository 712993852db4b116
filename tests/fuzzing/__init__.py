"""Crafted and damaged inputs for everything that reads; `python -m tests.fuzzing` runs many."""
