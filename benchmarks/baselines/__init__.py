"""Plain systems of our own: BM25, dense, their fusions, and the hand-made fusion."""
