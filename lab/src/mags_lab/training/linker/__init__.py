"""The linker: a GATv2 that learns a memory's own links, for first edges (extra `pyg`)."""
