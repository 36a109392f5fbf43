"""What makes a graph searchable: vectors, words, names, and the State that holds them together."""
