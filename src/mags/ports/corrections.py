"""How a correction is worded: "no wait, it's Bergen", "not Oslo, Bergen", "480, not 4800, sorry".

It says a value, and what is wrong where it likes; of whom it tells is known from what was said.
"""

from __future__ import annotations

import re

from mags.index.tokens import AnswerMark, marks

_OPENINGS = re.compile(
    r"^\W*(?:(?:no+|nope|nah|not quite|almost|close|actually|sorry|sry|apologies|wrong|incorrect"
    r"|false|oops|whoops|oh|ah|er|erm|uh|um|hm+|well|hang on|hold on|wait|typo|correction|edit"
    r"|scratch that|strike that|my (?:bad|mistake)|but|i was wrong|pardon me|excuse me"
    r"|the other one(?=:)|you(?:'re| are) (?:wrong|mistaken)"
    r"|(?:that|it|this) (?:isn't|wasn't) (?:true|so|right|correct)"
    r"|(?:that|it|this)(?:'?s| is| was) (?:wrong|false|incorrect|not (?:true|so|right|correct)"
    r"|a (?:typo|mistake)))\b[\s,.:;!-]*)+",
    re.IGNORECASE,
)
"""How a correction begins."""
_ENDINGS = re.compile(
    r"(?:[\s,.;!(-]+\b(?:sorry|sry|actually|i mean(?:t)?|oops|whoops|my (?:bad|mistake)|typo"
    r"|mistyped|lol|haha|now|instead)[\s.!)]*)+$",
    re.IGNORECASE,
)
_MEANT = re.compile(r"\bi meant?\b", re.IGNORECASE)
_FILLS = re.compile(
    r"\b(?:oh,? no+|oh|ah|er|erm|uh|um|hm+|well|but|close|almost|lol|haha|now|instead)\b",
    re.IGNORECASE,
)
"""What of these shows nothing by itself."""
_SAYS = re.compile(
    r"(?:(?:i (?:meant to say|should have said|meant|mean|said)|meant|(?:or )?rather|more like"
    r"|(?:his|her|its|their|the) name(?:'s| is| was)|its|(?:that |it |this )?should (?:be|read|say"
    r"|have been)|(?:it|that)(?:'s| is| was)(?! not\b)"
    r"|(?:make|change|fix|correct) (?:it|that|this)(?: to)?)\b[\s:,]*)+",
    re.IGNORECASE,
)
SOMEBODY_IS = re.compile(
    r"\b(?:(?P<own>(?:i|we)(?:'re|'?m| am| are| was| were))"
    r"|(?:s?he|they)(?:'?s|'?re| is| are| was| were)) ",
    re.IGNORECASE,
)
"""Of whom a correction says that it tells: of who speaks, or of another."""
_INSTEAD = re.compile(
    r"(?P<right>[^,;.]+?)(?: i meant?)?,? (?:and |but )?not (?P<wrong>[^,;.]+)"
    r"|not (?P<wrong2>[^,;.]+?)(?:,? but (?:rather )?|[,;.] ?(?:it'?s |it is |but )?)"
    r"(?P<right2>[^,;.]+)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:(?P<mine>(?:[,;(]\s*|(?<=\d)\s+)(?:i|it|that|sorry|forgot|with|always|mis\w+|got"
    r"|my (?:mistake|bad|eyes|fingers|phone|spelling))\b)|[,;(]\s*)"
    r"(?!.*\b(?:if|or|unless|maybe|perhaps|not)\b)[^?\d]{1,60}$",
    re.IGNORECASE,
)
"""What may stand behind a value and adds nothing to it: "..., I always mix them up"; behind
a day or a number that is anything short."""
BEFORE = re.compile(r"^(?:(?:in|at|on|to|from|for|the|an?) )+", re.IGNORECASE)
"""What may stand before a value and is no part of it."""
_NO_VALUE = re.compile(
    r"\b(?:i|you|u|we|he|she|they|it|that|this|these|those|there|other|another|one|ones|else|same"
    r"|different|him|her|them|my|your|his|our|their|mine|not|don't|never|no|what|who|when|where"
    r"|why|how|which|if|because|is|are|was|were|its|thats|hes|shes|im|have|has|had|can|could|will"
    r"|would|should|so|sorry|thanks|please|both|neither|wrong|right|true|before|already|said|out"
    r"|with|instead|number|date|name|way|last|next|old|new|only|just|always|really|very|too|still"
    r"|again|then|here|all|enough|fair|fine|nice|good|bad|great|ok|okay|everything|something"
    r"|nothing|yes|yeah|sure|later|soon|sir|guys|mate|man|dude|bro|dear|love|maybe|perhaps|though"
    r"|idea|wonder|problem|worries|clue|need|chance|thank)\b"
    r"|'(?:s|re|m|ve|d|ll)\b|[,.;:*?!]\s|\*",
    re.IGNORECASE,
)
"""Words that are no value, or that stand for one which is not said."""
_DENIES = re.compile(
    r"\b(?:wrong|incorrect|false|mistaken|(?:not|isn't|wasn't) (?:true|so|right|correct))\b",
    re.IGNORECASE,
)
SHOWN = AnswerMark.TIME | AnswerMark.NUMBER
_SHORT_VALUE = 4


def instead(said: str) -> tuple[str, str | None]:
    """What a correction says is wrong ("" where it does not), and the value that is right.

    The value is "" where it says only that something is wrong; None where it says more than a
    value, or something else.
    """
    said = said.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    rest = bare(said)
    if not rest:
        return "", "" if _DENIES.search(said) else None
    wrong, value = _pair(rest)
    aside = _ASIDE.search(rest) if value is None else None
    if aside is None or not (aside["mine"] or marks(rest[: aside.start()]) & SHOWN):
        return wrong, value
    return _pair(rest[: aside.start()])


def _pair(rest: str) -> tuple[str, str | None]:
    somebody = SOMEBODY_IS.match(rest)
    rest = rest if somebody is None else rest[somebody.end() :]
    pair = _INSTEAD.fullmatch(rest)
    wrong = "" if pair is None else BEFORE.sub("", (pair["wrong"] or pair["wrong2"]).strip("\"' "))
    value = rest if pair is None else (pair["right"] or pair["right2"])
    is_thing = re.match(r"an? ", value, re.IGNORECASE)
    value = BEFORE.sub("", value.strip("\"' "))
    if not re.search(r"\w", value) or len(value.split()) > _SHORT_VALUE or _NO_VALUE.search(value):
        return wrong, None
    if somebody is not None and pair is None and not (is_thing or shown(value)):
        return wrong, None  # "she's dead" need not be what she works as
    return wrong, value


def bare(said: str) -> str:
    """A correction without how it begins and ends: what it says is right, or all that it says."""
    text = said.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    rest = _ENDINGS.sub("", _OPENINGS.sub("", " ".join(text.split()))).strip(" .!,*")
    says = _SAYS.match(rest)
    return rest if says is None else rest[says.end() :].strip(" .!,")


def is_cued(said: str) -> bool:
    """Whether words at the begin or end of a turn show that it corrects something."""
    text = said.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    around = (_OPENINGS.match(text), _ENDINGS.search(text), _MEANT.search(text))
    cues = (_FILLS.sub("", one[0]) for one in around if one is not None)
    return text.startswith("*") or any(re.search(r"\w", cue) for cue in cues)


def shown(value: str) -> tuple[int, bool] | None:
    """What kind of value it is, as far as that shows: a time or a number, a name."""
    found = marks(value) & SHOWN, any(map(str.isupper, value))
    return found if any(found) else None


def of_one_kind(value: str, other: str) -> bool:
    """Whether both are times, both other numbers, or both names."""
    old, new = shown(value), shown(other)
    if old is None or new is None or (old[0] ^ new[0]) & AnswerMark.TIME:
        return False
    return bool(old[0] & new[0] or (old[1] and new[1]))
