"""Conflict: does a statement whose relation the table does not know replace an open fact?

Sentences are compared as they were said, the turn's with those of earlier episodes, on the
features of `likeness`: a logistic rule, every share of which can be read off. Embeddings
suggest candidates and are one feature among many; they never decide alone. A clash with a
sentence closes the facts and notes that came from it, except those the new turn restates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from mags.engram.claim import TOPIC, differ, unlike
from mags.engram.settings import ConflictSettings
from mags.engram.view import View
from mags.graph.records import NEVER, NOBODY, ArcKind, NodeKind
from mags.ports import likeness, relations
from mags.ports.likeness import probability
from mags.ports.pausing import pause
from mags.ports.policy import Act, Writing

MOST_NEW, MOST_OLD, MOST_COMPARED = 200, 1_000, 400_000
"""Sentences of a turn and of those before it, and pairs of words of them that are compared: talk
has tens and thousands, a book would have millions."""


def may_contradict(writing: Writing, settings: ConflictSettings) -> bool:
    """Whether a turn may contradict what no slot decides; one of guesses alone may not."""
    if not settings.on or writing.says_ends:
        return False
    sure = [one for one in writing.operations if not one.tentative]
    if not sure and any(one.act is not Act.NOTE for one in writing.operations):
        return False
    if sure and all(one.exact or one.valid_to is not None for one in sure):
        return False  # what holds for a while takes no place for good
    return bool(sure) or (settings.unread and not writing.is_question)


def contradicted(
    view: View,
    episode: int,
    near: Iterable[int],
    *,
    settings: ConflictSettings,
    shared: frozenset[int],
    said: Sequence[int],
) -> list[tuple[int, float]]:
    """Open facts and notes that an episode contradicts and replaces, with the probability.

    `near`: what is like it; `shared`: the entities it is about; `said`: the facts and notes
    that it states, new or confirmed.
    """
    origins = ([i] if view.origin(i)[0] == NodeKind.EPISODE else view.sources(i) for i in near)
    earlier = dict.fromkeys(e for episodes in origins for e in episodes)
    earlier.pop(episode, None)
    old = [e for e in earlier if _is_about(view, e, shared)]
    out: dict[int, float] = {}
    closable: dict[tuple[int, str, bool], list[int]] = {}
    homes: dict[tuple[int, int], str] = {}
    for clash in _judge(view, episode, old, settings=settings, shared=shared):
        pause()
        place = clash.episode, clash.old, clash.is_cued
        if place not in closable:
            closable[place] = _closable(view, clash, homes, settings=settings)
        for fact in closable[place]:
            again = not said and _is_again(clash.new, view.words(fact).text)
            if not (
                again
                or _is_of_another_topic(view, fact, said)
                or fact in said  # the new turn restates the contradicted sentence's fact
                or any(_restates(view, i, fact) for i in said)
                or _is_shared(view, fact, said, clash)
            ):
                out.setdefault(fact, clash.probability)
    for fact in _excluded(view, episode, said):
        out.setdefault(fact, 1.0)
    return list(out.items())


def successor(view: View, fact: int, told: Iterable[int], episode: int) -> int:
    """What stands in for a closed fact: what is told of its slot, its subject, or anything."""
    old = view.node(fact)

    def nearness(new: int) -> tuple[bool, bool]:
        node = view.node(new)
        return bool(node["subject"] == old["subject"]), bool(node["slot"] == old["slot"])

    return max(told, key=nearness, default=episode)


# -- which sentences are contradicted --------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A sentence of an earlier episode that a new sentence contradicts, and how surely."""

    episode: int
    old: str
    new: str
    probability: float

    @property
    def is_cued(self) -> bool:
        """Whether the new sentence denies or replaces something, as the old one does not."""
        return likeness.take_apart(self.new).is_cued and not likeness.take_apart(self.old).is_cued


def _is_about(view: View, episode: int, shared: frozenset[int]) -> bool:
    """Whether an episode is spoken by one of these entities, or names one."""
    if view.origin(episode)[1] in shared:
        return True
    return not shared.isdisjoint(view.ends(episode, ArcKind.MENTIONS))


def _judge(
    view: View,
    episode: int,
    old: Sequence[int],
    *,
    settings: ConflictSettings,
    shared: frozenset[int],
) -> list[Clash]:
    """Clashes of an episode on `old` ones, the surest of each sentence first.

    A sentence may contradict several, each surer than `settings.several`.
    """
    if not old:
        return []
    speakers = {e: view.origin(e)[1] for e in (episode, *old)}
    own = speakers[episode] if speakers[episode] in shared else None
    vectors = view.vectors([episode, *old])
    cosines = (vectors[1:] @ vectors[0]).tolist()
    view.fetch(old)
    sentences = (
        (e, cosine, said, likeness.take_apart(said))
        for e, cosine in zip(old, cosines, strict=True)
        for said in likeness.sentences(view.words(e).text)
        if not said.endswith("?")
    )
    told = list(islice(sentences, MOST_OLD))
    out: list[Clash] = []
    compared = 0
    for new in likeness.sentences(view.words(episode).text)[:MOST_NEW]:
        # What is not so, or only heard, contradicts nothing.
        if not likeness.is_sure(new):
            continue
        pause()
        parts = likeness.take_apart(new)
        alike = [
            (e, cosine, o, len(parts.stems) * len(theirs.stems))
            for e, cosine, o, theirs in told
            # Those can be about the same that name someone in common, or are told by the one meant.
            if (speakers[e] == own or not parts.proper.isdisjoint(theirs.proper))
            and likeness.is_specific(parts, theirs, settings.specific)
        ]
        compared += sum(pairs for *_, pairs in alike)
        if compared > MOST_COMPARED:
            break
        found = [
            Clash(episode=e, old=o, new=new, probability=probability(new, o, cosine))
            for e, cosine, o, _ in alike
        ]
        found.sort(key=lambda v: (-v.probability, -v.episode))
        least = settings.threshold
        for clash in found:
            if clash.probability <= least:
                break
            out.append(clash)
            least = max(settings.several, settings.threshold)
    return out


# -- which facts go with them ----------------------------------------------------------


def _closable(
    view: View, clash: Clash, homes: dict[tuple[int, int], str], *, settings: ConflictSettings
) -> list[int]:
    """Open facts and notes that came from the contradicted sentence.

    `homes`: by fact and episode the sentence it came from, as far as it was looked for. Facts of a
    relation that holds `several` need a cue ("not", "instead") in the new sentence.
    """
    said = likeness.sentences(view.words(clash.episode).text)
    out = []
    for node_id in view.ends(clash.episode, ArcKind.SOURCE, back=True):
        node = view.node(node_id)
        if node["valid_to"] != NEVER:
            continue
        if int(node["kind"]) == NodeKind.NOTE and not settings.notes:
            continue
        content = view.words(node_id)
        relation = relations.canonical(str(content.meta.get("relation", "")))
        if relation is not None and relation.several and not clash.is_cued:
            continue
        place = node_id, clash.episode
        if place not in homes:
            homes[place] = _home(content.text, said)
        if homes[place] == clash.old:
            out.append(node_id)
    return out


def _home(text: str, said: Sequence[str]) -> str:
    """The sentence of an episode that a fact's text came from."""
    if len(said) == 1:
        return said[0]
    own = set(likeness.take_apart(text).stems)
    return max(said, key=lambda s: len(own & set(likeness.take_apart(s).stems)))


def _excluded(view: View, episode: int, said: Sequence[int]) -> list[int]:
    """Other open facts of the slots of which a turn says "only" ("she only speaks French")."""
    verbs = likeness.only(view.words(episode).text)
    if not verbs:
        return []
    out: dict[int, None] = {}
    for fact in said:
        if str(view.words(fact).meta.get("relation", "")) in verbs:
            slot, subject, _ = _told(view, fact)
            out.update(dict.fromkeys(i for i in view.open(subject, slot) if i not in said))
    return list(out)


# -- which of those stay ---------------------------------------------------------------


def _is_again(sentence: str, fact: str) -> bool:
    """Whether a sentence says all that a fact says, and neither denies nor replaces it."""
    new, old = likeness.take_apart(sentence), likeness.take_apart(fact)
    return not new.is_cued and old.common <= new.common and old.proper <= new.proper


def _is_of_another_topic(view: View, fact: int, said: Sequence[int]) -> bool:
    """Whether all that the new turn tells a topic of is of another than a fact."""
    ours = [view.words(one).meta.get("qualifiers", {}) for one in said]
    told = [qualifiers for qualifiers in ours if qualifiers.get(TOPIC)]
    theirs = view.words(fact).meta.get("qualifiers", {})
    return bool(told) and all(unlike(qualifiers, theirs) for qualifiers in told)


def _restates(view: View, new: int, old: int) -> bool:
    """Whether both join the same two, either way round, deny as much, and qualify alike."""
    ends, others = ({*_told(view, fact)[1:]} - {NOBODY} for fact in (old, new))
    if not ends or others != ends:
        return False
    ours, theirs = view.words(new), view.words(old)
    if likeness.take_apart(ours.text).negates != likeness.take_apart(theirs.text).negates:
        return False
    qualifiers = ours.meta.get("qualifiers", {}), theirs.meta.get("qualifiers", {})
    return not differ(*qualifiers, timeless=False)


def _is_shared(view: View, fact: int, said: Sequence[int], clash: Clash) -> bool:
    """Whether a fact is so of one of several, to whom the turn only adds another.

    Ana and Bob are members of a club; that Carl is a member now ends neither. What is told of
    another in other words, without a word of change, ends nothing.
    """
    slot, subject, object_ = _told(view, fact)
    new = [_told(view, one) for one in said]
    if object_ == NOBODY or subject in {one[1] for one in new}:
        return False
    slots = {one[0] for one in new if one[2] == object_}
    if slot not in slots:
        return bool(slots) and not clash.is_cued
    others: set[int] = set()
    for one in view.about(object_):
        its_slot, its_subject, its_object = _told(view, one)
        if (its_slot, its_object) == (slot, object_) and one not in said:
            if view.node(one)["valid_to"] == NEVER:
                others.add(its_subject)
            if len(others) > 1:
                return True  # of a thing that many have, the first two tell it
    return False


def _told(view: View, fact: int) -> tuple[int, int, int]:
    """Slot, subject and object of a fact."""
    node = view.node(fact)
    return int(node["slot"]), int(node["subject"]), int(node["object"])
