"""The evidence: every claim as a row that one command makes."""
