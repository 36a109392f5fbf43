"""Questions with their recall plans: of one hop and several, backwards, past, dated, vague."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from random import Random

from mags.ports.policy import Turn
from mags.ports.relations import backwards, stem
from mags_lab.training.chains.phrasebook import PhrasebookEntry, fill
from mags_lab.training.chains.schema import RecallLook
from mags_lab.training.chains.splits import SplitMaterial
from mags_lab.training.generate import dates
from mags_lab.training.generate.fillers import Fillers, Framer
from mags_lab.training.generate.statements import StatementMaker

KINDS: Mapping[str, str] = {
    **dict.fromkeys(("person", "relative-name"), "person"),
    **dict.fromkeys(("city", "country", "region", "place", "place-nonsense", "street"), "place"),
    **dict.fromkeys(("date", "year", "time-of-day", "weekday"), "time"),
    **dict.fromkeys(("number", "number-small", "age", "money", "height", "weight"), "number"),
}
OWN = re.compile(r"^\{s\}'s [^{}]+$")
PLAIN = re.compile(r"^\{[so]\}[^.!?,:;()]*\.?$")  # one clause that a name or thing opens
SUBJECT_BEFORE = re.compile(r"\b(?:do|does|did|is|was|has|had|can|could|will|would|that) $", re.I)
OBJECT_BEFORE = re.compile(r"\b(?:for|of|with|about|to|on|from|by|at|near|in|behind) $", re.I)
PRONOUNS = {"he": ("he", "him", "his"), "she": ("she", "her", "her")}


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedQuestion:
    """A question. `look`: its plan. `about`: the name it hangs on, which no frame may use."""

    text: str
    look: RecallLook
    about: str
    recent: tuple[Turn, ...] = ()
    episodic: bool = False
    tags: tuple[str, ...] = ()


class Questioner:
    """Makes questions from the phrases of one split."""

    def __init__(
        self, material: SplitMaterial, rng: Random, teller: StatementMaker, framer: Framer
    ) -> None:
        self._rng = rng
        self._teller = teller
        self._framer = framer
        self._fillers = Fillers(material, rng)
        self._entries = material.entries
        self._bridges = _bridges(material.entries)
        # How often each kind is asked; kinds for which a split has no phrase fall out.
        self._kinds: dict[
            str, tuple[float, Callable[[str, str, date], GeneratedQuestion | None]]
        ] = {
            "third": (26, lambda speaker, other, now: self.direct("ask_third", speaker, other)),
            "first": (15, lambda speaker, other, now: self.direct("ask_first", speaker, other)),
            "second": (6, lambda speaker, other, now: self.direct("ask_second", speaker, other)),
            "inverse": (12, lambda speaker, other, now: self.direct("ask_inverse", speaker, other)),
            "past": (9, self.past),
            "vague": (7, lambda speaker, other, now: self.vague(speaker, other)),
            "hops": (17, lambda speaker, other, now: self.hops(speaker)),
            "yesno": (7, lambda speaker, other, now: self.yesno(speaker)),
            "episodic": (8, lambda speaker, other, now: self.episodic(speaker, now)),
        }

    def ask(self, speaker: str, other: str, now: date) -> GeneratedQuestion:
        """A question of a kind by chance; what was said before names who a pronoun means."""
        names = list(self._kinds)
        while True:
            name = self._rng.choices(names, weights=[self._kinds[n][0] for n in names])[0]
            asked = self._kinds[name][1](speaker, other, now)
            if asked is not None:
                return asked

    def direct(self, name: str, speaker: str, other: str) -> GeneratedQuestion | None:
        """A question for one slot from one of the lists."""
        found = [entry for entry in self._entries if entry.list(name)]
        if not found:
            return None
        entry = self._rng.choice(found)
        phrase = self._rng.choice(entry.list(name))
        values = self._teller.values(entry, self._subject(name, speaker, other), speaker)
        inverse = name == "ask_inverse"
        about = values["o"] if inverse else values["s"]
        recent, text = self._referred(phrase, values, entry, speaker, other)
        relation = values["relation"]
        query = backwards(relation, about) if inverse else stem(about, relation)
        return GeneratedQuestion(
            text=text,
            look=RecallLook(
                queries=(query,),
                entities=(about,),
                hops=((about, relation, inverse),),
                kind=_kind(entry.subject if inverse else values["k"] or entry.object),
            ),
            about=about,
            recent=recent,
            tags=(name.removeprefix("ask_"), *(("pronoun",) if recent else ())),
        )

    def past(self, speaker: str, other: str, now: date) -> GeneratedQuestion | None:
        """A question for what is no longer so, sometimes with the time it was so."""
        name = self._rng.choice(("ask_past_first", "ask_past_third"))
        asked = self.direct(name, speaker, other)
        if asked is None:
            return None
        look = replace(asked.look, past=True)
        if self._rng.random() > 0.4:
            return replace(asked, look=look)
        span = dates.span(self._rng, now)
        frame = self._framer.frame("dated_question")
        return replace(
            asked,
            text=self._framer.put(frame, {"x": asked.text, "t": span.words}),
            look=replace(look, since=span.since, until=span.until),
            tags=(*asked.tags, "dated"),
        )

    def vague(self, speaker: str, other: str) -> GeneratedQuestion | None:
        """A question that has to be reworded, or taken one step back."""
        return self.direct(
            self._rng.choice(("ask_vague_third", "ask_vague_third", "ask_vague_first")),
            speaker,
            other,
        )

    def hops(self, speaker: str) -> GeneratedQuestion | None:
        """A question of two or three facts in a row: "Where does Ana's sister live?"."""
        if not self._bridges:
            return None
        outer, inner = self._rng.choice(self._bridges)
        chain = [inner, outer]
        before = [i for o, i in self._bridges if o is inner]
        if before and self._rng.random() < 0.2:
            chain.insert(0, self._rng.choice(before))
        values = [self._teller.values(entry, "", speaker) for entry in chain]
        own = self._rng.random() < 0.3 and chain[0].subject == "person"
        start = speaker if own else values[0]["s"]
        words = self._noun(chain[:-1], values, start, own=own)
        phrase = self._rng.choice(
            [p for p in outer.list("ask_third") if "{s}'s" not in p] or outer.list("ask_third")
        )
        if words is None or "{s}'s" in phrase:
            return None
        text = fill(phrase, {**values[-1], "s": words})
        relations = [one["relation"] for one in values]
        return GeneratedQuestion(
            text=text[0].upper() + text[1:] if phrase.startswith("{s}") else text,
            look=RecallLook(
                queries=(stem(start, relations[0]),),
                entities=(start,),
                hops=((start, relations[0], False), *(("^", r, False) for r in relations[1:])),
                kind=_kind(values[-1]["k"] or outer.object),
            ),
            about=start,
            tags=(f"{len(chain)}-hop",),
        )

    def yesno(self, speaker: str) -> GeneratedQuestion | None:
        """A question whether something is so."""
        found = [(e, p) for e in self._entries for p in e.list("third") if PLAIN.match(p)]
        if not found:
            return None
        entry, phrase = self._rng.choice(found)
        values = self._teller.values(entry, "", speaker)
        about, relation = values["s"], values["relation"]
        frame = self._framer.frame("yesno")
        return GeneratedQuestion(
            text=self._framer.put(frame, {"x": fill(phrase, values)}),
            look=RecallLook(
                queries=(stem(about, relation),),
                entities=(about,),
                hops=((about, relation, False),),
                kind="yesno",
            ),
            about=about,
            tags=("yesno",),
        )

    def episodic(self, speaker: str, now: date) -> GeneratedQuestion:
        """A question after what was said in some stretch of time."""
        span = dates.span(self._rng, now)
        own = self._rng.random() < 0.4
        about = speaker if own else self._fillers.name(avoid=(speaker,))
        frame = self._framer.frame("spoke" if own else "told")
        text = fill(frame, {"s": about, "t": span.words})
        return GeneratedQuestion(
            text=text[0].upper() + text[1:],
            look=RecallLook(
                queries=(),
                entities=(about,),
                since=span.since,
                until=span.until,
                kind="thing",
            ),
            about=about,
            episodic=True,
            tags=("episodic", "dated"),
        )

    def _subject(self, name: str, speaker: str, other: str) -> str:
        if name.endswith("first"):
            return speaker
        return other if name.endswith("second") else ""

    def _referred(
        self,
        phrase: str,
        values: Mapping[str, str],
        entry: PhrasebookEntry,
        speaker: str,
        other: str,
    ) -> tuple[tuple[Turn, ...], str]:
        """What was said before, and the question, its name sometimes a pronoun."""
        if "{s}" in phrase and entry.subject == "person" and self._rng.random() < 0.2:
            text = _with_pronoun(phrase, values, self._rng.choice(("he", "she")))
            if text:
                said_by = self._rng.choice((speaker, other))
                before = self._teller.mention(values["s"], said_by, unlike=entry.name)
                return (Turn(text=before, speaker=said_by),), text
        return (), fill(phrase, values)

    def _noun(
        self,
        chain: Sequence[PhrasebookEntry],
        values: Sequence[Mapping[str, str]],
        start: str,
        *,
        own: bool,
    ) -> str | None:
        """The noun phrase of the inner facts: "Ana's sister's dog", "my sister"."""
        words = start
        for place, entry in enumerate(chain):
            phrases = entry.list("of")
            if own and place == 0:
                phrases = tuple(p for p in phrases if OWN.match(p))
                if not phrases:
                    return None
                words = "my" + fill(self._rng.choice(phrases), {**values[0], "s": ""})[2:]
                continue
            if words.startswith("the "):  # "the book Ana wrote" takes no genitive
                phrases = tuple(p for p in phrases if "{s}'s" not in p)
            if not phrases:
                return None
            words = fill(self._rng.choice(phrases), {**values[place], "s": words})
        return words


def _with_pronoun(phrase: str, values: Mapping[str, str], gender: str) -> str:
    """A question with a pronoun for its subject, "" where none would read right."""
    subject, object, own = PRONOUNS[gender]
    place = phrase.index("{s}")
    before, after = phrase[:place], phrase[place + 3 :]
    if after.startswith("'s"):
        words, after = own, after[2:]
    elif SUBJECT_BEFORE.search(before):
        words = subject
    elif OBJECT_BEFORE.search(before):
        words = object
    else:
        return ""
    text = before + words + after
    return fill(text[0].upper() + text[1:], values)


def _bridges(entries: Sequence[PhrasebookEntry]) -> list[tuple[PhrasebookEntry, PhrasebookEntry]]:
    """(outer, inner): the object of the inner fact is what the outer one is about."""
    return [
        (outer, inner)
        for outer in entries
        if outer.list("ask_third")
        for inner in entries
        if inner.list("of") and inner.object == outer.subject and inner.name != outer.name
    ]


def _kind(type: str) -> str:
    return KINDS.get(type, "thing")
