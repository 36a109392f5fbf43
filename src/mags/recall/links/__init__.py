"""How lines hang together by their words."""
