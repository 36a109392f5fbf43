"""What relatives are called at home, as names know it."""

from mags.index.kinship import plain_kin, whose

__all__ = ["plain_kin", "whose"]
