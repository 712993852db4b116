"""The one path from options to a result; every verb is a door to it."""
