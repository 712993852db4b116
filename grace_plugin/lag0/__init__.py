"""Effects within one step: whether to look for them, which there are, and which way they point."""
