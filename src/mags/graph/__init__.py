"""The liquid knowledge graph, pure and in memory: nodes, arcs, Deltas, kernels."""
