"""Typed loaders of the public sets MAGS is measured on, one file a set.

Nothing here is shipped: each loader takes the path of a file that the user
has, and raises `NotFound` with the way to get it when it is not there.
"""
