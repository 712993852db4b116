"""RESULTS.md and its figures, made from the stored rows alone."""
