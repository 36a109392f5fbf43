"""Settings hold numbers that something can be done with, or say at once which do not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mags.errors import ConfigurationError

ANY = math.inf
"""The bound of what has none above."""
SECRET: Mapping[str, Any] = {"secret": True}
URL: Mapping[str, Any] = {"url": True}
"""Metadata of fields of settings: what no message shows, and what must be an address."""


def within(least: float, most: float) -> Mapping[str, Any]:
    """Metadata of a field of settings whose number lies between these, both allowed."""
    return {"within": (least, most)}


def hold(settings: object, section: str, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Raise ConfigurationError for a number of `settings` that lies outside its bounds.

    bounds: name -> (least, most), both allowed; an `int` as the least asks for a whole number.
    `section` is how the settings are written in a file: `recall` for `[recall]`.
    """
    for name, (least, most) in bounds.items():
        value = getattr(settings, name)
        whole = isinstance(least, int)
        numbers = int if whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, numbers) or not least <= value <= most:
            reach = f"of {least} or more" if most == ANY else f"from {least} to {most}"
            raise ConfigurationError(
                f"[{section}] {name} must be a {'whole ' * whole}number {reach}, not {value!r}",
                key=name,
                value=value,
            )
