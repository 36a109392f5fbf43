"""The doors of the core: what it needs from the outside, as Protocols of five methods at most."""
