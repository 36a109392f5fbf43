"""Typed loaders of the public sets that MAGS is measured on, one file for each set.

No data is shipped: each loader takes the path of a file that the user has. If the file is missing,
it raises `NotFound`, which says where to get it.
"""
