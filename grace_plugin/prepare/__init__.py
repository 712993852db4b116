"""What the data ask for before anything is added up: tails, drifts, cycles, persistence; each told."""
