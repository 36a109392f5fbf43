"""Sentences as people talk, put as the clause reader reads them: "mum's back in Hull for good".

Each pattern keeps what is said and changes only how: a relative called by the bare word, a home or
a job told in an idiom, a question that asks to remember something. Applied in order, anywhere in a
sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mags.models.policy.rules.anew import anew
from mags.models.policy.rules.bare import with_owner
from mags.models.policy.rules.idioms import IDIOMS, KINS, NAME
from mags.models.policy.rules.presented import presented
from mags.models.policy.rules.weekdays import with_days
from mags.ports.english import called

_DET = r"(?:an?|my|our|his|her|their|the|this)"
_MY = r"(?:my|our|My|Our)"

_ONE_HAS = ("mother", "father", "grandmother", "grandfather")
_HOME = "|".join(
    rf"[{word[0].upper()}{word[0]}]{word[1:]}" for one in _ONE_HAS for word in called(one)[1:]
)
_BARE = re.compile(
    r"(?P<lead>^|[,;:.!] ?|\b(?:and|but|so|with|to|for|from|because|that|when|at|by|like|as"
    r"|see|visit|call|called|told|and then) )"
    rf"(?P<kin>{_HOME})(?![\w-])(?! (?:of|jokes?|bod)\b)"
)
"""A relative called by the bare word: those of whom one has one, who are so called by name."""


def _own(match: re.Match[str]) -> str:
    return f"{match['lead']}my {match['kin'].lower()}"


def _baby(match: re.Match[str]) -> str:
    child = {"girl": "daughter", "boy": "son"}.get(match["child"], match["child"])
    return f"had a {child} named {match['name']}"


def _slot_now(match: re.Match[str]) -> str:
    return f"I changed {match['whose']} {match['noun']} to {match['value'].strip()}"


def _used(match: re.Match[str]) -> str:
    return f"{match['slot']} was {match['old']}; {match['slot']} is {match['new']}"


def _aged(match: re.Match[str]) -> str:
    """Take the ages off the names of a list and tell them after it."""
    found = [(m["name"], m["age"] or m["later"]) for m in _AGE.finditer(match[0])]
    listed = _AGE.sub(lambda m: m["name"], match[0]).rstrip(" .!")
    return "; ".join([listed, *(f"{name} is {age}" for name, age in found)])


def _switched(match: re.Match[str]) -> str:
    if not match["old"] and match[0].lower().startswith("they"):
        return match[0]  # "they moved me to marketing"
    over = f"I stopped taking {match['old']} and " if match["old"] else ""
    return f"{over}I am taking {match['new']}"


def _apposed_age(match: re.Match[str]) -> str:
    """Tell the age that stands behind a name before the rest: "I'm Ana, 52, and ..."."""
    own = match["lead"].lower() in {"i'm", "i am", "my name is"}
    who, mark = ("I am", ",") if own else (f"{match['name']} is", "")
    return f"{who} {match['age']}; {match['lead']} {match['name']}{mark if match['more'] else ''}"


_AGE = re.compile(
    r"(?P<name>[A-Z]\w+)(?: ?\((?:aged )?(?P<age>\d{1,2})\)"
    r"| who(?:'s| is| has| 's)?(?: just)?(?: turned| now)? (?P<later>\d{1,2})\b)"
)
_DOCTOR = r"(?:[Tt]hey|(?:[Tt]he|my) (?:doctor|gp|GP|vet|consultant)|[Dd]octors?|Dr\.? [A-Z]\w+)"
_NO_DRUG = r"(?:an?|the|my|our|this|that|hold|probation|leave|notice|standby|call|duty|furlough)"
_Make = str | Callable[[re.Match[str]], str]
_SPOKEN: tuple[tuple[re.Pattern[str], _Make], ...] = (
    # Asked to remember: "Could you note that my code is 4471?"
    (
        re.compile(
            r"^(?:so |hey |ok |also )*(?:(?:can|could|will|would) (?:you|u)(?: please)?|please|pls)"
            r" (?:remember|note|save|keep in mind|write down|make a note|jot down)(?: down)?"
            r"(?: for me)?(?: that)?:? (?P<told>.+?)\s*(?:,? please)?[?.!]*$",
            re.I,
        ),
        r"\g<told>.",
    ),
    (re.compile(r"(?<=\w),? (?:as well|too)(?=[.!]*$)"), ""),
    # What is held without an article: "standup has moved to 10", "lunch is at noon".
    (
        re.compile(
            r"^(?P<noun>standup|lunch|dinner|breakfast|brunch|school|choir|practice|training"
            r"|rehearsal|church|kickoff|retro|nursery|football|yoga|therapy|physio|pilates)"
            r" (?=(?:is|starts|begins) at \d|is on \w+days?\b"
            r"|(?:has |was |got |has been )?(?:moved|pushed|shifted|rescheduled) (?:back )?to )",
            re.I,
        ),
        lambda m: f"the {m['noun'].lower()} ",
    ),
    # Relatives.
    (_BARE, _own),
    (re.compile(r"\b(name)'s (?=[A-Z])"), r"\1 is "),
    (
        re.compile(
            rf"\b({_MY} (?:[a-z]+ )?(?:{KINS})) (?:since|from) [a-z][a-z ]{{2,24}}? (is|was)\b"
        ),
        r"\1 \2",
    ),
    (
        re.compile(
            rf"\b({_MY} (?:[a-z]+ )?(?:{KINS})) (?:upstairs|downstairs|next door|opposite|abroad"
            rf"|across the (?:road|street|hall)),? (?P<name>{NAME}),?(?= )"
        ),
        r"\1 \g<name>",
    ),
    (
        re.compile(
            r"\b([A-Z]\w+) (?:from|in|at) (?!the\b)[a-z]+ (is|was|has|says|said|told|will|wants)\b"
        ),
        r"\1 \2",
    ),
    (
        re.compile(
            rf"\b(?:{KINS}|kids|children|sons|daughters)\b.*(?:\(\d{{1,2}}\)| who .*\b\d{{1,2}}).*$"
        ),
        _aged,
    ),
    (
        re.compile(
            r"\bhad (?:the|our|a) baby\b[!.,: -]*(?:it's |it is )?(?:a )?(?:little |baby )?"
            r"(?P<child>girl|boy|daughter|son),? (?:called |named )?(?P<name>[A-Z]\w+)"
        ),
        _baby,
    ),
    (
        re.compile(
            r"\b(?P<lead>[Ii]'m|[Ii] am|[Mm]y name is|[Mm]y [a-z]+|[Oo]ur [a-z]+)"
            r" (?P<name>[A-Z]\w+), (?P<age>\d{1,2})(?:(?P<more>,)|(?=[.!]|$))"
        ),
        _apposed_age,
    ),
    # Partners.
    (
        re.compile(r"\bgo(?P<ing>ing)? out with (?=[A-Z])"),
        lambda m: f"dat{'ing' if m['ing'] else 'e'} ",
    ),
    # Homes.
    (
        re.compile(
            rf"\bleft (?P<old>{NAME}),? and (?:have |'ve )?(?:moved|settled)(?: down)? (?:to|in) "
            rf"(?P<new>{NAME})"
        ),
        r"moved from \g<old> to \g<new>",
    ),
    (re.compile(r"\b(?:re)?settled(?: down)?(?: back)? in (?=[A-Z])"), "moved to "),
    (
        re.compile(
            rf"\b([Mm]ov(?:ed?|es|ing)) in with (?P<whom>{_DET} (?:[a-z-]+ )?[a-z-]+(?: {NAME})?"
            rf"|{NAME}) in (?P<place>{NAME})"
        ),
        r"\1 to \g<place> with \g<whom>",
    ),
    (
        re.compile(
            rf"\b([Mm]ov(?:ed?|es|ing)|[Rr]elocat(?:ed?|es|ing)) (?:back )?(?:in)?to {_DET} "
            r"(?:[\w-]+ ){0,4}?(?:in|near) (?=[A-Z])"
        ),
        r"\1 to ",
    ),
    (
        re.compile(
            r"\b([Mm]ov(?:ed?|es|ing)) (?:back|over|out|up|down|across|home|here)(?: home)?"
            r" to (?=[A-Z])"
        ),
        r"\1 to ",
    ),
    (
        re.compile(
            rf"\b(live|lives|lived|living) (with {_DET} (?:[a-z-]+ )?[a-z-]+(?: [A-Z]\w+)?) in "
            rf"(?!(?:19|20)\d\d)({NAME})"
        ),
        r"\1 in \3 \2",
    ),
    (
        re.compile(r"\brent(ing|s|ed)? in (?=[A-Z])"),
        lambda m: f"liv{ {'ing': 'ing', 's': 'es', 'ed': 'ed'}.get(m[1] or '', 'e') } in ",
    ),
    (
        re.compile(
            r"^(?P<before>(?:I|We|i|we)\b.*), (?P<doing>(?:living|working|studying)"
            r" (?:in|at|as) .*)"
        ),
        r"\g<before> and I am \g<doing>",
    ),
    (
        re.compile(
            r"(?:\b(?:got|came|am|are)|'m|'re|'ve come)(?: just)? (?:back|home) from "
            rf"(?:{_DET} (?:[a-z]+ )+(?:in|to) )?(?=[A-Z])"
        ),
        " visited ",
    ),
    # Jobs.
    (
        re.compile(
            r"\b(?:handed in|gave in|put in|handed over|gave) my (?:notice|resignation)"
            r"(?P<at>(?: at| to| with) (?=[A-Z]))?"
        ),
        lambda m: "quit my job" + (" at " if m["at"] else ""),
    ),
    (
        re.compile(
            r"\b(?:I'll be|I am|I'm|I will be)(?: going to be)? joining (?:an? [\w ]*?called )?"
            rf"(?P<place>{NAME})(?P<when>.*?),? as (?:an?|the|their|its) (?P<trade>[a-z].*?)[.!]*$"
        ),
        lambda m: f"I work at {m['place']} as a {m['trade']}",
    ),
    (
        re.compile(rf"\bjoined (?P<place>{NAME}) as (?:an?|the|their|its) (?=[a-z])"),
        r"started a job at \g<place> as a ",
    ),
    (
        re.compile(rf"\b(?P<firm>{NAME}|they|They) let me go\b"),
        lambda m: "I lost my job" + ("" if m["firm"].lower() == "they" else f" at {m['firm']}"),
    ),
    # Values that changed.
    (
        re.compile(
            r"\b(?:they|we|i|he|she|someone)(?:'ve| have|'s| has)?(?: just)? "
            r"(?:changed|reset|replaced|updated|swapped) "
            r"(?P<whose>the|my|our) (?P<noun>[a-z][a-z-]*(?: [a-z-]+){0,2}),? "
            r"(?:and |so )?(?:now )?(?:it's|it is|the new one is|the new one's) (?:now )?"
            r"(?P<value>[^,.!?]+?)(?: now)?(?=[.!]*$)",
            re.I,
        ),
        _slot_now,
    ),
    (
        re.compile(
            rf"(?P<slot>{_MY} favou?rite [a-z]+(?: [a-z]+)?) used to be (?P<old>[^,;]+?),? but "
            r"(?:these days |now |nowadays |lately )?(?:it's|it is)(?: all about| now)? "
            r"(?P<new>[^,;.!]+)"
        ),
        _used,
    ),
    (
        re.compile(
            r"^(?:my |our |My |Our )?[Nn]ew (?P<noun>[a-z]+(?: [a-z]+)?) ?: (?P<value>[^,]+)"
        ),
        r"My new \g<noun> is \g<value>",
    ),
    (
        re.compile(
            r"^(?:i'm |i am |i )?(?:went )?(?:down|up) to (?=\d+ ?(?:kilos?|kg|pounds|lbs))", re.I
        ),
        "I now weigh ",
    ),
    (re.compile(r"\bput me down for (?=[a-z])"), "I prefer "),
    (
        re.compile(r"[,;] (?:and )?(?:my )?(favou?rite [a-z]+) (?!is\b|was\b|are\b)(?=[a-z])"),
        r"; my \1 is ",
    ),
    (
        re.compile(
            r"\b(?P<got>[Gg]ot|[Bb]ought|[Pp]icked up|[Cc]ollected) (?:an?|the|my|our) new "
            r"(?P<noun>[a-z]+)\b(?P<rest>[^,;.!]*)[,;.!] ?(?:it's |it is |It's |(?=an? [A-Z]))"
            r"(?P<value>[^.!;]+)"
        ),
        r"\g<got> a new \g<noun>\g<rest>; my new \g<noun> is \g<value>",
    ),
    (re.compile(r"(?:\bI'm|\bI am|\bi'm) (\d[\d.]*(?: ?c?m)?) tall\b"), r"my height is \1"),
    (
        re.compile(r"(?P<be>\b(?:is|was|am)|'s|'m) a retired (?P<trade>[a-z]+)"),
        r"\g<be> retired and used to be a \g<trade>",
    ),
    # Medicine.
    (
        re.compile(
            rf"\b{_DOCTOR}(?:'ve| have|'s| has)?(?: just| now)? (?:switched|changed|moved) me"
            r"(?: from (?P<old>[a-z][a-z-]+))? to (?P<new>[a-z][a-z-]+)(?![\w' ]*\bday)"
        ),
        _switched,
    ),
    (
        re.compile(
            rf"\b(?:{_DOCTOR}(?:'ve| have|'s| has)?(?: just| now)? (?:put|started) me"
            r"|I(?:'ve| have| was| got)(?: been)?(?: just| now)? put) on"
            rf" (?!{_NO_DRUG}\b)(?=[a-z][a-z-]+)"
        ),
        "I am taking ",
    ),
    (
        re.compile(
            r"\b(am taking [a-z][a-z-]+),? (?:at )?\d[\d.,]* ?"
            r"(?:mg|mcg|ml|g|iu|units?|tablets?|pills?|drops)\b[^.,;!]*"
        ),
        r"\1",
    ),
    (
        re.compile(
            r"\b(I|[Hh]e|[Ss]he|[A-Z][\w'-]*)( takes?) ([^,.;!?]+? (?:each|every) \w+),? and "
            r"(?=an? [a-z -]+ (?:with|before|after) (?:breakfast|lunch|dinner|supper|food)\b)"
        ),
        r"\1\2 \3; \1\2 ",
    ),
    # Pets and habits.
    (re.compile(r"\btaken in (?=an? )"), "adopted "),
    (
        re.compile(r"(?:, | and |, and )(?:calling|naming|called|named) (?:her|him|it) (?=[A-Z])"),
        " called ",
    ),
    (
        re.compile(r"\b(?:'m|am|'s|is) (smoking|drinking|vaping|driving|gambling|jogging) again\b"),
        r" started \1",
    ),
)


_ALL = (*_SPOKEN, *IDIOMS)

_LONGEST = 600
"""Characters of the longest sentence that is taken for talk; the patterns are slow on more."""


def spoken(text: str) -> str:
    """Return a sentence in words that can be read; as it is where nobody would say it otherwise."""
    if len(text) > _LONGEST:
        return text
    for pattern, make in _ALL:
        # Most have nothing to do, and `sub` reads its template before it looks.
        if pattern.search(text):
            text = pattern.sub(make, text)
    return with_owner(with_days(anew(presented(text))))
