"""A corpus of real talk: planned lives, dialogues that tell them, and what a memory should keep."""
