"""The suites: each runs any system through the protocols and returns its outcomes."""
