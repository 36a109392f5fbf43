"""Citations: the `[m42]` of a text, their pairs, and how much of the text they carry."""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import combinations

GROUP = re.compile(r"[ \t]?\[\s*m\d{1,18}(?:\s*[,;]?\s*m?\d{1,18})*\s*\]", re.ASCII)
NUMBER = re.compile(r"\d{1,18}", re.ASCII)
# A sentence ends before the marks that stand behind it, so they are taken along.
SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?]+|\n|$)(?:\s*\[m\d+\])*", re.ASCII)
MOST_LINKED = 8


def settle(text: str, shown: Container[int]) -> tuple[str, tuple[int, ...]]:
    """The text with one `[m42]` a citation and no mark of what was never shown; its citations."""
    cited: list[int] = []

    def rewrite(group: re.Match[str]) -> str:
        ids = [int(n) for n in NUMBER.findall(group[0]) if int(n) in shown]
        cited.extend(ids)
        space = group[0][:1] if group[0][:1] in " \t" else ""
        return space + " ".join(f"[m{id}]" for id in ids) if ids else ""

    return GROUP.sub(rewrite, text).strip(), tuple(dict.fromkeys(cited))


def share_cited(text: str) -> float:
    """Share of the sentences of a text that carry a citation; 0 for an empty text."""
    sentences = [found[0] for found in SENTENCE.finditer(text) if re.search(r"\w", found[0])]
    return sum("[m" in one for one in sentences) / len(sentences) if sentences else 0.0


def pairs(citations: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Every pair (low, high) of the first eight citations."""
    return tuple(combinations(sorted(set(citations[:MOST_LINKED])), 2))
