"""Numbers and switches of recall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mags.ports.bounds import ANY, hold
from mags.ports.policy import Tier

WEIGHTS: dict[str, float] = {
    "similarity": 0.34,
    "window": 0.1,
    "asked": 0.1,
    "lexical_reworded": 0.09,
    "cover": 3.12,
    "session": 0.64,
    "speaker": 2.69,
    "bridge": 2.82,
    "about": 2.13,
    "titled": 1.69,
    "length": 0.14,
    "expect_time": 0.6,
    "expect_number": 0.22,
    "expect_person": 0.02,
    "expect_liking": 0.1,
    "standing": 6.0,
    "during": 2.41,
    "fact": -3.53,
    "document": 3.34,
    "similarity@document": -0.53,
    "cover@document": -0.74,
    "cover_near@document": -0.74,
    "entity@document": 0.47,
    "spread@document": 0.2,
    "similarity@statement": 2.66,
    "stale": -1.0,
    "recency": 0.05,
    "confidence": 0.02,
    "strength": 0.02,
    "importance": 0.05,
    "walk": 7.4,
    "chain": 2.4,
}
"""Weights of the ranking's features, applied to z-scores over the candidates (or to shares).

Fitted by `python -m benchmarks.ranking` on licence-clean sets only; docs/log.md says on
which, and what they reach. `stale`, `recency`, `importance`, `confidence` and `strength` are
set by design: no set we may fit on has a question they decide. A weight `feature@document`
is added to the feature's for texts nobody said, `feature@statement` where the query asks nothing
(chosen on `benchmarks.hints`).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecencySettings:
    """When the newer of two episodes comes before the older; `on` False: by score alone.

    looked: episodes of greatest score that are looked at. alike: cosine from which two
    statements of one speaker say the same of the same; margin: how far the newer may lie
    behind. lost: share of the question's idf that the newer may lack of what the older holds.
    """

    on: bool = True
    looked: int = 8
    alike: float = 0.7
    margin: float = 1.0
    lost: float = 0.35

    def __post_init__(self) -> None:
        hold(self, "recall.renewal", {"looked": (0, ANY), "alike": (-1.0, ANY), "lost": (0.0, 1.0)})


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationBoostSettings:
    """How far what was cited together comes up together; a weight of 0: not at all.

    matches: best-scored candidates whose wires are looked at. weight: added to the score for a
    wire of charge 1 (one citation makes .1). rate: of Hebb, by which the share of a charge that
    use made is told.
    """

    matches: int = 3
    weight: float = 25.0
    rate: float = 0.1

    def __post_init__(self) -> None:
        hold(self, "recall.wired", {"matches": (0, ANY), "weight": (0.0, ANY), "rate": (0.0, 1.0)})


@dataclass(frozen=True, slots=True, kw_only=True)
class LookSettings:
    """How the best candidates are looked at once more, word by word (tier `careful`).

    first: best-scored candidates that are. beside: how much a word of the turn before or after
    counts. chance: what a turn loses by the logarithm of its words: a long one has some that are
    like any. weight: spread of the scores of those candidates by which a look of 1 moves one.
    """

    first: int = 80
    beside: float = 0.6
    chance: float = 1.0
    weight: float = 0.5

    def __post_init__(self) -> None:
        free = dict.fromkeys(("chance", "weight"), (0.0, ANY))
        hold(self, "recall.look", {"first": (0, ANY), **free, "beside": (0.0, 1.0)})


@dataclass(frozen=True, slots=True, kw_only=True)
class RereadSettings:
    """How the first turns are read together with the question (tier `thorough`).

    first: turns that are read. weight: spread of the scores of the best candidates by which one
    more of log-odds, that a turn shows what is asked, moves it.
    """

    first: int = 36
    weight: float = 0.2

    def __post_init__(self) -> None:
        hold(self, "recall.reread", {"first": (0, ANY), "weight": (0.0, ANY)})


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackSettings:
    """How the best turns raise others of their story (not in tier `fast`).

    first: best turns that do; 0 for none. among: best-scored candidates that they are of. company,
    words: spread of the scores of those by which a turn moves that one of who speak around a best
    one told, or that shares its rare words. rare: share of all texts that may hold such a word.
    """

    first: int = 4
    among: int = 80
    company: float = 1.0
    words: float = 0.15
    rare: float = 0.05

    def __post_init__(self) -> None:
        free = dict.fromkeys(("company", "words"), (0.0, ANY))
        counts = dict.fromkeys(("first", "among"), (0, ANY))
        hold(self, "recall.feedback", {**counts, **free, "rare": (0.0, 1.0)})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainSettings:
    """How chains between a question and options are looked for; `on` False: not at all.

    naming: what a line loses at which a chain begins, where it lacks the names of a question.
    hops: most lines of a chain. decay: what each further line leaves of its value. plain: how
    well a rare word that is no name ties two lines. dropped: worth of a name in a line whose facts
    do not hold of it, unread: in one that gave none. spread: how much a lead to one of several
    counterparts loses (0: nothing, 1: all share alike). least: share of an option that the last
    line must hold. recency: what the newest line gains, half_life: after how many lines half of
    that is left. reported, failed: worth of a line that tells what came of an act, where that went
    well and where it went wrong. beam: best lines gone on from.
    """

    on: bool = True
    naming: float = 0.7
    hops: int = 4
    decay: float = 0.8
    plain: float = 0.3
    dropped: float = 0.5
    unread: float = 0.7
    spread: float = 0.5
    least: float = 0.4
    recency: float = 0.3
    half_life: float = 200.0
    reported: float = 0.2
    failed: float = 0.0
    beam: int = 128

    def __post_init__(self) -> None:
        shares = ("naming", "decay", "plain", "dropped", "unread", "spread", "least")
        counts = {"hops": (1, ANY), "beam": (1, ANY), "half_life": (1e-9, ANY)}
        hold(self, "recall.chains", counts | dict.fromkeys(shares, (0.0, 1.0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """How recall looks; every switch is an ablation.

    tier: `fast`; `careful`, where the best candidates are looked at once more; or `thorough`, where
    the first are then read, too. A plan may name another. candidates: K, taken from each index for
    each query. anchors: m. common_share: words in more than this share of
    the documents count little (once there are `common_floor`).
    alpha, eps, max_pushes: forward push. hub_degree: nodes above it receive and never pass on.
    bridging: best-fused candidates that bridges start from; crossing: best-scored ones that
    they start from once more, their scores divided by `mellow`, worth `second`. reached: candidates
    the spread may add. threshold, max_nodes: best-first paths of traces.
    hops: how far a walk over current facts goes from a named entity; ball: how many facts it
    may bring; linking: most facts of a chain between two things whose connection is asked for.
    anchor_choice: `top` takes the best fused, `hull` covers the most ground in the plane of the
    vectors.
    """

    tier: Tier = "careful"
    candidates: int = 128
    anchors: int = 8
    common_share: float = 0.2
    common_floor: int = 25
    alpha: float = 0.5
    eps: float = 1e-4
    max_pushes: int = 2_000
    hub_degree: int = 1_000
    reached: int = 64
    threshold: float = 0.02
    max_nodes: int = 2_000
    hops: int = 4
    ball: int = 64
    linking: int = 12
    anchor_choice: Literal["hull", "top"] = "top"
    spread: bool = True
    walk: bool = True
    bridges: bool = True
    bridging: int = 8
    crossing: int = 4
    mellow: float = 3.0
    second: float = 0.7
    entity_seeds: float = 0.0
    wired: AssociationBoostSettings = field(default_factory=AssociationBoostSettings)
    renewal: RecencySettings = field(default_factory=RecencySettings)
    look: LookSettings = field(default_factory=LookSettings)
    reread: RereadSettings = field(default_factory=RereadSettings)
    feedback: FeedbackSettings = field(default_factory=FeedbackSettings)
    chains: ChainSettings = field(default_factory=ChainSettings)
    traces: bool = True
    weights: Mapping[str, float] = field(default_factory=lambda: dict(WEIGHTS))

    def __post_init__(self) -> None:
        hold(self, "recall", _BOUNDS)


_BOUNDS = (
    dict.fromkeys(("candidates", "anchors", "max_pushes", "max_nodes"), (1, ANY))
    | dict.fromkeys(
        ("hub_degree", "reached", "hops", "ball", "linking", "bridging", "crossing"), (0, ANY)
    )
    | {
        "common_floor": (0, ANY),
        "common_share": (0.0, 1.0),
        "alpha": (1e-6, 1.0),
        "eps": (1e-12, 1.0),
        "threshold": (0.0, 1.0),
        "mellow": (1e-6, ANY),
        "second": (0.0, ANY),
        "entity_seeds": (0.0, ANY),
    }
)
