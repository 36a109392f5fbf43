"""Sentences whose shape the clause reader does not know, put as ones that it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mags.models.policy.rules.lexicon import JOBS
from mags.models.policy.rules.plain import turned
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token, join, tokenise

_LEAD = re.compile(
    r"^(?:(?:so|and|but|well|oh|actually|yes|yeah|hey|today|yesterday|last \w+|finally)\b,? )*",
    re.I,
)


def reworded(tokens: Sequence[Token], scene: Scene) -> Sequence[Token]:
    """Return a sentence in words that can be read; as it is where it can be already."""
    text = join(tokens)
    lead = _LEAD.match(text)
    said = text[lead.end() :] if lead else text
    if said.split(" ")[0].split("'")[0] in {"we", "my", "our", "he", "she"}:
        said = said[:1].upper() + said[1:]
    for pattern, make in _SHAPES:
        match = pattern.match(said)
        told = make(match, scene) if match is not None else ""
        if told:
            return tokenise(told)
    return turned(tokens)


def _exchanged(match: re.Match[str], scene: Scene) -> str:
    """Read "I swapped my Volvo for a Tesla" by what is known of the Volvo."""
    old = re.sub(r"^(?:my|our|the|an?) ", "", match["old"], flags=re.I).removesuffix(" in")
    new = match["new"].strip(" .!")
    held = re.compile(
        rf"^(?P<lead>{re.escape(scene.speaker)}(?:'s [\w -]+ is| \w+s)) "
        rf"(?P<article>an? |the )?(?:[\w-]+ )?{re.escape(old)}(?: [\w-]+)?\.?$",
        re.IGNORECASE,
    )
    found = [m for m in map(held.match, scene.known) if m is not None]
    leads = {m["lead"] for m in found}
    if len(leads) != 1:
        return ""
    return f"{leads.pop()} {new} now."


def _studied(match: re.Match[str], scene: Scene) -> str:
    """Read "I switched to chemistry this semester" of somebody who is known to study."""
    lead = f"{scene.speaker} studies "
    known = any(text.startswith(lead) for text in scene.known)
    return f"{lead}{match['new']} now." if known else ""


def _itemised(match: re.Match[str], scene: Scene) -> str:
    """Read "my shopping list: milk, bread, eggs" as a sentence."""
    names = match["names"].strip(" .!")
    head, comma, last = names.rpartition(", ")
    if comma and " and " not in names:
        names = f"{head} and {last}"
    return f"{match['who']} {match['noun']} is {names}."


def _hired(match: re.Match[str], scene: Scene) -> str:
    """Read "I'll be a data analyst at Hooli", "I'm starting as a cook at Nino's": a job."""
    trade = match["trade"].strip()
    return (
        f"I work at {match['place'].strip(' .!')} as a {trade}."
        if trade.split()[-1].lower() in JOBS
        else ""
    )


def _expecting(match: re.Match[str], scene: Scene) -> str:
    own = match["who"].lower() in {"i", "we"}
    if own:
        return f"My baby is due {match['when']}"
    kin, _, name = match["who"].rpartition(" ")
    lead = f"{kin} is {name} and " if kin and name[:1].isupper() else ""
    return f"{lead}{name if lead else match['who']}'s baby is due {match['when']}"


def _from(match: re.Match[str], scene: Scene) -> str:
    be = {"m": "am", "s": "is", "re": "are"}.get(
        match["be"].strip("' ").lower(), match["be"].strip()
    )
    return f"{match['who']} {be} {match['what']} and {match['who']} {be} from {match['place']}"


def _listed(match: re.Match[str], scene: Scene) -> str:
    """Read "three children: Leo, Nina and Paul" as "three children, Leo, Nina and Paul"."""
    return f"{match['lead']}, {match['names']}"


Shape = Callable[[re.Match[str], Scene], str]
_WHO = r"(?:I|We|[Mm]y [a-z-]+(?: [A-Z]\w+)?|He|She|[A-Z]\w+)"
_SHAPES: tuple[tuple[re.Pattern[str], Shape], ...] = (
    (
        re.compile(
            r"^(?:I|We)(?:'ve| have)?(?: just| finally)? "
            r"(?:traded|swapped|exchanged|replaced|switched) (?:in |from )?(?P<old>[\w' -]+?)"
            r" (?:for|with|to) (?P<new>[\w' -]+[.!]*)$"
        ),
        _exchanged,
    ),
    (
        re.compile(
            r"^(?:I|We)(?:'ve| have)?(?: just| finally)? (?:switched|changed)(?: majors?)? to "
            r"(?P<new>\w*(?:logy|istry|ics|nomy|phy|law|medicine|history|art|design|engineering"
            r"|literature|nursing|architecture))\b(?: (?:this|last) \w+| now)?[.!]*$"
        ),
        _studied,
    ),
    (
        re.compile(
            r"^(?P<who>My|Our|my|our) (?P<noun>[a-z]+(?: [a-z]+){0,2}) ?: (?P<names>[^.!?:]+)[.!]*$"
        ),
        _itemised,
    ),
    (
        re.compile(
            r"^(?:I'll be|I will be|I'm going to be|I'm|I am) (?:starting |working )?(?:as )?an? "
            r"(?P<trade>[a-z][a-z -]*?) at (?P<place>[A-Z][\w&' -]*[.!]*)$"
        ),
        lambda m, s: (
            _hired(m, s) if re.match(r"I'?\s?(?:'ll|will|'m going|'m starting)", m[0]) else ""
        ),
    ),
    (
        re.compile(
            rf"^(?P<who>{_WHO})(?:'s|'m|'re| is| am| are) expecting (?:a baby|a girl|a boy|"
            rf"a child|twins)? ?(?P<when>(?:in|on) [\w ]+[.!]*)$"
        ),
        _expecting,
    ),
    (
        re.compile(
            r"^(?P<who>I|He|She)(?P<be>'m|'s| am| is) (?P<what>[^,]+), "
            r"(?:and )?(?:originally )?from (?P<place>[A-Z][\w' -]*[.!]*)$"
        ),
        _from,
    ),
    (
        re.compile(
            r"^(?P<lead>(?:I|We|She|He|They) (?:have|has|'ve got|have got) "
            r"(?:two|three|four|five|six|\d) [a-z-]+): (?P<names>[A-Z].*)$"
        ),
        _listed,
    ),
)
