"""The candidates of a recall: what a plan searches for, and the rows it finds.

`prepare` makes a plan ready for one memory. The two indexes propose rows (`gather`); the walk over
current facts, the themes of an overview and bridges between documents add more. `visible` says
which of them may come back.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import REVERSE, Graph
from mags.graph.records import NEVER, NOBODY, ArcKind, NodeKind
from mags.index.search import Groups, Match
from mags.index.state import State
from mags.index.tokens import STOP_WORDS, UNSPACED, AnswerMark, fold_name, foreign, stem, words
from mags.plasticity.themes import over, reworded, unfit
from mags.ports.embedder import Tokens
from mags.ports.english import asks_connection, topic_of
from mags.ports.policy import Hop, Plan, tells
from mags.recall.kernels import best_in_blocks, blocks_of, foremost, places_of, seen, z_scores
from mags.recall.settings import RecallSettings
from mags.recall.spread import peers, peers_each

BLOCKS = 2
"""The episodic and the semantic block: each proposes candidates of its own."""

MANY = 10_000
"""If more rows than this have a word of the question, a kernel goes through them one by one."""

TIMES = ("flags", "valid_from", "valid_to", "recorded_at", "closed_at")
"""Node fields that decide whether a node may come back."""

FAN = 24
"""Facts of one entity that the walk considers, the most similar first."""

MOST_SHARED = 64
"""An entity in more texts than this makes no bridges."""

STANDING = 8
"""Rows at most of what was said to keep to."""

OPENING = 96
"""Characters at the head of a text that are searched for the name it opens with."""

SameRelation = Callable[[str, str], bool]

Wanted = tuple[bool, bool, bool]
"""Whether the episodic block, the semantic block, and themes in the latter take part."""

_EXPECTED: tuple[tuple[re.Pattern[str], AnswerMark], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), mark)
    for pattern, mark in (
        (r"\b(?:when|how long ago|what (?:date|day|month|year|time)|which (?:day|month|year))\b",
         AnswerMark.TIME),
        (r"\bhow (?:many|much|old|long|often|far|big|tall)\b|\bwhat (?:number|percentage)\b",
         AnswerMark.NUMBER),
        (r"\bwhere\b|\b(?:what|which) (?:city|country|town|place|state|restaurant)\b",
         AnswerMark.PLACE),
        (r"\bwho(?:se|m)?\b", AnswerMark.PERSON),
        (r"\bwhy\b|\breasons?\b|\bmotivat|\binspire", AnswerMark.REASON),
        (r"\b(?:like|love|enjoy|prefer|favou?rite|recommend|suggest|hobb(?:y|ies)|interest)",
         AnswerMark.LIKING),
        (r"^(?:(?:please|pls|ok|okay|now|and|so),? )*(?:write|draft|make|give|find|plan|book|cook|"
         r"suggest|recommend|explain|list|check|correct|translate|summari[sz]e|design|prepare)\b"
         r"|\b(?:should|can|could|may|shall|will|would) (?:i|we|you)\b|\blet'?s\b|\brecipe for\b"
         r"|\b(?:what|which|where|how|who)\b.* do (?:i|we|you)\b"
         r"|\b(?:any|some|another|quick) (?:\w+ ){0,3}(?:idea|tip|advice|suggestion|recipe)s?\b",
         AnswerMark.STANDING),
    )
)  # fmt: skip


YOU = ("assistant", "mags")
"""Speakers that a question means by "you"."""

_YOU = re.compile(r"\b(?:you|your|yours|yourself|you'd|you've|remind me)\b", re.IGNORECASE)

_REQUEST = re.compile(
    r"\b(?:can|could|would|will|do|might|may) you (?:please |perhaps |maybe |possibly |also )?"
    r"(?:advi[sc]e|believe|come up|explain|find|give|guess|happen to|have|help|know|let|list|look"
    r"|make|offer|plan|point|propose|provide|reckon|recommend|share|show|suggest|tell|think|walk)\b"
    r"|\bwhat (?:do|would|should) you (?:advise|propose|recommend|say|suggest|think)\b"
    r"|\bthank you\b|\bif you (?:can|could|would|please|like|don't mind)\b",
    re.IGNORECASE,
)
"""Requests to the assistant, in which "you" does not ask about what it said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A plan made ready for one memory.

    `texts`: the queries to be embedded, without common words and speakers' names: the question, and
    others that have a word more. `terms`: the stems of each query; after the second one that has
    only the words of the question is left out. `entities`: ids named in the question; `speakers`:
    those of them that said something. `expected`: `AnswerMark`s that an answer should have.
    `overview`: whether everything about something is asked for, so that themes may answer.
    `connection`: whether it is asked how the named things hang together. `statement`: whether
    nothing is asked at all; it tells of a mood, a plan, an event. `advice`: whether the assistant
    is asked to suggest or explain something.
    """

    plan: Plan
    texts: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    entities: tuple[int, ...]
    speakers: tuple[int, ...] = ()
    expected: int = 0
    overview: bool = False
    connection: bool = False
    statement: bool = False
    advice: bool = False

    def among(self, state: State) -> Query:
        """The same without entities that were removed since."""
        if all(i in state.graph for i in self.entities):
            return self
        there = tuple(i for i in self.entities if i in state.graph)
        return replace(self, entities=there, speakers=tuple(i for i in self.speakers if i in there))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecallRequest:
    """What one recall may see and when it happens.

    `vectors`: shape (texts, dimension). `look`: the words of the question, for the second look;
    None for none. `shown`: how likely turns that were read show what is asked, by id. `as_of`:
    event time in seconds or None for now. `recorded_as_of`: record time or None. `now_s`: the
    present.
    """

    query: Query
    vectors: NDArray[np.float32]
    k: int
    now_s: float
    look: Tokens | None = None
    shown: Mapping[int, float] = field(default_factory=dict)
    as_of: float | None = None
    recorded_as_of: float | None = None

    @property
    def moment(self) -> float:
        """The event time at which facts must hold, in seconds."""
        return self.now_s if self.as_of is None else self.as_of


def prepare(state: State, plan: Plan, settings: RecallSettings) -> Query:
    """Make a query of a plan, without common words and the names of speakers.

    A speaker's name says whose words to search (the `speaker` feature), not what they are about.
    """
    named = [i for name in plan.entities for i in state.names.find(name)]
    named += state.names.scan(plan.queries[0]) if plan.queries else []
    if plan.queries and means_assistant(plan.queries[0]):
        named += [i for name in YOU for i in state.names.find(name)]
    entities = tuple(dict.fromkeys(i for i in named if i in state.graph))
    # "Sarah" of whom others tell may be "Sarah Miller", who speaks.
    others = (i for i in entities if i not in state.speakers)
    called = [state.names.given(state.content(i).text) for i in others]
    spoken = [[i for i in some if i in state.speakers] for some in called]
    entities += tuple(some[0] for some in spoken if len(some) == 1 and some[0] not in entities)
    speakers = tuple(i for i in entities if i in state.speakers)
    names = {word for i in speakers for word in words(state.content(i).text)}
    heard = [words(text) for text in plan.queries]
    # Looked up once each: most words of a question are those of its rewordings.
    common = {word for word in set().union(*heard) if _common(state, word, settings)}
    texts: list[str] = []
    terms: list[tuple[str, ...]] = []
    for text, said in zip(plan.queries, heard, strict=True):
        kept = [w for w in said if w not in common and w.removesuffix("'s") not in names]
        # If nothing else is left of a question, it is searched for with all its words.
        content = [word for word in kept if word not in STOP_WORDS]
        stems = [stem(word) for word in (content or said) if word not in STOP_WORDS]
        found = tuple(term for term in dict.fromkeys(stems + foreign(text)) if _counts(state, term))
        if not terms or not set(found) <= set(terms[0]):
            # Pieces of an unspaced script are no words that an embedder knows.
            whole = not content or UNSPACED.search(text) is not None
            texts.append(text if whole else " ".join(kept))
        if len(terms) < 2 or set(found) != set(terms[0]):
            terms.append(found)
    return Query(
        plan=plan,
        texts=tuple(texts),
        terms=tuple(terms),
        entities=entities,
        speakers=speakers,
        expected=expected(plan.queries[0]) if plan.queries else 0,
        overview=bool(plan.queries and topic_of(plan.queries[0])),
        connection=bool(plan.queries and asks_connection(plan.queries[0])),
        statement=bool(plan.queries and tells(plan.queries[0])),
        advice=bool(plan.queries and _REQUEST.search(plan.queries[0])),
    )


def _counts(state: State, term: str) -> bool:
    # A piece of an unspaced script that no text holds is seldom a word: it is nothing to miss.
    return UNSPACED.match(term) is None or state.lexicon.number(term) >= 0


def means_assistant(question: str) -> bool:
    """Whether "you" in a question asks about what the assistant said.

    True for "What did you recommend?", False for "Can you recommend something?".
    """
    if _YOU.search(question) is None:  # most questions have none, and are not looked at twice
        return False
    return _YOU.search(_REQUEST.sub(" ", question)) is not None


def expected(question: str) -> int:
    """The `AnswerMark`s that an answer to the question should have, as their sum."""
    return sum(int(mark) for pattern, mark in _EXPECTED if pattern.search(question))


def _common(state: State, word: str, settings: RecallSettings) -> bool:
    # In a small memory most words are in a large share of the texts, so none counts as common.
    if word in STOP_WORDS or state.lexicon.documents < settings.common_floor:
        return False
    share = state.lexicon.frequency(stem(word)) / state.lexicon.documents
    return share > settings.common_share


# -- the candidates --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """Candidate rows, shape (n,), with their own scores.

    `similarity`: cosine with the first query (the question); `lexical`: its BM25; `matches`: for
    each query, the lexical match over the whole memory.
    """

    rows: NDArray[np.int64]
    similarity: NDArray[np.float32]
    lexical: NDArray[np.float32]
    matches: tuple[Match, ...]

    @cached_property
    def fused(self) -> NDArray[np.float32]:
        """Sum of the two standardised scores, shape (n,)."""
        return standardised(self.similarity) + standardised(self.lexical)


def standardised(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """z-scores over the candidates; all zero where they are all alike."""
    out = np.empty(len(scores), np.float32)
    z_scores(np.ascontiguousarray(scores), out)
    return out


def softmax(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Shares that sum to 1, shape of `scores`."""
    mass = np.exp(scores.astype(np.float64) - float(scores.max()))
    return np.asarray(mass / mass.sum(), np.float64)


# -- what may come back ----------------------------------------------------------------------


def visible(state: State, rows: NDArray[np.int64], request: RecallRequest) -> NDArray[np.bool_]:
    """Which rows may come back: of a kind that can, in time, not superseded; bool (n,).

    A theme comes back only for an overview, and only while everything it sums up holds.
    """
    graph = state.graph
    nodes = graph.nodes[: graph.size]
    out = np.empty(len(rows), np.int8)
    seen(
        rows,
        (graph.alive, graph.kinds, *(nodes[name] for name in TIMES)),
        _wanted(request),
        request.query.plan.past,
        float(request.moment),
        NEVER if request.as_of is None else float(request.as_of),
        NEVER if request.recorded_as_of is None else float(request.recorded_as_of),
        out,
    )
    shown = out.view(np.bool_)
    if request.query.overview:
        themes = np.flatnonzero(shown & (graph.kinds[rows] == NodeKind.THEME))
        shown[themes] = ~outdated(graph, rows[themes], request.moment)
    return shown


def valid_to(nodes: NDArray[np.void], request: RecallRequest) -> NDArray[np.float64]:
    """The end of validity as it was known at `recorded_as_of`."""
    # What was closed later than that was open then.
    ends = nodes["valid_to"]
    if request.recorded_as_of is None:
        return np.asarray(ends, np.float64)
    return np.where(nodes["closed_at"] > request.recorded_as_of, NEVER, ends)


# -- the two indexes -------------------------------------------------------------------------


def gather(
    state: State, request: RecallRequest, settings: RecallSettings, extra: NDArray[np.int64]
) -> Candidates:
    """The top K of each index in each block for each query, and `extra` rows, if `visible`."""
    found = [extra]
    # Asked about the past, many rows that are found may not come back.
    k = settings.candidates * (4 if request.as_of or request.recorded_as_of else 1)
    matches = [state.lexicon.match(terms) for terms in request.query.terms]
    wanted = _wanted(request)
    # The blocks in the form that the vector search takes; kept until the state changes.
    blocks = state.kept(
        ("blocks", wanted), lambda: Groups(partial(_block_of, state, wanted), BLOCKS)
    )
    for alike in state.vectors.nearest(request.vectors, k, blocks):
        found.extend(alike)
    for match in matches:
        found.extend(_best_words(state, wanted, match, k))
    rows = _distinct(np.concatenate(found))
    return _scored(state, rows[visible(state, rows, request)], request, tuple(matches))


def standing(state: State, request: RecallRequest) -> dict[int, float]:
    """What was said to keep to, where it may come up: how like each row is, the likest only.

    By those who are meant, else by anybody but an assistant; a document says nothing of the kind.
    """
    query = request.query
    if not query.expected & AnswerMark.STANDING or not len(request.vectors):
        return {}
    rows = state.kept(
        "standing", lambda: np.flatnonzero(state.lexicon.marks & np.uint8(AnswerMark.STANDING))
    )
    said_by = state.graph.nodes["subject"][rows]
    others = [NOBODY, *(i for name in YOU for i in state.names.find(name))]
    meant = np.isin(said_by, query.speakers) if query.speakers else ~np.isin(said_by, others)
    rows = rows[meant & (state.graph.kinds[rows] == NodeKind.EPISODE)]
    alike = state.vectors.products(rows, request.vectors).max(axis=1, initial=0.0)
    likest = np.argsort(-alike, kind="stable")[:STANDING]
    return dict(zip(rows[likest].tolist(), alike[likest].tolist(), strict=True))


def widen(
    state: State, found: Candidates, request: RecallRequest, rows: NDArray[np.int64]
) -> Candidates:
    """The candidates with more rows, which the spread or bridges have reached."""
    fresh = _distinct(rows[places_of(found.rows, rows) < 0])
    fresh = fresh[visible(state, fresh, request)] if len(fresh) else fresh
    if not len(fresh):
        return found
    more = _scored(state, fresh, request, found.matches)
    return Candidates(
        rows=np.concatenate([found.rows, more.rows]),
        similarity=np.concatenate([found.similarity, more.similarity]),
        lexical=np.concatenate([found.lexical, more.lexical]),
        matches=found.matches,
    )


def _scored(
    state: State, rows: NDArray[np.int64], request: RecallRequest, matches: tuple[Match, ...]
) -> Candidates:
    similarity = np.zeros(len(rows), np.float32)
    if len(request.vectors):
        similarity = state.vectors.products(rows, request.vectors[:1])[:, 0]
    return Candidates(
        rows=rows,
        similarity=similarity,
        lexical=bm25_of(matches[:1], rows),
        matches=matches,
    )


def _distinct(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each row once, ascending; for few rows `np.unique` takes five times as long."""
    ordered = np.sort(rows)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def _wanted(request: RecallRequest) -> Wanted:
    plan = request.query.plan
    return plan.episodic > 0, plan.semantic > 0, request.query.overview


def _block_of(state: State, wanted: Wanted, rows: NDArray[np.int64]) -> NDArray[np.int8]:
    """0 for rows of the episodic block, 1 for the semantic, -1 for rows that never come back."""
    out = np.empty(len(rows), np.int8)
    blocks_of(rows, state.graph.alive, state.graph.kinds, wanted, out)
    return out


def _best_words(state: State, wanted: Wanted, match: Match, k: int) -> list[NDArray[np.int64]]:
    """The k rows of greatest BM25 in each block, in no order."""
    rows, graph = match.rows, state.graph
    if len(rows) > MANY:
        return [best_in_blocks(rows, match.scores, graph.alive, graph.kinds, wanted, k)]
    # A first cut over both blocks: the blocks of 4k rows are looked up, not of all.
    rows = _best_of(rows, match.scores, 4 * k)
    of = _block_of(state, wanted, rows)
    return [_best_of(rows[of == block], match.scores, k) for block in range(BLOCKS)]


def _best_of(rows: NDArray[np.int64], scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The k of `rows` with the greatest scores (by row), in no order."""
    if len(rows) <= k:
        return rows
    return rows[np.argpartition(-scores[rows], k)[:k]]


def bm25_of(matches: Sequence[Match], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Greatest BM25 of each row over the queries, shape (n,)."""
    best = np.zeros(len(rows), np.float32)
    for match in matches:
        # Rows without indexed words may lie beyond the end of the lexicon.
        known = rows < len(match.scores)
        best[known] = np.maximum(best[known], match.scores[rows[known]])
    return best


# -- themes ----------------------------------------------------------------------------------


def summaries(state: State, request: RecallRequest) -> list[int]:
    """Rows of the themes that have the entities of an overview as members."""
    if not request.query.overview:
        return []
    named = state.graph.rows(request.query.entities)
    return list(chain.from_iterable(peers_each(state.graph, named, int(ArcKind.MEMBER) | REVERSE)))


def outdated(graph: Graph, themes: NDArray[np.int64], moment: float) -> NDArray[np.bool_]:
    """Whether a member of each theme is over, or got other words since; (n,).

    A fact may end by the clock alone, or during a sleep. So this is checked whenever a theme is
    about to come back, and code that changes a fact does not have to know its themes.
    """
    held = peers_each(graph, themes, int(ArcKind.MEMBER))
    pairs = zip(themes.tolist(), held, strict=True)
    return np.array(
        [_outdated(graph, one, np.array(m, np.int64), moment) for one, m in pairs], bool
    )


def _outdated(graph: Graph, theme: int, members: NDArray[np.int64], moment: float) -> bool:
    nodes = graph.nodes
    if (unfit(nodes[members], moment) | reworded(nodes[members], nodes[theme])).any():
        return True
    # A member turn is outdated as well if a fact that it told is over.
    said = members[graph.kinds[members] == NodeKind.EPISODE]
    given = peers_each(graph, said, int(ArcKind.SOURCE) | REVERSE)
    return bool(over(nodes[list(chain.from_iterable(given))], moment).any())


# -- the walk over facts ---------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class Walk:
    """The result of a walk: `value` by fact row, and the `chain` of followed hops (fact ids).

    `members`: those of the class asked about, each the id of an entity and those of its facts.
    """

    value: dict[int, float] = field(default_factory=dict)
    chain: tuple[int, ...] = ()
    members: tuple[tuple[int, ...], ...] = ()


def walk(
    state: State, request: RecallRequest, settings: RecallSettings, same_relation: SameRelation
) -> Walk:
    """Follow the plan's hops, and collect the facts around the question's entities (the ball).

    Hops are followed slot by slot (after the decomposition of KEDKG, arXiv:2412.13782); the ball
    needs no plan. A fact's value is 2 on a followed hop, or in the chain between two things whose
    connection is asked for, told whichever way. In the ball it is at most 1 and falls with the
    number of facts at each entity on the way, so that a hub's facts weigh little.
    """
    found = Walk()
    if settings.walk:
        _fill_ball(state, request, settings, found)
        if request.query.plan.hops:
            _follow(state, request, same_relation, found)
        if request.query.connection and not found.chain:
            _link(state, request, settings, found)
    return found


def _link(state: State, request: RecallRequest, settings: RecallSettings, found: Walk) -> None:
    """Put the fewest facts from the first named thing to each other one in the chain."""
    first, *others = request.query.entities or (NOBODY,)
    for other in others:
        steps = between([first], [other], partial(_sides, state, request), settings.linking)
        facts = [fact for _, fact, _ in steps]
        found.value.update(dict.fromkeys(state.graph.rows(facts).tolist(), 2.0))
        found.chain = tuple(dict.fromkeys((*found.chain, *facts)))


def _sides(state: State, request: RecallRequest, entity: int) -> list[tuple[int, int]]:
    """The facts of an entity, told either way, each with the thing at its other end, by id."""
    found: list[tuple[int, int]] = []
    for inverse, end in ((False, "object"), (True, "subject")):
        facts = state.graph.nodes[facts_of(state, request, entity, inverse=inverse)]
        found += zip(facts["id"].tolist(), facts[end].tolist(), strict=True)
    return [(fact, other) for fact, other in found if other != NOBODY]


def _fill_ball(state: State, request: RecallRequest, settings: RecallSettings, found: Walk) -> None:
    frontier = {entity: 1.0 for entity in request.query.entities}
    met = set(frontier)
    for _ in range(settings.hops):
        following: dict[int, float] = {}
        for entity, value in frontier.items():
            for row, reach in _fan(state, request, entity, value):
                if len(found.value) >= settings.ball and row not in found.value:
                    return
                if reach > found.value.get(row, 0.0):
                    found.value[row] = reach
                target = int(state.graph.nodes["object"][row])
                if target != NOBODY and target not in met:
                    following[target] = max(following.get(target, 0.0), reach)
        met.update(following)
        # The best entities first, since the ball may be full before all had their turn.
        frontier = dict(sorted(following.items(), key=lambda item: -item[1]))


def _fan(
    state: State, request: RecallRequest, entity: int, value: float
) -> list[tuple[int, float]]:
    rows = facts_of(state, request, entity)
    if not len(rows):
        return []
    # Up to four facts do not compete; .95 puts every further hop below the one before.
    reach = float(value * 0.95 / np.sqrt(max(1.0, len(rows) / 4)))
    if len(rows) > FAN:
        cosines = (state.vectors.get(rows) @ request.vectors.T).max(axis=1)
        rows = rows[np.argsort(-cosines, kind="stable")[:FAN]]
    return [(row, reach) for row in rows.tolist()]


def facts_of(
    state: State, request: RecallRequest, entity: int, *, inverse: bool = False
) -> NDArray[np.int64]:
    """Rows of an entity's facts that may come back, without guesses that a sure fact outdoes."""
    ids = state.slots.about(entity) if inverse else state.slots.of(entity)
    rows = state.graph.rows(ids)
    if not len(rows):
        return rows
    rows = rows[visible(state, rows, request)]
    return rows[~state.slots.outdone(rows, request.moment, request.recorded_as_of)]


def _follow(state: State, request: RecallRequest, same_relation: SameRelation, found: Walk) -> None:
    nodes = state.graph.nodes
    here: tuple[int, ...] = ()
    walked: list[int] = []
    for hop in request.query.plan.hops:
        # A hop without a subject goes on from where the last one ended.
        starts = tuple(state.names.find(hop.subject)) if hop.subject else here
        steps = _hop(state, request, starts, hop, same_relation)
        if not steps:
            break
        here = tuple(dict.fromkeys(nodes["subject" if hop.inverse else "object"][steps].tolist()))
        found.value.update(dict.fromkeys(steps, 2.0))
        walked += nodes["id"][steps].tolist()
    found.chain = tuple(dict.fromkeys(walked))


def _hop(
    state: State,
    request: RecallRequest,
    starts: Sequence[int],
    hop: Hop,
    same_relation: SameRelation,
) -> list[int]:
    """Rows of the facts by which a hop's relation leads on from some entities."""
    steps: list[int] = []
    for entity in starts:
        rows = facts_of(state, request, entity, inverse=hop.inverse)
        ids = state.graph.nodes["id"][rows].tolist()
        for row, content in zip(rows.tolist(), state.words(ids) if ids else [], strict=True):
            if same_relation(hop.relation, str(content.meta.get("relation", ""))):
                steps.append(row)
    return steps


# -- bridges between documents ---------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class Bridges:
    """Texts that are joined to good matches by an entity, by row.

    `shared`: how strongly a match mentions something that this text mentions too, in [0, 1];
    `about`: the same if this text opens with its name; `titled`: 1 if it opens with a name of the
    question.
    """

    shared: dict[int, float] = field(default_factory=dict)
    about: dict[int, float] = field(default_factory=dict)
    titled: dict[int, float] = field(default_factory=dict)

    def rows(self, most: int) -> NDArray[np.int64]:
        """At most so many rows: first those titled with a name of the question, then by `about`."""
        led = sorted(self.about.items(), key=lambda item: -item[1])
        return np.array([*self.titled, *(row for row, _ in led)][:most], np.int64)

    def join(self, more: Bridges, share: float) -> bool:
        """Merge other bridges, worth a `share` of their values; return whether any value rose."""
        before = sum(self.shared.values()) + sum(self.about.values())
        for own, theirs in ((self.shared, more.shared), (self.about, more.about)):
            for row, value in theirs.items():
                _raise(own, row, share * value)
        return sum(self.shared.values()) + sum(self.about.values()) > before


def documents(state: State) -> bool:
    """Whether there is any document, a text that nobody said; kept until the state changes."""
    return state.kept(
        "documents",
        lambda: bool(_document(state, state.graph.where(NodeKind.EPISODE)).any()),
    )


def best_documents(
    documents: NDArray[np.float32], scores: NDArray[np.float32], most: int
) -> NDArray[np.int64]:
    """Places of the documents among the `most` best candidates, the best first.

    `documents`: 1 for a text that nobody said, shape (n,).
    """
    if not documents.any():
        return np.zeros(0, np.int64)
    best = foremost(scores, most)
    return np.asarray(best[documents[best] > 0], np.int64)


def bridges(
    state: State,
    named: tuple[int, ...],
    anchors: NDArray[np.int64],
    mass: NDArray[np.float64],
) -> Bridges:
    """The texts that anchors (rows, with their mass) and the question's entities (ids) lead to.

    A question of two hops names one end. The text at the other end shares few words with it, but
    opens with a name that a good match mentions. Only documents, texts that nobody said, take part:
    in conversations, who spoke and when says more.
    """
    found = Bridges()
    asked = {state.graph.row_of[i] for i in named}
    for entity in asked:
        for row in _texts(state, entity):
            if _opens_with(state, row, entity):
                found.titled[row] = 1.0
    strongest = float(mass.max()) if len(mass) else 1.0
    documents = _document(state, anchors)
    for anchor, share in zip(anchors[documents].tolist(), mass[documents].tolist(), strict=True):
        for entity in peers(state.graph, anchor, int(ArcKind.MENTIONS)).tolist():
            if entity not in asked:
                _cross(state, found, anchor, entity, share / strongest)
    return found


def _cross(state: State, found: Bridges, anchor: int, entity: int, share: float) -> None:
    """Add the texts that an anchor leads to over one entity that it mentions."""
    texts = _texts(state, entity)
    size = state.graph.size
    # The idf of the entity, in [0, 1]: a name that many texts mention bridges less.
    value = share * float(np.log1p(size / (1 + len(texts))) / np.log1p(size))
    for row in texts:
        if row != anchor:
            _raise(found.shared, row, value)
            if found.about.get(row, 0.0) < value and _opens_with(state, row, entity):
                found.about[row] = value


def _raise(values: dict[int, float], row: int, value: float) -> None:
    if values.get(row, 0.0) < value:
        values[row] = value


def _document(state: State, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows are episodes that nobody said, bool (n,)."""
    nodes = state.graph.nodes
    said = nodes["subject"][rows] != NOBODY
    return np.asarray((nodes["kind"][rows] == NodeKind.EPISODE) & ~said, np.bool_)


def _texts(state: State, entity: int) -> list[int]:
    """Living documents that mention an entity; none if they are too many."""
    # The length counts entries of all kinds, so it is a rough test that avoids reading a hub.
    if state.graph.adjacency.length[entity] > 4 * MOST_SHARED:
        return []
    rows = peers(state.graph, entity, int(ArcKind.MENTIONS) | REVERSE)
    kept: list[int] = rows[_document(state, rows)].tolist()
    return kept if len(kept) <= MOST_SHARED else []


def _opens_with(state: State, row: int, entity: int) -> bool:
    """Whether a text begins with the name of an entity."""
    text, name = state.words(state.graph.nodes["id"][[row, entity]].tolist())
    # The character after the name must end it: "Anna" does not open with "Ann".
    head, form = fold_name(text.text[:OPENING]), fold_name(name.text)
    return head.startswith(form) and not head[len(form) : len(form) + 1].isalnum()


# -- the fewest facts between two things ---------------------------------------

FAR = 2_000
"""Things at most that a search comes by: beyond them nothing is within reach."""

Sides = Callable[[int], Iterable[tuple[int, int]]]
"""Of a thing, by id: its facts, each with the thing at its other end."""


def between(
    starts: Iterable[int], ends: Collection[int], sides: Sides, hops: int
) -> tuple[tuple[int, int, int], ...]:
    """The shortest chain (breadth first: Moore 1959), each step (thing, fact, thing); else ().

    hops: most facts of a chain.
    """
    led: dict[int, tuple[tuple[int, int, int], ...]] = {one: () for one in starts}
    queue = deque(led)
    while queue and len(led) < FAR:
        here = queue.popleft()
        if len(led[here]) >= hops:
            break
        for fact, other in sides(here):
            if other in led:
                continue
            led[other] = (*led[here], (here, fact, other))
            if other in ends:
                return led[other]
            queue.append(other)
    return ()
