"""How a memory changes by itself: one rule a file, and the cycle that orders them."""
