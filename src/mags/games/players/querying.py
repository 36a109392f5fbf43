"""What a player asks its memory for next, from what the first lines name."""

from __future__ import annotations

from collections.abc import Sequence

from mags.games.players.shelf import NAMED, further
from mags.games.players.showing import Shown
from mags.games.turns import Scene


def midway(found: Sequence[Shown], scene: Scene, *, naming: bool) -> str:
    """A query from both ends: what the first lines name, and what there is to choose among."""
    return " ".join([*(_named(found, scene) if naming else []), *scene.actions])


def further_queries(found: Sequence[Shown], scene: Scene) -> tuple[str, ...]:
    """What the lines found first name beyond the question, for a second look."""
    named = _named(found, scene)
    return (" ".join(named),) if len(named) > NAMED else tuple(named)  # words, if no names


def _named(found: Sequence[Shown], scene: Scene) -> list[str]:
    return further([one.note.line.text for one in found if one.note is not None], scene.question)
