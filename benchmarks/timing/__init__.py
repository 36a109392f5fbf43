"""How fast things are, and how large: the runs that are timed."""
