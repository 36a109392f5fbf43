"""What is wished, needed or planned: a deed, told with its date."""

from __future__ import annotations

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.clause import Clause
from mags.models.policy.rules.lexicon import LIGHT, SILENT, word_set
from mags.models.policy.rules.phrase import Rest
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token, starts_with
from mags.ports.english import past_tense
from mags.ports.policy import Act, Operation
from mags.ports.relations import Relation, read


def read_wish(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, name: str
) -> list[Operation] | None:
    """Read "wants to learn Spanish", "likes to swim": the thing is what is to be done."""
    deed = _deed(rest.tokens[1:], scene, name)
    if deed is None:
        return None
    if clause.verb.negated and clause.verb.base not in {"like", "love", "enjoy"}:
        return []
    past = clause.verb.tense == "past"
    reading = read(f"{past_tense(clause.verb.base) if past else clause.verb.base} to")
    if reading is None:
        return None
    relation: Relation | str = reading.relation
    if clause.verb.negated:
        relation = "dislikes"
    if clause.verb.gone:
        return [
            claim(
                scene,
                manner,
                Said(
                    subject=name,
                    relation=relation,
                    object=deed,
                    stated=False,
                    act=Act.RETRACT,
                    change=True,
                ),
            )
        ]
    verb = f"{reading.relation.name} to" if reading.relation.name in {"likes", "dislikes"} else ""
    return [
        claim(
            scene,
            manner,
            Said(
                subject=name,
                relation=relation,
                object=deed,
                stated=False,
                verb=verb if not clause.verb.negated else "does not like to",
            ),
        )
    ]


def read_plan(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, names: tuple[str, ...]
) -> list[Operation] | None:
    """Read "I'm going to visit Rome next week": a plan, told with its date."""
    verb = clause.verb
    if verb.negated or (verb.base == "have" and rest.tokens[:1] and rest.tokens[0].low == "to"):
        return []
    if verb.base in SILENT and verb.base not in {"go", "start", "get", "have"}:
        return []
    found = []
    for name in names:
        deed = _deed(rest.tokens, scene, name, verb.base)
        if deed is None:
            return []
        found.append(
            claim(scene, manner, Said(subject=name, relation="plans to", object=deed, stated=False))
        )
    return found


def _deed(words: tuple[Token, ...], scene: Scene, name: str, base: str = "") -> str | None:
    """Return what is to be done as words that stand alone, or None where they do not."""
    words = tuple(t for t in words if t.text != "|")
    if not base:
        being = starts_with(words, ("be", "a")) or starts_with(words, ("be", "an"))
        if not words or words[0].low in SILENT - LIGHT - {
            "be" if being else "go",
            "go",
            "start",
            "get",
            "have",
            "become",
            "make",
            "take",
        }:
            return None
        base, words = words[0].low, words[1:]
    if not words and base in SILENT | {"go", "come", "be"}:
        return None
    cut = next((i for i, t in enumerate(words) if t.text in {",", "(", ":"}), len(words))
    words = words[:cut]
    if len(words) > 10:
        return None
    said = []
    for token in words:
        if token.low in _UNCLEAR:
            return None
        if token.low in {"me", "us"}:
            said.append(scene.speaker)
        elif token.low in {"my", "our"}:
            said.append("their own" if name != scene.speaker else f"{scene.speaker}'s")
        else:
            said.append(token.text)
    return " ".join([base, *said])


_UNCLEAR = word_set(
    """it this that these those you your here there he she they him her them his their i we
    something"""
)
