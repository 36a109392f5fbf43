"""Figures as they are printed."""

from __future__ import annotations

from collections.abc import Mapping

from mags_lab.evaluation.metrics import Interval


def in_words(measured: Mapping[str, Interval]) -> str:
    """Measures in per cent with their intervals, in a line; what was gained has its sign."""
    return "  ".join(f"{name} {_told(name, one)}" for name, one in measured.items())


def _told(name: str, one: Interval) -> str:
    sign = "+" if name.startswith("gain") else ""
    return f"{100 * one.mean:{sign}.1f} [{100 * one.low:{sign}.1f}, {100 * one.high:{sign}.1f}]"
