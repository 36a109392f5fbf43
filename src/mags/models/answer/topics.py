"""Questions that are answered in a way of their own, and what is said where nothing surely answers.

Of a matter: "What have I told of my shoulder?", "What became of the cardigan?", "What changed about
the rent?" are answered by the turns that tell of it, oldest first; "When did I mention the boiler?"
by the day of the first of them. "What did I just say?" is answered by the last turn.

Of a person: "What is my name?", "What do you know about Ana?", "Where does my brother live?" (asked
again with the brother's name), "Who was my flatmate before Lotte?" (asked again without Lotte).

Of a class: "Which of my friends live in Norway?" names each of whom it is told, or says how many
they are; "Who is older, Ana or Ben?" compares what is told of both, ages by when somebody was born,
sums of one unit only, and days no finer than was told.

Where no memory surely answers: that it is not sure, and what comes closest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations, pairwise

from mags.models import rendering
from mags.models.answer.cues import KIN_TERMS, kin_of
from mags.models.answer.question import ParsedQuestion, content, read_question
from mags.models.answer.spans import Candidate, corrects, logit
from mags.models.answer.support import (
    FIRST_PERSON,
    ROLE_NAMES,
    end_of,
    mentioned_text,
    slot,
)
from mags.models.policy.rules.lexicon import ARTICLES, POSSESSIVES, PREPOSITIONS
from mags.models.policy.rules.sets import SetQuestion, set_question
from mags.models.policy.rules.tokens import WORD, stems
from mags.models.policy.rules.when import times
from mags.ports.answer import Answer, ContextItem, RecallAgain
from mags.ports.english import LEAD, all_about, is_verb, plain_kin, topic_of
from mags.ports.policy import GUESS, NO_LONGER, Turn, asks
from mags.ports.relations import canonical

MOST_TOLD = 4
"""Turns of a matter that are quoted."""
LEAST_ALONE = 0.3
"""How likely a turn has to answer that is the only one to tell of a matter."""
_WHO = r"(?:I|we|you|[A-Z][\w'-]*(?: [A-Z][\w'-]*)?|(?:the )?user)"
_TOPIC = r"(?P<topic>[^?]+?)(?: (?:so far|again|now|these days))?\W*$"
_OF = re.compile(
    rf"^(?:so |and )?(?:what (?:do|did|does|have|has|can) {_WHO} (?:know|knows|remember|told?"
    rf"|tells?|says?|said|write|written)(?: (?:you|me|us))? (?:of|about)"
    r"|what (?:is|was|'s) (?:known|told|said) (?:of|about)|what (?:became|has become|happened"
    r" (?:to|with)) ?(?:of)?|what(?: has| have|'s)? changed (?:about|with|for|in)"
    r"|what(?:'s| is) (?:new|up) with|tell me (?:more |all |everything )?about"
    rf"|how (?:did|has|have)) {_TOPIC}",
    re.I,
)
_CHANGED = re.compile(r"\bchanged?\b", re.I)
_CHANGE = re.compile(r" chang(?:e|ed)(?: over .*| since .*)?$", re.I)
_WHEN_TOLD = re.compile(
    rf"^(?:on )?(?:when|what day|which day) (?:did|have|has) (?P<who>{_WHO}) (?:first |last )?"
    r"(?:tell|told|say|said|mention|mentioned|write|written)(?: (?:you|me|us))?"
    r"(?: (?:about|of|that))*"
    rf"(?: {_TOPIC})?\W*$",
    re.I,
)


_MARK = re.compile(r"\[m(\d+)\]")
_THAT = frozenset({"", "that", "this", "it", "so"})


def topic_asked(text: str) -> str:
    """Of what a question asks for everything that was told; "" where it asks for one thing."""
    found = _OF.match(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip())
    if found is None:
        return ""
    topic = found["topic"]
    if re.match(r".*\bhow (?:did|has|have) ", text[: found.start("topic")], re.I):
        return _CHANGE.sub("", topic) if _CHANGE.search(topic) else ""
    return topic


def told_of(question: Turn, read: Sequence[Candidate]) -> Answer | None:
    """All that was told of a matter, oldest first; None for another question or where nothing was.

    `read`: the turns that were read, likeliest first.
    """
    topic = topic_asked(question.text)
    owner, _, thing = topic.rpartition("'s ")
    words = content(thing if owner else topic) or content(topic)
    if not words:
        return None
    whose = content(owner)
    found = [
        one
        for one in read
        if words <= content(one.item.text)
        and not one.item.text.rstrip().endswith("?")
        and (not whose or whose & stems(f"{one.item.speaker} {one.item.text}"))
    ][:MOST_TOLD]
    if len(found) < 1 + bool(_CHANGED.search(question.text)):
        return None  # a change has a before and an after
    sure = max(one.best for one in found)
    if len(found) == 1 and sure < LEAST_ALONE:
        return None
    kept = sorted((one.item for one in found), key=lambda item: item.at)
    return citing(" ".join(map(quote, kept)), kept, sure)


def told_when(
    question: Turn,
    items: Sequence[ContextItem],
    recent: Sequence[Turn],
    recall_again: RecallAgain,
) -> Answer | None:
    """The day a turn was said that tells of something; None for any other question."""
    asked = _WHEN_TOLD.match(question.text.strip())
    if asked is None:
        return None
    topic = (asked["topic"] or "").casefold()
    if topic in _THAT:  # of the last answer
        marks = [mark for turn in recent for mark in _MARK.findall(turn.text)]
        last = next((turn.text for turn in reversed(recent) if _MARK.search(turn.text)), "")
        shown = recall_again(last) if marks else ()
        found = [item for item in shown if str(item.id) == marks[-1]]
    else:
        who = question.speaker if asked["who"].casefold() in ("i", "we") else asked["who"]
        words = content(topic)
        found = [
            item
            for item in items
            if item.fact is None
            and words
            and words <= content(item.text)
            and item.speaker.casefold() == who.casefold()
        ]
    told = min(found, key=lambda item: item.at, default=None)
    if told is None or not rendering.known(told.at):
        return None
    return citing(f"{rendering.date(told.at)} \N{EM DASH} {quote(told)}", [told], 1.0)


# -- the talk itself -----------------------------------------------------------

_LAST = re.compile(
    r"^(?:so |and |wait,? |sorry,? )?(?:what (?:did (?P<who>I|we|[A-Z]\w*) just (?:say|tell"
    r"|ask|write"
    r"|mention)|(?:was|is) (?:it )?(?:the )?(?:last thing )?(?P<who2>I|we"
    r"|[A-Z]\w*) (?:just )?(?:said"
    r"|told|asked|wrote|mentioned)(?: last)?)|(?:repeat|say again) what (?P<who3>I|[A-Z]\w*) just"
    r" said)\b(?: (?:you|to you|me|us|there))?\W*$",
    re.I,
)


def said_last(question: Turn, recent: Sequence[Turn], recall_again: RecallAgain) -> Answer | None:
    """Quote the last turn of somebody, if that is asked; None for any other question.

    `recent`: what was just said, oldest first.
    """
    asked = _LAST.match(question.text.strip())
    if asked is None:
        return None
    who = asked["who"] or asked["who2"] or asked["who3"]
    speaker = question.speaker if who.casefold() in ("i", "we") else who
    said = [turn for turn in recent if turn.speaker.casefold() == speaker.casefold()]
    if not said:
        return None
    last = said[-1]
    held = (item for item in recall_again(last.text) if item.fact is None)
    shown = [one for one in held if one.text == last.text][:1]
    mark = "".join(f" [m{item.id}]" for item in shown)
    day = rendering.date(last.at)
    text = f"{OPEN}{brief(last.text)}{CLOSE}{mark} ({speaker}{f', {day}' if day else ''})"
    return citing(text, shown, 1.0)


# -- a person ------------------------------------------------------------------

MOST_OF_PROFILE = 7
"""Facts of a profile."""
MOST_QUOTED_OF = 4
"""Turns that are quoted of somebody of whom fewer facts are known."""
_OF_KIN = re.compile(r"(?P<owner>my|[A-Z][\w-]*'s|user's) (?P<noun>[a-z-]+)", re.I)
_OWN_NAME = re.compile(
    rf"^{LEAD}(?:(?:do you (?:know|remember)|tell me) (?:what )?)?"
    r"(?:what(?:['\u2019]s| is) my name|my name(?: is)?|who am i|what am i called)(?: again)?\W*$",
    re.IGNORECASE,
)
_WHOM = re.compile(r"me|myself|[^\W\d_a-z][\w.'-]*(?: (?:[^\W\d_a-z][\w.'-]*|of|the|de|van))*")
_CALLED = ("is called", "is also called")
_MINE = re.compile(
    r"\b(?:[Mm]y|[Oo]ur) (?=(?P<noun>[a-z]+(?:-in-law)?(?: [a-z]+){0,2})(?:['\u2019]s\b|\W|$))"
)
_DESCRIBED = re.compile(
    r"\b(?P<whole>the (?P<noun>[a-z-]+)(?: (?P<of>of (?:my|our)) | who )[a-z].*?)\W*$"
)
"""Somebody who is told by what they do or are of: "the man who fixes my bike"."""
MOST_DESCRIBED = 10
"""Words of a description that is asked for by itself."""
_ASKED_FOR = re.compile(r"(?:\w+ )?(?:who|what|which)(?:['\u2019]s| is| was| are| were) ", re.I)
_DOES = re.compile(r"\b(?:do|does|did|will|can|could|should|would)\b", re.I)
_BEFORE = re.compile(
    r"^(?=(?:who|whom|what|which|where|how much|when)\b)"
    r"(?P<asked>.+?\bbefore) (?:(?:the|a|an|my|our|his|her|their|that|this) )?"
    r"(?P<next>[^?,]+?)\s*\?*$",
    re.I,
)
_CLAUSE = re.compile(r"^(?:it|that|this|then|i|we|he|she|they|now)\b", re.I)
"""What begins a clause or names nothing: "before it was moved"."""
_BOTH = re.compile(
    r"\bfrom\b.+\bto\b|\b(?:instead|before|used to|until|after|left|replac\w+|switch\w+|chang\w+"
    r"|mov\w+|swap\w+|tak\w+ over|took over|no longer|rather than|not)\b",
    re.I,
)
"""What shows that a turn tells of both, what was and what came."""


def asks_own_name(text: str) -> bool:
    """Say whether who asks wants to hear who they are."""
    return _OWN_NAME.match(text.strip()) is not None


def about_whom(question: Turn, items: Sequence[ContextItem] = ()) -> str:
    """Return of whom everything is asked ("What do you know about Ana?", "my sister"), or "".

    Of a relative whose one name the memories tell, that name.
    """
    kin = _OF_KIN.fullmatch(all_about(question.text) or topic_asked(question.text))
    if kin is not None and kin["noun"].casefold() in KIN_TERMS:
        owner = kin["owner"].removesuffix("'s")
        owner = question.speaker if owner.casefold() == "my" else owner
        called = list(_known(owner, kin["noun"].casefold(), items))
        return called[0] if len(called) == 1 else f"{owner}'s {kin['noun']}"
    topic = topic_of(question.text)
    whom = topic if _WHOM.fullmatch(topic) else ""
    return question.speaker if whom.casefold() in {"me", "myself"} else whom


def own_name(question: Turn, items: Sequence[ContextItem]) -> tuple[str, ContextItem] | None:
    """Return the name of who asks, and what shows it; None where nothing does.

    What they said they are called, else the name they go by where anything is held of them.
    """
    speaker = question.speaker
    own = [item for item in items if item.current and _is(item, speaker)]
    for item in own:
        if item.fact is not None and item.fact[1] == _CALLED[0] and item.fact[2][:1].isupper():
            return item.fact[2], item
    if speaker in ROLE_NAMES:
        return None
    said = [item for item in items if item.fact is None and item.speaker == speaker]
    named = (item for item in said if speaker in item.text)
    shown = next(iter((*named, *own, *said)), None)
    return None if shown is None else (speaker, shown)


def profile(whom: str, items: Iterable[ContextItem]) -> list[ContextItem]:
    """Return the current facts of somebody, else those that end on them, in the order of recall.

    What only calls them by the name asked with tells nothing, and each fact is told once.
    """
    name = whom.casefold()
    of_them: dict[tuple[str, str, str], ContextItem] = {}
    on_them: dict[tuple[str, str, str], ContextItem] = {}
    for item in items:
        if item.fact is None or not item.current or item.fact[1].startswith(NO_LONGER):
            continue
        subject, relation, obj = (end.casefold() for end in item.fact)
        if subject == name and not (relation in _CALLED and obj == name):
            of_them.setdefault(item.fact, item)
        if obj == name:
            on_them.setdefault(item.fact, item)
    return list((of_them or on_them).values())[:MOST_OF_PROFILE]


def turns_about(whom: str, items: Iterable[ContextItem]) -> list[ContextItem]:
    """Return the turns that tell something of somebody: that name them, or are by them of themself.

    Of "Ana's sister" those that name both, and those in which Ana speaks of a sister.
    """
    owner, whose, noun = whom.partition("'s ")
    found: dict[str, ContextItem] = {}
    for item in items:
        if item.fact is not None or item.text.rstrip().endswith("?"):
            continue
        held = stems(item.text)
        own = item.speaker.casefold() == owner.casefold() and FIRST_PERSON.search(item.text)
        if (own or stems(owner) <= held) and (not whose or kin_of(noun) & kin_of(item.text)):
            found.setdefault(item.text, item)
    return list(found.values())[:MOST_QUOTED_OF]


def _is(item: ContextItem, name: str) -> bool:
    return item.fact is not None and item.fact[0].casefold() == name.casefold()


def by_name(question: Turn, items: Sequence[ContextItem]) -> tuple[Turn, ContextItem] | None:
    """Return the question with "my piano teacher" told by name, and the fact that tells it.

    None where it names nobody so, or the memory knows none or several.
    """
    match = _MINE.search(question.text)
    words = match["noun"].split() if match else []
    for length in range(len(words), 0, -1):
        noun = " ".join(words[:length])
        known = _known(question.speaker, noun, items)
        if match is not None and len(known) == 1:
            name, told = next(iter(known.items()))
            text = question.text
            text = f"{text[: match.start()]}{name}{text[match.end() + len(noun) :]}"
            return replace(question, text=text), told
    return None


def _known(speaker: str, noun: str, items: Sequence[ContextItem]) -> dict[str, ContextItem]:
    found = canonical(noun)
    wanted = {plain_kin(noun), found.name if found else noun}
    return {
        item.fact[2]: item
        for item in items
        if item.fact is not None
        and item.current
        and _is(item, speaker)
        and plain_kin(item.fact[1].split(" at ")[0]) in wanted
        and item.fact[2][:1].isupper()
    }


def described(question: Turn) -> tuple[str, str] | None:
    """How somebody is told of whom a question asks, and the question who that is.

    "the treasurer of my club" of "What does the treasurer of my club do for a living?".
    """
    found = _DESCRIBED.search(question.text)
    if found is None or _ASKED_FOR.fullmatch(question.text[: found.start()]):
        return None
    whole = found["whole"]
    if _DOES.search(question.text[: found.start()]):
        said = list(WORD.finditer(whole))
        behind = [  # the last verb is what they do, but for "the work" and "to work"
            one.start()
            for before, one in pairwise(said[3:])
            if is_verb(one[0]) and before[0] not in ARTICLES | POSSESSIVES | PREPOSITIONS
        ]
        if not behind:
            return None
        whole = whole[: behind[-1]].rstrip()
    if len(whole.split()) > MOST_DESCRIBED:
        return None
    return whole, f"Who is {whole}?" if found["of"] else f"Who {whole.split(maxsplit=3)[-1]}?"


def before_another(
    question: Turn, items: Sequence[ContextItem], recall_again: RecallAgain
) -> tuple[Turn, Sequence[ContextItem]] | None:
    """Return the question without "Lotte", and the memories with the one before her as what was.

    Of the facts that would answer, the last that began before hers is kept and counts as over.
    What the whole question brought up is mostly of her, so what is left of it is recalled too.
    None where nothing else is named so, or no memory speaks of it; of whom none does, no memories.
    """
    match = _BEFORE.match(question.text.strip())
    if match is None:
        return None
    asked = replace(question, text=f"{match['asked']}?")
    if _CLAUSE.match(match["next"]):
        return asked, items
    named = content(match["next"])
    if not named or not any(named <= content(item.text) for item in items):
        return (question, ()) if named and match["next"][:1].isupper() else None
    known = {item.id for item in items}
    items = (*items, *(item for item in recall_again(asked.text) if item.id not in known))
    read = read_question(asked)
    fitting = [item for item in items if slot(read, item).answer]
    own = [item for item in fitting if named <= content(end_of(item, slot(read, item).answer))]
    begun = min((_begun(item) for item in own), default=None)
    hers = {item.id for item in own}
    earlier = [
        item
        for item in fitting
        if item.id not in hers
        and (not item.current or (begun is not None and _begun(item) < begun))
    ]
    last = max(earlier, key=_begun, default=None)
    dropped = {item.id for item in fitting} - ({last.id} if last else set())
    first = min(item.at for item in items if named <= content(item.text))
    dropped |= {  # nor what tells of her alone, or was said when she was there
        item.id
        for item in items
        if item.fact is None
        and not (_BOTH.search(item.text) if named <= content(item.text) else item.at < first)
    }
    kept = [item for item in items if item.id not in dropped]
    return asked, [replace(item, current=False) if item is last else item for item in kept]


def _begun(item: ContextItem) -> float:
    """When a fact began: when it was said, where nothing else is stated."""
    return item.at if item.valid_from is None else item.valid_from


# -- of a class -------------------------------------------------------------------

YEAR_S = 365.25 * 86_400
_AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")
_WHEN = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_ONLY_ASKING = content("many name list show anyone anybody someone somebody people")
"""What only asks, and is told in no answer."""

Range = tuple[float, float, str]
"""The least and the greatest that a value may be, and of what unit."""


def members_told(
    question: Turn, items: Sequence[ContextItem]
) -> tuple[str, Sequence[ContextItem]] | None:
    """The answer to a question over a class, and what shows it, oldest first; None for any other.

    Of what is compared None where it is not told of all, or told too roughly.
    """
    shown = sorted((item for item in items if item.members), key=lambda item: (item.at, item.id))
    asked = set_question(question) if shown else None
    if asked is None or _tells_more(question, items):
        return None
    names = list(dict.fromkeys(name for item in shown for name in item.members))
    if asked.order:
        most = _most(asked, names, shown)
        return None if most is None else (most, shown)
    all_of_them = ", ".join(names)
    if asked.asks == "count":
        return f"{len(names)} ({all_of_them})", shown
    return (f"Yes: {all_of_them}" if asked.asks == "any" else all_of_them), shown


def lacks_class(question: Turn, items: Sequence[ContextItem]) -> bool:
    """Whether a class of somebody is asked about, and no memory speaks of it and of what is asked.

    "Rosa speaks German" does not say that she is a cousin.
    """
    asked = set_question(question)
    return asked is not None and bool(asked.members.owner) and not any(_whole(question, items))


def _whole(question: Turn, items: Sequence[ContextItem]) -> Iterator[ContextItem]:
    """The memories that have all the words of what is asked."""
    words = content(question.text) - _ONLY_ASKING
    return (item for item in items if words <= content(item.text) and not asks(item.text))


def _tells_more(question: Turn, items: Sequence[ContextItem]) -> bool:
    """Whether a turn speaks of all that is asked, and gave none of the facts."""

    def lead(item: ContextItem) -> int:
        return item.id if item.within is None else item.within

    covered = {lead(item) for item in items if item.members}
    told = [item for item in items if item.fact is None and item.current and not item.ended]
    return any(lead(item) not in covered for item in _whole(question, told))


def _most(asked: SetQuestion, names: Sequence[str], shown: Sequence[ContextItem]) -> str | None:
    """Who is the most of something; None where two may be."""
    values: dict[str, Range] = {}
    for name in names:
        told = [_value(asked, item) for item in shown if name in item.members]
        known = {value for value in told if value is not None}
        if len(known) != 1:
            return None
        values[name] = known.pop()
    if len(values) < 2 or len({unit for _, _, unit in values.values()}) > 1:
        return None
    sign = 1.0 if asked.more else -1.0
    ends = {name: sorted((sign * low, sign * high)) for name, (low, high, _) in values.items()}
    best = max(ends, key=lambda name: ends[name])
    others = [end for name, end in ends.items() if name != best]
    apart = all(high <= ends[best][0] and [low, high] != ends[best] for low, high in others)
    return best if apart else None


def _value(asked: SetQuestion, item: ContextItem) -> Range | None:
    """What a fact tells of that by which members are compared; None where it tells nothing."""
    told = {name for link in asked.members.told for name in link.relations | link.inverse}
    if item.fact is None or item.fact[1] not in told:
        return None
    _, relation, thing = item.fact
    if asked.order == "when":
        return _span(dict(item.qualifiers).get("when", ""), item)
    amount = _AMOUNT.search(thing)
    if asked.order == "age" and relation != "age":
        birth = _span(thing, item)
        return None if birth is None else (-birth[1], -birth[0], "")
    if amount is None:
        return None
    value = float(amount[0].replace(",", ""))
    if asked.order == "age":  # born between so many years and one more before it was told
        return value * YEAR_S - item.at, (value + 1) * YEAR_S - item.at, ""
    return value, value, " ".join(_AMOUNT.sub(" ", thing).casefold().split())


def _span(text: str, item: ContextItem) -> Range | None:
    """When something was, from its beginning to its end, in seconds."""
    plain = _WHEN.fullmatch(text.strip())
    if plain is None:
        found = times(text, item.at)
        return (found[0].since, found[0].until, "") if len(found) == 1 else None
    year, month, day = (int(part) if part else 0 for part in plain.groups())
    start = datetime(year, month or 1, day or 1, tzinfo=UTC).timestamp()
    if day:
        return start, start + 86_400, ""
    after = datetime(year + (month in (0, 12)), month % 12 + 1 if month else 1, 1, tzinfo=UTC)
    return start, after.timestamp(), ""


# -- what comes closest -----------------------------------------------------------

UNKNOWN = "I don't know."
NOT_SURE = "I am not sure. What comes closest:"
MOST_SHOWN = 2
MAY_ANSWER, MAY_SHOW, BESIDE = (0.1, 0.2), (logit(0.02), logit(0.06)), 0.03
"""How likely a turn answers, or by its reader shows what is asked, from where it is quoted: one
that shares a word, and one that does not; and how likely the latter is quoted second. Chosen on
the corpus's `dev` (docs/log/2026-11-29.md)."""
MOST_QUOTED = 240
MOST_LINKED = 8
_YEAR = re.compile(r" \d{4}$")
OPEN, CLOSE = "\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"


def closest(
    question: ParsedQuestion,
    items: Sequence[ContextItem],
    read: Sequence[Candidate],
    *,
    held: bool = False,
) -> Answer:
    """Quote two memories with who said them and when; unknown where none may answer.

    `held`: whether a fact answers, though not surely.

    The turns that were read and most likely answer, then what recall put first: for a fact stands
    the turn that told it. A fact of which no turn is there may answer where it shares a thing.
    """
    best = max((one.best for one in read), default=0.0)
    turns = {i.within: i for i in items if i.fact is None and i.within is not None}
    leads = [turns.get(item.id, item) for item in items if item.within is None]
    unread = (item for item in leads if item.fact is not None)
    may = (
        one.best >= MAY_ANSWER[apart] or one.features["shown"] >= MAY_SHOW[apart]
        for one in read
        for apart in [not one.features["words"]]
    )
    if not held and not any(may) and not any(shares(question, item) for item in unread):
        return Answer(text=UNKNOWN, outcome="unknown", support=best)
    likely = sorted(read, key=lambda one: -one.quoted)
    # Beside what its speaker has corrected stands how, beside one that is compared the other.
    righted = [one for one in likely[1:] if _rights(one, likely[0])]
    righted = righted or _other_offered(question, likely)[:1]
    likely = [*likely[:1], *righted, *(one for one in likely[1:] if one not in righted)]
    shown: dict[int, ContextItem] = {}
    for item in (*(replace(one.item, text=one.quote) for one in likely), *leads):
        shown.setdefault(item.id, item)
    others = likely[1 + len(righted) :]
    idle = {one.item.id for one in others if one.best < BESIDE and not one.features["words"]}
    kept = [item for item in list(shown.values())[:MOST_SHOWN] if item.id not in idle]
    days = {one.item.id: one.head for one in read if question.kind == "time"}
    text = f"{NOT_SURE} {'; '.join(quote(item, days.get(item.id, '')) for item in kept)}"
    return replace(citing(text, kept, best), outcome="closest")


def _other_offered(question: ParsedQuestion, likely: Sequence[Candidate]) -> list[Candidate]:
    """The turns that tell of what a question offers besides what the first tells of."""
    first = content(likely[0].item.text) if likely else frozenset()
    others = [one for one in question.offered if not one & first]
    return [turn for turn in likely[1:] if any(one & content(turn.item.text) for one in others)]


def _rights(one: Candidate, told: Candidate) -> bool:
    """Whether a turn corrects what its speaker told right before."""
    return one.item.speaker == told.item.speaker and corrects(one, told.head, told.item.at)


def shares(question: ParsedQuestion, item: ContextItem) -> bool:
    """Whether a memory has anything of what is asked: a word, or somebody named."""
    told = mentioned_text(item)
    asked = question.words - frozenset().union(*question.names)
    if asked & content(told):
        return True
    held = stems(told) | stems(item.speaker)
    return any(name <= held for name in question.names)


def quote(item: ContextItem, day: str = "") -> str:
    """A memory in quotation marks, by whom and when, with its mark.

    `day`: of what it tells where that was worked out: "tomorrow", said on 3 May, is 4 May.
    """
    at = rendering.date(item.at)
    said = (item.speaker, at, worked_out(day, f"{item.text} {at}"))
    source = ", ".join(part for part in said if part)
    source = f" ({source})" if source else ""
    guess = f" {GUESS}" if item.tentative else ""
    return f"{OPEN}{brief(item.text)}{CLOSE}{guess} [m{item.id}]{source}"


def worked_out(day: str, text: str) -> str:
    """What is said of a day that a text tells in other words."""
    plain = _YEAR.sub("", day).casefold()
    if not plain or plain in text.casefold():
        return ""
    return day if plain.startswith(("since ", "for ")) else f"tells of {day}"


def brief(text: str) -> str:
    """A text as one line, cut at `MOST_QUOTED` characters."""
    words = rendering.quote(text)
    return words if len(words) <= MOST_QUOTED else words[:MOST_QUOTED].rsplit(" ", 1)[0] + " ..."


def citing(text: str, items: Iterable[ContextItem], support: float) -> Answer:
    """An answer that rests on memories, which it joins."""
    citations = tuple(item.id for item in items)
    return Answer(text=text, citations=citations, support=support, links=pairs(citations))


def pairs(citations: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Every pair (low, high) of the first eight citations."""
    return tuple(combinations(sorted(set(citations[:MOST_LINKED])), 2))
