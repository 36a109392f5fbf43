"""Which half of a question set settings may be fitted on.

Nothing is ever fitted on a question that is reported. A question's id alone
decides its half, so the halves stay the same on every machine and when a set
grows.
"""

from __future__ import annotations

import hashlib
from typing import Literal

Half = Literal["dev", "test"]


def split(identifier: str) -> Half:
    """Return the half a question belongs to: `dev` to fit on, `test` to report.

    The first byte of the SHA-256 of the id decides: even is `dev`.
    """
    return "test" if hashlib.sha256(identifier.encode()).digest()[0] % 2 else "dev"
