"""Words as the lexical index sees them: folded, stop words out, stemmed (Porter 2)."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import snowballstemmer

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?", re.UNICODE)

STOP_WORDS = frozenset(
    """a about above after again against all am an and any are aren't as at be because been before
    being below between both but by can can't cannot could couldn't did didn't do does doesn't
    doing don't down during each few for from further had hadn't has hasn't have haven't having he
    he'd he'll he's her here here's hers herself him himself his how how's i i'd i'll i'm i've if
    in into is isn't it it's its itself just let's me more most mustn't my myself no nor not now of
    off on once only or other ought our ours ourselves out over own same shan't she she'd she'll
    she's should shouldn't so some such than that that's the their theirs them themselves then
    there there's these they they'd they'll they're they've this those through to too under until
    up very was wasn't we we'd we'll we're we've were weren't what what's when when's where
    where's which while who who's whom why why's will with won't would wouldn't you you'd you'll
    you're you've your yours yourself yourselves s t d ll m re ve also really like get
    got""".split()  # noqa: SIM905
)

_stemmer = snowballstemmer.stemmer("english")


def fold(text: str) -> str:
    """Lower case, without accents, curly quotes made straight."""
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'"))
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def words(text: str) -> list[str]:
    """Folded words of a text, in order, stop words kept."""
    return _WORD.findall(fold(text))


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Porter 2 stem of a folded word; a possessive 's falls away."""
    return str(_stemmer.stemWord(word.removesuffix("'s").replace("'", "")))


def terms(text: str) -> list[str]:
    """Stems of the words that count, in order."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]
