"""What encyclopaedic prose says in passing: lifespans in brackets, "a film directed by ..."."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.names import name_end, surface
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.spans import Time
from mags.models.policy.rules.tokens import Token, join
from mags.models.policy.rules.when import times
from mags.ports.policy import Operation

MAKING = word_set(
    """directed written produced published developed released performed composed created founded
    edited illustrated designed recorded manufactured built invented owned authored"""
)
"""Participles after which "by" names who did it."""
_NEAR = 6


def lifespan(words: Sequence[Token], scene: Scene, manner: Manner, name: str) -> list[Operation]:
    """Read "(15 March 1906 - 28 September 1941)" and "(born 27 February 1968 in Turin)"."""
    text = join(words)
    dates = [t for t in times(text, scene.at) if t.precision in {"day", "year"}]
    plain = replace(manner, time=None, times=(), sides={}, reason="", condition="")
    born = any(t.low in {"born", "b"} for t in words)
    if born and dates:
        return [
            _dated(scene, plain, name, "was born on", dates[0]),
            *_birthplace(words, scene, plain, name),
        ]
    if len(dates) == 2 and any(t.text in {"-", "\u2013", "\u2014"} for t in words):
        return [
            _dated(scene, plain, name, "was born on", dates[0]),
            _dated(scene, plain, name, "died on", dates[1]),
        ]
    return []


def _dated(scene: Scene, manner: Manner, name: str, relation: str, time: Time) -> Operation:
    when = time.text.removeprefix("on ").removeprefix("in ")
    verb = "was born" if relation == "was born on" else "died"
    said = Said(subject=name, relation=relation, object=when, text=f"{name} {verb} {time.text}.")
    return claim(scene, manner, said)


def _birthplace(words: Sequence[Token], scene: Scene, manner: Manner, name: str) -> list[Operation]:
    for i, token in enumerate(words[:-1]):
        end = name_end(words, i + 1) if token.low == "in" else i + 1
        if end > i + 1:
            said = Said(
                subject=name,
                relation="was born in",
                object=surface(words[i + 1 : end]),
                object_is_name=True,
            )
            return [claim(scene, manner, said)]
    return []


def makers(
    words: Sequence[Token], scene: Scene, manner: Manner, name: str
) -> tuple[int, list[Operation]]:
    """Read "a film written and directed by Ana Sol": where it starts, and who made the thing."""
    first = next((i for i, t in enumerate(words) if t.low in MAKING and i > 1), len(words))
    found: list[Operation] = []
    pending: list[str] = []
    for i in range(first, len(words)):
        low = words[i].low
        if low in MAKING:
            pending.append(low)
        elif low == "by" and pending:
            end = name_end(words, i + 1 + (i + 1 < len(words) and words[i + 1].low == "the"))
            maker = surface(words[i + 1 : end]) if end > i + 1 else ""
            if maker:
                found += [
                    claim(
                        scene,
                        manner,
                        Said(
                            subject=name,
                            relation=f"was {verb} by",
                            object=maker.removeprefix("the "),
                            object_is_name=True,
                        ),
                    )
                    for verb in pending
                ]
            pending = []
        elif i - first > _NEAR and not found:
            break
    return first, found
