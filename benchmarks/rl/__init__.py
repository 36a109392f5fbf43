"""What reinforcement adds to a small fine-tuned Llama, in a world small enough for three seeds."""
