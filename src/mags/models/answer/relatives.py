"""Who "my brother" is: a question put with the name that the memory knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mags.ports.answer import ContextItem
from mags.ports.english import plain_kin
from mags.ports.policy import Turn
from mags.ports.relations import canonical

_MINE = re.compile(r"\b[Mm]y (?P<noun>[a-z]+(?:-in-law)?)(?P<has>['\u2019]s)?(?= )")


def by_name(question: Turn, items: Sequence[ContextItem]) -> tuple[Turn, ContextItem] | None:
    """Return the question with "my brother" told by name, and the fact that tells it.

    None where it names nobody so, or the memory knows none or several.
    """
    match = _MINE.search(question.text)
    known = _known(question.speaker, match["noun"], items) if match else {}
    if match is None or len(known) != 1:
        return None
    name, told = next(iter(known.items()))
    before, after = question.text[: match.start()], question.text[match.end() :]
    text = f"{before}{name}{match['has'] or ''}{after}"
    return replace(question, text=text), told


def _known(speaker: str, noun: str, items: Sequence[ContextItem]) -> dict[str, ContextItem]:
    found = canonical(noun)
    wanted = {plain_kin(noun), found.name if found else noun}
    return {
        item.fact[2]: item
        for item in items
        if item.fact is not None
        and item.current
        and item.fact[0].casefold() == speaker.casefold()
        and plain_kin(item.fact[1]) in wanted
        and item.fact[2][:1].isupper()
    }
