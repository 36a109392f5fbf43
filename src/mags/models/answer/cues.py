"""What a text has of the kind that is asked for, and what tells that something is over."""

from __future__ import annotations

import re

from mags.models.policy.rules.spans import EACH_DAY
from mags.ports.policy import NO_LONGER

TIME = re.compile(
    r"\b(?:\d{1,2}[:.]\d\d|\d{1,2} ?[ap]\.?m\.?|(?:1[5-9]|20)\d\d|\d{1,2}(?:st|nd|rd|th)|mon|tues|"
    r"wednes|thurs|fri|satur|sun)(?:days?)?\b|\b(?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december|today|yesterday|tomorrow|tonight|"
    r"(?:last|next|this|every) \w+|\w+ ago|morning|evening|weekend|noon|midnight)\b",
    re.I,
)
NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|"
    r"forty|fifty|hundred|thousand|million|once|twice|several|half)\b",
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
FROM = re.compile(r"\bfrom (?!now\b|then\b)", re.I)
REASON = re.compile(r"\b(?:because|since|so that|due to|in order to|reason|why|so)\b", re.I)
CUES = {"time": TIME, "number": NUMBER, "place": PLACE, "reason": REASON}
WEEKDAYS = re.compile(rf"(?:{EACH_DAY}(?:, and |, | and )?(?=\b|$))+$", re.I)
"""What tells the days on which something is done again and again."""
DIED = "died "
STATES = frozenset({"dead", "retired", "divorced", "broken", "closed", "gone", "stolen"})
"""What tells what became of something, besides what is no longer so."""


def became(relation: str, state: str) -> bool:
    """Whether a fact of this relation and object tells what became of something."""
    return relation.startswith((NO_LONGER, DIED)) or state in STATES


def dead(relation: str, state: str, text: str) -> bool:
    """Whether a fact tells that somebody died."""
    return relation.startswith(DIED) or state == "dead" or text.endswith("(died).")
