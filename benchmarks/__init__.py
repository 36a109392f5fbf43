"""Timed and scored runs on real data; never part of the test suite."""
