"""What use buys: questions that come back, with answers that cited, over days and nights."""
