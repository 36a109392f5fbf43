"""What relatives are called at home, as names know it."""

from mags.index.kinship import called, plain_kin, whose

__all__ = ["called", "plain_kin", "whose"]
