"""Link: names to ENTITY nodes, by exact form or alias and by nothing else.

Embeddings never link names: to them Zorbik is Zorbak and room 12 is room 14.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mags.engram.moment import Moment
from mags.engram.view import View
from mags.graph.records import Content, NodeKind
from mags.index.names import fold
from mags.index.state import names_of
from mags.ports.english import FIRST_PERSON, THIRD_PERSON
from mags.ports.policy import Operation


class Linker:
    """Names of one turn to entity ids; creates the entities that are not there."""

    def __init__(self, view: View, moment: Moment, speaker: str = "") -> None:
        """Resolve "I" to `speaker`."""
        self.view = view
        self.moment = moment
        self.seen: list[int] = []
        self._speaker = speaker
        self._known: dict[str, int] = {}

    def entity(self, name: str) -> int | None:
        """Id of the entity of that name, made if need be; None for nothing or a lost pronoun.

        "I" is the speaker; "she" and "it" the last entity of this turn that is not. Among
        several entities of one name the one used last is meant, then the oldest.
        """
        known = self._known.get(name)
        if known is not None:
            return self._note(known)
        form = fold(name)
        if not form:
            return None
        if form in FIRST_PERSON and fold(self._speaker) not in FIRST_PERSON:
            return self.entity(self._speaker)
        if form in THIRD_PERSON:
            return self._last()
        found = self.view.find(name)
        entity = self._choose(name, found) if found else self._create(name)
        self._known[name] = entity
        return self._note(entity)

    def _note(self, entity: int) -> int:
        if entity in self.seen:
            self.seen.remove(entity)
        self.seen.append(entity)
        return entity

    def learn(self, aliases: Mapping[str, Sequence[str]]) -> None:
        """Add other names to entities; a name that is another entity's stays there."""
        for name, others in aliases.items():
            entity = self.entity(name)
            if entity is not None:
                self._alias(entity, others)

    def _alias(self, entity: int, others: Iterable[str]) -> None:
        content = self.view.words(entity)
        known = {fold(n) for n in names_of(content)}
        fresh = [o for o in others if fold(o) and fold(o) not in known]
        taken = [o for o in fresh if self.view.find(o)]
        if taken:
            self.view.draft.reason("alias-taken", entity=entity, count=len(taken))
        fresh = list(dict.fromkeys(o for o in fresh if o not in taken))
        if not fresh:
            return
        meta = {**content.meta, "aliases": [*content.meta.get("aliases", ()), *fresh]}
        words = self.moment.content(content.text, meta, node=entity)
        if words.vector is None:
            words = self._with_vector(words)
        self.view.rename(words)
        self._known.clear()
        self.view.draft.reason("alias", entity=entity, count=len(fresh))

    def _with_vector(self, content: Content) -> Content:
        vector = self.view.vectors([content.node])[0].astype("float16")
        return Content(
            id=content.id,
            node=content.node,
            text=content.text,
            meta=content.meta,
            vector=vector if vector.any() else None,
        )

    def _last(self) -> int | None:
        speaker = set(self.view.find(self._speaker))
        return next((i for i in reversed(self.seen) if i not in speaker), None)

    def _choose(self, name: str, found: Sequence[int]) -> int:
        if len(found) == 1:
            return found[0]
        form = fold(name)
        own = [i for i in found if fold(self.view.words(i).text) == form]
        return max(own or found, key=lambda i: (int(self.view.node(i)["last_used_tick"]), -i))

    def _create(self, name: str) -> int:
        moment = self.moment
        content = moment.content(name.strip(), {"name": name.strip(), "aliases": []})
        return self.view.add(
            content,
            kind=NodeKind.ENTITY,
            recorded_at=moment.now_s,
            strength_tick=moment.tick,
            last_used_tick=moment.tick,
        )


def names_in(operations: Iterable[Operation]) -> list[str]:
    """Every name that operations would link, in order, once."""
    names: list[str] = []
    for operation in operations:
        names += [operation.subject, operation.object, *operation.aliases]
    return [n for n in dict.fromkeys(names) if _is_name(n)]


def _is_name(name: str) -> bool:
    form = fold(name)
    return bool(form) and form not in FIRST_PERSON and form not in THIRD_PERSON
