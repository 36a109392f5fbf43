"""Thin bridges to other libraries, each optional."""
