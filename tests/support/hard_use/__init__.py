"""Every kind of wrong thing that docs/hard_use.md speaks of, built anew for each check."""
