import json
from pathlib import Path

import pytest

from mags.ports.policy import Act, Operation
from mags_lab.evaluation.datasets.locomo import Observation, load_notes
from mags_lab.evaluation.writing import WrittenNotes, content, covered, faulty, judge

NAMES = frozenset({"ana", "bo"})
SAID = "I adopted a grey cat from the shelter. Do you want to paint?"
HEARD = f"Ana Bo {SAID}"


def op(subject: str, relation: str, thing: str) -> Operation:
    return Operation(act=Act.ADD, subject=subject, relation=relation, object=thing)


def test_content_is_stems_without_names_dates_and_vague_words() -> None:
    assert content("Ana really loved painting her cats yesterday", NAMES) == {"paint", "cat"}


def test_two_operations_may_cover_an_observation_together() -> None:
    noted = "Ana adopted a cat and was happy about the shelter."
    both = [op("Ana", "has", "grey cat"), op("Ana", "adopted from", "the shelter")]
    assert covered(noted, "Ana", SAID, both, NAMES) is True
    assert covered(noted, "Ana", SAID, both[:1], NAMES) is False


def test_an_operation_about_another_person_covers_nothing() -> None:
    noted = "Ana adopted a cat from the shelter."
    assert covered(noted, "Ana", SAID, [op("Bo", "adopted", "cat of the shelter")], NAMES) is False


def test_a_denial_does_not_cover_what_is_affirmed() -> None:
    noted = "Ana adopted a cat from the shelter."
    denied = [op("Ana", "has not adopted", "cat of the shelter")]
    assert covered(noted, "Ana", SAID, denied, NAMES) is False


def test_a_paraphrase_with_one_word_of_the_turn_is_not_judged() -> None:
    assert covered("Ana is fond of every cat.", "Ana", SAID, [], NAMES) is None


@pytest.mark.parametrize(
    ("subject", "thing", "wrong"),
    [
        ("Ana", "grey cat", False),
        ("Ana", "this cat", True),
        ("Ana", "going to that shelter", True),
        ("Ana", "so much", True),
        ("Ana", "grey dog", True),
        ("Ana", "grey cat from the", True),
        ("Bo", "paint", True),
    ],
)
def test_an_object_that_tells_nothing_is_faulty(subject: str, thing: str, wrong: bool) -> None:
    assert faulty(op(subject, "likes", thing), SAID, HEARD, NAMES) is wrong


def test_a_note_that_says_you_does_not_stand_alone() -> None:
    note = Operation(act=Act.NOTE, text="You adopted a grey cat.")
    assert faulty(note, SAID, HEARD, NAMES)


def test_the_verdict_hears_readers_before_faults() -> None:
    cat = op("Ana", "has", "grey cat")
    noted, nobody = ("Ana has a grey cat.",), ("Bo has a grey cat.",)
    assert judge(cat, WrittenNotes(session=noted, talk=noted), SAID, HEARD, NAMES) == "confirmed"
    assert judge(cat, WrittenNotes(session=(), talk=noted), SAID, HEARD, NAMES) == "confirmed"
    assert (
        judge(cat, WrittenNotes(session=nobody, talk=nobody), SAID, HEARD, NAMES) == "unconfirmed"
    )
    vague = op("Ana", "has", "this cat")
    assert judge(vague, WrittenNotes(session=(), talk=noted), SAID, HEARD, NAMES) == "junk"


@pytest.mark.parametrize(
    ("relation", "thing", "line", "verdict"),
    [
        ("mother", "Eva", "Ana visited her mom Eva.", "confirmed"),
        ("mother", "Eva", "Ana visited Eva.", "unconfirmed"),
        ("is married to", "Eva", "Ana's wife is Eva.", "confirmed"),
        ("boss", "Eva", "Ana wrote to Eva.", "unconfirmed"),
        ("admires", "Bo", "Ana admired Bo's paintings.", "confirmed"),
        ("admires", "Bo", "Ana met Bo.", "unconfirmed"),
        ("painted", "Bo's cat", "Ana has a picture of the cat.", "confirmed"),
        ("owns", "grey cat", "Ana adopted a grey cat.", "confirmed"),
    ],
)
def test_between_people_the_relation_must_be_told_too(
    relation: str, thing: str, line: str, verdict: str
) -> None:
    said = f"{thing} is my {relation}."
    lines = WrittenNotes(session=(line,), talk=(line,))
    found = judge(op("Ana", relation, thing), lines, said, f"Ana Bo {said}", NAMES)
    assert found == verdict


def test_a_line_of_the_other_polarity_confirms_nothing() -> None:
    has, lacks = op("Ana", "has", "grey cat"), op("Ana", "does not have", "grey cat")
    gone = Operation(act=Act.RETRACT, subject="Ana", relation="has", object="grey cat")
    expected = {
        "Ana has a grey cat.": [True, False, False],
        "Ana never had a grey cat.": [False, True, True],
        "Ana sold her grey cat.": [True, False, True],
    }
    for line, confirmed in expected.items():
        lines = (line,)
        shown = WrittenNotes(session=lines, talk=lines)
        found = [judge(one, shown, SAID, HEARD, NAMES) for one in (has, lacks, gone)]
        assert [verdict == "confirmed" for verdict in found] == confirmed


def test_notes_of_a_conversation_are_read_with_their_turns(tmp_path: Path) -> None:
    raw = {
        "sample_id": "c",
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": SAID}],
            "session_2_date_time": "1:56 pm on 9 May, 2023",
        },
        "observation": {"session_1_observation": {"Ana": [["Ana has a cat.", ["D1:1", "D1:2"]]]}},
        "event_summary": {"events_session_1": {"Ana": ["Adopts a cat."], "date": "8 May"}},
        "session_summary": {"session_1_summary": "They met. Ana told of a cat."},
        "qa": [{"question": "What has Ana?", "answer": "a cat", "evidence": ["D1:1"]}],
    }
    path = tmp_path / "made-up.json"
    path.write_text(json.dumps([raw]))
    (talk,) = load_notes(path)
    assert talk.observations == (
        Observation(text="Ana has a cat.", person="Ana", cited=("D1:1", "D1:2")),
    )
    assert list(talk.sessions) == ["session_1"]
    assert talk.lines["session_1"] == (
        "Ana has a cat.",
        "Ana: Adopts a cat.",
        "They met.",
        "Ana told of a cat.",
        "What has Ana? a cat",
    )
