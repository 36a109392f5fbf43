"""What the frozen reader reads: texts as pieces and tokens, and as the arrays of its network."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mags.caches import cached
from mags.index.tokens import STOP_WORDS, fold, stem

DATE = "date"
"""The word that stands for a day named in a text."""
APART = 200_000
"""Counted days ("day 12") are below; days of the calendar are above."""
LONGEST = 40
"""Words of a piece; a longer line is cut at the ends of its sentences, or here."""

_MONTHS = {
    name: place + 1
    for place, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
    )
}
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = re.compile(
    r"\b(?:(?P<y1>\d{4})-(?P<m1>\d\d)-(?P<d1>\d\d)(?:[T ]\d\d:\d\d(?::\d\d)?)?"
    rf"|(?:the\s+)?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format('m2')}\b"
    r"(?:,?\s+(?P<y2>\d{4}))?"
    rf"|{_MONTH.format('m3')}\.?\s+(?:the\s+)?(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b"
    r"(?:,?\s+(?P<y3>\d{4}))?"
    r"|day\s+(?P<n>\d{1,6})\b)",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\bfor (?:the next )?(?P<n>\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a|an) "
    r"(?P<unit>days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_COUNTS = {
    word: count
    for count, word in enumerate(
        ("a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
} | {"a": 1, "an": 1, "twelve": 12}
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365}
_FRONT = re.compile(r"^\s*\[([^\]]{1,40})\]\s*")
_SPEAKER = re.compile(r"^([^\W\d_][\w'.-]*(?: [\w'.-]+){0,3}):\s+")
_WORD = re.compile(r"\x00\d+\x00|[^\W_]+|[.;:?!]")
_STOPS = STOP_WORDS | {"'s", "s"}


@dataclass(frozen=True, slots=True)
class ReaderToken:
    """A word as the reader sees it. `term`: by which it is the same as another, "" for words that
    tie nothing together; `day`: of a day named; `said`: part of the name of who speaks.
    """

    word: str
    term: str
    capital: bool = False
    said: bool = False
    day: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A line, a question or an action in words. `day`: the one in front, `line`: its place."""

    line: int
    tokens: tuple[ReaderToken, ...]
    day: int | None = None

    @property
    def days(self) -> Iterator[int]:
        """The days it names."""
        return (token.day for token in self.tokens if token.day is not None)


@cached(20_000)
def pieces(text: str, near: int | None = None) -> tuple[Piece, ...]:
    """A text in pieces of at most `LONGEST` words, `line` 0. `near`: a day whose year is meant
    where none is named.
    """
    day, rest = _front(text)
    speaker = _SPEAKER.match(rest)
    said: tuple[ReaderToken, ...] = ()
    if speaker:
        said = (*_tokens(speaker[1], near, said=True), ReaderToken(":", ""))
        rest = rest[speaker.end() :]
    tokens = list(_tokens(rest, day if day is not None else near, from_day=day))
    return tuple(Piece(line=0, tokens=(*said, *part), day=day) for part in _parts(tokens) or [[]])


def _front(text: str) -> tuple[int | None, str]:
    front = _FRONT.match(text)
    if front is None:
        return None, text
    found = _DAY.search(front[1])
    day = _day(found, None) if found else None
    return (day, text[front.end() :]) if day is not None else (None, text)


def _tokens(
    text: str, near: int | None, *, said: bool = False, from_day: int | None = None
) -> Iterator[ReaderToken]:
    days: list[int] = []

    def put(day: int | None, words: str) -> str:
        if day is None:
            return words
        days.append(day)
        return f" \x00{len(days) - 1}\x00 "

    marked = _DAY.sub(lambda m: put(_day(m, near), m[0]), text)
    if from_day is not None:
        marked = _SPAN.sub(lambda m: f"until {put(from_day + _length(m), '')}", marked)
    for found in _WORD.finditer(marked.replace("\u2019", "'")):
        word = found[0]
        if word[0] == "\x00":
            yield ReaderToken(DATE, "", day=days[int(word[1:-1])])
            continue
        plain = fold(word)
        yield ReaderToken(plain, term_of(plain), capital=word[0].isupper(), said=said)


@cached(50_000)
def term_of(word: str) -> str:
    """What a folded word has in common with its other forms; "" for a stop word or a mark."""
    return "" if word in _STOPS or not word[0].isalnum() else stem(word)


def _parts(tokens: Sequence[ReaderToken]) -> list[list[ReaderToken]]:
    """Whole sentences as far as they fit."""
    parts: list[list[ReaderToken]] = []
    rest = list(tokens)
    while len(rest) > LONGEST:
        ends = [p + 1 for p in range(LONGEST) if rest[p].word in ".;!?"]
        cut = ends[-1] if ends else LONGEST
        parts.append(rest[:cut])
        rest = rest[cut:]
    if rest:
        parts.append(rest)
    return parts


def _day(found: re.Match[str], near: int | None) -> int | None:
    if found["n"]:
        return int(found["n"])
    for which in ("1", "2", "3"):
        if found[f"d{which}"]:
            month = found[f"m{which}"]
            number = int(month) if month.isdigit() else _MONTHS[month[:3].lower()]
            return _nearest(found[f"y{which}"], number, int(found[f"d{which}"]), near)
    return None


def _nearest(year: str | None, month: int, day: int, near: int | None) -> int | None:
    """The day; without a year, the one nearest to `near`."""
    if year:
        return _ordinal(int(year), month, day)
    if near is None or near < APART:
        return None
    about = date.fromordinal(near).year
    days = [_ordinal(y, month, day) for y in (about - 1, about, about + 1) if 1 <= y <= 9999]
    known = [d for d in days if d is not None]
    return min(known, key=lambda d: abs(d - near), default=None)


def _ordinal(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).toordinal()
    except ValueError:
        return None


def _length(found: re.Match[str]) -> int:
    count = found["n"].lower()
    number = int(count) if count.isdigit() else _COUNTS[count]
    return number * _UNITS[found["unit"].lower().rstrip("s")]


QUESTION, LINE, ACTION = range(3)
FEATURES = 26
TIES = 11
"""Kinds of pairs: by what the two are part of, and which line is the later."""
SHARED = 4
"""How many words two pieces share is told up to this."""
START = "[CLS]"
"""The word put in front of each piece: it gathers what the piece has to say."""
ALIKE = 0.45
"""Words at least as like one another, by the embedder's own table, are tied as well."""
_AGE = 5.0


class Vectors(Protocol):
    """Words as vectors."""

    def __call__(self, words: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Unit vectors (w, 384), and which words are known as a whole."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLayout:
    """`words`: distinct ones; `ids` (n,) into them; `features` (n, FEATURES); `piece`, `place`
    (n,): which piece, and where in it; `starts` (p,): each piece's first token; `kind` (p,);
    `line` (p,): which line it is of, -1 else; `left`, `right` (t,): tied tokens, by `left`, each
    token also with itself; `tie`, `shared` (t,) and `like` (t,): of what sort the tie is.
    """

    words: tuple[str, ...]
    ids: NDArray[np.int64]
    features: NDArray[np.float32]
    piece: NDArray[np.int64]
    place: NDArray[np.int64]
    starts: NDArray[np.int64]
    kind: NDArray[np.int64]
    line: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    tie: NDArray[np.int64]
    shared: NDArray[np.int64]
    like: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ties:
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    tie: NDArray[np.int64]
    shared: NDArray[np.int64]
    like: NDArray[np.float32]


def in_order(lines: Sequence[str]) -> list[Piece]:
    """The lines in pieces, oldest first: by the day in front, and as given where there is none."""
    near = next((p.day for text in lines for p in pieces(text)[:1] if p.day is not None), None)
    read = [pieces(text, near) for text in lines]
    day, days = -1, []
    for one in read:
        day = one[0].day if one[0].day is not None else day
        days.append(day)
    order = sorted(range(len(lines)), key=days.__getitem__)
    return [replace(piece, line=place) for place in order for piece in read[place]]


def laid_out(
    lines: Sequence[str], question: str, actions: Sequence[str], vectors: Vectors
) -> tuple[ReaderLayout, NDArray[np.float32]]:
    """The layout, and the vectors of its words."""
    told = in_order(lines)
    newest = max((p.day for p in told if p.day is not None), default=None)
    asked = replace(_whole(question, newest), line=-1)
    now = _now(asked, newest)
    done = [replace(_whole(action, now), line=-1) for action in actions]
    every = [asked, *told, *done]
    kinds = [QUESTION, *[LINE] * len(told), *[ACTION] * len(done)]
    words: dict[str, int] = {}
    ids = [_id(words, w) for piece in every for w in (START, *(t.word for t in piece.tokens))]
    terms = _terms(every, kinds)
    found, known = vectors(tuple(words))
    sizes = np.array([1 + len(piece.tokens) for piece in every])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    ties = _ties(terms, kinds, sizes, np.array(ids), found, known)
    layout = ReaderLayout(
        words=tuple(words),
        ids=np.array(ids),
        features=_features(every, kinds, terms, now),
        piece=np.repeat(np.arange(len(every)), sizes),
        place=np.arange(len(ids)) - np.repeat(starts, sizes),
        starts=starts,
        kind=np.array(kinds),
        line=np.array([piece.line for piece in every]),
        left=ties.left,
        right=ties.right,
        tie=ties.tie,
        shared=ties.shared,
        like=ties.like,
    )
    _likeness(layout, found, known, terms)
    return layout, found


def _whole(text: str, near: int | None) -> Piece:
    parts = pieces(text, near)
    tokens = tuple(token for part in parts for token in part.tokens)
    return Piece(line=-1, tokens=tokens, day=parts[0].day)


def _now(asked: Piece, newest: int | None) -> int | None:
    """The day of the question: in front of it, in it, or that of the newest line."""
    return asked.day if asked.day is not None else next(iter(asked.days), newest)


def _id(words: dict[str, int], word: str) -> int:
    return words.setdefault(word, len(words))


def _terms(every: Sequence[Piece], kinds: Sequence[int]) -> list[list[str]]:
    """By piece and token the term that ties it, "" for none; the first stands for START.

    A word by which actions differ ties, be it ever so small.
    """
    done = [piece for piece, kind in zip(every, kinds, strict=True) if kind == ACTION]
    counts = Counter(word for piece in done for word in {t.word for t in piece.tokens})
    telling = {word for word, count in counts.items() if count < len(done) and word[0].isalnum()}

    def term(token: ReaderToken) -> str:
        return token.term or (token.word if token.word in telling else "")

    return [["", *(term(token) for token in piece.tokens)] for piece in every]


def _features(
    every: Sequence[Piece], kinds: Sequence[int], terms: Sequence[Sequence[str]], now: int | None
) -> NDArray[np.float32]:
    """What is known of each token; its likeness to the question and the actions comes later."""
    sets = [frozenset(t for t in own if t) for own in terms]
    lines = Counter(t for own, kind in zip(sets, kinds, strict=True) if kind == LINE for t in own)
    acts = Counter(t for own, kind in zip(sets, kinds, strict=True) if kind == ACTION for t in own)
    told, done = max(1, kinds.count(LINE)), max(1, kinds.count(ACTION))
    rows: list[list[float]] = []
    rank = 0
    for piece, own, kind in zip(every, terms, kinds, strict=True):
        rank += kind == LINE
        base = [0.0] * FEATURES
        base[kind] = 1.0
        _moment(base, piece, now, rank / told if kind == LINE else 0.0)
        rows.append([*base[:4], 1.0, *base[5:]])
        for token, term in zip(piece.tokens, own[1:], strict=True):
            row = base.copy()
            row[3] = float(token.said)
            row[5] = float(token.capital)
            row[6] = float(token.word.isdigit())
            row[8] = float(not term)
            row[9] = lines[term] / told if term else 0.0
            row[10] = float(term in sets[0])
            row[11] = float(term in acts)
            row[12] = float(acts[term] == done) if term else 0.0
            row[13] = float(acts[term] == 1) if term else 0.0
            if token.word == DATE and token.day is not None and now is not None:
                comparable = (token.day < APART) is (now < APART)
                row[14] = float(comparable and token.day <= now)
                row[15] = float(comparable and token.day > now)
            row[16] = float(token.word == DATE)
            row[24] = float(term in sets[0] and term in acts)
            rows.append(row)
    return np.array(rows, dtype=np.float32)


def _moment(row: list[float], piece: Piece, now: int | None, rank: float) -> None:
    """When a line was said: its rank, and its age where that is known."""
    row[20] = rank
    if piece.day is None or now is None or (piece.day < APART) is not (now < APART):
        return
    age = now - piece.day
    row[17] = float(age == 0)
    row[18] = float(np.log1p(max(age, 0)) / _AGE)
    row[19] = 1.0
    row[23] = float(age < 0)


def _ties(
    terms: Sequence[Sequence[str]],
    kinds: Sequence[int],
    sizes: NDArray[np.int64],
    ids: NDArray[np.int64],
    found: NDArray[np.float32],
    known: NDArray[np.bool_],
) -> _Ties:
    """Pairs of tokens of different pieces with the same term, or with words much alike."""
    flat = [term for own in terms for term in own]
    names: dict[str, int] = {}
    codes = np.array([_id(names, term) if term else -1 for term in flat])
    holds = np.flatnonzero(codes >= 0)
    vectors = found[ids[holds]]
    whole = known[ids[holds]]
    like = vectors @ vectors.T
    same = codes[holds][:, None] == codes[holds][None, :]
    alike = same | ((like >= ALIKE) & whole[:, None] & whole[None, :])
    piece = np.repeat(np.arange(len(sizes)), sizes)
    alike &= piece[holds][:, None] != piece[holds][None, :]
    at, to = np.nonzero(alike)
    own = np.arange(len(flat))
    left = np.concatenate((holds[at], own))
    right = np.concatenate((holds[to], own))
    degree = np.where(same[at, to], 1.0, like[at, to])
    degree = np.concatenate((degree, np.zeros(len(own))))
    order = np.argsort(left, kind="stable")
    left, right, degree = left[order], right[order], degree[order]
    shared = _shared(codes, piece, len(sizes), len(names))
    p, q = piece[left], piece[right]
    return _Ties(
        left=left,
        right=right,
        tie=_kinds_of(p, q, np.array(kinds)),
        shared=np.minimum(shared[p, q], SHARED - 1) * (left != right),
        like=degree.astype(np.float32),
    )


def _shared(
    codes: NDArray[np.int64], piece: NDArray[np.int64], count: int, names: int
) -> NDArray[np.int64]:
    """How many terms two pieces have in common (p, p)."""
    has = np.zeros((count, names + 1), dtype=np.float32)
    has[piece, codes] = 1.0
    has[:, -1] = 0.0
    found: NDArray[np.int64] = np.rint(has @ has.T).astype(np.int64)
    return found


def _kinds_of(
    p: NDArray[np.int64], q: NDArray[np.int64], kinds: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Nine pairs of kinds, then a line with a later one (9), and a token with itself (10)."""
    tie = 3 * kinds[p] + kinds[q]
    lines = (kinds[p] == LINE) & (kinds[q] == LINE)
    tie = np.where(lines & (q > p), 9, tie)
    return np.where(p == q, 10, tie)


def _likeness(
    layout: ReaderLayout,
    found: NDArray[np.float32],
    known: NDArray[np.bool_],
    terms: Sequence[Sequence[str]],
) -> None:
    """The greatest likeness of each word to one of the question, and to one of the actions."""
    flat = np.array([bool(term) for own in terms for term in own])
    kind = layout.kind[layout.piece]
    like = found @ found.T
    like[~known] = 0.0
    layout.features[:, 7] = ~known[layout.ids]
    for column, which in ((21, QUESTION), (22, ACTION)):
        own = np.unique(layout.ids[flat & (kind == which) & known[layout.ids]])
        best = like[:, own].max(axis=1) if len(own) else np.zeros(len(like), dtype=np.float32)
        layout.features[:, column] = np.where(flat, best[layout.ids], 0.0)


def lengths(layout: ReaderLayout) -> list[int]:
    """How many tokens each piece has."""
    return [b - a for a, b in pairwise([*layout.starts.tolist(), len(layout.ids)])]
