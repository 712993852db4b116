"""What the data ask for before anything is added up."""
