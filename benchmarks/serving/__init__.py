"""`python -m benchmarks.serving`: a real server under load, and killed under it."""
