from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.errors import InvalidInput
from mags.ports.policy import Recalled, Turn
from mags_lab.training.chains.schema import (
    Role,
    Sample,
    Split,
    day,
    from_line,
    moment,
    read_samples,
    to_line,
    write_samples,
)

AT = moment("2024-05-10")
SAMPLE = Sample(
    id="train-1",
    role=Role.WRITE,
    split=Split.TRAIN,
    turn=Turn(text="I moved to Oslo.", speaker="Ana", at=AT),
    recent=(Turn(text="Hi!", speaker="Bob", at=AT),),
    recalled=(Recalled(id=7, text="Ana lives in Bergen.", speaker="Ana", at=moment("2023-03-02")),),
    target="<engram>\nUPDATE | Ana | lives in | Oslo\n</engram>",
    tags=("change",),
)


def test_a_sample_comes_back_from_its_line_as_it_was():
    assert from_line(to_line(SAMPLE)) == SAMPLE
    assert SAMPLE.now == 1_715_299_200.0


@given(text=st.text(), speaker=st.text())
def test_any_words_survive_the_line(text: str, speaker: str):
    sample = Sample(
        id="x",
        role=Role.ROUTER,
        split=Split.DEV,
        turn=Turn(text=text, speaker=speaker),
        target="<route> neither </route>",
    )
    line = to_line(sample)
    assert "\n" not in line
    assert from_line(line) == sample


def test_files_are_read_as_written(tmp_path: Path):
    path = tmp_path / "some" / "train.jsonl"
    assert write_samples(path, [SAMPLE, SAMPLE]) == 2
    assert list(read_samples(path)) == [SAMPLE, SAMPLE]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"v": 1', '"v": 2', "v is 2 where this reader knows 1"),
        ('"role": "write"', '"role": "cook"', "role is 'cook', none of ask, write, router"),
        ('"now": "2024-05-10"', '"now": "May"', "'May' is no day"),
        ('"source": "generator"', '"sauce": ""', "lacks source"),
        ('"id": 7', '"id": "7"', "id should be of type integer"),
        ('"id": "train-1"', '"id": ""', "id is empty"),
        ("UPDATE", "CHANGE", "no reply of the write policy"),
        ('"tags": ["change"]', '"tags": ["change", 3]', "tags[1] should be of type string"),
        ("}", "", "is no JSON"),
    ],
)
def test_a_wrong_line_says_where_and_what(tmp_path: Path, old: str, new: str, told: str):
    path = tmp_path / "a.jsonl"
    path.write_text(to_line(SAMPLE) + "\n\n" + to_line(SAMPLE).replace(old, new) + "\n")
    with pytest.raises(InvalidInput) as caught:
        list(read_samples(path))
    assert told in str(caught.value)
    assert "a.jsonl:3" in str(caught.value)


def test_a_missing_file_says_how_to_make_it(tmp_path: Path):
    with pytest.raises(InvalidInput, match="mags train data --out"):
        list(read_samples(tmp_path / "no.jsonl"))


def test_an_unknown_day_is_empty():
    assert (day(0.0), moment("")) == ("", 0.0)
