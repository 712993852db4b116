"""What a refinement hands back, and the forms it can be written in."""
