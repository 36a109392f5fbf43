"""The audit: what is found in a poisoned memory, and that it comes back."""

from collections.abc import Callable

import pytest

import mags
from lab.tests.games.players.tiny import Towns, Words
from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.ports.answer import Answerer
from mags.settings import PolicySettings, Settings
from mags_lab.evaluation.proving.audit import (
    Audited,
    Dose,
    Poisoned,
    PoisonedGame,
    Way,
    course,
    false_lines,
)
from mags_lab.evaluation.proving.fidelity import GameFacts
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.turns import TruthFact

EMBEDDER = HashEmbedder(64)
RULES = Settings(policy=PolicySettings(kind="rules"))
"""They read all that the game tells; those of `mags eval` play with the shipped policy."""
DOSE = Dose(seed=1, turns=60, poisoned=15, audited=35, lies=6)
LATER = Dose(seed=1, turns=120, poisoned=30, audited=70, lies=6)
"""Long enough that the snapshot to roll back to is not that of the first turn."""


def memory(clock: Callable[[], float], thinker: Answerer) -> Memory:
    return mags.open(None, clock=clock, answerer=thinker, settings=RULES, embedder=EMBEDDER)


def played(how: Way, dose: Dose, *, every: int) -> PoisonedGame:
    game = Poisoned(Towns(every=every), at=dose.poisoned, lies=dose.lies)
    return course(game, Remembering(Words(), memory), dose, how=how)


def test_a_lie_is_a_line_told_before_with_another_object():
    game = Poisoned(Towns(every=500), at=5, lies=3)
    scene = game.begin(1)
    told = {line.text for line in scene.said}
    while scene.turn < 5:
        _, following = game.act(scene.actions[0])
        assert following is not None
        scene = following
    assert len(game.lies) == 3
    for place, lie in enumerate(game.lies, start=len(scene.said) - 3):
        assert scene.said[place] == lie.line
        assert lie.line.text not in told
        assert lie.line.text.startswith(lie.fact.subject)
        assert game.truth().teaches[5, place] == (lie.false,)
        assert lie.false not in game.truth().facts


def test_the_same_seed_tells_the_same_lies_and_without_lies_the_game_is_itself():
    def lines(game: Poisoned) -> list[tuple[str, ...]]:
        scene, found = game.begin(3), []
        for _ in range(10):
            found.append(tuple(line.text for line in scene.said))
            _, following = game.act(scene.actions[0])
            assert following is not None
            scene = following
        return found

    assert lines(Poisoned(Towns(), at=5, lies=4)) == lines(Poisoned(Towns(), at=5, lies=4))
    assert lines(Poisoned(Towns(), at=5, lies=0)) == lines(Poisoned(Towns(), at=500, lies=4))


def test_lies_that_are_left_cost_the_score_until_what_comes_of_acts_tells():
    found = played("nothing", DOSE, every=20)
    assert found.before == 1.0
    assert found.sick <= 0.6
    assert found.touched is not None
    assert found.sick < found.touched
    assert found.verdicts["wrong"] == len(found.about) == 6
    assert found.verdicts["lost"] == 6
    wrong = [one for one in found.findings if one.verdict.value == "wrong"]
    assert all(any(one.fact.object in line for line in one.lines) for one in wrong)


@pytest.mark.parametrize(("how", "dose", "every"), [("mend", DOSE, 20), ("roll back", LATER, 40)])
def test_a_mended_memory_is_right_again(how: Way, dose: Dose, every: int):
    found = played(how, dose, every=every)
    assert found.sick <= 0.6
    assert (found.after, found.touched) == (1.0, 1.0)
    assert sum(found.done.values()) > 0


def test_a_line_is_false_where_nothing_it_taught_ever_was_so():
    so = TruthFact(subject="a", relation="r", object="b")
    was = TruthFact(subject="a", relation="r", object="c")
    never = TruthFact(subject="a", relation="r", object="d")
    taught = {(0, 0): (so,), (0, 1): (was, never), (1, 0): (never,), (1, 1): ()}
    assert false_lines(GameFacts(facts={so}, over={was}, taught=taught)) == {(1, 0)}


def test_snapshots_cannot_be_taken_every_none_turns():
    with pytest.raises(InvalidInput, match="every so many turns"):
        Audited(Remembering(Words(), memory), at=5, how="mend", every=0)
