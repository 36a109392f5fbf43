"""Ways of telling a change that the clause reader would miss, each put as it is read.

A row says how people tell that something has changed or is over, or ask that it be kept. Unread,
it would leave what was so before standing as what is so now, or be read as something else. Other
idioms have no row: what nobody reads misleads nobody. Applied in order, anywhere in a sentence;
the tests run the examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mags.models.policy.rules.lexicon import KIN, PETS
from mags.models.policy.rules.spans import COUNTED, EACH_DAY
from mags.ports.english import called
from mags.ports.policy import Act, Operation, Turn

_NAME = r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)*"
_OUR = r"(?:an?|my|our|his|her|their|the|this)"


def _any(words: frozenset[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_KIN, _PET = _any(KIN), _any(PETS)
_AT_HOME = "|".join(
    rf"[{word[0].upper()}{word[0]}]{word[1:]}"
    for one in ("mother", "father", "grandmother", "grandfather")
    for word in called(one)[1:]
)
_DAYS = rf"{EACH_DAY}(?:(?:, and |, | and | & ){EACH_DAY})*"
_OF_DAYS = (
    r"(?:be|am|is|are|was|were|(?:lov|hat|lik|dislik|tak|mak|hav|choos|giv|chang)(?:e|es|ed)"
    r"|has|had|(?:want|need|enjoy|miss|pick|mean|suit|fear|book|cancel|add|skip|swap)(?:s|ed)?"
    r"|prefer(?:s|red)?|get|gets|got|keep|keeps|kept|spend|spends|spent|know|knows|see|sees)"
)
"""Verbs of which a day is the object: "I love Mondays"."""
_SUM = r"[$\u20ac\u00a3]?\d[\d.,]*k?(?: (?:euros?|dollars?|pounds?|quid|francs))?"
_DOCTOR = r"(?:(?:[Tt]he|[Mm]y) (?:doctor|gp|GP|vet|consultant)|Dr\.? [A-Z]\w+)"
_HAS = r"(?:'ve| have|'s| has)?(?: just| finally| now)*"

Reading = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Guard:
    """A row: what is said (`pattern`), the words it is read as, and examples of both."""

    pattern: re.Pattern[str]
    reading: Reading
    examples: tuple[tuple[str, str], ...]


def _row(pattern: str, reading: Reading, *examples: tuple[str, str]) -> Guard:
    return Guard(re.compile(pattern), reading, examples)


def _value_anew(match: re.Match[str]) -> str:
    """Read "switched banks, it's Tesal now": of several there is one that is meant."""
    head, _, last = match["noun"].rpartition(" ")
    one = last if match["whose"] else re.sub(r"(?<!s)s$", "", re.sub(r"ies$", "y", last))
    noun = f"{head} {one}".strip()
    return f"I changed {match['whose'] or 'the '}{noun} to {match['value'].strip()}"


def _medicine(match: re.Match[str]) -> str:
    over = f"I stopped taking {match['old']} and " if match["old"] else ""
    return f"{over}I am taking {match['new']}"


GUARDS: tuple[Guard, ...] = (
    # A request to keep something is no question.
    _row(
        r"^(?i:so |hey |ok |also )*(?i:(?:can|could|will|would) you(?: please)?|please)"
        r" (?:remember|note|save|keep in mind|write down|make a note)(?: for me)?(?: that)?:? "
        r"(?P<told>.+?)\s*(?:,? please)?[?.!]*$",
        r"\g<told>.",
        ("Could you note that my code is 4471?", "my code is 4471."),
    ),
    # Whom one has one of goes by the bare word: what mum does is told of "my mother".
    _row(
        r"(?P<lead>^|[,;:.!] ?|\b(?:and|but|so|with|to|for|from|because|that|when|at|by|like|as"
        rf"|see|visit|call|told) )(?P<kin>{_AT_HOME})(?![\w-])(?! (?:of|jokes?|bod)\b)",
        lambda m: f"{m['lead']}my {m['kin'].lower()}",
        ("Mum's moved to Hull.", "my mum's moved to Hull."),
        ("I told her that Dad died.", "I told her that my dad died."),
    ),
    # Another home.
    _row(
        rf"\b([Mm]ov(?:ed?|es|ing)) in with (?P<whom>{_OUR} (?:[a-z-]+ )?[a-z-]+(?: {_NAME})?"
        rf"|{_NAME}) in (?P<place>{_NAME})",
        r"\1 to \g<place> with \g<whom>",
        ("I moved in with my sister in Bergen.", "I moved to Bergen with my sister."),
    ),
    _row(
        r"\b([Mm]ov(?:ed?|es|ing)) (?:back|over|out|up|down|across|home|here)(?: home)?"
        r" to (?=[A-Z])",
        r"\1 to ",
        ("We moved back home to Bergen.", "We moved to Bergen."),
    ),
    _row(
        r"\b(?P<be>am|are|is|'m|'re|'s) renting in (?=[A-Z])",
        r"\g<be> living in ",
        ("I'm renting in Bergen now.", "I'm living in Bergen now."),
    ),
    # Another job, or none.
    _row(
        r"\b(?:taken|took|accepted|landed|got) (?:an? |the )?(?:new )?(?:job|post|role|position)"
        r" (?:with|at) ",
        "got a job at ",
        ("I've accepted a position at Stem.", "I've got a job at Stem."),
    ),
    _row(
        r"\b(start(?:ed|s)?)(?P<work> work(?:ing)?)? (?:at|with) (?=[A-Z])(?(work)|(?![^.,;!?]*"
        r"\b(?:School|University|College|Academy|Uni|Institute|Conservatory|Nursery)\b))",
        r"\1 a job at ",
        ("I started at Stem last Monday.", "I started a job at Stem last Monday."),
        ("Ana starts at Hill School.", "Ana starts at Hill School."),
    ),
    _row(
        r"\b(?:handed in|gave in|put in|handed over|gave) my (?:notice|resignation)"
        r"(?P<at>(?: at| to| with) (?=[A-Z]))?",
        lambda m: "quit my job" + (" at " if m["at"] else ""),
        ("I handed in my notice at Stem.", "I quit my job at Stem."),
    ),
    _row(
        rf"\b(?P<firm>{_NAME}|they|They) let me go\b",
        lambda m: "I lost my job" + ("" if m["firm"].lower() == "they" else f" at {m['firm']}"),
        ("They let me go.", "I lost my job."),
        ("Petal let me go.", "I lost my job at Petal."),
    ),
    _row(
        r"\b(was|were|been|got|is|are|am|'m) (?:made redundant|let go|given the sack)\b",
        r"\1 laid off",
        ("I was made redundant in March.", "I was laid off in March."),
    ),
    _row(
        rf"\b({_NAME}) (?:takes|took|is taking|has taken) over as (?:(?:my|our|the) )?(?:new )?"
        rf"({_KIN}|[a-z]+ lead)\b",
        r"my new \2 is \1",
        ("Aoife takes over as manager.", "my new manager is Aoife."),
    ),
    # Another value.
    _row(
        rf"\b[Ii] (?:get|earn|make|take home) (?:about |around |roughly |only )?({_SUM} (?:a|per)"
        r" (?:month|year|week|hour))(?: (?:after|before) tax(?:es)?| net| gross| now)*(?=[.!]*$)",
        r"my salary is \1",
        ("I make 44,000 euros a year now.", "my salary is 44,000 euros a year."),
    ),
    _row(
        r"^(?:(?i:(?:i|we|they|he|she|someone)(?:'ve| have|'s| has)? )?(?i:just |finally |also )?)"
        r"(?i:changed|switched|swapped|reset|replaced|updated) (?P<whose>the |my |our )?"
        r"(?P<noun>[a-z][a-z-]*(?: (?:of the )?[a-z][a-z-]*){0,2})(?:,|;| and| so|:)+ (?:now )?"
        r"(?:it's|it is|they're|the new one is|the new one's) (?:now )?"
        r"(?P<value>(?=[^,.!?;]*[A-Z0-9])[^,.!?;]*?)(?: now| instead)?(?=[.!]*$)",
        _value_anew,
        ("Switched banks, it's Tesal now.", "I changed the bank to Tesal."),
        ("They changed the gate code, it's 8817 now.", "I changed the gate code to 8817."),
        ("I changed my mind, it's fine now.", "I changed my mind, it's fine now."),
    ),
    _row(
        r"\b(?:put|puts|putting)(?P<way> up| down)? (?P<what>(?:the|my|our|his|her|their) "
        r"[a-z]+(?: [a-z]+)?)(?(way)| (?:up|down)) to "
        r"(?=[$\u20ac\u00a3]?\d[\d.,]*(?: (?:euros?|dollars?|pounds?|(?:a|per) [a-z]+))*[.!]*$)",
        r"changed \g<what> to ",
        ("The landlord put the rent up to 1200.", "The landlord changed the rent to 1200."),
    ),
    _row(
        r"(?P<slot>\b(?:[Mm]y|[Oo]ur) favou?rite [a-z]+(?: [a-z]+)?) used to be [^,;]+?,? but "
        r"(?:these days |now |nowadays |lately )?(?:it's|it is)(?: all about| now)? "
        r"(?P<new>[^,;.!]+)",
        r"\g<slot> is \g<new>",
        (
            "My favourite food used to be sushi, but now it's ramen.",
            "My favourite food is ramen.",
        ),
    ),
    _row(
        r"^(?i:i'm |i am |i )?(?:went )?(?:down|up) to (?=\d+(?:\.\d+)? ?(?:kilos?|kg|pounds|lbs))",
        "I now weigh ",
        ("I'm down to 82 kg.", "I now weigh 82 kg."),
    ),
    _row(
        r"\b((?:so|and|but),? )I (?:guess|think|suppose) (?=I'm |I am |we're |we are )",
        r"\1",
        ("I eat fish, so I guess I'm pescatarian now.", "I eat fish, so I'm pescatarian now."),
    ),
    # Other days and hours.
    _row(
        r"^(?i:(?P<noun>standup|lunch|dinner|breakfast|brunch|school|choir|practice|training"
        r"|rehearsal|church|kickoff|retro|nursery|football|yoga|therapy|physio|pilates))"
        r" (?=(?:is|starts|begins) at \d|is on \w+days?\b"
        r"|(?:has |was |got |has been )?(?:moved|pushed|shifted|rescheduled) (?:back )?to )",
        lambda m: f"the {m['noun'].lower()} ",
        ("Standup has moved to 10.", "the standup has moved to 10."),
    ),
    _row(
        rf"\b(?P<who>I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey)(?P<how>(?: usually| normally| also| now"
        rf"| don't| doesn't)*) (?!{_OF_DAYS} )(?P<does>[a-z]+)(?P<now> now)? "
        rf"(?P<days>(?i:{_DAYS}))(?![\w'-])",
        r"\g<who>\g<how> \g<does>\g<now> on \g<days>",
        ("I swim Sundays now.", "I swim on Sundays now."),
        ("I love Mondays.", "I love Mondays."),
    ),
    _row(
        r"(?<=\w),? from (?:now|here|today) on(?=[.!]*$)",
        " now",
        ("Her lesson is on Friday from now on.", "Her lesson is on Friday now."),
    ),
    # One thing no more, but another.
    _row(
        r"^(?P<who>[^,;]+?)(?<! is)(?<! are)(?<!'s) no longer (?P<does>[a-z]+) (?P<old>[^,;]*?"
        r"(?P<noun>[\w-]+)),? but (?!(?:I|we|he|she|it|they)\b)"
        r"(?P<new>(?:the|an?|my|our|his|her) [\w' -]+|(?:[\w-]+ )+(?P=noun)|[\w-]+)(?=[.!]*$)",
        r"\g<who> no longer \g<does> \g<old>; \g<who> \g<does> \g<new>",
        (
            "Ana no longer keeps the old vigil but the new vigil.",
            "Ana no longer keeps the old vigil; Ana keeps the new vigil.",
        ),
        (
            "Ben no longer drinks black tea but green tea.",
            "Ben no longer drinks black tea; Ben drinks green tea.",
        ),
    ),
    # A pet that is had no more.
    _row(
        r"(?:\b(?:[Ww]e|I)(?:'ve| have)? )?(?:\bhad to )?\b(?:put|putting) "
        rf"(?:(?:[Mm]y|[Oo]ur|the) (?P<pet>{_PET})|(?P<name>{_NAME})) (?:down|to sleep)",
        lambda m: f"my {m['pet']} died" if m["pet"] else f"{m['name']} died",
        ("We had to put the cat down.", "my cat died."),
        ("We put Rex to sleep.", "Rex died."),
    ),
    _row(
        rf"\b(?:[Ww]e|I)(?:'ve| have)? lost (?:my|our) ({_PET})((?: [A-Z]\w+)?)"
        r"(?= (?:last|to|yesterday|in|this)\b|[.!]*$)",
        r"my \1\2 died",
        ("We lost our hamster yesterday.", "my hamster died yesterday."),
    ),
    _row(
        rf"\b(?:gave|given) (my|our) ({_PET})((?: [A-Z]\w+)?) away\b",
        r"no longer have \1 \2\3",
        ("I gave my dog away.", "I no longer have my dog."),
    ),
    # What is taken, done or liked no more, or again.
    _row(
        rf"\b(?:(?P<they>[Tt]hey)|{_DOCTOR}){_HAS} (?:switched|changed|moved) me"
        r"(?: from (?P<old>[a-z][a-z-]+)|(?(they)(?!)))"
        r" to (?P<new>[a-z][a-z-]+)(?![\w' ]*\bday)",
        _medicine,
        ("Dr Okafor switched me to losartan.", "I am taking losartan."),
        (
            "They've switched me from ramipril to losartan.",
            "I stopped taking ramipril and I am taking losartan.",
        ),
        ("They moved me to marketing.", "They moved me to marketing."),
    ),
    _row(
        rf"\b(?:[Tt]hey|{_DOCTOR}){_HAS} (?:put|started) me on (?!(?:an?|the|my|our|this|that)\b)"
        r"(?!(?:hold|probation|leave|notice|standby|call|duty|furlough)\b)(?=[a-z][a-z-]+)",
        "I am taking ",
        ("The GP put me on losartan instead.", "I am taking losartan instead."),
    ),
    _row(
        r"\b(gave|given|give|giving) up on ",
        r"\1 up ",
        ("I've given up on Spanish.", "I've given up Spanish."),
    ),
    _row(
        r"(?:'ve| have|'s| has) gone off (?=[a-z])",
        " no longer like ",
        ("I've gone off jazz.", "I no longer like jazz."),
    ),
    _row(
        r"(?:'m| am|'s| is) (smoking|drinking|vaping|gambling|jogging) again\b",
        r" started \1",
        ("I'm smoking again.", "I started smoking."),
    ),
)
_AHEAD = re.compile(
    r"\b(?:for|during|over|in|within) the (?:next|coming|following) "
    rf"(?P<count>\d+|{'|'.join(COUNTED)}) (?P<unit>day|week|hour)s?\b",
    re.IGNORECASE,
)
_SECONDS = {"hour": 3_600.0, "day": 86_400.0, "week": 604_800.0}
_LONGEST = 600
"""Characters of the longest sentence that is taken for talk; the patterns are slow on more."""


def guarded(text: str) -> str:
    """Return a sentence in words that are read as what it tells; as it is where no row fits."""
    if len(text) > _LONGEST:
        return text
    for row in GUARDS:
        # Most have nothing to do, and `sub` reads its template before it looks.
        if row.pattern.search(text):
            text = row.pattern.sub(row.reading, text)
    return text


def bounded(read: Sequence[Operation], turn: Turn) -> list[Operation]:
    """Return what was read, over where "for the next two weeks" says that it will be."""
    found = _AHEAD.search(turn.text)
    if found is None:
        return list(read)
    word = found["count"].lower()
    count = int(word) if word.isdigit() else COUNTED[word]
    end = turn.at + count * _SECONDS[found["unit"].lower()]
    return [
        replace(op, valid_to=end) if op.act is not Act.RETRACT and op.valid_to is None else op
        for op in read
    ]
