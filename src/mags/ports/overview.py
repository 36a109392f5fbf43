"""Overviews: questions for all that is known of something ("Tell me about Ana").

A question about one thing of somebody ("Tell me about Ana's job") is none: a fact answers it.
"""

from __future__ import annotations

import re

_LEAD = r"(?:(?:so|and|well|ok|okay|please|now),? )*(?:(?:can|could|would|will) you (?:please )?)?"
_ABOUT = re.compile(
    rf"^{_LEAD}(?:"
    r"(?:what (?:do|can|did) (?:you|we|i) (?:know|remember|have|tell me|tell you)"
    r"|what have (?:i|we) told you|what do we have"
    r"|tell me(?: (?:what you know|everything|all|all you know|more|something))?"
    r"|what(?:'s| is) known|(?:give me )?(?:an? )?(?:overview|summary|recap|picture)) (?:about|of)"
    r"|(?:describe|sum up|summari[sz]e)(?: (?:what you know|everything|all you know) (?:about|of))?"
    r") (?P<topic>\S.*?)[\s?.!]*$",
    re.IGNORECASE,
)
_ONE_THING = re.compile(
    r"'s\b|s' |^(?:my|your|his|her|its|our|their|where|when|who|whose|whom|how|why|what|which|"
    r"whether)\b(?!-)|^the [\w-]+ of [A-Z]",
)


def topic_of(question: str) -> str:
    """Of whom or what a question asks for everything; "" where it asks for something else."""
    text = question.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    found = _ABOUT.match(text)
    if found is None or _ONE_THING.search(found["topic"]):
        return ""
    return found["topic"].rstrip(".")
