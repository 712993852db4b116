"""The default engine: effects add up; exact gates propose, a test certifies."""
