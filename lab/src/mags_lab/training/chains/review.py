"""A page to read samples, mark and mend them, and save what was mended: one file, no network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources

from mags_lab.training.chains.schema import Sample, to_json

PLACE = "/*SAMPLES*/[]"


def page(samples: Sequence[Sample]) -> str:
    """The page as HTML; samples lie in it as JSON that no browser takes for markup."""
    shell = resources.files(__package__).joinpath("review.html").read_text(encoding="utf-8")
    return shell.replace(PLACE, embedded([to_json(sample) for sample in samples]))


def embedded(value: object) -> str:
    """JSON that may stand inside a script: no `<`, `>`, `&` and no line separators."""
    text = json.dumps(value, ensure_ascii=False)
    for character in "<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
