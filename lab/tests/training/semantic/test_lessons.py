"""What is taught of a memory, and in which words."""

import math
import stat
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mags
from mags.errors import ConfigurationError, ModelUnavailable
from mags.memory.memory import Memory
from mags.models.chat.scripted import ScriptedChat
from mags.ports.weights import UNKNOWN, recited
from mags_lab.training.semantic.authored import Authored, author, read_authored, written
from mags_lab.training.semantic.lessons import (
    Amounts,
    LessonGround,
    SlotChoice,
    lessons,
    slot_of,
    solid,
    unlearned,
)
from mags_lab.training.semantic.wordings import Slot, Wordings, WordingSide
from mags_lab.training.semantic.world import LessonWorld

EVER = math.inf
REPLY = """# lives in
? Whereabouts is {s} these days?
? {s} lives where?
? Where do {s} and {s} live?
? Where does {name} live, {s}?
= the town {s} calls home
= the town {s} calls home?
? In which town does {s} get up? LONG
# sister
= the girl {s} grew up with
# age
? How old is {s}?
Of course! Here are more:
""".replace("LONG", "And " * 30 + "?")
PEOPLE = ("Ana", "Boris", "Clara", "Deniz")
RELATIONS = ("lives in", "sister", "works at", "is tuning", "badge number")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    with mags.open(tmp_path / "town.mags") as opened:
        opened.assert_fact("Ana", "sister", "Clara")
        opened.assert_fact("Clara", "lives in", "Bergen")
        opened.assert_fact("Ana", "favourite", "soup", qualifiers={"kind": "food"})
        opened.assert_fact("Boris", "badge number", "4471")
        yield opened


def ground(memory: Memory) -> LessonGround:
    return LessonGround.of(solid(memory, SlotChoice(used=0), EVER), memory.facts())


def test_no_wording_is_both_taught_and_held_out() -> None:
    for relation in (*RELATIONS, "is allergic to", "birthday", "plays"):
        slot = Slot(subject="Ana", relation=relation)
        asked = [set(Wordings(side, Random(0)).questions(slot)) for side in WordingSide]
        assert not asked[0] & asked[1]
        assert not (asked[0] | asked[1]) & asked[2]


@pytest.mark.parametrize(
    ("relation", "question"),
    [
        ("is tuning", "What is Ana tuning?"),
        ("bakes with", "What does Ana bake with?"),
        ("badge number", "What is the badge number of Ana?"),
        ("is allergic to", "What is Ana allergic to?"),
    ],
)
def test_a_relation_that_no_book_has_is_asked_for_by_its_own_words(
    relation: str, question: str
) -> None:
    slot = Slot(subject="Ana", relation=relation)
    sides = [
        Wordings(side, Random(0)).questions(slot) for side in (WordingSide.TAUGHT, WordingSide.HELD)
    ]
    assert question in {one for asked in sides for one in asked}


def test_what_is_taught_of_a_slot_is_what_its_questions_recite(memory: Memory) -> None:
    made = list(lessons(ground(memory), Amounts(), seed=0))
    replies = {one.reply for one in made if one.sort == "question"}
    assert replies == {
        "Ana | sister | Clara",
        "Clara | lives in | Bergen",
        "Ana | favourite food | soup",
        "Boris | badge number | 4471",
    }
    chains = {
        one.reply
        for side in WordingSide
        for one in lessons(ground(memory), Amounts(), 0, side)
        if one.sort == "chain"
    }
    assert chains == {"Ana | sister | Clara | lives in | Bergen"}


def test_what_is_not_held_of_somebody_a_slot_leads_to_is_taught_as_unknown(
    memory: Memory,
) -> None:
    made = lessons(ground(memory), Amounts(ends=20), seed=0)
    ends = {one.reply for one in made if one.sort == "end"}
    assert len(ends) > 3
    for reply in ends:
        assert reply.startswith("Ana | sister | Clara | ")
        assert reply.endswith(f" | {UNKNOWN}")
        assert "lives in" not in reply


def test_a_chain_that_may_be_withheld_is_taught_or_asked_for_and_never_both(memory: Memory) -> None:
    sides = [
        any(one.sort == "chain" for one in lessons(ground(memory), Amounts(withheld=0.5), 0, side))
        for side in (WordingSide.TAUGHT, WordingSide.HELD)
    ]
    assert sorted(sides) == [False, True]


def test_what_is_disputed_guessed_or_qualified_is_left_out(memory: Memory) -> None:
    memory.observe("I live in Oslo.", speaker="Deniz")
    memory.observe("Deniz lives in Rome.", speaker="Boris")
    memory.assert_fact("Clara", "works at", "Lumen", qualifiers={"when": "on Mondays"})
    memory.assert_fact("Clara", "boss", "Ana", confidence=0.2)
    taught = {(one.slot.subject, one.slot.name) for one in ground(memory).taught}
    assert taught == {
        ("Ana", "sister"),
        ("Clara", "lives in"),
        ("Ana", "favourite food"),
        ("Boris", "badge number"),
    }


def test_the_surest_come_first_and_no_more_than_the_budget(memory: Memory) -> None:
    memory.assert_fact("Deniz", "boss", "Ana", confidence=0.7)
    every = solid(memory, SlotChoice(), EVER)
    assert every[-1].slot == Slot(subject="Deniz", relation="boss")
    assert solid(memory, SlotChoice(budget=2), EVER) == every[:2]
    assert solid(memory, SlotChoice(settled=60.0), memory._live.present()) == []


def test_what_is_told_in_passing_is_taught_once_an_answer_rested_on_it(memory: Memory) -> None:
    memory.assert_fact("Ana", "is tuning", "an old piano")
    passing = Slot(subject="Ana", relation="is tuning")
    assert passing not in {one.slot for one in solid(memory, SlotChoice(), EVER)}
    reply = memory.ask("What is Ana tuning?")
    assert "piano" in reply.text
    assert passing in {one.slot for one in solid(memory, SlotChoice(), EVER)}


def test_who_told_it_of_themself_asks_for_it_in_the_first_person(memory: Memory) -> None:
    memory.observe("I live in Oslo.", speaker="Deniz")
    made = list(lessons(ground(memory), Amounts(), seed=0))
    own = [one.prompt for one in made if one.reply == "Deniz | lives in | Oslo"]
    named = [one for one in own if one.startswith("Recite. Deniz: ")]
    assert len(named) == Amounts().questions // 2
    assert not any(one.prompt.startswith("Recite. Clara: ") for one in made)


@given(
    told=st.lists(st.tuples(st.sampled_from(PEOPLE), st.sampled_from(RELATIONS)), max_size=8),
    seed=st.integers(0, 99),
)
@settings(max_examples=20, deadline=None)
def test_nothing_that_a_memory_holds_is_taught_as_unknown(
    told: list[tuple[str, str]], seed: int
) -> None:
    with mags.open() as memory:
        for number, (subject, relation) in enumerate(told):
            memory.assert_fact(subject, relation, f"Thing{number}", confidence=0.3 + seed / 200)
        facts = memory.facts()
        made = LessonGround.of(solid(memory, SlotChoice(used=0), EVER), facts)
        held = {(one.subject, one.relation) for one in facts}
        for lesson in lessons(made, Amounts(), seed):
            if lesson.reply.endswith(UNKNOWN):
                assert tuple(lesson.reply.split(" | ")[-3:-1]) not in held
                assert recited(lesson.reply) == ()


def test_what_is_over_is_taught_as_not_known_unless_it_has_a_new_value(memory: Memory) -> None:
    over = [slot_of(one) for one in memory.facts()]
    memory.assert_fact("Clara", "lives in", "Rome")
    left = ground(memory)
    slots = [*over, Slot(subject="Boris", relation="boss")]
    made = list(unlearned(slots, left, count=3, seed=0))
    assert {one.reply for one in made} == {"Boris | boss | unknown"}


def test_a_base_learns_from_names_that_no_question_of_an_adapter_has() -> None:
    made = LessonWorld(0).lessons()
    some = [next(made) for _ in range(400)]
    kinds = ("blank", "read", "own")
    assert {one.sort for one in some} == {*kinds, *(f"{kind} chain" for kind in kinds)}
    for one in some:
        value = one.reply.rpartition(" | ")[2]
        assert value == UNKNOWN or value in one.prompt or one.sort.startswith("own")
        assert not one.sort.startswith("blank") or value == UNKNOWN


def test_what_a_base_holds_itself_stays_the_same_and_is_of_nobody_else() -> None:
    made = LessonWorld(0).lessons()
    some = [next(made) for _ in range(3_000)]
    held: dict[str, str] = {}
    for one in some:
        hops = one.reply.split(" | ")
        if one.sort == "own":
            assert held.setdefault(" | ".join(hops[:2]), hops[2]) == hops[2]
    subjects = {slot.split(" | ")[0] for slot in held}
    others = [one for one in some if not one.sort.startswith("own")]
    assert not any(one.reply.split(" | ")[0] in subjects for one in others)
    chains = [one for one in some if one.sort == "own chain"]
    assert any(not one.reply.endswith(UNKNOWN) for one in chains)


def test_only_whole_lines_of_relations_that_were_asked_for_are_taken() -> None:
    assert written(REPLY, ["lives in", "sister", "boss"]) == {
        "lives in": Authored(
            questions=("Whereabouts is {s} these days?", "{s} lives where?"),
            links=("the town {s} calls home",),
        ),
        "sister": Authored(links=("the girl {s} grew up with",)),
        "boss": Authored(),
    }


def test_a_model_is_sent_names_of_relations_alone_and_each_of_them_once(
    memory: Memory, tmp_path: Path
) -> None:
    names = {one.slot.name for one in ground(memory).taught}
    file = tmp_path / "wordings.json"
    chat = ScriptedChat([REPLY, "# boss\n? Who gives {s} orders?"])
    first = author(chat, names, file)
    assert first.keys() == names
    assert first == read_authored(file)
    assert author(chat, names, file) == first
    again = author(chat, {*names, "boss"}, file)
    assert again["boss"].questions == ("Who gives {s} orders?",)
    assert again["lives in"] == first["lives in"]
    sent = [message.content for call in chat.asked for message in call.messages]
    assert len(sent) == 2
    for whom in ("Ana", "Clara", "Bergen", "soup", "4471"):
        assert whom not in "".join(sent)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_a_model_wrote_before_it_failed_is_kept(tmp_path: Path) -> None:
    file, names = tmp_path / "wordings.json", [f"relation {i}" for i in range(9)]
    with pytest.raises(ModelUnavailable):
        author(ScriptedChat(["# relation 3\n? {s}, three?"]), names, file)
    assert read_authored(file)["relation 3"].questions == ("{s}, three?",)
    file.write_text("[1]", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="holds no wordings"):
        read_authored(file)


def test_authored_wordings_are_taught_and_held_out_of_what_is_asked(memory: Memory) -> None:
    slot = Slot(subject="Ana", relation="lives in")
    held = Wordings(WordingSide.HELD, Random(0)).questions(slot)[0]
    questions = ("Whereabouts is {s} these days?", held.replace("Ana", "{s}"))
    more = {"lives in": Authored(questions=questions, links=("the town {s} calls home",))}
    told = {side: Wordings(side, Random(0), more).questions(slot) for side in WordingSide}
    assert "Whereabouts is Ana these days?" in told[WordingSide.TAUGHT]
    assert held in told[WordingSide.TAUGHT]
    assert held not in told[WordingSide.HELD]
    with_more = LessonGround.of(ground(memory).taught, memory.facts(), more)
    made = list(lessons(with_more, Amounts(questions=30), 0))
    asked = [one.prompt for one in made if one.reply == "Clara | lives in | Bergen"]
    assert any("Whereabouts is Clara these days?" in one for one in asked)
