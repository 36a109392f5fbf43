"""The reader as a policy: what is plainly said is read by the rules, the rest by the reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from threading import Lock
from typing import Protocol

from mags import caches
from mags.models.embed.onnx import OnnxEmbedder
from mags.models.policy.reader.ending import MAY_END, features, in_question, sentence
from mags.models.policy.reader.network import (
    ANSWERING,
    MOST,
    READS,
    SHIPPED,
    WHETHER,
    ReaderFile,
    Trained,
    ended_layout,
    opened,
    parts,
    passage,
)
from mags.models.policy.reader.reading import (
    AnswerSpan,
    Fact,
    Part,
    answered,
    part_of,
    readings,
)
from mags.models.policy.rules import RulePolicy
from mags.models.policy.rules.claims import home, iso
from mags.models.policy.rules.corrections import corrected
from mags.models.policy.rules.fitting import is_supported
from mags.models.policy.rules.lexicon import PREPOSITIONS
from mags.models.policy.rules.phrases import names_in
from mags.models.policy.rules.questions import YES_NO, plainer
from mags.models.policy.rules.tokens import is_name, mentions, own_words, spelled, stems
from mags.ports.english import ENGLISH, language
from mags.ports.pausing import pause
from mags.ports.policy import (
    ASSISTANTS,
    Act,
    Operation,
    Plan,
    Policy,
    Recalled,
    Reminded,
    Route,
    Turn,
    Writing,
    asks,
)

AS_LIKELY = 0.15
"""How much less likely a fact may be that says all of another's words, to stand for it."""


class TalkReader(Protocol):
    """What reads talk (`TrainedReader`)."""

    @property
    def least(self) -> Mapping[str, float]:
        """The probability from which a fact is a "guess", is "sure", and what is held "ends"."""

    def facts(self, turn: Turn, recent: Sequence[Turn]) -> Sequence[Fact]:
        """All that a turn may tell, however likely."""

    def ends(
        self, turn: Turn, recent: Sequence[Turn], held: Sequence[Recalled], facts: Sequence[Fact]
    ) -> Sequence[float]:
        """How likely a turn that tells `facts` ends each of what is held."""

    def answers(self, question: Turn, said: Sequence[Turn]) -> Sequence[AnswerSpan | None]:
        """The words of each remembered turn that answer a question; None for what is not read."""


class TrainedReader:
    """The reader of a file, safe in threads; opened by the first turn, which raises CorruptFile."""

    def __init__(self, file: ReaderFile = SHIPPED) -> None:
        self._file = file
        self._answering = (ANSWERING, WHETHER) if file == SHIPPED else (file, file)
        self._opened: dict[ReaderFile, tuple[Trained, OnnxEmbedder]] = {}
        self._opening = Lock()
        self._read: tuple[Turn, list[Turn], list[Part]] | None = None
        caches.register(self)

    def clear(self) -> None:
        """Let go of the turn that was read last."""
        self._read = None

    @property
    def least(self) -> Mapping[str, float]:
        """The thresholds that were found when it was calibrated."""
        return self._open()[0].least

    def facts(self, turn: Turn, recent: Sequence[Turn]) -> list[Fact]:
        """All that a turn may tell, however likely."""
        return [some[0] for some in self.readings(turn, recent)]

    def readings(self, turn: Turn, recent: Sequence[Turn]) -> list[list[Fact]]:
        """What each object in a turn may tell, the likeliest first."""
        trained, _ = self._open()
        found = list[list[Fact]]()
        for part in self._parts(turn, recent):
            found += readings(trained, part, turn.at)
            pause()
        return found

    def ends(
        self, turn: Turn, recent: Sequence[Turn], held: Sequence[Recalled], facts: Sequence[Fact]
    ) -> list[float]:
        """How likely a turn that tells `facts` ends each of what is held."""
        over = self._open()[0].over
        told = self.ending_features(turn, recent, held, facts)
        return [over.probability(one) if one else 0.0 for one in told]

    def ending_features(
        self, turn: Turn, recent: Sequence[Turn], held: Sequence[Recalled], facts: Sequence[Fact]
    ) -> list[Mapping[str, float]]:
        """What speaks for the end of each of what is held; nothing where the turn ends nothing."""
        trained, encoder = self._open()
        network = trained.network
        read = self._parts(turn, recent)
        ends = max((network.worth(part.pooled)[1] for part in read), default=0.0)
        if ends < MAY_END or not held:
            return [{} for _ in held]
        layouts = [ended_layout(turn, recent, sentence(one, turn)) for one in held]
        pair = [0.0] * len(held)
        for place, states in encoder.states_of([one.text for one in layouts]):
            pair[place] = network.ends(part_of(trained, layouts[place], states).pooled)
            pause()
        return [
            features(
                turn,
                one,
                facts,
                {"pair": pair[n], "turn": ends, "best": max([0.0, *pair[:n], *pair[n + 1 :]])},
            )
            for n, one in enumerate(held)
        ]

    def answers(self, question: Turn, said: Sequence[Turn]) -> list[AnswerSpan | None]:
        """The words of each remembered turn that answer a question, read as one passage.

        The speakers say whose "I" it is. None where a turn is empty, or where those before it,
        which are likelier to answer, left no room.
        """
        whether = YES_NO.match(plainer(question.text)) is not None
        trained, encoder = self._open(self._answering[whether])
        kept = [place for place, one in enumerate(said) if one.text.strip()]
        found: list[AnswerSpan | None] = [None] * len(said)
        while kept:
            layout, lines = passage(question, [said[place] for place in kept])
            states = encoder.token_states(layout.text)
            # The encoder has no token for some words, such as accents of nothing.
            if states.whole and len(layout.words) <= MOST:
                x = part_of(trained, layout, states).x
                for place, one in zip(kept, answered(trained, layout, lines, x), strict=True):
                    found[place] = one
                break
            kept.pop()
        return found

    def _parts(self, turn: Turn, recent: Sequence[Turn]) -> list[Part]:
        """A turn as the heads see it; the last one is kept, it is asked for more than once."""
        read = self._read
        if read is None or (read[0], read[1]) != (turn, list(recent)):
            trained, encoder = self._open()
            layouts = parts(turn, recent)
            made: dict[int, Part] = {
                place: part_of(trained, layouts[place], states)
                for place, states in encoder.states_of([one.text for one in layouts])
            }
            read = turn, list(recent), [made[place] for place in range(len(layouts))]
            self._read = read
        return read[2]

    def _open(self, file: ReaderFile | None = None) -> tuple[Trained, OnnxEmbedder]:
        wanted = file or self._file
        with self._opening:
            if wanted not in self._opened:
                self._opened[wanted] = _shipped(wanted) if wanted.sha256 else _loaded(wanted)
            return self._opened[wanted]


class ReaderPolicy:
    """A `Policy` of rules, with what the reader reads beyond them.

    Routes and plans are the rules'. Of what the rules have read of somebody the reader adds
    nothing. A fact that is not surely right is a guess, or is left out.
    """

    def __init__(self, reader: TalkReader, rules: Policy | None = None) -> None:
        self._reader = reader
        self._rules = rules or RulePolicy()

    @property
    def reader(self) -> TalkReader:
        """What reads talk for it."""
        return self._reader

    @property
    def name(self) -> str:
        """The name shown to the user."""
        return f"{self._rules.name} and reader"

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs, by the rules."""
        return self._rules.route(turn, recent)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall, by the rules."""
        return self._rules.ask(question, recent)

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        """Names whose open facts the turn may end: the speaker's, and what the rules could use."""
        wanted = self._rules.wants(turn, recent) if isinstance(self._rules, Reminded) else ()
        return tuple(dict.fromkeys((turn.speaker, *wanted)))

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn, or for what it corrects."""
        return corrected(self._said, turn, recent, recalled)

    def _said(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """What a turn tells; `why` says what the reader read."""
        tongue = language(turn.text)
        if tongue != ENGLISH:
            why = f"It is in another language than English ({tongue}): kept and found, not read."
            return Writing(
                understood=False,
                why=why,
                mentions=mentions(turn.text),
                is_question=asks(turn.text),
            )
        writing = self._rules.write(turn, recent, recalled)
        if turn.speaker.casefold() in ASSISTANTS:
            return writing  # long, and of what it proposes nothing is so until somebody takes it up
        said = replace(turn, text=own_words(spelled(turn.text, names_in(recalled))))
        least = self._reader.least
        found = self._reader.facts(said, recent)
        likely = distinct([fact for fact in found if fact.probability >= least["guess"]])
        told = (operation_of(fact, least["sure"]) for fact in likely)
        joined = {(one.subject, one.object) for one in recalled if one.current}
        fitting = (
            one
            for one in told
            if is_supported(one, turn, recent)
            # Of two that are joined already a guess is more likely wrong than news.
            and not (one.tentative and (one.subject, one.object) in joined)
        )
        made = beyond(fitting, writing.operations)
        stays = {(one.subject, one.object) for one in (*writing.operations, *made)}
        known = [one for one in recalled if (one.subject, one.object) not in stays]
        held = in_question(said, known, found)
        sure = self._reader.ends(said, recent, held, found) if held else ()
        over = tuple(
            _over(one, ending)
            for one, ending in zip(held, sure, strict=True)
            if ending >= least["ends"]
        )
        if not made and not over:
            return writing
        return replace(
            writing,
            operations=(*writing.operations, *over, *made),
            understood=True,
            why=f"{writing.why} Read by the reader: {len(made)} told, {len(over)} over.".strip(),
        )


def _loaded(file: ReaderFile) -> tuple[Trained, OnnxEmbedder]:
    trained = opened(file)
    return trained, OnnxEmbedder(READS, constants=trained.tuned)


@cache
def _shipped(file: ReaderFile) -> tuple[Trained, OnnxEmbedder]:
    """A file that is pinned, held once: a server holds hundreds of memories open."""
    return _loaded(file)


def _over(held: Recalled, sure: float) -> Operation:
    return Operation(
        act=Act.RETRACT,
        subject=held.subject,
        relation=held.relation,
        object=held.object,
        qualifiers={k: v for k, v in held.qualifiers.items() if k == "kind"},
        change=True,
        confidence=round(sure, 3),
        subject_is_name=is_name(held.subject),
        exact=True,
    )


def operation_of(fact: Fact, sure: float) -> Operation:
    """A fact as an operation, a guess below the probability `sure`."""
    words = f"{fact.subject} {fact.relation} {fact.object}"
    since = until = None
    # "Their wedding is on 20 April" tells the day once.
    itself = fact.time is not None and stems(fact.object) <= stems(fact.time.text)
    if fact.time is not None:
        words += "" if itself else f" {fact.time.text}"
        until = fact.time.until if fact.time.role == "until" else None
        since = fact.time.since if fact.time.role in ("at", "since", "from") else None
    return Operation(
        act=Act.ADD,
        subject=fact.subject,
        relation=fact.relation,
        object=home(fact.relation, fact.object),
        qualifiers={"when": iso(fact.time)} if fact.time and not itself else {},
        text=f"{words[:1].upper()}{words[1:]}.",
        valid_from=since,
        valid_to=until,
        # What it ends is asked of the reader, not of the slot: but nobody has two ages.
        one=None if fact.relation == "age" else False,
        confidence=round(min(fact.probability, 0.95), 3),
        subject_is_name=is_name(fact.subject),
        object_is_name=is_name(fact.object),
        tentative=fact.probability < sure,
    )


def distinct(told: Sequence[Fact]) -> list[Fact]:
    """Of facts that join the same two the likeliest; none that says only its own relation.

    Nor one all of whose words another says as well, nearly as likely: of "finished | course" and
    "finished course in | law" the second stays.
    """
    found: dict[tuple[str, frozenset[str]], Fact] = {}
    for one in sorted(told, key=lambda fact: -fact.probability):
        words = stems(one.object)
        if words and not words <= stems(f"{one.subject} {one.relation}"):
            found.setdefault((one.subject.casefold(), words), one)
    kept = list[tuple[Fact, frozenset[str]]]()
    said = [(one, stems(f"{one.relation} {one.object}")) for one in found.values()]
    for one, words in sorted(said, key=lambda pair: -len(pair[1])):
        if not any(
            words <= more
            and other.subject == one.subject
            and other.probability > one.probability - AS_LIKELY
            for other, more in kept
        ):
            kept.append((one, words))
    stays = {id(one) for one, _ in kept}
    return [one for one in told if id(one) in stays]


def beyond(told: Iterable[Operation], known: Sequence[Operation]) -> tuple[Operation, ...]:
    """What is told of which nothing is known: no such relation of somebody, and no such thing."""
    return tuple(one for one in told if not _is_read(one, known))


def _is_read(told: Operation, known: Sequence[Operation]) -> bool:
    mine, words = told.subject.casefold(), stems(told.object)
    for one in known:
        same, others = one.subject.casefold() == mine, stems(one.object)
        if same and (one.relation == told.relation or (words and words <= stems(one.text))):
            return True
        if words and others and (words <= others or others <= words):
            return True
        if words == stems(one.subject) and others == stems(told.subject):
            return True  # the other way round
        both = stems(told.subject) - {"and"} == stems(one.subject) | others
        if both and stems(one.relation) & stems(told.relation) - PREPOSITIONS:
            return True  # "Ana and Tom married" of "Ana married Tom"
    return False
