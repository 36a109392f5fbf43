"""What is said before a turn, for heads that must not mind it."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mags.ports.policy import Turn
from mags.training.chains.schema import Role, Sample, Split
from mags.training.heads.preceded import preceded


def sample(place: int, text: str, role: Role = Role.WRITE, recent: tuple[Turn, ...] = ()) -> Sample:
    turn = Turn(text=text, speaker=f"S{place}", at=float(place))
    target = "<engram>\nnone\n</engram>"
    return Sample(
        id=str(place), role=role, split=Split.TRAIN, turn=turn, target=target, recent=recent
    )


SAMPLES = [sample(i, f"I live in Town{i}.") for i in range(40)]


@given(st.integers(0, 1000))
def test_turns_that_stand_alone_follow_earlier_turns_of_others(seed: int) -> None:
    made = list(preceded(SAMPLES, Random(seed), share=1.0))
    assert made[0].recent == ()  # nothing was said yet
    for place, one in enumerate(made[1:], start=1):
        before = {earlier.turn.text for earlier in SAMPLES[:place]}
        assert 1 <= len(one.recent) <= 2
        assert {turn.text for turn in one.recent} <= before
        assert {turn.at for turn in one.recent} == {one.turn.at}
        assert (one.turn, one.target) == (SAMPLES[place].turn, SAMPLES[place].target)


def test_what_has_a_context_and_what_the_router_sees_stay_as_they_are() -> None:
    said = Turn(text="Where do you live?", speaker="Ana", at=0.0)
    kept = [SAMPLES[0], sample(1, "In Oslo.", recent=(said,)), sample(2, "Hi.", Role.ROUTER)]
    assert list(preceded(kept, Random(0), share=1.0))[1:] == kept[1:]
    assert list(preceded(SAMPLES, Random(0), share=0.0)) == SAMPLES


def test_who_speaks_to_somebody_follows_only_themselves() -> None:
    told = [SAMPLES[0], *(sample(i, f"You live in Town{i}.") for i in range(1, 40))]
    for one in list(preceded(told, Random(3), share=1.0))[1:]:
        assert {turn.speaker for turn in one.recent} == {one.turn.speaker}


def test_others_are_heard_as_well() -> None:
    made = list(preceded(SAMPLES, Random(1), share=1.0))[1:]
    strangers = sum(turn.speaker != one.turn.speaker for one in made for turn in one.recent)
    assert 0.25 < strangers / sum(len(one.recent) for one in made) < 0.55
