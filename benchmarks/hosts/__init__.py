"""Other people's programs, run and cached."""
