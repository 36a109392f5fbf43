"""What `mags observe` reads."""

from pathlib import Path

import pytest

from mags.cli.files import dialogue, jsonl, parse_turns, read_turns
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


@pytest.mark.parametrize("text", ['[\n  {"a": {}}\n]', '[{"turns": []}]', '{"turns": []}'])
def test_json_of_another_form_is_refused_with_what_to_do(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^line 1: .*`text` is wanted.*file-formats\.md"):
        list(parse_turns(text, "auto", speaker="user"))


def test_words_of_a_json_line_may_hold_other_ends_of_lines() -> None:
    lines = '{"text": "one\u2028two"}\r\n{"text": "three"}\r\n'
    assert [t.text for t in jsonl(lines, "me")] == ["one\u2028two", "three"]


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
