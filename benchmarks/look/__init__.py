"""A trial of a trained second look at the first candidates of a recall."""
