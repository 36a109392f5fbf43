"""A question over lines as arrays: words, what is known of each, and which are the same.

Names mean nothing to the reader: what ties a line to the question, to another line or to an
action is that a word stands in both. Those ties are pairs of tokens (n, 2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mags_lab.games.reader.text import APART, DATE, Piece, Token, pieces

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
class Layout:
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
) -> tuple[Layout, NDArray[np.float32]]:
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
    layout = Layout(
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

    def term(token: Token) -> str:
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
    layout: Layout,
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


def lengths(layout: Layout) -> list[int]:
    """How many tokens each piece has."""
    return [b - a for a, b in pairwise([*layout.starts.tolist(), len(layout.ids)])]
