"""How kernels are compiled, and where what was compiled is kept.

Numba keeps it in the folder that `NUMBA_CACHE_DIR` names, else beside the sources, else in the
user's cache folder, the first of them that can be written.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

from numba import njit

Function = Callable[..., Any]
NOWHERE = "no locator available"


def kernel(function: Function | None = None, /, **options: Any) -> Any:  # noqa: ANN401 - numba's
    """Compile a function when it is first called, and keep it for other processes.

    `options`: of `numba.njit` beside these. Where no folder can be written it is compiled by each
    process anew, and a warning says what to do; numba alone would refuse to define it.
    """
    if function is None:
        return lambda one: kernel(one, **options)
    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError as failure:  # numba has no error of its own for this
        if NOWHERE not in str(failure):
            raise
        _warn()
        return njit(nogil=True, **options)(function)


@cache
def _warn() -> None:
    """Once a process, not once a kernel."""
    logging.getLogger(__name__).warning(
        "Compiled kernels cannot be kept: neither the folder of MAGS nor a cache folder of the "
        "user can be written. Every start compiles them anew, which takes some ten to thirty "
        "seconds: set NUMBA_CACHE_DIR to a folder that can be written."
    )
