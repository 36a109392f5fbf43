"""What `mags observe` reads."""

import json
from pathlib import Path

import pytest

from mags.cli.files import dialogue, parse_turns, read_turns
from mags.errors import InvalidInput


def test_a_dialogue_has_speakers_dates_and_sessions() -> None:
    text = "# one\n[2024-01-03] Ann: Hello.\nand more\n\nBob: Hi: there\n# two\nAnn: Bye."
    turns = [(t.speaker, t.text, t.session, t.at) for t in dialogue(text, "user")]
    day = 1_704_240_000.0
    assert turns == [
        ("Ann", "Hello. and more", "one", day),
        ("Bob", "Hi: there", "one", day),
        ("Ann", "Bye.", "two", day),
    ]


def test_lines_without_a_name_are_the_speakers(tmp_path: Path) -> None:
    assert [t.speaker for t in dialogue("just a note", "me")] == ["me"]


def test_locomo_is_recognised_with_its_captions_and_ids() -> None:
    data = [
        {
            "sample_id": "c",
            "conversation": {
                "speaker_a": "A",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    {"speaker": "A", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a dog"}
                ],
            },
        }
    ]
    (turn,) = parse_turns(json.dumps(data), "auto", speaker="user")
    assert (turn.speaker, turn.key, turn.session) == ("A", "c:D1:1", "c:session_1")
    assert turn.attrs == {"blip_caption": "a dog"}
    assert turn.at == 1_683_554_160.0


def test_longmemeval_is_recognised_with_its_dates() -> None:
    data = [
        {
            "question_id": "q",
            "haystack_dates": ["2023/05/21 (Sun) 13:07"],
            "haystack_session_ids": ["s1"],
            "haystack_sessions": [[{"role": "user", "content": "Hi"}]],
        }
    ]
    (turn,) = parse_turns(json.dumps(data), "auto", speaker="user")
    assert (turn.speaker, turn.text, turn.session, turn.at) == ("user", "Hi", "s1", 1_684_674_420.0)


def test_a_bad_line_is_named() -> None:
    with pytest.raises(InvalidInput, match="line 2"):
        list(parse_turns('{"text": "a"}\n{"no": 1}', "jsonl", speaker="user"))


@pytest.mark.parametrize(
    "text",
    ["Ann: Hi.\n[2026-13-03] Bo: Hello.", '{"text": "a"}\n{"text": "b", "at": "2026-13-03"}'],
)
def test_the_line_of_a_date_that_is_none_is_named(text: str) -> None:
    with pytest.raises(InvalidInput, match="line 2: cannot read the moment '2026-13-03'") as told:
        list(parse_turns(text, "auto", speaker="user"))
    assert told.value.line == 2


def test_an_unknown_format_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no format"):
        list(parse_turns("x", "xml", speaker="user"))
    with pytest.raises(InvalidInput, match="cannot read"):
        read_turns(tmp_path / "none.txt")
