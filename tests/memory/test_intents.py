"""A turn of a conversation is taken as what it wants, and what it names is found in the memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from mags.memory.memory import Memory
from mags.memory.views import Reply
from mags.models.embed.hashing import HashEmbedder


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.observe("I live in Oslo.", speaker="Mia", at="2024-05-01")
    memory.observe("My dentist in Hull is strict.", speaker="Mia", at="2024-05-02")
    memory.observe("I like tea.", speaker="Mia", at="2024-05-03")
    return memory


def say(memory: Memory, text: str, **more: str) -> Reply:
    return memory.converse(text, speaker="Mia", at="2024-05-04", **more)


def held(memory: Memory) -> set[str]:
    return {fact.text for fact in memory.facts("Mia", current=True)}


def test_a_question_without_its_mark_is_answered(told: Memory) -> None:
    reply = say(told, "where do i live")
    assert (reply.intent, reply.outcome, reply.text[:7]) == ("ask", "answered", "Oslo \N{EM DASH} ")


def test_small_talk_gets_no_report_of_what_was_read(told: Memory) -> None:
    reply = say(told, "thanks!")
    assert (reply.intent, reply.text) == ("small talk", "All right.")


def test_what_is_only_closest_is_neither_charged_nor_kept_as_an_answer(told: Memory) -> None:
    before = told.stats().nodes["episode"]
    reply = say(told, "Who is my dentist?")
    assert reply.outcome == "closest"
    assert told.stats().nodes["episode"] == before + 1
    assert told.get(reply.citations[0].id).uses == 0


def test_neither_a_question_nor_its_answer_is_evidence_of_another(told: Memory) -> None:
    answer = say(told, "where do i live")
    reply = say(told, "remind me what i told you about where i live")
    quoted = {(one.speaker, one.text) for one in reply.citations}
    assert answer.seen is not None
    assert answer.seen.episode_id not in {one.id for one in reply.citations}
    assert {speaker for speaker, _ in quoted} == {"Mia"}
    assert ("Mia", "I live in Oslo.") in quoted


# -- overview


@pytest.mark.parametrize("text", ["what do u know bout me", "what have you got on me so far"])
def test_an_overview_in_any_words_tells_what_is_held(told: Memory, text: str) -> None:
    reply = say(told, text)
    assert (reply.intent, reply.outcome) == ("overview", "answered")
    assert "Oslo" in reply.text
    assert "tea" in reply.text


def test_the_words_of_an_overview_are_kept_as_they_were_said(told: Memory) -> None:
    reply = say(told, "what have you got on me so far")
    assert reply.seen is not None
    assert told.get(reply.seen.episode_id).text == "what have you got on me so far"


# -- telling and asking in one turn


def test_who_tells_and_asks_is_told_both(told: Memory) -> None:
    reply = say(told, "I bought a piano yesterday. Where do I live?")
    assert reply.text.startswith("Oslo \N{EM DASH} ")
    assert "Noted: " in reply.text
    assert "piano" in reply.text


# -- corrections


def test_an_answer_is_corrected_and_the_words_of_it_are_kept(told: Memory) -> None:
    say(told, "Where do I live?")
    reply = say(told, "no, it's Bergen")
    assert reply.text.startswith("Corrected: Mia lives in Bergen.")
    assert held(told) >= {"Mia lives in Bergen."}
    assert not any("Oslo" in text for text in held(told))
    assert reply.seen is not None
    assert told.get(reply.seen.episode_id).text == "no, it's Bergen"
    assert say(told, "Where do I live?").text.startswith("Bergen \N{EM DASH} ")


def test_what_was_just_told_is_corrected(told: Memory) -> None:
    say(told, "My sister lives in Leeds.")
    reply = say(told, "oops, I meant Bristol, not Leeds")
    assert reply.intent == "correct"
    assert any("Bristol" in fact.text for fact in told.facts(current=True))
    assert not any("Leeds" in fact.text for fact in told.facts(current=True))


def test_what_was_told_is_corrected_whole_and_a_rollback_restores_it(told: Memory) -> None:
    say(told, "My rent is 900 euros a month.")
    before, told_so = held(told), {fact.text for fact in told.facts(current=True)}
    told.snapshot("before")
    reply = say(told, "950, sorry")
    assert reply.text.startswith("Corrected: ")
    assert "950 euros a month" in reply.text
    assert not any("900" in fact.text for fact in told.facts(current=True))
    told.rollback("before")
    assert (held(told), {fact.text for fact in told.facts(current=True)}) == (before, told_so)


def test_a_correction_is_read_alike_one_by_one_and_in_bulk(told: Memory) -> None:
    with mags.open(embedder=HashEmbedder(64)) as other:
        turns = [("Mia", "My sister Leyla lives in Ghent."), ("Mia", "no sorry, in Antwerp")]
        other.observe_many(turns)
        for speaker, text in turns:
            told.observe(text, speaker=speaker)
        assert [
            {fact.object for fact in memory.facts("Leyla", current=True)}
            for memory in (told, other)
        ] == [{"Antwerp"}, {"Antwerp"}]


def test_who_corrects_themself_ends_nothing_that_another_says_of_themself(told: Memory) -> None:
    told.observe("Mia lives in Oslo.", speaker="Tom", at="2024-05-04")
    told.observe("no, Bergen, not Oslo", speaker="Tom", at="2024-05-04")
    assert "Mia lives in Oslo." in held(told)


def test_an_answer_that_is_only_said_to_be_wrong_is_held_no_longer(told: Memory) -> None:
    say(told, "Where do I live?")
    reply = say(told, "no, that's wrong")
    assert reply.text.startswith("I hold no longer: ")
    assert not any("Oslo" in text for text in held(told))


@pytest.mark.parametrize(
    "text",
    [
        "no wait, I meant the other one",
        "no, it's a surprise",
        "no, it's Thursday",
        "no, I meant my old number",
        "that's wrong, they should pay you more",
        "no, that was 2019",
    ],
)
def test_what_is_no_value_of_the_kind_that_is_held_corrects_nothing(
    told: Memory, text: str
) -> None:
    say(told, "Where do I live?")
    before = held(told)
    reply = say(told, text)
    assert held(told) >= before
    assert reply.seen is not None
    assert told.get(reply.seen.episode_id).text == text


def test_a_correction_of_nothing_that_was_said_is_an_ordinary_turn(told: Memory) -> None:
    before = held(told)
    reply = say(told, "no, it's Bergen", session="another")
    assert reply.outcome == ""
    assert held(told) >= before


def test_who_answers_somebody_else_corrects_nothing_that_was_answered(told: Memory) -> None:
    say(told, "Where do I live?")
    told.observe("You look like somebody from Hull.", speaker="Tom", at="2024-05-04")
    before = held(told)
    say(told, "no, Bergen")
    assert held(told) >= before


def test_a_correction_with_a_key_is_made_once(told: Memory) -> None:
    say(told, "Where do I live?")
    first = say(told, "no, it's Bergen", key="k")
    before = told.stats().nodes
    again = say(told, "no, it's Bergen", key="k")
    assert first.seen is not None
    assert again.seen is not None
    assert again.seen.episode_id == first.seen.episode_id
    assert told.stats().nodes == before


def test_the_word_of_another_does_not_end_what_somebody_says_of_themself(told: Memory) -> None:
    told.converse("Where does Mia live?", speaker="Tom", at="2024-05-04")
    told.converse("no, it's Bergen", speaker="Tom", at="2024-05-04")
    assert "Mia lives in Oslo." in held(told)


# -- commands to forget


def test_a_command_to_forget_shows_what_it_means_and_neither_erases_nor_keeps(
    told: Memory,
) -> None:
    before = told.stats().nodes
    reply = say(told, "forget the thing about the dentist")
    assert reply.text.startswith("Nothing was erased. To forget, by id: ")
    assert all("dentist" in citation.text for citation in reply.citations)
    assert (reply.intent, reply.outcome, reply.seen) == ("forget", "closest", None)
    assert told.stats().nodes == before
    assert say(told, "forget the thing about the plumber").outcome == "unknown"


def test_what_was_said_last_is_meant_where_nothing_is_named(told: Memory) -> None:
    say(told, "I am allergic to nuts.")
    reply = say(told, "delete that last message please")
    assert [citation.text for citation in reply.citations] == ["I am allergic to nuts."]


def test_an_id_is_meant_as_it_is_and_everything_is_too_much(told: Memory) -> None:
    seen = told.observe("My cat is called Ludo.", speaker="Mia")
    reply = say(told, f"delete m{seen.episode_id}")
    assert [citation.id for citation in reply.citations] == [seen.episode_id]
    reply = say(told, "forget everything I ever told you")
    assert (reply.outcome, reply.citations) == ("unknown", ())
    assert told.stats().nodes["episode"] == 4


def test_who_dismisses_a_matter_or_forgot_something_commands_nothing(told: Memory) -> None:
    for text in ("I forgot my keys", "forget it, let us talk about football"):
        assert say(told, text).seen is not None


WORDS = [
    "forget",
    "delete",
    "everything",
    "that",
    "I",
    "live",
    "in",
    "Oslo",
    "no",
    "wrong",
    "m2",
    "?",
]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join))
def test_no_sentence_erases_what_is_held(text: str) -> None:
    with mags.open(embedder=HashEmbedder(64)) as memory:
        seen = memory.observe("I live in Oslo.", speaker="Mia", at="2024-05-01")
        memory.converse("Where do I live?", speaker="Mia", at="2024-05-02")
        memory.converse(text, speaker="Mia", at="2024-05-03")
        assert memory.get(seen.episode_id).text == "I live in Oslo."
        assert [memory.get(i).kind for i in seen.facts] == ["fact"]
