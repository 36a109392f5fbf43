"""Several things in one slot: "my children are Leo and Nina", "my team is Ben, Chloe and Farid"."""

from __future__ import annotations

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.lexicon import KIN, PETS
from mags.models.policy.rules.lists import objects
from mags.models.policy.rules.phrase import Object
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.slots import slot_of
from mags.models.policy.rules.tokens import Token
from mags.ports.policy import Operation
from mags.ports.relations import Relation, kind_of

_SINGLE = {"kids": "child", "children": "child", "hobbies": "hobby"}
_GROUPS = frozenset({"team", "list", "band", "group", "crew"})


def read_several(
    owner: str, noun: str, words: tuple[Token, ...], scene: Scene, manner: Manner
) -> list[Operation]:
    """Return one operation for each thing of a list; none where there is no list."""
    last = noun.split()[-1]
    plural = last in _SINGLE or (last.endswith("s") and not last.endswith("ss"))
    if not plural and last not in _GROUPS:
        return []
    things = objects(words, scene, owner)
    if len(things) < 2:
        return []
    head = _SINGLE.get(last, last.removesuffix("s")) if plural else last
    single = f"{noun[: -len(last)]}{head}"
    return [_one(owner, single, thing, scene, manner) for thing in things]


def _one(owner: str, noun: str, thing: Object, scene: Scene, manner: Manner) -> Operation:
    relation = slot_of(noun) or Relation(name=noun, noun=True, known=False)
    person = noun.split()[-1] in KIN | PETS and thing.is_name
    has = "has" if noun.split()[-1] in _GROUPS else "is"
    said = Said(
        subject=owner,
        relation=relation,
        object=thing.text,
        object_is_name=thing.is_name,
        kind=kind_of(noun) if relation.kinds else "",
        one=False,
        text="" if relation.kinds else f"{owner}'s {noun} {has} {thing.text}.",
        aliases={thing.text: (f"{owner}'s {noun}",)} if person else {},
    )
    if person and noun.split()[-1] in KIN:
        scene.note(thing.text, scene.gender(noun))
    return claim(scene, manner, said)
