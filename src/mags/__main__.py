"""`python -m mags`: the command line."""

from mags.cli import main

main()
