"""Values told anew in few words: "switched banks, it's Tesal now", "put the rent up to 1200"."""

from __future__ import annotations

import re

_WHO = r"(?:(?:i|we|they|he|she)(?:'ve| have|'s| has)? )?(?:just |finally |also )?"
_SWITCHED = re.compile(
    rf"^{_WHO}(?:changed|switched|swapped|reset|replaced) (?P<whose>the |my |our )?"
    r"(?P<noun>[a-z][a-z-]*(?: (?:of the )?[a-z][a-z-]*){0,2})(?:,|;| and| so|:)+ (?:now )?"
    r"(?:it's|it is|they're|the new one is|the new one's) (?:now )?"
    r"(?P<value>(?:[A-Z0-9$\u20ac\u00a3])[^,.!?;]*?)(?: now| instead)?(?=[.!]*$)",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"[A-Z0-9$\u20ac\u00a3]")
_PUT = re.compile(
    r"\b(?:put|puts|putting)(?P<way> up| down)? (?P<what>(?:the|my|our|his|her|their) "
    r"[a-z]+(?: [a-z]+)?)(?(way)| (?:up|down)) to "
    r"(?=[$\u20ac\u00a3]?\d[\d.,]*(?: (?:euros?|dollars?|pounds?|(?:a|per) [a-z]+))*[.!]*$)"
)
_ARE_NOW = re.compile(
    r"^(?P<what>(?:my|our|the) [a-z]+(?: [a-z]+)?) (?:have|has|'ve|'s) changed"
    r"(?: again)?[:,;] ?(?:and )?(?:now )?(?:they're|they are|it's|it is) (?:now )?"
    r"(?=\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day)",
    re.IGNORECASE,
)
_MAY_CHANGE = re.compile(r"change|switch|swap|reset|replace|\bput", re.IGNORECASE)


def anew(text: str) -> str:
    """Return a sentence that changes a value as "I changed the bank to Tesal"."""
    if _MAY_CHANGE.search(text) is None:
        return text
    text = _SWITCHED.sub(_switched, text)
    text = _PUT.sub(lambda m: f"changed {m['what']} to ", text)
    return _ARE_NOW.sub(lambda m: f"{m['what']} are now ", text)


_ONE_OF = re.compile(r"(?:(?P<y>ies)|(?<!s)s)$")


def _single(match: re.Match[str]) -> str:
    return "y" if match["y"] else ""


def _switched(match: re.Match[str]) -> str:
    if not _CAPITAL.match(match["value"]):
        return match[0]  # "changed my mind, it's fine now"
    head, _, last = match["noun"].rpartition(" ")
    one = last if match["whose"] else _ONE_OF.sub(_single, last)
    noun = f"{head} {one}".strip()
    return f"I changed {match['whose'] or 'the '}{noun} to {match['value'].strip()}"
