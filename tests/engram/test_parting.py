"""What joined two things is over, in whatever words it was told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mags.engram.settings import ConflictSettings, EngramSettings
from mags.graph.delta import Draft
from mags.ports.policy import OUTCOME, Act, Operation
from tests.engram.desk import Desk, add

QUIET = EngramSettings(conflict=ConflictSettings(on=False))


@pytest.fixture
def desk():
    return Desk(QUIET)


def tell(desk, subject, relation, object_, *, change=False):
    claim = replace(add(subject, relation, object_), change=change)
    return desk.say(f"{subject} {relation} {object_}.", claim)


def part(desk, subject, object_, *also):
    over = Operation(act=Act.RETRACT, subject=subject, object=object_, change=True)
    return desk.say(f"{subject} and {object_} have parted.", over, *also)


def test_a_retraction_without_a_relation_closes_all_that_joins_two_things(desk):
    one = tell(desk, "Zoaro", "is sworn to", "Orn clan").facts
    other = tell(desk, "Orn clan", "counts among its own", "Zoaro").facts
    tell(desk, "Zoaro", "is sworn to", "Vel clan")
    assert sorted(part(desk, "Orn clan", "Zoaro").closed) == sorted([*one, *other])


def test_what_a_turn_says_of_the_two_it_parts_stays(desk):
    old = tell(desk, "Zoaro", "is sworn to", "Orn clan").facts
    again = part(desk, "Zoaro", "Orn clan", add("Zoaro", "spies on", "Orn clan"))
    assert again.closed == old
    assert len(again.facts) == 1


def test_an_append_only_memory_parts_nothing():
    desk = Desk(replace(QUIET, arbiter=False))
    tell(desk, "Zoaro", "is sworn to", "Orn clan")
    assert part(desk, "Zoaro", "Orn clan").closed == []


def test_a_change_ends_what_was_told_of_the_only_thing_of_that_kind(desk):
    old = tell(desk, "Zoaro", "is sworn to", "Orn clan").facts
    tell(desk, "Zoaro", "lays down", "vreth ink")
    assert tell(desk, "Zoaro", "rides with", "Vel clan", change=True).closed == old


def test_a_change_of_one_of_several_things_leaves_the_others(desk):
    tell(desk, "Zoaro", "third badge is", "owl")
    first = tell(desk, "Zoaro", "first badge is", "key").facts
    assert tell(desk, "Zoaro", "first badge bears", "drum", change=True).closed == first
    assert tell(desk, "Zoaro", "second badge is", "lamp", change=True).closed == []
    assert ("Zoaro", "third badge is", "owl") in desk.open()


def test_words_that_joined_the_same_two_are_one_relation(desk):
    tell(desk, "Gusim", "voices", "Orn clan")
    tell(desk, "Gusim", "settles every quarrel of", "Orn clan")
    old = tell(desk, "Benlo", "settles every quarrel of", "Vel clan").facts
    tell(desk, "Mimso", "hides from", "Vel clan")
    assert tell(desk, "Karlo", "voices", "Vel clan", change=True).closed == old


def test_without_a_word_of_change_nothing_gives_way(desk):
    tell(desk, "Zoaro", "is sworn to", "Orn clan")
    assert tell(desk, "Zoaro", "rides with", "Vel clan").closed == []


def test_where_several_may_be_meant_none_gives_way(desk):
    tell(desk, "Zoaro", "is sworn to", "Orn clan")
    tell(desk, "Zoaro", "is sworn to", "Tarp clan")
    assert tell(desk, "Zoaro", "rides with", "Vel clan", change=True).closed == []


def test_what_closes_by_its_names_alone_is_not_compared_with_other_sentences():
    desk = Desk()
    told = "Zoaro never attended the summer school of the Orn clan in Oslo."
    old = desk.say(
        "Zoaro attended the summer school of the Orn clan in Oslo.",
        add("Zoaro", "attended", "summer school"),
        mentions=("Zoaro",),
    ).facts
    new = add("Zoaro", "never attended", "summer school")
    assert desk.say(told, replace(new, exact=True), mentions=("Zoaro",)).closed == []
    compared = desk.say(told, replace(new, object="winter school"), mentions=("Zoaro",))
    assert old[0] in compared.closed


def test_a_change_told_before_ends_what_the_words_of_now_show_to_be_of_its_kind(desk):
    old = tell(desk, "Zoaro", "takes", "terto tin").facts
    assert tell(desk, "Zoaro", "has become fond of", "vreth tin", change=True).closed == []
    assert tell(desk, "Zoaro", "takes", "vreth tin").closed == old


def test_what_many_may_take_is_not_over_for_one_since_it_is_new_for_another(desk):
    tell(desk, "Zoaro", "takes", "vreth tin")
    tell(desk, "Vrull", "has become fond of", "vreth tin", change=True)
    assert tell(desk, "Vrull", "takes", "vreth tin").closed == []


def test_what_one_now_takes_is_not_taken_from_another_who_took_it(desk):
    tell(desk, "Orn clan", "calls good manners", "terto bow")
    tell(desk, "Vel clan", "is met with", "vreth hop")
    assert (
        tell(desk, "terto bow", "one makes before anyone of", "Vel clan", change=True).closed == []
    )


def test_a_noun_that_both_tell_shows_what_a_change_is_about(desk):
    old = tell(desk, "Zoaro", "has as its polite greeting", "terto bow").facts
    tell(desk, "Zoaro", "eats", "terto moss")
    assert tell(desk, "Zoaro", "has a greeting now", "vreth hop", change=True).closed == old


def test_what_fails_while_something_else_holds_for_a_while_stays(desk):
    tell(desk, "Zoaro", "takes", "terto tin")
    passing = replace(add("Zoaro", "asks for", "vreth tin"), valid_to=desk.now + 864_000.0)
    desk.say("For ten days Zoaro asks for vreth tin.", passing)
    over = Operation(act=Act.RETRACT, subject="Zoaro", object="terto tin", change=True)
    failed = desk.say("Zoaro would not look at terto tin.", over, attrs={OUTCOME: "-1"})
    assert failed.closed == []


def test_where_a_turn_names_what_is_over_nothing_else_gives_way(desk):
    tell(desk, "Orn clan", "keeps", "Pell vigil")
    over = Operation(act=Act.RETRACT, subject="Vel clan", object="Zoaro vigil", change=True)
    now = replace(add("Pell vigil", "is in with", "Vel clan"), change=True)
    told = desk.say("The Zoaro vigil is out and the Pell vigil is in with the Vel clan.", over, now)
    assert told.closed == []


CLANS = ("Orn", "Vel", "Tarp", "Mur", "Sil", "Dor")
FEASTS = ("Zoaro", "Pell", "Vrull", "Thulmir", "Gusim", "Benlo")


def test_where_each_of_a_kind_has_one_counterpart_a_second_takes_its_place(desk):
    for clan, feast in zip(CLANS, FEASTS, strict=True):
        tell(desk, f"{clan} clan", "keeps", f"{feast} vigil")
    tell(desk, "Wem clan", "keeps", "Zoaro vigil")
    tell(desk, "Lan clan", "keeps", "Pell vigil")
    old = tell(desk, "Kor clan", "keeps", "Vrull vigil").facts
    assert tell(desk, "Kor clan", "keeps", "Benlo vigil").closed == old


def test_what_an_act_has_shown_takes_no_place(desk):
    for clan, feast in zip(CLANS, FEASTS, strict=True):
        tell(desk, f"{clan} clan", "keeps", f"{feast} vigil")
    tell(desk, "Wem clan", "keeps", "Zoaro vigil")
    shown = add("Orn clan", "keeps", "Benlo vigil")
    assert desk.say("The Orn clan keeps the Benlo vigil.", shown, attrs={OUTCOME: "1"}).closed == []


def test_two_speakers_are_no_rule_for_what_they_tell(desk):
    for i in range(20):
        tell(desk, ("Zoaro", "Vrull")[i % 2], "sews", f"terto {chr(97 + i) * 3}hat")
    assert tell(desk, "Zoaro", "sews", "terto bbbhat").closed == []


def test_a_word_that_several_names_share_tells_their_kind(desk):
    old = tell(desk, "Orn", "rides with", "House Zoaro").facts
    tell(desk, "Vel", "rides with", "House Pell")
    tell(desk, "Mur", "rides with", "House Vrull")
    assert tell(desk, "Orn", "sides with", "House Pell", change=True).closed == old


def test_what_was_forgotten_is_not_counted(desk):
    gone = [
        tell(desk, f"{clan} clan", "keeps", f"{feast} vigil").facts[0]
        for clan, feast in zip(CLANS, FEASTS, strict=True)
    ]
    draft = Draft(desk.state.graph)
    for fact in gone:
        draft.remove_node(fact)
        draft.remove_node(int(desk.node(fact)["subject"]))
    desk.apply(draft, "forget")
    tell(desk, "Kor clan", "keeps", "Hulm vigil")
    assert tell(desk, "Kor clan", "keeps", "Ebbo vigil").closed == []
