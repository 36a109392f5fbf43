"""What is said anew and what it takes the place of."""
