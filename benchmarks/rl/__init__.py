"""What reinforcement adds to a fine-tuned nano, in a world small enough for three seeds."""
