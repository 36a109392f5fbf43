"""`python -m benchmarks.look pool NAME ...`, then `... fit`: a trial of a trained second look.

Late interaction over the frozen token states of the shipped encoder: one projection, a weight for
each token of the question, MaxSim over the turn, added to MAGS's score of its first 80 candidates.
It is trained on the corpus of talk: dialogues share a memory, once with their own names, once with
those of one pair, so that a question has as many look-alikes as in a long talk. LoCoMo only
measures. Pools are kept, so that a fit takes a minute. `fit` needs torch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks.look.pools import pool


def main(arguments: Sequence[str]) -> int:
    """Build pools, or fit; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.look", description=__doc__)
    parser.add_argument("what", choices=("pool", "fit"))
    parser.add_argument("names", nargs="*", default=["train", "dev", "locomo"])
    parser.add_argument("--share", type=float, default=1.0, help="of the questions, for the fit")
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args(arguments)
    if options.what == "pool":
        for name in options.names:
            pool(name)
    else:
        # Imported here: a pool needs no torch.
        from benchmarks.look.fit import fit

        measured = [name for name in options.names if name != "train"]
        fit(measured, share=options.share, epochs=options.epochs)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
