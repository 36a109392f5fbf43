"""Names typed in small letters: "paula works at a bakery", where Paula was told of before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mags.models.policy.rules.lexicon import FUNCTION_WORDS, word_set
from mags.models.policy.rules.names import mentions
from mags.models.policy.rules.spans import DAYS, MONTHS
from mags.ports.english import is_verb
from mags.ports.policy import Recalled, Turn

_SHORTEST = 3
PLAIN_NAMES = (
    word_set(
        """amber angel art ash autumn basil bay bean bear berry bill biscuit blue boy brook buddy
        bunny cherry chip christian clay cliff coco cookie coral crystal daisy dale dawn dean dell
        earl fern forest frank gene ginger glen gold grace grant guy harmony hazel heath heather
        holly honey hope hunter iris ivy jack jade jasmine jay jean jewel joy june kit king lance
        lily lucky major mango mark max melody mercy miles misty mouse nick noble norm olive opal
        oreo page pat patience peach pearl peg penny pepper pip pumpkin queen rabbit ray reed rich
        river robin rod rose ruby rusty sage sandy shadow shell sky smoky snow star stone stormy
        sue summer sunny tiger trinity victor violet wade ward wren young
        apple amazon bath cork deal nice orange reading rust shell square swift target go work
        home python java spring slack meta"""
    )
    | frozenset(DAYS)
    | frozenset(MONTHS)
)
"""Names that are words of plain English too."""
_WORD = re.compile(r"(?<![\w@./#-])[a-z][a-z'\u2019]*(?![\w@/#-])")


def cased(text: str, names: Iterable[str]) -> str:
    """Return a text with the known names in it in their capitals.

    Only names of one word that plain English does not have: "mark" and "rose" stay as they are.
    """
    known = {name.lower(): name for name in names if _is_telling(name)}
    if not known:
        return text
    return _WORD.sub(lambda m: _written(m[0], known), text)


def _written(word: str, known: dict[str, str]) -> str:
    stem, mark, ending = word.replace("\u2019", "'").partition("'")
    return f"{known[stem]}{mark}{ending}" if stem in known else word


def _is_telling(name: str) -> bool:
    low = name.lower()
    plain = low in PLAIN_NAMES or low in FUNCTION_WORDS or is_verb(low)
    return len(name) >= _SHORTEST and name.isalpha() and name[0].isupper() and not plain


_NEAR = 6


def known_names(recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Iterator[str]:
    """Yield the names that the last turns and the memories have."""
    for earlier in list(recent)[-_NEAR:]:
        yield from mentions(earlier.text)
    for item in recalled:
        yield from (item.subject, item.object)
