"""How a memory changes by itself: the rules of a turn and of sleep, and their order."""
