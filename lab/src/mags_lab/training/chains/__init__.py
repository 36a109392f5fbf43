"""Chains of memory: what the policies learn from, as files that people read and mend."""
