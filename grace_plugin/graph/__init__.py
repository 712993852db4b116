"""The skeleton tensor, what is known of its edges, and what was decided about them."""
