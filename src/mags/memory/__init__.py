"""Memory: what MAGS offers, over store, state, recall, engram and sleep."""
