"""The verbs of the laboratory: train, play, eval."""
