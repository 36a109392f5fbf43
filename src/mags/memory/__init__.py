"""Memory: the facade over store, state, recall, engram and sleep."""
