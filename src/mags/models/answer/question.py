"""What a question asks for, read without a model: its words, its names, the kind of its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mags.caches import cached
from mags.models.answer import cues
from mags.models.policy.rules.lexicon import FIRST
from mags.models.policy.rules.questions import YES_NO, answer_kind, plainer
from mags.models.policy.rules.tokens import WORD, stem, stems
from mags.models.policy.rules.when import times
from mags.ports.english import PAST_WORDS, lemma, word_set
from mags.ports.policy import Turn
from mags.ports.relations import canonical, relations

STOP = word_set(
    """a an and any are as at be been being but by can could did do does doing for from get got had
    has have having he her hers him his how i if in into is it its just let many may me might mine
    much my of on or our out over please she should so some tell than that the their them then
    there these they this those to too up us was we were what when where which who whom whose why
    will with would you your yours am about ago before after ever still now currently remind
    again know remember say said mention mentioned anything something thing things kind sort type
    name names many day date year month time person place reason number s t ll ve re d m not"""
)
PAST = re.compile(rf"\b(?:{PAST_WORDS}|originally|last (?:job|home|address|employer))\b", re.I)
PAST_TENSE = re.compile(r"\b(?:did|was|were|had|used)\b", re.I)
CLOSERS = re.compile(r"\s+(?:called|named|for (?:a living|work))\s*(?=\?|$)", re.I)
DOES = re.compile(r"^what (?:do|does|did) .+ do\s*\??$", re.I)
IDENTITY = re.compile(r"^[Ww]ho(?:'s| is| was) (?:[^\W\d_a-z][\w'.-]*\s*)+\??$")
NAME = re.compile(r"[^\W\d_a-z][\w'.-]*(?:\s+(?:of\s+)?[^\W\d_a-z][\w'.-]*)*")
AUXILIARY = r"(?:do|does|did|is|are|am|was|were|has|have|had|will|can|should)"
COUNTS = re.compile(r"\bhow many\b(?!.*\b(?:times|years|days|hours|weeks|months)\b)", re.I)
CONTRACTED = r"(?:who|what|where|when|how|it|that|there|he|she)'s"
ASKS_OBJECT = re.compile(
    rf"\b(?i:{AUXILIARY})(?:n't)?\s+(?:my\b|our\b|I\b|the\b|[A-Z])"
    rf"|\b(?!(?i:{CONTRACTED})\b)\w+'s\b|\bof\s+[A-Z]|\b(?:my|our)\b"
)
HOLDS = re.compile(r"^who(?: has| had| have|'s) (?:got )?(?:the|an?)\b", re.I)
"""What asks who has something."""
ASKS_SUBJECT = re.compile(rf"^(?:[Ww]ho|[Ww](?:hich|hat) \w+)\s+(?!{AUXILIARY}\b)\w+")
ORIGIN = re.compile(r"\bfrom\s*\??$", re.I)
"""The end of a question for where somebody or something is from."""
DOER = re.compile(r"\b(?:do|does|did)(?:n't)? (?P<who>(?:I|we)\b|[A-Z][\w-]*)(?!['\w])")
COMPLEMENT = re.compile(
    r"\b(?:the|my|our|his|her|their|an?) (?:[a-z]+ )?(?P<head>[a-z]+) (?:"
    r"(?:to|of|for|on|with|about) (?:the|my|our|his|her|their|an?) "
    r"(?P<of>[a-z]+ [a-z]+(?=\W*$)|[a-z]+)|(?:in|at) (?P<where>(?-i:[A-Z])[a-z]+))",
    re.I,
)
OWNED = re.compile(
    r"\b(?P<of>[^\W\d_]+)['\N{RIGHT SINGLE QUOTATION MARK}]s (?P<head>[^\W\d_]+)", re.I
)
OFFER = re.compile(r"(?P<first>[^,:;?]+) or (?P<second>[^,:;?]+)\W*$", re.I)
"""The end of a question that offers two answers: ", the red one or the blue one?"."""
OPEN_OFFER = re.compile(
    r"\b(?:(?:any|some)\w*|ever|not|so|no)\b|\bor (?:else|even|more|less|two)\b", re.I
)
"""What shows that yes or no is asked for all the same: "any brothers or sisters"."""
LIGHT = "go happen due take scheduled planned days dates months years times"
"""Words that only ask for a time: "when is it due", "which days"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Then:
    """The time that a question names: from `since` until `until`, seconds.

    `words`: the stems it is said by, which no fact has to repeat.
    """

    since: float
    until: float
    words: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuestion:
    """`words`: stems of the content words. `names`: for each named thing its stems (the speaker
    for "I" and "my"). `kind`: as in `Plan.answer_kind`. `past`: what is over is wanted.
    `told`: it is put in the past tense, so that what is over may answer it too. `identity`: it
    asks who somebody is.
    `relations`: names of the relations it may ask about, each with the stems it says them by.
    `end`: the end of a fact that is asked for, "object", "subject" or "" if that is not clear.
    `cue`: what an answer must hold, as an age. `kin`: the relatives and pets that are asked about.
    `counts`: it asks how many there are. `then`: the past time it names, "in June 2023".
    `doer`: who is asked to have done it. `own`: what is asked for as the speaker's ("my birthday").
    `origin`: it asks where from. `offered`: stems of each of two answers that it offers.
    `compares`: it asks which of these is more of something.
    """

    words: frozenset[str]
    names: tuple[frozenset[str], ...]
    kind: str
    past: bool
    relations: Mapping[str, frozenset[str]]
    end: str
    told: bool = False
    identity: bool = False
    cue: re.Pattern[str] | None = None
    kin: frozenset[tuple[str, str]] = frozenset()
    then: Then | None = None
    counts: bool = False
    doer: frozenset[str] = frozenset()
    origin: bool = False
    own: tuple[str, ...] = ()
    offered: tuple[frozenset[str], ...] = ()
    compares: bool = False


def read_question(turn: Turn) -> ParsedQuestion:
    """Read a question; nothing is ever unreadable, an unknown kind is ""."""
    text = turn.text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    timeless, then = then_of(text, turn.at)
    cue, offered = cues.cue_of(text), _offered(text)
    text = CLOSERS.sub("", plainer(text))
    heard = [word.casefold() for word in WORD.findall(text)]
    spans = _names(CLOSERS.sub("", timeless))
    names = [stems(name) for name in spans]
    if FIRST.intersection(heard):
        names.append(stems(turn.speaker))
    kind = ("" if offered else "yesno") if YES_NO.match(text) else answer_kind(text)
    asks_object = ASKS_OBJECT.search(text) is not None and not HOLDS.match(text)
    asks_subject = HOLDS.match(text) or ASKS_SUBJECT.match(text)
    trade = content("work") if DOES.match(text) else frozenset()
    return ParsedQuestion(
        words=_weighty(content(text) | trade, kind, names),
        names=tuple(dict.fromkeys(name for name in names if name)),
        kind=kind,
        past=PAST.search(text) is not None,
        relations=_asked(heard, stems(" ".join(spans)), kind),
        told=PAST_TENSE.search(text) is not None,
        identity=IDENTITY.match(text) is not None,
        cue=cue,
        kin=cues.kin_of(text),
        then=then,
        counts=COUNTS.search(text) is not None,
        doer=_who(DOER.search(text), turn.speaker),
        origin=kind == "place" and ORIGIN.search(text) is not None,
        own=tuple(noun.casefold() for noun in cues.OWN.findall(text)),
        offered=offered,
        compares=cues.COMPARED.search(text) is not None
        and (bool(offered) or cues.OF_TWO.search(text) is not None),
        end="object" if asks_object else "subject" if asks_subject else "",
    )


def _offered(text: str) -> tuple[frozenset[str], ...]:
    """The stems of each of two answers that a question offers; none where it offers none.

    After "who", "which" and the like they stand behind a comma; else the last word before "or" is
    the first of them.
    """
    found = OFFER.search(text)
    if found is None or OPEN_OFFER.search(found[0]):
        return ()
    first = found["first"]
    if found.start() == 0:
        if not YES_NO.match(text):
            return ()
        first = first.split()[-1]
    both = tuple(content(one) or stems(one) for one in (first, found["second"]))
    return both if all(both) else ()


def then_of(text: str, at: float) -> tuple[str, Then | None]:
    """A question without the past time it names, and that time; as it is where it names none."""
    found = times(text, at, future=False)
    if len(found) != 1 or found[0].role != "at" or found[0].since > at:
        return text, None
    time = found[0]
    said = text[time.start : time.end]
    told = Then(since=time.since, until=time.until, words=stems(said))
    return f"{text[: time.start]} {text[time.end :]}", told


def _weighty(words: frozenset[str], kind: str, names: list[frozenset[str]]) -> frozenset[str]:
    """Words without those that only ask for a time: when something is due or who goes to Madeira.

    As they are where nothing would be left but who is asked about.
    """
    left = words - content(LIGHT) if kind == "time" else words
    return left if left - frozenset().union(*names) else words


def of_another_thing(question: str, text: str, texts: Sequence[str]) -> bool:
    """Whether a text is of another thing of the same name: of a key, but not to the safe.

    It tells itself what or whose it is, or none of the `texts` tells of what is asked.
    """
    held = content(text)

    def is_told(pattern: re.Pattern[str], head: str, of: frozenset[str]) -> bool:
        return any(head == other and not told <= of for other, told in _parts(pattern, text))

    return any(
        head in held and not of <= held and is_told(pattern, head, of)
        for pattern in (COMPLEMENT, OWNED)
        for head, of in _parts(pattern, question)
    ) or any(
        head in held
        and not of <= held
        and not any(of <= content(cues.QUESTIONS.sub(" ", one)) for one in texts)
        for head, of in _parts(COMPLEMENT, question)
    )


def _parts(pattern: re.Pattern[str], text: str) -> list[tuple[str, frozenset[str]]]:
    """The things of a text with what they are of, for or in, by stems: "the key to the van"."""
    found = [one.groupdict() for one in pattern.finditer(text)]
    pairs = ((content(one["head"]), content(one["of"] or one.get("where") or "")) for one in found)
    return [(head, of) for heads, of in pairs if of for head in heads]


def _who(asked: re.Match[str] | None, speaker: str) -> frozenset[str]:
    """The stems of whom a question names; "I" and "we" are who asks."""
    if asked is None:
        return frozenset()
    return stems(speaker if asked["who"].casefold() in ("i", "we") else asked["who"])


def _names(text: str) -> list[str]:
    """Capitalised spans, the question word at the beginning left out."""
    found = []
    for span in NAME.findall(text):
        words = [w for w in span.split() if w.casefold().split("'")[0] not in STOP | {"since"}]
        if words and words != ["I"]:
            found.append(" ".join(words).strip(".'-"))
    return found


# Which relations are asked for.

TRADES = ("works as", "worked as", "is a", "was a", "runs", "does")
PARTICLES = {
    "place": ("in", "at", "to"),
    "time": ("in", "on"),
    "person": ("with", "to"),
    "thing": ("at", "as", "for", "in", "on"),
}
ASKED_BY: tuple[tuple[str, str, str, str], ...] = (
    ("", "sibling siblings", "brother|sister", "sibling"),
    ("", "pet pets animals", "dog|cat|rabbit|hamster|parrot|bird|fish|horse|pet", "pet animal"),
    ("", "child children kids", "son|daughter|child", "child"),
    ("", "partner", "is dating|is married to|is engaged to", "partner"),
    ("", "boyfriend girlfriend", "is dating", "boyfriend girlfriend"),
    ("", "car", "car|drives", "car drive kind make"),
    (
        "",
        "university uni college",
        "studied at|studied|studies|is studying at",
        "university uni go",
    ),
    ("", "medicine medication tablets pills", "takes", "medicine medication tablets pills"),
    ("", "food foods dish dishes drinks", "likes|dislikes", "food dish drink like hate love"),
    ("live with", "who", "roommate|lives with", "live"),
    ("born", "when", "birthday", "born bear"),
    ("from", "move moved", "lived in", "move"),
    ("", "hobby hobbies", "likes", "hobby"),
    ("", "manager", "boss", "manager"),
    ("job", "previous last former old", "worked at|worked as", "job previous last former old"),
)
"""Words that a question has all, others of which it has one, the relations that it may ask for by
them, and what these are then said by."""


def _asked(heard: list[str], named: frozenset[str], kind: str) -> dict[str, frozenset[str]]:
    """The relations a question may ask for, by their own words and by what these are called."""
    found = dict(_relations(heard, named, kind))
    said_by = [
        (relation, said)
        for every, some, names, said in ASKED_BY
        if set(every.split()) <= set(heard) and not set(some.split()).isdisjoint(heard)
        for relation in names.split("|")
    ]
    for relation, said in said_by:
        found[relation] = found.get(relation, frozenset()) | content(said)
    return found


def _relations(
    heard: list[str], named: frozenset[str], kind: str
) -> Iterator[tuple[str, frozenset[str]]]:
    """Relations of the table that runs of up to four words name, with their stems."""
    words = [w.removesuffix("'s") for w in heard if not stems(w) & named]
    yield from _idioms(heard)
    for length in range(4, 0, -1):
        for first in range(len(words) - length + 1):
            run = " ".join(words[first : first + length])
            said = content(run)
            if not said and (length == 1 or words[first] not in ("is", "was", "are", "am")):
                continue
            tried = [run, *(f"{run} {particle}" for particle in PARTICLES.get(kind, ()))]
            for phrase in tried if length == 1 else tried[:1]:
                for name in same_relation(phrase):
                    yield name, said | _types(name, heard)


def _idioms(heard: list[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Relations that a question asks about in words of its own, with their stems."""
    if DOES.match(" ".join(heard)):
        yield from ((name, content("work")) for name in TRADES)
    if HOLDS.match(" ".join(heard)):
        yield "has", frozenset()
    if ("my", "name") in pairwise(heard):
        yield "is called", frozenset()
    if heard[:2] == ["how", "old"]:
        yield "age", content("old")


TYPES = {
    "place": word_set("city town country village place street state area home"),
    "speaks": word_set("language languages"),
    "works as": word_set("job profession trade occupation work title position role"),
    "works at": word_set("company employer firm office"),
    "birthday": word_set("birthday"),
}


def _types(relation: str, heard: list[str]) -> frozenset[str]:
    """Stems of words that only name the type of what a relation answers: "which languages"."""
    known = relations().get(relation)
    names = (relation, known.answers if known else "")
    kinds = frozenset().union(*(TYPES.get(name, ()) for name in names))
    return content(" ".join(kinds.intersection(heard)))


def type_of(thing: str, relation: str = "") -> frozenset[str]:
    """Stems of the word for what kind of thing something played or taken is."""
    if relation == "takes":
        return content("medication medicine drug tablet pill")
    if relation == "is learning" and thing[:1].isupper():
        return content("language")
    last = re.split(r" (?:in|for|with|at|on) ", thing.casefold())[0].rpartition(" ")[2]
    return content(cues.kind_of_thing(last))


def same_relation(phrase: str) -> frozenset[str]:
    """Names under which the relation of a phrase is stored: now, when over, from either end."""
    known = canonical(phrase)
    if known is None:
        return frozenset()
    now = [one for one in relations().values() if one.past and one.past == known.name]
    both = [known, *now]
    return frozenset(name for one in both for name in (one.name, one.past, one.inverse) if name)


SYNONYMS = cues.kinds(
    """film movie movies | tv telly television | phone mobile cellphone | bicycle bike bikes |
    car automobile | flat apartment | vacation holiday holidays | colour color |
    marry wedding weddings | doctor physician gp | university uni"""
)
"""From each word to the one that stands for all of its row."""


@cached(4096)
def content(text: str) -> frozenset[str]:
    """Stems of the words of a text that carry meaning; a word counts as its stem alone."""
    kept = (w for w in WORD.findall(text) if w.casefold().split("'")[0] not in STOP)
    return frozenset(stem(_base(word)) for word in kept)


def _base(word: str) -> str:
    """The word in lower case; an irregular past in its base form ("broke": "break")."""
    low = word.casefold().removesuffix("'s")
    if low in RELATIVES:
        return RELATIVES[low]
    low = SYNONYMS.get(low, (low,))[0]
    base = lemma(low) if word.islower() else low
    return base if not low.startswith(base[:3]) or low.endswith("t") else low


KIN_KINDS = ("parent", "child", "grandparent")
RELATIVES = {w: o for w, (o, kind) in cues.KIN_TERMS.items() if kind in KIN_KINDS and w != kind}
"""From each word for a relative to the one that stands for all of them: "mum" is "mother"."""
