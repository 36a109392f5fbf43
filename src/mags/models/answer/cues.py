"""Cues: what the words of a text tell without its being read.

Which kind of thing it holds (a time, a sum of money, a name), which relatives and things it speaks
of, whose these are, and whether somebody else does what it says. Of what was told before it may say
that it is told anew, that it is over, that it was wrong or is not so, or that it only may be.
"""

from __future__ import annotations

import re

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.phrases import living
from mags.models.policy.rules.tokens import WORD
from mags.models.policy.rules.when import DAYS, EACH_DAY, MONTHS
from mags.ports.english import TENS, TO_TWELVE, called, lemma

_KINDS = tuple(
    (lex.THINGS[kind], f"{kind} {said}".strip())
    for kind, said in (("instrument", "play"), ("sport", "game play"), ("food", "dish eat"),
                       ("drink", ""))
)  # fmt: skip


def kind_of_thing(word: str) -> str:
    """The words for what a noun in lower case, in either number, is one of; "" where unknown."""
    forms = {word, lemma(word), word.removesuffix("s"), word.removesuffix("es")}
    forms.add(f"{word.removesuffix('ies')}y" if word.endswith("ies") else word)
    return next((said for words, said in _KINDS if forms & words), "")


# What a text has of the kind that is asked for, and what tells that something is over.


TIME = re.compile(
    r"\b(?:\d{1,2}[:.]\d\d|\d{1,2} ?[ap]\.?m\.?|(?:1[5-9]|20)\d\d|\d{1,2}(?:st|nd|rd|th)|mon|tues|"
    rf"wednes|thurs|fri|satur|sun)(?:days?)?\b|\b(?:{'|'.join(MONTHS)}|today|yesterday|tomorrow|"
    r"tonight|(?:last|next|this|every) \w+|\w+ ago|morning|evening|weekend|noon|midnight)\b",
    re.I,
)
NUMBER = re.compile(
    rf"\d|\b(?:{TO_TWELVE}|dozen|twenty|thirty|forty|fifty|hundred|thousand|million|once|twice"
    r"|several|half)\b",
    re.I,
)
PLACE = re.compile(
    r"\b(?:in|at|to|from|near|on|into|around|outside|via|of) (?:the |my |our |a )?"
    r"(?!\d{1,2}(?::\d\d)?(?:st|nd|rd|th)?(?:\s*[ap]\.?m|\s*$|[.,;!?]|\s+(?:of\s+)?(?:jan|feb|mar|apr"
    r"|may|jun|jul|aug|sep|oct|nov|dec))|(?:19|20)\d\d\b|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|(?:jan(?:uary)?|feb(?:ruary)?|march|april|june|july|august|september|october|november"
    r"|december|(?-i:May))\b)"
    r"\w+",
    re.I,
)
BETWEEN = re.compile(r"(?<![MD]r\.)(?<!Mrs\.)(?<!Ms\.)(?<!St\.)(?<!Prof\.)(?<=[.!?])\s+|\n+")
"""What stands between sentences: no title's point."""
REASON = re.compile(r"\b(?:because|since|so that|due to|in order to|reason|why|so)\b", re.I)
CUES = {"time": TIME, "number": NUMBER, "place": PLACE, "reason": REASON}
WEEKDAYS = re.compile(rf"(?:{EACH_DAY}(?:, and |, | and )?(?=\b|$))+$", re.I)
"""What tells the days on which something is done again and again."""
# Relatives, pets and trades, each with what it is one of.


def _at_home(kind: str, *relatives: str) -> dict[str, tuple[str, str]]:
    """From each word for relatives, at home too, to who that is and what they are one of."""
    return {word: (one, kind) for one in relatives for word in called(one)}


def kinds(text: str) -> dict[str, tuple[str, str]]:
    """From each word to what it names and, behind the colon, what that is one of."""
    found: dict[str, tuple[str, str]] = {}
    for line in text.split("|"):
        words, _, kind = line.partition(":")
        for word in words.split():
            found[word] = (words.split()[0], kind.strip() or words.split()[0])
    return found


KIN_TERMS = {
    **_at_home("parent", "mother", "father"),
    **_at_home("grandparent", "grandmother", "grandfather"),
} | kinds(
    """parent parents | son sons : child |
    daughter daughters : child | child children kid kids baby | brother brothers : sibling |
    sister sisters : sibling | sibling siblings | wife : spouse | husband : spouse |
    spouse partner | girlfriend : spouse | boyfriend : spouse | aunt | uncle | cousin | niece |
    nephew | grandparent grandparents | dog puppy dogs : pet | cat kitten cats kittens : pet
    | pet pets | parrot : pet | hamster : pet | rabbit : pet | horse | boss manager |
    dentist | doctor | landlord landlady | teacher | neighbour neighbor | colleague coworker"""
)
OPPOSITES = (
    ("open", "close"), ("arriv", "leav"), ("arriv", "depart"), ("start", "end"), ("begin", "end"),
    ("start", "finish"), ("buy", "sell"), ("love", "hate"), ("lend", "borrow"), ("win", "lose"),
)  # fmt: skip
_NUMBER = rf"(?:\d{{1,3}}|{TO_TWELVE}|\w+teen|{TENS})\b"
AGE = re.compile(
    rf"\b(?:is|am|are|was|'s|'m|'re|turn(?:s|ed|ing)?|aged?) (?:(?:already|only|just|now|about"
    rf"|nearly|almost) )?{_NUMBER}|['\u2019](?:s|m|re) {_NUMBER}"
    r"|years? old|-year-old|\bage\b|\bborn\b",
    re.I,
)
MONEY = re.compile(
    r"[$€£¥]|\b(?:euros?|dollars?|pounds?|quid|bucks|cents|usd|eur|gbp|francs|kroner|kronor|yen|free)\b"
    r"|\d (?:a|per) (?:month|week|year|day|hour)\b"
    r"|\b(?:cost|costs|paid|pay|pays|price|spent|spends?|charge[sd]?|earn|earns|earned|made|make|makes"
    r"|salary|worth|rent|fees?|bill|sold|bought|get|gets|got)\b.*\d",
    re.I,
)
_NO_NAMES = "|".join(("I", "I'm", *(word.title() for word in (*MONTHS, *DAYS))))
NAMED = re.compile(
    rf"(?<=[^\W_]\s)(?!(?:{_NO_NAMES})\b)[^\W\d_a-z][\w'-]*"
    r"|[\x22\u201c]\w|\b(?:called|named)\b"
)
HELD: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"^how old\b|\bwhat age\b", re.I), AGE),
    (
        re.compile(
            r"^how much (?:do|does|did|is|was|are|were|will)\b.*\b(?:cost|pay|paid|earn|make|spend"
            r"|rent|salary|bill|fee|price|membership|subscription|ticket)s?\b",
            re.I,
        ),
        MONEY,
    ),
    (
        re.compile(
            r"\b(?:called|named)\s*\?*$|\bwhat(?:'s| is| was) (?:the name of|\S+ \S+ name\b)", re.I
        ),
        NAMED,
    ),
)  # fmt: skip
OWN = re.compile(r"\bmy ([a-z]+)(?!['\u2019\w])", re.I)
_SOMEBODY = re.compile(r"(?:the|his|her|their|an?) ([a-z]+) ")
_OWN_SAID = re.compile(r"\b(?:i|we|my|our|mine|ours|me|us)\b")
_EX = re.compile(r"\b(?:ex|former)[- ](\w+)", re.I)


def cue_of(question: str) -> re.Pattern[str] | None:
    """What an answer to a question must hold: an age, a sum or a name; None where any may do."""
    return next((cue for asks, cue in HELD if asks.search(question.strip())), None)


def kin_of(text: str) -> frozenset[tuple[str, str]]:
    """Of which relatives, pets and trades a text speaks, each with what it is one of.

    Who was it is another: an ex-husband is no husband.
    """
    words = {word.casefold().removesuffix("'s") for word in WORD.findall(_EX.sub(" ", text))}
    former = {word.casefold() for word in _EX.findall(text)} & KIN_TERMS.keys()
    now = {KIN_TERMS[word] for word in words & KIN_TERMS.keys()}
    return frozenset(now | {(f"ex-{word}", f"ex-{word}") for word in former})


def other_kin(asked: frozenset[tuple[str, str]], told: frozenset[tuple[str, str]]) -> bool:
    """Whether a memory speaks of relatives, and of none that is asked about.

    A son is no daughter; either is a child.
    """
    related = (one[0] in other or other[0] in one for one in asked for other in told)
    return bool(asked and told) and not any(related)


def of_another(nouns: tuple[str, ...], text: str) -> bool:
    """Whether a text tells the same of somebody else alone: "my daughter's birthday".

    So does "the neighbour got a puppy", where nobody says "I" or "my", and "the dog of Ana".
    """
    low = text.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    opening = _SOMEBODY.match(low)
    other = opening is not None and living(opening[1]) and _OWN_SAID.search(low) is None
    return any(
        (
            re.search(rf"'s {noun}\b|\b{noun} (?:of|at) (?!my|our)", low) is not None
            and re.search(rf"\b(?:my|our|an?|the) (?:\w+ )?{noun}\b(?! (?:of|at)\b)", low) is None
        )
        or (other and opening is not None and opening[1] != noun and noun in WORD.findall(low))
        for noun in map(re.escape, nouns)
    )


def opposed(asked: frozenset[str], told: frozenset[str]) -> bool:
    """Whether stems of a memory say the opposite of what is asked and not that itself."""
    for pair in OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if any(w.startswith(one) for w in asked) and any(w.startswith(other) for w in told):
                return not any(w.startswith(one) for w in told)
    return False


# -- what was told before ------------------------------------------------------


def _listed(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.I)


ENDED = _listed(
    r"sold|left|lost|broke up|split up|ended|over|used to|instead",
    r"died|dead|gone|(?:is|was) off|cancelled|canceled|called off|fell through|got rid of",
    r"quit|quitting|stopped|gave up|given up|giving up|no longer|no more|any ?more",
)
"""What may end what was told."""
CORRECTED = _listed(
    r"wrong|typo|correction|mistaken?|mistakes|(?:an?|my) error|i meant|lied|a lie",
    r"made (?:it|that) up|scratch that",
    r"(?:was|is|its|it's)(?: not|n't) [^.!?,;]{1,40}[,;]? (?:it was|it's|its|but)",
)
"""What shows that a text takes something back."""
TAKEN_BACK = re.compile(r"(?:sorry|oops|ups|no,? wait|wait|i mean)\b", re.I)
"""How a turn may begin that takes back what was said before."""
RENEWED = re.compile(
    r"\b(?:now(?! and (?:then|again))|nowadays|these days|chang(?:ed|es)|moved|from now on"
    r"|from then on|after all|switched|swapped|replaced|postponed|delayed|extended|pushed"
    r"|brought forward|rescheduled|raised|lowered|bumped|(?:up|down|back|over) to"
    r"|(?:put|gone?|went|goes|going|cut|came|come) (?:it |them )?(?:up|down|off|back)|actually"
    r"|not [\w' ]+ but|no,? wait|make (?:it|that)|handed|(?:tak(?:en?|es|ing)|took) over"
    r"|it's (?:now )?\d|so it's|since (?:monday|today|yesterday)|in the end|told no"
    r"|(?:was|is|i'm) out|again|a new|new one|i (?:said|told you)|turns out|update)\b|^\*\w"
    rf"|{ENDED.pattern}|{CORRECTED.pattern}",
    re.I,
)
"""What shows that a matter may be told anew: as changed, over or corrected."""
NOT = re.compile(
    r"\b(?:not|no|never|none|nobody|without|neither|nor|cannot|cant|dont|didnt|wont|isnt|doesnt"
    r"|hasnt|havent)\b|n['\N{RIGHT SINGLE QUOTATION MARK}]t\b",
    re.I,
)
"""What denies the clause it stands in."""
DENIED = re.compile(rf"{NOT.pattern}|{ENDED.pattern}", re.I)
"""What shows that something is not so, or no longer."""
_CLAUSE = re.compile(
    r"(?<!\bno)(?<!\bnope),|[;:.!?\n]|\b(?:but|because|so|although|though|while|as)\b"
    r"|\band (?=(?:[\w']+ ){0,3}(?:i|we|you|he|she|it|they|i'm|can|do|does|did|am|is|are|was|were"
    r"|will|has|have|never)\b)",
    re.I,
)
"""What stands between clauses that are denied each for itself."""
QUESTIONS = re.compile(r"[^.!?\n]*\?")
"""The sentences of a text that ask."""
IS_NOT = re.compile(rf"\b(?:is|are|am|was|were|'s|'m|'re) ?n(?:'?t|ot)\b|{ENDED.pattern}", re.I)
"""What denies that something is, or tells that it is over."""
STATE = re.compile(r"(?:so |and |but |well,? )?(?:is|are|am|was|were)\b(?!.*\w{3}ing\b)", re.I)
"""What asks how something is, and not what it does."""
SUMMED = _listed(
    r"totals?|totall?ed|altogether|all together|combined|in all|average|overall|put together",
    r"across (?:all|my|our|the)|how (?:much|many) [^?]*(?:together|both [^?]+)",
    r"how much (?:older|younger|more|less|longer|shorter|later|earlier)|how many more",
    r"how (?:much|many) [^?]*(?:instead of|compared (?:to|with)|rather than)",
)
"""What asks for, or tells, something worked out of several values."""
LEFT_OVER = re.compile(r"\bhow (?:much|many) [^?]*(?:left|remain\w*|to go)\W*$", re.I)
TOLD_LEFT = _listed(r"left|remain\w*|to go|only|still|more|another|short of")
"""What asks for what is left of something, and what tells it."""
DIFFERENCE = _listed(r"by how (?:much|many)", r"how (?:much|many) [^?]*short of")
TOLD_DIFFERENCE = _listed(r"by|raise|rise|than|more|less|fewer|short|missing|another")
"""What asks for a difference, and what tells one."""
OF_EACH = _listed(r"each(?! (?:day|week|month|year|morning|evening|night|time))|apiece")
TOLD_OF_EACH = _listed(r"each|apiece|a piece|per|every")
"""What asks for a value of every one of several, and what tells one."""
COMPARED = _listed(
    r"(?:old|eld|young|cheap|dear|prici|long|short|bigg|larg|great|small|heavi|light|high|low|fast"
    r"|slow|quick|near|clos|tall|earli|lat|soon|new|strong|warm|cold|cool|hott|wid|narrow|deep|easi"
    r"|hard|nic)e?(?:r|st)",
    r"more|most|less|least|fewer|fewest|better|best|worse|worst|f[au]rthe(?:r|st)|first|than",
    r"last(?! \w)",
)
"""What asks for, or tells, which of several things is more of something."""
OF_TWO = re.compile(
    r"\bof (?:the|my|our|his|her|their|these|those|\w+'s) (?:two|three|\w+s)\b", re.I
)
"""What asks to compare things that it does not name."""
HEDGED = re.compile(
    r"\b(?:might|(?<!in )(?<!since )(?<!last )(?<!next )(?-i:may)(?! \d)|maybe|perhaps|probably"
    r"|if|wish|hope|hoping|would|could|should|thinking (?:of|about)|not sure|rumou?r|apparently"
    r"|supposedly|they say|i think|i guess|wants?|wanna|dream\w*|almost|nearly|joking|kidding"
    r"|pretend\w*)\b",
    re.I,
)
"""What shows that something only may be so."""


def clauses(text: str) -> list[str]:
    """The clauses of a text that tell something, each denied for itself; of questions none."""
    return _CLAUSE.split(QUESTIONS.sub(" ", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")))
