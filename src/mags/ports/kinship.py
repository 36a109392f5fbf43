"""What relatives are called at home, as names know it."""

from mags.index.kinship import at_home, called, plain_kin, whose

__all__ = ["at_home", "called", "plain_kin", "whose"]
