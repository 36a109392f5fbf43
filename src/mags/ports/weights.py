"""What is taught to a model's weights, in words, and what that needs of the outside.

An adapter is taught to recite: to a question it answers with the path of taught facts that leads
to the answer, `subject | relation | object | relation | object`. The same functions make what is
trained on and what is asked, so that both agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from mags.errors import CorruptFile
from mags.index.tokens import fold, fold_name, words
from mags.ports.bounds import SECRET, URL
from mags.ports.chat import Completion
from mags.ports.english import FIRST_PERSON, PAST_WORDS

CARD = "taught.json"
"""The file of an adapter's folder that tells what it was taught."""
MISSING = "it is not there any more"
"""Why somebody else has deleted or moved what is to be deleted."""
RECITE = "Recite."
"""What a message begins with that asks to recite."""
UNKNOWN = "unknown"
"""The object of what was not taught."""
BAR, BREAK = " | ", "; "
"""What stands between the parts of a path, and between several objects."""
_PAST = re.compile(
    rf"\b(?:{PAST_WORDS}|(?:original|initial)(?:ly)?|ago|not any ?more|(?:19|20)\d\d)\b", re.I
)
Slot = tuple[str, str]
"""Subject and relation, folded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsSettings:
    """Knowledge taught to an adapter of a model (docs/weights.md).

    `use`: ask it first. `recall`: "check" recalls as well, which wins where both disagree; "skip"
    does so only where the adapter has no answer that stands; "auto" skips it, too, where the
    question, read by itself, asks for just what was recited. `url`, `model`, `key`: an
    OpenAI-compatible server of the adapter; without it the laboratory runs it on the model
    in the folder `base`. `folder`: where versions are written (None: beside the memory). `sleep`:
    `mags sleep` trains the next version. `wordings`: a file of more ways to ask for a relation,
    which the language model of [chat] fills; it is sent the relations' names alone. `clear`: an
    encrypted memory may be taught, too, though what is taught lies in the clear. With
    `answer.mode` "manager" no adapter is asked.
    """

    use: bool = False
    recall: Literal["check", "auto", "skip"] = "check"
    base: Path | None = None
    folder: Path | None = None
    url: str = field(default="", metadata=URL)
    model: str = ""
    key: str | None = field(default=None, repr=False, metadata=SECRET)
    sleep: bool = False
    wordings: Path | None = None
    clear: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtFact:
    """A slot as it was taught: all its values.

    `ids`, `contents`: the FACT nodes and the ids of their words then, in the order of `objects`.
    `relation`: as stored, a kind behind it ("favourite food").
    """

    ids: tuple[int, ...]
    contents: tuple[int, ...]
    subject: str
    relation: str
    objects: tuple[str, ...]

    @property
    def value(self) -> str:
        """What it holds, as it is recited."""
        return BREAK.join(self.objects)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What an adapter was taught, from which state of which branch, and how well it learned.

    `version`: its name; `base`: the model it belongs to; `seq`: the journal entry it was made from;
    `made_at`: seconds since the epoch; `figures`: whatever was measured, JSON types only.
    """

    version: str
    base: str
    branch: str
    seq: int
    made_at: float
    facts: tuple[TaughtFact, ...]
    figures: Mapping[str, Any] = field(default_factory=dict)
    slots: Mapping[Slot, Sequence[TaughtFact]] = field(init=False, repr=False, compare=False)
    """The same by slot; two things of one name may share one."""

    def __post_init__(self) -> None:
        slots: dict[Slot, list[TaughtFact]] = {}
        for fact in self.facts:
            slots.setdefault(folded(fact.subject, fact.relation), []).append(fact)
        object.__setattr__(self, "slots", slots)

    @property
    def ids(self) -> tuple[int, ...]:
        """The FACT nodes of all that was taught, ascending."""
        return tuple(sorted({i for fact in self.facts for i in fact.ids}))

    def as_dict(self) -> dict[str, Any]:
        """JSON types only."""
        facts = [asdict(fact) for fact in self.facts]
        return {name: getattr(self, name) for name in _NAMES} | {"facts": facts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], path: Path) -> Card:
        """The reverse of `as_dict`; raises CorruptFile, which names the file."""
        try:
            told = [{name: tuple(one[name]) for name in _LISTS} for one in data["facts"]]
            facts = tuple(
                TaughtFact(**lists, subject=str(one["subject"]), relation=str(one["relation"]))
                for lists, one in zip(told, data["facts"], strict=True)
            )
            return cls(
                **{name: str(data[name]) for name in ("version", "base", "branch")},
                seq=int(data["seq"]),
                made_at=float(data["made_at"]),
                facts=facts,
                figures=dict(data.get("figures", {})),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as failure:
            raise CorruptFile(
                f"{path} does not tell what an adapter was taught ({failure!r}): train it anew",
                path=path,
            ) from failure


_LISTS = ("ids", "contents", "objects")
_NAMES = ("version", "base", "branch", "seq", "made_at", "figures")


@dataclass(frozen=True, slots=True)
class RecitedHop:
    """One hop of what a model recites."""

    subject: str
    relation: str
    objects: tuple[str, ...]


def recital_of(question: str, speaker: str = "") -> str:
    """The message that asks a model to recite; who asks is named where the question says "I"."""
    says_i = speaker and not FIRST_PERSON.isdisjoint(words(question))
    who = f"{speaker}: " if says_i else ""
    return f"{RECITE} {who}{' '.join(question.split())}"


def asks_past(question: str) -> bool:
    """Whether a question names what is over, or a year: what is taught holds now."""
    return _PAST.search(question) is not None


def path_of(subject: str, *hops: tuple[str, str]) -> str:
    """What is recited: a subject, then the relation and the object of each hop.

    Several objects are joined by `BREAK`; of what was not taught the object is `UNKNOWN`.
    """
    return BAR.join((subject, *(part for hop in hops for part in hop)))


def recited(reply: str) -> tuple[RecitedHop, ...]:
    """The hops that a reply recites; none where it is not in form, or ends in `UNKNOWN`."""
    subject, *rest = (part.strip() for part in reply.split(BAR.strip()))
    if not subject or not rest or len(rest) % 2 or "\n" in reply.strip():
        return ()
    lines = []
    for relation, told in zip(rest[::2], rest[1::2], strict=True):
        objects = tuple(part.strip() for part in told.split(BREAK.strip()))
        if not relation or not all(objects) or fold(objects[0]) == UNKNOWN:
            return ()
        lines.append(RecitedHop(subject, relation, objects))
        subject = told  # of several objects none begins the next hop: it is nobody's name
    return tuple(lines)


def sayable(name: str) -> bool:
    """Whether a name can stand in a path and be read again."""
    return bool(name.strip()) and not any(mark in name for mark in ("|", ";", "\n", "\r"))


def folded(subject: str, relation: str) -> Slot:
    """Subject and relation as they are compared."""
    return fold_name(subject), " ".join(fold(relation).split())


def same_objects(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether both name the same things, in any order."""
    return {fold_name(one) for one in some} == {fold_name(one) for one in others}


class Reciter(Protocol):
    """The model that answers, with an adapter."""

    @property
    def name(self) -> str:
        """What to show the user."""

    def recite(self, adapter: Path, base: str, message: str) -> Completion:
        """Have the adapter in a folder, taught on `base`, answer a message of `recital_of`.

        Raises ModelUnavailable, ModelReplyError, MissingExtra.
        """


class ArtifactStore(Protocol):
    """Where adapters, sets, checkpoints and exports lie."""

    def card(self, folder: Path) -> Card:
        """The card of an adapter; raises NotFound where it is not there, CorruptFile."""

    def delete(self, path: Path, *, dry_run: bool = False) -> str:
        """Delete a file, or a folder with a card; nothing that lies elsewhere.

        Returns why it cannot be done, "" where it is done (of a dry run: where it could be).
        """
