"""The indexes of a graph: vectors, words and names, and the `State` that holds them together."""
