"""Words, sentences and names of a text, with their places in it, and the stems of words.

Names are capitalised spans, told from words that only start a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import snowballstemmer

from mags.caches import cached
from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.when import DAYS, MONTHS
from mags.ports.english import forms, is_verb, word_set

_SHORT = "Mr|Mrs|Ms|Dr|Prof|St|Ft|Mt|Jr|Sr|vs"
"""Words with a point that ends no sentence and belongs to them."""
_TOKEN = re.compile(
    r"\d{1,2}:\d{2}(?:\s?[ap]\.?m\b)?"
    r"|\+?\d+(?:[-\u2013]\d+)+(?![^\W_])"
    r"|[$€£]?\d+(?:,\d+)*(?:\.\d+)?(?:st|nd|rd|th|%|k|km|kg|am|pm)?(?![^\W_])"
    r"|(?:[A-Z]\.){2,}"
    rf"|\b(?:{_SHORT}|[A-Z])\.(?=\s)"
    r"|[^\W_]+(?:[-&.'\u2019/][^\W_]+)*"
    r"|\S"
)
_CLITIC = re.compile(r"^(.+?)(n['\u2019]t|['\u2019](?:s|m|re|ve|ll|d))$", re.IGNORECASE)
_END = re.compile(
    r"(?<=[.!?\u2026])[\"'\u201d\u2019)]*\s+(?=[\"'\u201c\u2018(]?[A-Z0-9])"
    r"|(?<=[.!?\u2026])\s+(?=(?:i|my|we|our|he|she|they|his|her)(?:['\u2019 ]))|\n+"
)
_GOES_ON = re.compile(
    r"(?P<open>\b(?:an?|the|my|our|his|her|their|of|in|at|to|from|with|into|than|and|but|or))"
    r"[ \t\r]*\n[ \t]*(?=\w)"
    r"|(?P<word>\w)[ \t\r]*\n[ \t]*(?=(?:of|in|at|to|from|with|and|because) )"
)
"""A line break within a sentence: after a word that ends none, or before one that begins none."""
_NO_END = re.compile(rf"(?:\b(?:{_SHORT}|etc|e\.g|i\.e|No|Inc|Ltd|Co)|\b[A-Z])\.$")
_WHOLE = {"ca": "can", "wo": "will", "sha": "shall"}
_HELPING = word_set("do does did ca could is was are have has had would wo were should must need")
_SLURRED = {
    "wanna": ("want", "to"), "gotta": ("have", "to"), "im": ("i", "'m"), "ive": ("i", "'ve"),
    "hes": ("he", "'s"), "shes": ("she", "'s"), "theyre": ("they", "'re"),
    "theyve": ("they", "'ve"), "weve": ("we", "'ve"), "thats": ("that", "'s"),
} | {f"{word}nt": (_WHOLE.get(word, word), "n't") for word in _HELPING}  # fmt: skip
"""Words that are two: slurred, or typed without an apostrophe; none is a word of its own."""
_BARE = "|".join(f"{word}n" for word in _HELPING)
_DENIAL = re.compile(rf"\b(?:(?:{_BARE})|(?:^|(?<=[.!?\n]\s)|(?<=\n))(?i:{_BARE}))(?=[tT]\b)")
"""What stands before a bare "t" for "not"; with a capital only where a sentence begins."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark: as written, in lower case, and where it starts and ends."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """True for words and numbers, False for marks."""
        return self.text[-1].isalnum() or self.text[0].isalnum() or self.text[0] == "'"

    @property
    def is_capital(self) -> bool:
        """True for a word that starts with a capital letter."""
        return self.text[0].isupper()


@cached(256)
def tokenise(text: str) -> tuple[Token, ...]:
    """Return the words and marks of a text; clitics apart ("I", "'m"; "do", "n't"; "Ana", "'s").

    Kept, since several rules take the same sentence apart.
    """
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        word, start = match[0], match.start()
        clitic = _CLITIC.match(word)
        if clitic:
            stem = clitic[1]
            found.append(_token(stem, start))
            found.append(_token(clitic[2], start + len(stem)))
        else:
            found.append(_token(word, start))
    return tuple(_spread(found))


def _spread(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield tokens, "wanna" as "want to" and "dont" as "do n't"."""
    for token in tokens:
        if token.low in _SLURRED:
            first, second = _SLURRED[token.low]
            end = token.start + len(first)
            yield Token(first, first, token.start, end)
            glued = end if "'" in second else end + 1
            yield Token(second, second, glued, token.end)
        else:
            yield token


def _token(word: str, start: int) -> Token:
    low = word.lower().replace("\u2019", "'")
    return Token(word.replace("\u2019", "'"), _WHOLE.get(low, low), start, start + len(word))


_SPEECH = re.compile(
    r"(?:^|(?<=[.!?;,\n] ))(?:(?!\b(?:i|we)\b)[^.!?:;,\"\u201c\n]){1,60}? "
    r"(?:said|says|wrote|writes|told|tells|texted|texts|replied|replies|shouted|goes)"
    r"(?: (?:to )?(?:me|us|him|her|them))?"
    r"(?: ?[:,]? ?[\"\u201c](?P<marked>[^\"\u201d]*)[\"\u201d]?"
    r"|[:,] ['\u2018](?P<single>.*?)(?:['\u2019](?!\w)|$)|: (?P<plain>[^.!?\n]*[.!?]*))",
    re.I,
)
"""What somebody else is quoted with, in marks or behind a colon: 'Tom said: "I live in Graz."'"""
SAYS_I = re.compile(r"\b(?:i|im|we|me|us|my|our)\b", re.I)


def own_words(text: str) -> str:
    """A text without what it quotes of somebody else who speaks of themself.

    "I" is there whoever is quoted, so nothing of it is told of who speaks.
    """

    def left(found: re.Match[str]) -> str:
        quoted = found["marked"] or found["single"] or found["plain"] or ""
        return "" if SAYS_I.search(quoted) else found[0]

    return _SPEECH.sub(left, text)


def spelled(text: str, names: Iterable[str] = ()) -> str:
    """A text with the apostrophes of what it denies ("didnt"), and with `names` in capitals.

    "rex died" is of Rex, who is known; a name that is a word too ("Will", "Rose") is left alone,
    and so is what has an article before it.
    """

    text = _DENIAL.sub(r"\g<0>'", text)
    small = {name.lower(): name for name in names if not _is_word(name)}
    small = {low: name for low, name in small.items() if low != name and low in text}
    if not small:
        return text
    each = "|".join(re.escape(low) for low in sorted(small, key=len, reverse=True))
    return re.sub(
        rf"(?P<led>\b(?:{'|'.join(lex.ARTICLES)}) )?(?<![\w'@#./-])(?P<low>{each})(?![\w@/-]|\.\w)",
        lambda found: found[0] if found["led"] else small[found["low"]],
        text,
    )


def _is_word(name: str) -> bool:
    """Say whether a name in small letters may be another word: one of a list, or a verb."""
    low = name.lower()
    return len(low) < _SHORTEST or any(
        part in _ORDINARY | _CALENDAR | lex.FUNCTION_WORDS | lex.ALSO_NAMES or is_verb(part)
        for part in low.split()
    )


_SHORTEST = 3
"""Letters of a name that is met in small letters."""


def sentences(text: str) -> tuple[str, ...]:
    """Split a text into sentences at marks and line ends, not after "Dr." or an initial.

    A line may break within a sentence too: "I live in" and "Oslo." on the next.
    """
    found: list[str] = []
    for piece in _pieces(text):
        if found and _NO_END.search(found[-1]):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return tuple(found)


def _pieces(text: str) -> list[str]:
    whole = _GOES_ON.sub(lambda m: f"{m['open'] or m['word']} ", text)
    return [piece.strip() for piece in _END.split(whole) if piece and piece.strip()]


def join(tokens: Sequence[Token]) -> str:
    """Return tokens as text, with a blank where the text they come from had one."""
    parts: list[str] = []
    end = -1
    for token in tokens:
        parts.append(token.text if token.start == end or not parts else " " + token.text)
        end = token.end
    return "".join(parts)


def starts_with(tokens: Sequence[Token], phrase: Sequence[str], at: int = 0) -> bool:
    """Say whether the lower-case words of a phrase stand at a place."""
    if at + len(phrase) > len(tokens) or (phrase and tokens[at].low != phrase[0]):
        return False  # asked of every phrase at every word: most end here
    return all(tokens[at + i].low == word for i, word in enumerate(phrase))


# -- names ---------------------------------------------------------------------

_CLOSED = lex.FUNCTION_WORDS - lex.GREETINGS - lex.ADVERBS
_CALENDAR = frozenset(DAYS) | frozenset(MONTHS)
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d]{2,60})[\"\u201d]")
_ORDINARY = word_set(
    """however thus many most several all each every one two three four five six seven eight nine
    ten other such tomorrow maybe perhaps people everyone someone nothing something everything
    according despite unlike glad happy sounds looks ps btw exactly yet next more less much um uh
    oops ugh yay wonderful fantastic lovely sweet merry new old big little second early late plus
    anyway besides meanwhile gotta whoever whatever whichever wherever whenever throughout kids
    family friends mom dad music art fashion nature life school food yoga clay health money time
    sports books movies games dogs cats pets fruit coffee tea summer winter autumn weekends
    mornings evenings days years things stuff folks guys men women children students teachers
    doctors photos pictures memories dreams goals plans news reminder tonight half part members
    team none everybody anybody nobody anyone anything same home landlord wife husband instagram"""
)
_NOUN_ENDINGS = (
    "ing", "ings", "tion", "tions", "ness", "ment", "ments", "ity", "ities", "ism", "ship", "ance",
    "ence", "hood", "ery", "ics", "ology", "ies",
)  # fmt: skip


def _weak(token: Token) -> bool:
    """Say whether a capitalised first word tells nothing of a name."""
    low = token.low
    if (
        low in _ORDINARY
        or low in lex.FUNCTION_WORDS
        or (len(low) > 5 and low.endswith(_NOUN_ENDINGS))
    ):
        return True
    return is_verb(low) and any(base == low or form == "gerund" for base, form in forms(low))


def _can_start(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    if not token.is_capital or token.low in _CALENDAR or token.low == "i":
        return False
    first = i == 0 or tokens[i - 1].text in {'"', "(", ":", "-", "\u2013", "\u2014"}
    return not _weak(token) if first else token.low not in _CLOSED


def name_end(tokens: Sequence[Token], i: int) -> int:
    """Return where the name that starts at `i` ends (not in it); `i` where none starts."""
    if i >= len(tokens) or not _can_start(tokens, i):
        return i
    end = i + 1
    while end < len(tokens):
        if _continues(tokens[end]):
            end += 1
            continue
        linked = _link_end(tokens, end)
        if linked == end:
            break
        end = linked
    return end


def _continues(token: Token) -> bool:
    if token.low in _CALENDAR or token.low == "i" or token.low.startswith("'"):
        return False
    number = token.text.isdigit() and len(token.text) < 4
    return token.is_capital or number or token.low.rstrip(".") in {"jr", "sr"}


def _link_end(tokens: Sequence[Token], i: int) -> int:
    """Return the end of "of", "of the", "de la" before another capital; `i` if there is none."""
    end = i
    while end < len(tokens) and end < i + 2 and tokens[end].low in lex.NAME_LINKS:
        end += 1
    if end == i or end >= len(tokens) or not tokens[end].is_capital:
        return i
    if tokens[i].low in {"and", "for", "in"}:
        return i
    return end if _continues(tokens[end]) else i


def surface(tokens: Iterable[Token]) -> str:
    """Return a name as written, its words joined by single blanks."""
    return " ".join(t.text for t in tokens).replace(" .", ".")


def _is_title(text: str) -> bool:
    return text[:1].isupper() and len(text.split()) < 8


@cached(4096)
def mentions(text: str) -> tuple[str, ...]:
    """Return the names in a text, longest form first met, each once."""
    found = {title.strip(" ,.!?"): None for title in _QUOTED.findall(text) if _is_title(title)}
    for sentence in sentences(_QUOTED.sub(lambda m: " | " if _is_title(m[1]) else m[0], text)):
        tokens, i = tokenise(sentence), 0
        while i < len(tokens):
            end = name_end(tokens, i)
            name = surface(tokens[i:end])
            if len(name) > 1 and name.lower().rstrip(".") not in _TITLES:
                found.setdefault(name, None)
            i = max(end, i + 1)
    return tuple(found)


_TITLES = word_set("mr mrs ms miss dr prof professor sir lady lord saint st captain president king")


# -- words as they are, and their stems ---------------------------------------------

WORD = re.compile(r"[^\W_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}][^\W_]+)?")


@cached(4096)
def stems(text: str) -> frozenset[str]:
    """Stems of the words of a text, each word also as it stands, without "'s"."""
    words = {
        re.sub(r"['\N{RIGHT SINGLE QUOTATION MARK}]s$", "", w.casefold())
        for w in WORD.findall(text)
    }
    return frozenset(words) | frozenset(map(stem, words))


@cached(16384)
def stem(word: str) -> str:
    """The stem of one word; kept, since a long turn is stemmed at every question."""
    stemmer = snowballstemmer.stemmer("english")  # it keeps state: one a call, for threads
    return str(stemmer.stemWord(word))


def is_name(words: str) -> bool:
    """Whether it is written as a proper name: a capital in it (or a script without any)."""
    letters = [c for c in words if c.isalpha()]
    return any(c.isupper() or c.lower() == c.upper() for c in letters)
