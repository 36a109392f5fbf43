"""Thin adapters to other libraries, each optional."""
