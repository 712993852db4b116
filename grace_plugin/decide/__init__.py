"""From evidence to a graph: a probability for every edge, and where to cut."""
