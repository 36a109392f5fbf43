"""The score of candidates: a weighed sum of features, then what moves single ones up or down.

Features are columns over the candidates. After them come the balance of the two blocks, the boost
by associations, the re-ranking by recency, and the penalty for what is superseded.

A second look compares the best with the question word by word: each word of the question finds the
word of a turn that is most like it (MaxSim, as in ColBERT, arXiv:2004.12832); a word of the turn
before or after counts less. What the words are was projected and kept when the turn was written.

Then the best turns raise others of their story, which may share no word with the question: those
that hold their rare words, and those of who speak around them (relevance feedback, Rocchio 1971).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from math import log

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import Graph
from mags.graph.records import NOBODY, ArcKind, NodeFlag, NodeKind
from mags.index.state import State
from mags.index.tokens import STOP_WORDS, AnswerMark, foreign, stem, words
from mags.ports.embedder import STEP, Tokens
from mags.ports.policy import Plan
from mags.ports.relations import canonical
from mags.recall import kernels
from mags.recall.candidates import Bridges, Candidates, RecallRequest, bm25_of
from mags.recall.found import Trace
from mags.recall.settings import (
    AssociationBoostSettings,
    FeedbackSettings,
    LookSettings,
    RecallSettings,
    RecencySettings,
)
from mags.recall.spread import links_of, peers_each, pool_of

NAMES = (
    *("similarity", "window", "asked", "lexical", "lexical_near", "cover"),
    *("cover_near", "lexical_reworded", "session", "entity", "spread", "walk", "bridge", "about"),
    *("titled", "standing", "chain", "stale", "speaker", "question", "length", "during", "recency"),
    *("importance", "confidence", "strength", "fact", "document", "expect_time"),
    *("expect_number", "expect_place", "expect_person", "expect_reason", "expect_liking"),
)
"""Every feature, in the order of the table's rows; from "speaker" on the kernel `traits` writes."""

AT = {name: i for i, name in enumerate(NAMES)}

TRAIT_FIELDS = (
    *("kind", "flags", "subject", "strength", "strength_tick", "uses", "importance"),
    *("confidence", "valid_from", "recorded_at"),
)

UNREACHED = 1e-6
"""Added to the spread's value before its logarithm is taken."""

EXPECTABLE = (
    AnswerMark.TIME,
    AnswerMark.NUMBER,
    AnswerMark.PLACE,
    AnswerMark.PERSON,
    AnswerMark.REASON,
    AnswerMark.LIKING,
)

RAW = frozenset(
    {"speaker", "entity", "walk", "question", "stale", "fact", "cover", "cover_near", "during"}
    | {"chain", "document", "bridge", "about", "titled", "standing"}
    | {f"expect_{mark.name.lower()}" for mark in EXPECTABLE if mark.name}
)
"""Features that are shares or flags: used as they are, not standardised."""

_IS_RAW = np.array([name in RAW for name in NAMES])

WITHIN = ("session", "look", "feedback")
"""What is measured against the best of the same memory, so that it says nothing of another's."""

RECENCY_FIELDS = ("flags", "subject", "valid_from", "valid_to")

SUPERSEDED_GAP = 0.01
"""By how much a superseded fact scores below the best current fact of its slot."""


@dataclass(slots=True, kw_only=True)
class Reach:
    """What the graph says of rows: `spread` (rows in ascending order, their push value),
    `walk` (over facts, by row), `bridges`, and what was said to keep to (`standing`, by row).
    """

    spread: tuple[NDArray[np.int64], NDArray[np.float64]]
    walk: dict[int, float]
    bridges: Bridges = field(default_factory=Bridges)
    standing: dict[int, float] = field(default_factory=dict)


Scored = tuple[NDArray[np.float32], tuple[str, ...], NDArray[np.float32], NDArray[np.float32]]
"""Features (features, n), those that add to a score, what they add, and the sums (n,)."""


def scored(
    state: State, request: RecallRequest, found: Candidates, reach: Reach, settings: RecallSettings
) -> Scored:
    """The features of the candidates and what they add to the scores.

    A weight named `feature@document` is added to the feature's for texts nobody said, one named
    `feature@statement` for queries that ask nothing.
    """
    values = _columns(state, request, found, reach)
    return (values, *_weighed(values, settings, statement=request.query.statement))


def comparable(
    traces: Sequence[Trace], settings: RecallSettings, *, statement: bool
) -> list[list[float]]:
    """Scores by which hits of several memories can be compared, by trace.

    Features are standardised over all hits together. What only compares turns of one memory
    (`WITHIN`) counts half: of two memories it says little, within one it says who comes first.
    """
    hits = [hit for trace in traces for hit in trace.hits]
    values = np.array([[hit.features[name] for hit in hits] for name in NAMES], np.float32)
    names, parts, total = _weighed(values, settings, statement=statement)
    for name, part in zip(names, parts, strict=True):
        if name in WITHIN:
            total -= part
    for i, hit in enumerate(hits):
        steps = (share for name, share in hit.shares.items() if name not in NAMES)
        total[i] += sum(steps) - sum(hit.shares.get(name, 0.0) for name in WITHIN) / 2
    scores = iter(total.tolist())
    return [[next(scores) for _ in trace.hits] for trace in traces]


def _weighed(
    values: NDArray[np.float32], settings: RecallSettings, *, statement: bool
) -> tuple[tuple[str, ...], NDArray[np.float32], NDArray[np.float32]]:
    """What `scored` returns after the features themselves."""
    weights = dict(settings.weights)
    if not settings.spread:
        weights["spread"] = 0.0
    if statement:
        for name in NAMES:
            weights[name] = weights.get(name, 0.0) + weights.get(f"{name}@statement", 0.0)
    plain, more, used, names = _as_arrays(tuple(weights.items()))
    out, total = np.empty_like(values), np.zeros(values.shape[1], np.float32)
    kernels.weigh(values, plain, more, _IS_RAW, values[AT["document"]], out, total)
    return names, out[used], total


def _columns(
    state: State, request: RecallRequest, found: Candidates, reach: Reach
) -> NDArray[np.float32]:
    """Every feature of `NAMES`, shape (features, n), not yet standardised.

    `window`: cosine with the mean of a turn's vector and its two neighbours'; `asked`: with the
    turn before where that one asks (this one may answer it).
    """
    graph, rows, query = state.graph, found.rows, request.query
    nodes = graph.nodes[: graph.size]
    named = graph.rows(i for i in query.entities if i not in query.speakers)
    out = np.zeros((len(NAMES), len(rows)), np.float32)
    beside = np.empty((2, len(rows)), np.int64)
    beside[0], beside[1], out[AT["stale"]], out[AT["entity"]] = kernels.surroundings(
        rows, links_of(graph), (nodes["kind"], nodes["valid_to"]), request.moment, named
    )
    out[AT["similarity"]], out[AT["lexical"]] = found.similarity, found.lexical
    window, before = state.vectors.windows(rows, beside, request.vectors[0])
    asks = (nodes["flags"][beside[0]] & np.uint16(NodeFlag.QUESTION)) > 0
    out[AT["window"]], out[AT["asked"]] = window, before * (asks & (beside[0] >= 0))
    if found.matches:
        match = found.matches[0]
        where = out[AT["lexical_near"] : AT["cover_near"] + 1]
        kernels.lexical(
            rows, beside[0], beside[1], match.scores, match.bits, match.idf, match.mass, where
        )
    if len(found.matches) > 1:
        out[AT["lexical_reworded"]] = bm25_of(found.matches[1:], rows)
    keys = nodes["session"][rows]
    kernels.sessions(keys, np.argsort(keys), found.fused, out[AT["session"]])
    _reached(reach, rows, out)
    _traits(state, request, rows, out[AT["speaker"] :])
    return out


def _reached(reach: Reach, rows: NDArray[np.int64], out: NDArray[np.float32]) -> None:
    """What spread, walk and bridges say."""
    kernels.fill(rows, *reach.spread, out[AT["spread"]])
    out[AT["spread"]] = np.log(out[AT["spread"]] + np.float32(UNREACHED))
    led = reach.bridges
    for name, values in (
        ("walk", reach.walk), ("bridge", led.shared), ("about", led.about), ("titled", led.titled),
        ("standing", reach.standing)
    ):  # fmt: skip
        if values:
            keys = np.array(sorted(values), np.int64)
            kernels.fill(rows, keys, np.array([values[k] for k in keys.tolist()]), out[AT[name]])
    if not reach.walk:
        return
    out[AT["chain"]] = out[AT["walk"]] > 1.0
    np.minimum(out[AT["walk"]], 1.0, out=out[AT["walk"]])


def _traits(
    state: State, request: RecallRequest, rows: NDArray[np.int64], out: NDArray[np.float32]
) -> None:
    """What the nodes themselves say.

    `expect_*`: 1 where the question asks for a kind of answer that the text could hold;
    `during`: 1 where the event time lies in the range the question names; `recency`: minus
    the logarithm of the age in days.
    """
    graph, query, plan = state.graph, request.query, request.query.plan
    nodes = graph.nodes[: graph.size]
    since = -np.inf if plan.since is None else plan.since
    until = np.inf if plan.until is None else plan.until
    kernels.traits(
        rows,
        tuple(nodes[name] for name in TRAIT_FIELDS),
        (state.lexicon.length, state.lexicon.marks),
        np.array(query.speakers, np.int64),
        (graph.tick, request.moment),
        (float(since), float(until)),
        np.array([int(mark) & query.expected for mark in EXPECTABLE], np.int64),
        out,
    )


@lru_cache(maxsize=8)
def _as_arrays(
    items: tuple[tuple[str, float], ...],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64], tuple[str, ...]]:
    """Weights by feature, those for documents beside, which are not 0, and their names."""
    weights = dict(items)
    plain = np.array([weights.get(name, 0.0) for name in NAMES], np.float32)
    more = np.array([weights.get(f"{name}@document", 0.0) for name in NAMES], np.float32)
    used = np.flatnonzero((plain != 0) | (more != 0))
    return plain, more, used, tuple(NAMES[i] for i in used.tolist())


def block(state: State, request: RecallRequest, found: Candidates) -> NDArray[np.float32]:
    """The router's balance of the two blocks: the logarithm of the block's weight, shape (n,)."""
    plan = request.query.plan
    worth = [np.float32(log(max(share, 1e-6))) for share in (plan.episodic, plan.semantic)]
    return np.where(state.graph.kinds[found.rows] == NodeKind.EPISODE, *worth)


def association_boost(
    graph: Graph,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    settings: AssociationBoostSettings,
) -> NDArray[np.float32]:
    """What is added to each score because answers cited the row with a good match, shape (n,).

    Spreading activation follows every kind of arc. This follows only associations that use has
    made, from the best matches. Where nothing was ever cited it adds nothing.
    """
    added = np.zeros(len(rows), np.float32)
    if settings.matches and settings.weight and len(rows):
        best = kernels.foremost(scores, settings.matches)
        kernels.boosts(rows, best, pool_of(graph), graph.tick, settings.rate, added)
    return np.asarray(added * np.float32(settings.weight), np.float32)


def _asks_of_now(plan: Plan) -> bool:
    """Whether a question is neither about the past nor names a time."""
    return not plan.past and plan.since is None and plan.until is None


def recency_reranking(
    state: State,
    request: RecallRequest,
    found: Candidates,
    scores: NDArray[np.float32],
    settings: RecencySettings,
) -> NDArray[np.float32]:
    """What is added to each score so that a newer statement comes before the older one, (n,).

    Of two turns among the best, the newer is put right before the older and the facts of the older
    in two cases: the newer superseded a fact of the older; or one speaker said both, they are
    alike, and the newer holds most words of the question that the older holds. Only for questions
    about the present. Nothing is taken out.
    """
    added = np.zeros(len(scores), np.float32)
    if not settings.on or not _asks_of_now(request.query.plan) or not len(scores):
        return added
    graph = state.graph
    nodes = graph.nodes[: graph.size]
    # A document is as old as its import, which says nothing about the age of what it tells.
    said = (graph.kinds[found.rows] == NodeKind.EPISODE) & (nodes["subject"][found.rows] != NOBODY)
    best = np.flatnonzero(said)
    if len(best) > settings.looked:
        best = best[np.argpartition(-scores[best], settings.looked)[: settings.looked]]
    if len(best) < 2:
        return added
    best = best[np.lexsort((found.rows[best], nodes["valid_from"][found.rows[best]]))]
    vectors = state.vectors.get(found.rows[best])
    kernels.promote(
        (found.rows, best, vectors @ vectors.T, *_words_held(found, found.rows[best])),
        (graph.alive, *(nodes[name] for name in RECENCY_FIELDS)),
        links_of(graph),
        request.moment,
        (settings.alike, settings.lost, settings.margin),
        scores,
        added,
    )
    return added


def _words_held(
    found: Candidates, rows: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Which words of the question each row holds, as bits, and each word's share of their idf."""
    bits = np.zeros(len(rows), np.uint64)
    if not found.matches:
        return bits, np.zeros(0, np.float32)
    match = found.matches[0]
    known = rows < len(match.bits)
    bits[known] = match.bits[rows[known]]
    return bits, np.asarray(match.idf[:64] / max(match.mass, 1e-9), np.float32)


def superseded_penalty(
    state: State,
    request: RecallRequest,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    stale: NDArray[np.float32],
) -> NDArray[np.float32]:
    """What is added to each score so that superseded facts come after what holds now, shape (n,).

    "Where does Ana live?" asks for the slot (Ana, lives in). Where a fact of it is found, facts
    about earlier homes ("lived in"), turns all of whose facts are over, and what is disputed are
    put right after it. Only for questions about the present. Nothing is taken out. `stale`: the
    share of a turn's facts that are over.
    """
    added = np.zeros(len(scores), np.float32)
    plan = request.query.plan
    if not _asks_of_now(plan) or len(plan.hops) != 1 or not len(scores):
        return added
    hop = plan.hops[0]
    asked = canonical(hop.relation)
    if asked is None or hop.inverse:
        return added
    nodes = state.graph.nodes
    kind, subject, slot = (nodes[name][rows] for name in ("kind", "subject", "slot"))
    about = np.zeros(len(rows), np.bool_)
    for named in state.names.find(hop.subject):
        about |= subject == named
    about &= kind == NodeKind.FACT
    of_what = hop.relation.partition(" ")[2] if asked.kinds else ""
    holds = about & (slot == np.uint64(state.hash("slot", asked.name, of_what)))
    holds &= (nodes["flags"][rows] & np.uint16(NodeFlag.DISPUTED)) == 0
    if not holds.any():
        return added
    over = (kind == NodeKind.EPISODE) & (stale >= 1.0)
    marked = np.flatnonzero(nodes["flags"][rows] & np.uint16(NodeFlag.DISPUTED))
    for at, node_id in zip(marked.tolist(), nodes["id"][rows[marked]].tolist(), strict=True):
        over[at] |= bool(state.slots.outranked(node_id, request.moment, request.recorded_as_of))
    if asked.past:
        over |= about & (slot == np.uint64(state.hash("slot", asked.past, "")))
    best = scores[holds].max() - SUPERSEDED_GAP
    late = over & (scores > best)
    added[late] = best - scores[late]
    return added


# -- the second look -----------------------------------------------------------

NOT_NAMED = np.zeros(0, np.int64)
ABSENT = -1e9
"""How like a word is to those of a turn of which none were kept."""


def second_look(
    state: State,
    request: RecallRequest,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    settings: LookSettings,
) -> NDArray[np.float32]:
    """What is added to each score for how well the words of its turn fit the question, (n,).

    A fact is looked at as the turn that told it. What no words were kept of, an older turn or a
    theme, is neither better nor worse than the rest. Steps between two things that are named need
    no word of the question.
    """
    added = np.zeros(len(scores), np.float32)
    if request.look is None or request.query.connection or not settings.first or len(rows) < 2:
        return added
    best = kernels.foremost(scores, settings.first)
    said = _said_in(state.graph, rows[best])
    turns = np.array(sorted(set(chain.from_iterable(said))), np.int64)
    fits = _fits(state, request, request.look, turns, settings)
    own = [[fits[turn] for turn in some if turn in fits] for some in said]
    looks = np.array([max(some, default=np.nan) for some in own])
    known = np.isfinite(looks)
    if known.sum() < 2:
        return added
    looks[~known] = looks[known].mean()
    spread = float(scores[best].std())
    added[best] = settings.weight * spread * (looks - looks[known].mean())
    return added


def _said_in(graph: Graph, rows: NDArray[np.int64]) -> list[list[int]]:
    """The rows of the turns that each row is, or was told in."""
    codes = np.where(graph.kinds[rows] == NodeKind.EPISODE, -1, int(ArcKind.SOURCE))
    told = peers_each(graph, rows, codes)
    return [
        [row] if code < 0 else led
        for row, code, led in zip(rows.tolist(), codes.tolist(), told, strict=True)
    ]


UNSURE = 1e-3
"""The least and the most that a probability of what was read is believed."""


def reread(
    state: State,
    request: RecallRequest,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    settings: RecallSettings,
) -> NDArray[np.float32]:
    """What is added to each score for how likely its turn shows what is asked, (n,).

    A fact is as likely as the turn that told it. What was not read stays, as it lay behind.
    """
    added = np.zeros(len(scores), np.float32)
    if len(request.shown) < 2:
        return added
    likely = np.clip(np.array(list(request.shown.values())), UNSURE, 1 - UNSURE)
    odds = np.log(likely / (1 - likely))
    of = dict(
        zip(state.graph.rows(request.shown).tolist(), (odds - odds.min()).tolist(), strict=True)
    )
    best = kernels.foremost(scores, settings.look.first)
    gained = [
        max((of.get(turn, 0.0) for turn in some), default=0.0)
        for some in _said_in(state.graph, rows[best])
    ]
    added[best] = settings.reread.weight * float(scores[best].std()) * np.array(gained)
    return added


def _fits(
    state: State,
    request: RecallRequest,
    look: Tokens,
    turns: NDArray[np.int64],
    settings: LookSettings,
) -> dict[int, float]:
    """How well the words of turns fit those of the question, by row; none where none were kept."""
    graph = state.graph
    nodes = graph.nodes[: graph.size]
    before, after, _, _ = kernels.surroundings(
        turns, links_of(graph), (nodes["kind"], nodes["valid_to"]), request.moment, NOT_NAMED
    )
    every = np.unique(np.concatenate([turns, before, after]))
    every = every[every >= 0]
    width = look.rows.shape[1]
    held = [one if len(one) % width == 0 else b"" for one in state.tokens(every)]
    lengths = np.array([len(one) for one in held]) // width
    known = np.flatnonzero(lengths)
    # A column for each turn, and the last for where there is none.
    most = np.full((len(look.rows), len(every) + 1), ABSENT)
    if len(known):
        words = np.frombuffer(b"".join(held), np.int8).reshape(-1, width).astype(np.float32)
        asked = look.rows * (STEP * STEP * look.weights)[:, None]
        starts = np.concatenate([[0], np.cumsum(lengths[known])[:-1]])
        most[:, known] = np.maximum.reduceat(asked @ words.T, starts, axis=1)
    own = most[:, np.searchsorted(every, turns)]
    near = np.maximum(*(
        most[:, np.where(rows < 0, len(every), np.searchsorted(every, rows))]
        for rows in (before, after)
    ))  # fmt: skip
    lengths = lengths[np.searchsorted(every, turns)]
    fits = np.maximum(own, settings.beside * near).sum(axis=0)
    fits -= settings.chance * np.log(np.maximum(lengths, 1))
    found = zip(turns.tolist(), fits.tolist(), lengths.tolist(), strict=True)
    return {turn: fit for turn, fit, length in found if length}


# -- relevance feedback --------------------------------------------------------

FEW = 3
"""Texts that may hold a word which still counts as rare, however small the memory."""
RAREST = 16
"""Words at most by which one turn raises others."""


def relevance_feedback(
    state: State,
    request: RecallRequest,
    found: Candidates,
    scores: NDArray[np.float32],
    settings: FeedbackSettings,
) -> NDArray[np.float32]:
    """What is added to each score for what it shares with the best turns, (n,): 0 at most.

    Nothing is put before the best turn that was not. A document has no speaker, and bridges lead on
    from it: it raises nothing.
    """
    added = np.zeros(len(scores), np.float32)
    nodes = state.graph.nodes[: state.graph.size]
    first = kernels.foremost(scores, settings.among)
    kind, speaker = (nodes[name][found.rows] for name in ("kind", "subject"))
    said = first[(kind[first] == NodeKind.EPISODE) & (speaker[first] != NOBODY)]
    best, spread = said[: settings.first], float(scores[first].std()) if len(first) else 0.0
    if len(best) < 2 or not spread:
        return added
    rows = found.rows[best]
    share = np.exp((scores[best] - scores[best[0]]) / spread)
    before, after, _, _ = kernels.surroundings(
        rows, links_of(state.graph), (nodes["kind"], nodes["valid_to"]), request.moment, NOT_NAMED
    )
    company, alike = np.zeros_like(added), np.zeros_like(added)
    for i, content in enumerate(state.words(nodes["id"][rows].tolist())):
        around = [row for row in (rows[i], before[i], after[i]) if row >= 0]
        here = np.isin(speaker, nodes["subject"][around])
        company = np.maximum(company, share[i] * here)
        match = state.lexicon.match(_rare(state, request, content.text, settings.rare))
        near = share[i] * bm25_of([match], found.rows)
        state.lexicon.reuse(match)
        near[best[i]] = 0.0
        alike = np.maximum(alike, near)
    alike = (alike - alike[first].mean()) / max(float(alike[first].std()), 1e-6)
    added[:] = spread * (settings.company * company + settings.words * alike)
    added -= added.max()
    added[scores >= scores[best[0]]] = 0.0
    return added


def _rare(state: State, request: RecallRequest, text: str, share: float) -> list[str]:
    """Stems of a text that few others hold, the rarest first, without those of the question."""
    asked = request.query.terms[0] if request.query.terms else ()
    stems = [stem(word) for word in words(text) if word not in STOP_WORDS] + foreign(text)
    held = {term: state.lexicon.frequency(term) for term in stems if term not in asked}
    most = max(FEW, share * state.lexicon.documents)
    rare = [term for term, n in held.items() if 1 < n <= most]
    return sorted(rare, key=held.__getitem__)[:RAREST]
