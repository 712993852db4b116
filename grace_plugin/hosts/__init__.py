"""Which hosts there are, and the way from their objects to skeletons and back."""
