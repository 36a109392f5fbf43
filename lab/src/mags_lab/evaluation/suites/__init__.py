"""The suites, one a file: each runs any system through the protocols and returns its outcomes."""
