"""Matches and looks into a game made by hand."""

from collections.abc import Sequence

from lab.tests.evaluation.proving.turned import turned
from mags_lab.evaluation.proving.records import MatchIdentity, MatchRecord
from mags_lab.evaluation.proving.tables import Grid
from mags_lab.evaluation.report.exhibit import Arc, Dot, Exhibit, Explained, Sketch
from mags_lab.evaluation.report.inside import Audit, Marked
from mags_lab.games.matches import PlayedTurn


def kept(
    turns: Sequence[PlayedTurn] = (),
    *,
    player: str = "MAGS",
    seed: int = 0,
    game: str = "nonsense/standard",
    switch: str = "",
) -> MatchRecord:
    """A record of turns, or of two turns of which the second was touched by a change."""
    names = MatchIdentity(game=game, player=player, seed=seed, turns=9, switch=switch)
    return MatchRecord(played=names, turns=tuple(turns) or (turned(0), turned(1, since=0)))


def share(player: str, right: int, of: int = 10, *, seed: int = 0, **given: str) -> MatchRecord:
    """A record in which so many questions of so many were answered rightly."""
    return kept([turned(n, right=n < right) for n in range(of)], player=player, seed=seed, **given)


SKETCH = Sketch(
    nodes=3,
    arcs=1,
    dots=(
        Dot(id=1, kind="entity", label="Ann <&>", strength=1.0, current=True),
        Dot(id=2, kind="fact", label="Ann likes tea", strength=0.2, current=False),
    ),
    lines=(Arc(start=2, end=1, kind="subject", weight=0.5),),
)
MOVE = Explained(
    turn=7,
    question="What does Ann drink?",
    action="tea",
    deciding=("Ann|drinks|tea",),
    lines=("Bob: Ann drinks tea.", "Bob: It rains."),
    teaching=(0,),
    cited=(0,),
    trace=("Asked: What does Ann drink?", "1. [m2] “Ann drinks tea.” (score 1.00) *cited*"),
    since=3,
)
EXHIBIT = Exhibit(
    played=MatchIdentity(game="nonsense/tiny", player="MAGS", seed=0, turns=9),
    score=0.5,
    move=MOVE,
    before=SKETCH,
    after=SKETCH,
    slept={"prune": {"pruned": 2}},
)
AUDIT = Audit(
    played=MatchIdentity(game="nonsense/tiny", player="MAGS", seed=0, turns=9),
    seeds=1,
    poisoned=3,
    audited=6,
    lies=2,
    scores=Grid(head=("course", "after"), rows=(("never lied to", "90.0"),)),
    verdicts=Grid(head=("course", "wrong"), rows=(("never lied to", "1"),)),
    marked=(Marked(verdict="wrong", fact="Ann | drinks | mud", source="Bob: Ann drinks mud."),),
)
