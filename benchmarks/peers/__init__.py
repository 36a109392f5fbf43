"""Other memories, run for real on the same data with the same embedder."""
