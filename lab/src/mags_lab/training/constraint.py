"""Decoding held to the grammar of memory tokens, for local models (needs llguidance).

Unusual here: a whole operation is one regular expression. Taken apart into fields around " | ",
the lexer splits a line in ways a model never meant (trials: 0-6% valid replies). What is drawn
this way is read by `mags.models.grammar`, but for what no automaton tells: a range that ends
before it begins, a memory linked to itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mags.errors import ConfigurationError
from mags.models.grammar import ANSWER_KINDS, LIMITS, QUALIFIERS, ROUTES

if TYPE_CHECKING:
    import llguidance

Allowed = NDArray[np.bool_]

# What the reader refuses as unseen, in few ranges: \p{C} makes the automaton run out of room.
UNSEEN = (
    r"\x00-\x1f\x7f-\x9f\xad\u{600}-\u{605}\u{61c}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{180e}"
    r"\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{e000}-\u{f8ff}\u{feff}\u{fff9}-\u{fffb}"
    r"\u{110bd}\u{110cd}\u{13430}-\u{1345f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}"
    r"\u{e0000}-\u{10ffff}"
)
SPACES = r" \xa0\u{1680}\u{2000}-\u{200a}\u{202f}\u{205f}\u{3000}"
SEEN = rf"[^|<\\{UNSEEN}{SPACES}]"
REST = rf"([^|<\\{UNSEEN}]|\\\|)"
FIELD = rf"({SEEN}|\\\|){REST}{{0,119}}"
WORD = rf"{SEEN}{{1,24}}"
RELATION = rf"{WORD}( {WORD}){{0,{LIMITS.relation_words - 1}}}"
VALUE = rf"[^|;<\\{UNSEEN}{SPACES}][^|;<\\{UNSEEN}]{{0,119}}"
# A first word without a colon is no setting's name, one without a caret no answer of a hop before.
QUERY = rf"[^|:<\\{UNSEEN}{SPACES}]{{1,40}}( {REST}{{0,119}})?"
SUBJECT = rf"[^|^<\\{UNSEEN}{SPACES}]{REST}{{0,119}}"
PAIR = rf"({'|'.join(QUALIFIERS)})={VALUE}"
PAIRS = rf"{PAIR}(; {PAIR}){{0,3}}"
DAY = (
    r"-((0[13578]|1[02])(-(0[1-9]|[12][0-9]|3[01]))?"
    r"|(0[469]|11)(-(0[1-9]|[12][0-9]|30))?|02(-(0[1-9]|1[0-9]|2[0-8]))?)"
)
CLOCK = r"T([01][0-9]|2[0-3]):[0-5][0-9]"
LEAP = r"(19|20)([2468][048]|[13579][26]|0[48])-02-29"
DATE = (
    rf"([12][0-9]{{3}}({DAY})?|{LEAP}|[12][0-9]{{3}}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8]){CLOCK})"
)
WHEN = rf"({DATE}(\.\.({DATE})?)?|\.\.{DATE})"
MORE = rf"( \| {PAIRS}( \| {WHEN})?| \|( \|)? {WHEN})?"
WEIGHT = r"(0(\.[0-9]{1,6})?|1)"

ENGRAM = rf"""
start: OPEN "\n" lines CLOSE
lines: "none\n" | (line "\n"){{1,{LIMITS.operations}}}
line: CHANGE | RETRACT | NOTE | LINK
CHANGE: /(ADD|UPDATE) \| {FIELD} \| {RELATION} \| {FIELD}{MORE}/
RETRACT: /RETRACT \| {FIELD} \| {RELATION} \|( {FIELD}{MORE}| ?)/
NOTE: /NOTE \| {SEEN}{REST}{{0,399}}/
LINK: /LINK \| m[0-9]{{1,9}} \| m[0-9]{{1,9}}/
"""
RECALL = rf"""
start: OPEN "\n" lines CLOSE
lines: "none\n" | (QUERY "\n"){{0,{LIMITS.queries}}} (ENTITIES "\n")? hops? settings
settings: (SINCE "\n")? (UNTIL "\n")? (KIND "\n")? ("past: yes\n")? (BLOCKS "\n")?
hops: FIRST "\n" (HOP "\n"){{0,{LIMITS.hops - 1}}}
QUERY: /{QUERY}/
ENTITIES: /entities: {VALUE}(; {VALUE}){{0,7}}/
FIRST: /hop: {SUBJECT} \| {FIELD}( \| inverse)?/
HOP: /hop: {FIELD} \| {FIELD}( \| inverse)?/
SINCE: /since: {DATE}/
UNTIL: /until: {DATE}/
KIND: /kind: ({"|".join(ANSWER_KINDS)})/
BLOCKS: /blocks: episodic={WEIGHT} semantic={WEIGHT}/
"""
ROUTE = rf"""
start: OPEN WORDS CLOSE
WORDS: / ({"|".join(ROUTES)})( episodic={WEIGHT} semantic={WEIGHT})? /
"""
GRAMMARS = {"ask": ("recall", RECALL), "write": ("engram", ENGRAM), "router": ("route", ROUTE)}


class Constraint:
    """The grammars of the three roles over one tokenizer.

    `tokenizer`: the text of its `tokenizer.json`; `end`: id of the token that ends a reply;
    `pieces`: how many the model's logits have. Raises ConfigurationError where llguidance is not
    installed.
    """

    def __init__(self, tokenizer: str, *, end: int, pieces: int) -> None:
        try:
            import llguidance
        except ImportError:
            raise ConfigurationError(
                "Decoding held to the grammar needs llguidance: pip install './lab[train]'.",
                extra="train",
            ) from None
        self._library: Any = llguidance
        self._tokenizer = llguidance.LLTokenizer(tokenizer, n_vocab=pieces, eos_token=end)
        self._begun: dict[str, llguidance.LLMatcher] = {}

    def begin(self, role: str) -> Guide:
        """A guide for one reply of a role ("ask", "write", "router")."""
        if role not in self._begun:
            self._begun[role] = self._compiled(role)
        return Guide(self._begun[role].deep_copy(), self._tokenizer.vocab_size)

    def _compiled(self, role: str) -> llguidance.LLMatcher:
        name, rules = GRAMMARS[role]
        marks = {"OPEN": f"<{name}>", "CLOSE": f"</{name}>"}
        for place, mark in marks.items():
            # A mark that is one piece is named bare, one that is spelled is quoted.
            piece = len(self._tokenizer.tokenize_str(mark)) == 1
            rules = rules.replace(place, mark if piece else f'"{mark}"')
        matcher = self._library.LLMatcher(
            self._tokenizer, self._library.LLMatcher.grammar_from_lark(rules)
        )
        if matcher.is_error():
            raise ConfigurationError(
                f"llguidance {self._library.get_version()} refuses the grammar of {role}: "
                f"{matcher.get_error()}",
                role=role,
            )
        return matcher


class Guide:
    """What may come next in one reply."""

    def __init__(self, matcher: llguidance.LLMatcher, pieces: int) -> None:
        self._matcher = matcher
        self._pieces = pieces

    def allowed(self) -> Allowed:
        """Which pieces may come next; bool (pieces,). Only the end once the reply is whole."""
        bits = np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8)
        return np.unpackbits(bits, bitorder="little")[: self._pieces].astype(np.bool_)

    def take(self, piece: int) -> bool:
        """Note the piece that was drawn; False where the grammar does not let it be."""
        return bool(self._matcher.consume_token(piece))
