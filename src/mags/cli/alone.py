"""Products of matrices without the help of other threads.

OpenBLAS shares larger products out among all cores, and its threads wait for one another spinning.
Where something else is to be done meanwhile, as by a server's requests or other matches, a product
so takes several times its processor time, and longer.
"""

from __future__ import annotations

from threadpoolctl import threadpool_limits


def alone() -> threadpool_limits:
    """Compute each product on the thread that asks for it; the end of the context takes it back.

    For processes of ours alone: who uses MAGS as a library chooses for all that runs beside it.
    """
    return threadpool_limits(limits=1, user_api="blas")
