"""People who get their name on the way: "we hired a designer, Saskia", "her name's Mrs. Visser".

Each is put as two clauses that the clause reader knows: what was said, and who somebody is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mags.models.policy.rules.idioms import NAME
from mags.models.policy.rules.lexicon import JOBS, KIN

_SOMEONE = r"(?:guy|man|woman|girl|boy|lad|bloke|lady|person|gentleman)"
_NO_ROLE = rf"(?!{_SOMEONE}\b|(?:name|one|other|kids?|child|baby)\b)"
_TITLED = rf"(?:(?:Mrs?|Ms|Dr|Prof)\.? )?{NAME}"
_ROLE = "|".join(sorted((re.escape(word) for word in JOBS - KIN), key=len, reverse=True))
_FOUND = (
    r"(?:hired|recruited|employed|appointed|found|met|got|have|has|'ve got|'s got|took on"
    r"|taken on|adopted)"
)
_AGENT = re.compile(r"(?:er|or|ist|ant|ess|man|lady|lord| help)$")
"""How nouns end that tell what somebody does."""
_GOES_ON = r"(?=[ ,;]+(?:and|but|who|he|she)\b|[.!;]*$)"
_Make = Callable[[re.Match[str]], str]


def _named_after(match: re.Match[str]) -> str:
    if match["noun"].split()[-1] not in JOBS | KIN and _AGENT.search(match["noun"]) is None:
        return match[0]  # "the hotel was great, his name is Luis"
    return f"{match['lead']}; my {match['noun']} is {match['name']}"


def _found(match: re.Match[str]) -> str:
    return f"{match['lead']}; {match['name']} is {match['what']}"


def _is_one(match: re.Match[str]) -> str:
    return f"{match['whose']} is {match['name']}; {match['name']} is {match['what']}"


_PRESENTED: tuple[tuple[re.Pattern[str], _Make], ...] = (
    # "A girl called Jade comes instead": Jade does.
    (
        re.compile(
            rf"(?P<lead>^|[,;.!] ?|\b(?:and|but|so|now|because|then) )(?:[Aa]n?|[Ss]ome)"
            rf" (?:[a-z]+ )?{_SOMEONE} (?:called|named) (?P<name>{NAME})"
            r"(?= (?:now |also |just |always )?(?:is|was|has|will|does|[a-z]{2,}s)\b)"
        ),
        lambda m: f"{m['lead']}{m['name']}",
    ),
    # "The accountant comes every quarter, her name's Mrs. Visser."
    (
        re.compile(
            rf"^(?P<lead>(?:[Tt]he|[Mm]y|[Oo]ur) {_NO_ROLE}(?P<noun>[a-z]+(?: [a-z]+)?)"
            r" (?:is|was|has|comes|came|will|[a-z]{3,}s|[a-z]{2,}ed)\b"
            r"(?:(?!\b(?:an?|the|my|our|his|her|their|who)\b)[^A-Z.;])*?)"
            rf"(?:,| and|,? -)+ (?:his|her) name(?:'s| is) (?P<name>{_TITLED})(?=[.!]*$)"
        ),
        _named_after,
    ),
    # "We hired a designer, Saskia."
    (
        re.compile(
            rf"^(?P<lead>(?:[Ww]e|I|[Tt]hey|[Hh]e|[Ss]he|{NAME})(?:'ve| have| has| just| finally)*"
            rf" ?\b{_FOUND} (?P<what>an? (?:new )?(?:{_ROLE})))(?:,|:) (?P<name>{NAME}){_GOES_ON}"
        ),
        _found,
    ),
    # "My helper is a student, Noor."
    (
        re.compile(
            rf"^(?P<whose>(?:[Mm]y|[Oo]ur) (?:new )?[a-z]+) is (?P<what>an? (?:[a-z]+ )?"
            rf"(?:{_ROLE}|{_SOMEONE})(?: (?:from|in|at) {NAME})?), (?P<name>{NAME}){_GOES_ON}"
        ),
        _is_one,
    ),
)


_MAY_NAME = re.compile(r"[,:] [A-Z]| (?:called|named) | name(?:'s| is) ")


def presented(text: str) -> str:
    """Return a sentence with whom it brings in named in a clause of their own."""
    if _MAY_NAME.search(text) is None:
        return text
    for pattern, make in _PRESENTED:
        text = pattern.sub(make, text)
    return text
