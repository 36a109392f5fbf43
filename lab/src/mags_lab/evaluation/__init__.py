"""Measuring MAGS: public sets, pure metrics, suites that any system can run."""
