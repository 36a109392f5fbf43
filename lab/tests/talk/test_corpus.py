"""The files of the corpus of talk: what they say, and what is refused."""

import gzip
import json
import re
from collections import Counter
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mags.errors import InvalidInput
from mags_lab.talk.corpus import AnnotatedDialogue, Ended, annotated, only_asked, parse
from mags_lab.talk.material import questions
from mags_lab.talk.plan import REGISTERS, plans

HEAD = "== ana-1 | friends | ana\npeople: Ana = Annie; Ben\n-- 2024-03-02\n"
TOLD = "Ana: My sister Ola is 34 and lives in Graz.\n"


def test_a_turn_stands_with_what_it_tells_and_ends():
    text = HEAD + (
        "[a] Ana: Got the keys to the flat in Bergen!\n"
        "+ s | me | lives in | Bergen | alt: flat in Bergen | topic: home | when: 2024-03\n"
        "- me | Oslo | replaced\n"
        "? value | Ben | Where does Ana live? | Bergen | no: Oslo | ev: a\n"
        "? value | Ben | Where does Ben live? | -\n"
    )
    (one,) = parse(text)
    (said,) = one.turns
    (fact,) = said.facts
    assert (fact.subjects, fact.relation, fact.objects) == (
        ("Ana",),
        "lives in",
        ("Bergen", "flat in Bergen"),
    )
    assert (fact.must, fact.kind, fact.topic, fact.when) == (True, "state", "home", "2024-03")
    assert (fact.act, fact.polarity, fact.modality, fact.source) == ("add", "yes", "actual", "self")
    assert said.ends == (Ended(subject="Ana", objects=("Oslo",), why="replaced"),)
    assert said.at.isoformat() == "2024-03-02T09:01:00+00:00"
    asked, other = one.questions
    assert (asked.evidence, asked.wrong, asked.unanswerable) == (("ana-1:1",), ("Oslo",), False)
    assert other.unanswerable
    assert one.people == {"Ana": ("Ana", "Annie"), "Ben": ("Ben",)}


def test_my_sister_is_the_speakers_and_what_is_said_of_her_is_of_a_third():
    (one,) = parse(HEAD + TOLD + "+ a | Ola / my sister | is aged | 34\n")
    (fact,) = one.turns[0].facts
    assert fact.subjects == ("Ola", "Ana's sister")
    assert fact.source == "third"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("+ s | me | lives in | Bergen", "no wording of the object stands in the turn"),
        ("+ z | me | lives in | Graz", "a kind is one of"),
        ("+ s | me | lives in | Graz | colour: red", "is none of"),
        ("+ s | me | lives in | Graz | when: last May", "when is yyyy"),
        ("- me | Oslo | bored", "why it ended"),
        ("? value | Ben | Where? | Graz", "needs ev:"),
        ("? value | Ben | Where? | Graz | ev: x", "no turn is labelled x"),
        ("Eve: Hello.", "is not among people"),
        ("what is this", "not understood"),
    ],
)
def test_a_wrong_line_is_named_with_its_number(line: str, why: str):
    with pytest.raises(InvalidInput, match=rf"talk:5: .*{re.escape(why)}"):
        parse(HEAD + TOLD + line + "\n", "talk")


def test_the_corpus_can_be_read_and_every_split_of_it_holds_dialogues(
    corpus: list[AnnotatedDialogue],
):
    splits = Counter(one.split for one in corpus)
    assert set(splits) == {"train", "dev", "test"}
    assert splits["train"] > 2 * (splits["dev"] + splits["test"]) > 0


def test_ids_are_unique_so_that_no_dialogue_stands_in_two_splits(corpus: list[AnnotatedDialogue]):
    count = Counter(one.id for one in corpus)
    assert [id for id, times in count.items() if times > 1] == []


def test_small_memories_are_asked_as_much_in_vain_and_stand_in_no_other_part(
    corpus: list[AnnotatedDialogue],
):
    small = list(only_asked())
    in_vain = Counter(asked.unanswerable for one in small for asked in one.questions)
    assert len(small) == 5800
    assert 0.3 < in_vain[True] / in_vain.total() < 0.6
    assert {one.id for one in small}.isdisjoint(one.id for one in corpus)
    assert {one.split for one in small} == {"train", "dev", "test"}


def test_a_small_memory_is_asked_in_vain_beside_what_is_nearly_asked():
    (one,) = parse(
        "== a-1 | tidy | ana\npeople: Ana\n-- 2024-03-02\nAna: I take a size 39 in boots.\n"
        "Ana: Tom mends bicycles in Leeds.\nAna: My gloves are by the door.\n"
        "? value | Ana | What size of gloves do I take? | -\n"
    )
    shown = [[turns for _, turns in questions(one, Random(seed))] for seed in range(20)]
    small = [(recalled, few) for recalled, *rest in shown for few in rest]
    assert all(list(few) == list(recalled[: len(few)]) for recalled, few in small)
    assert {len(few) for recalled, few in small if len(recalled) == 3} == {1, 2, 3}


def _named(prefix: str, *, open_: bool) -> str:
    """A name that may be annotated, or one of the other half."""
    return next(name for n in count() if annotated(name := f"{prefix}{n}") == open_)


def _case(key: str, text: str) -> Any:
    said = [{"role": "user", "content": text}, {"role": "assistant", "content": "Nice."}]
    return [
        {
            "question_id": "q",
            "haystack_session_ids": [key],
            "haystack_dates": ["2023/05/20 (Sat) 10:00"],
            "haystack_sessions": [said],
        }
    ]


def _steps(key: str, text: str) -> Any:
    message = {"peer_id": "user", "content": text, "created_at": "2023-05-20T10:00:00"}
    made = {"step_type": "create_session", "session_id": key}
    return {"steps": [made, {**made, "step_type": "add_messages", "messages": [message]}]}


def _stored(folder: Path, data: Any) -> str:
    (folder / "set.json.gz").write_bytes(gzip.compress(json.dumps(data).encode()))
    return "set.json.gz"


@pytest.mark.parametrize(("form", "part"), [(_case, "#q"), (_steps, "")])
def test_a_session_of_longmemeval_is_read_in_place_in_both_forms_of_its_files(
    form: Any, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MAGS_DATA", str(tmp_path))
    key = _named(f"open-{form.__name__}-", open_=True)
    place = _stored(tmp_path, form(key, "I moved to Graz.")) + part
    (one,) = parse(f"== d | assistant | x | {place}\n@ {key}:0\n+ s | me | lives in | Graz\n")
    (said,) = one.turns
    assert (said.text, said.speaker, said.session) == ("I moved to Graz.", "user", key)
    assert said.at.isoformat() == "2023-05-20T10:00:00+00:00"


def _documents(persona: str, *texts: str) -> Any:
    head = f"[SYSTEM] Current user persona: {persona}\n\n[USER] User: Hi!\n\n[ASSISTANT] Hi."
    return [
        {"id": f"abcdef_{n}", "user_id": "abcdef", "content": f"{head}\n\n[USER] User: {text}"}
        for n, text in enumerate(texts)
    ]


def test_a_user_of_personamem_is_read_in_place_by_session_and_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MAGS_DATA", str(tmp_path))
    profile = "[SYSTEM] Current user persona: "
    persona = next(name for n in count() if annotated(profile + (name := f"Ana {n}")))
    data = _documents(persona, "I love opera.\n\nTruly.", "I gave up opera.")
    place = _stored(tmp_path, data[::-1]) + "#abc"
    (one,) = parse(f"== d | assistant | x | {place}\n@ abc_0:3\n@ abc_1:3\n")
    first, last = one.turns
    assert (first.text, last.text) == ("I love opera.\n\nTruly.", "I gave up opera.")
    assert (first.session, last.session) == ("abc_0", "abc_1")
    assert (last.at - first.at).days == 30


def test_what_measures_cannot_be_annotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MAGS_DATA", str(tmp_path))
    profile = "[SYSTEM] Current user persona: "
    persona = next(name for n in count() if not annotated(profile + (name := f"Eve {n}")))
    key = _named("shut-", open_=False)
    for n, (data, part, id) in enumerate(
        (
            (_case(key, "Hi."), "#q", f"{key}:0"),
            (_steps(key, "Hi."), "", f"{key}:0"),
            (_documents(persona, "Hi."), "#abcd", "abcd_0:1"),
        )
    ):
        (tmp_path / f"{n}").mkdir()
        place = f"{n}/{_stored(tmp_path / f'{n}', data)}{part}"
        with pytest.raises(InvalidInput, match="no such turn"):
            parse(f"== d | assistant | x | {place}\n@ {id}\n")


@pytest.mark.parametrize("register", sorted(REGISTERS))
def test_the_same_seed_gives_the_same_plans(register: str):
    assert list(plans(register, 3, 1)) == list(plans(register, 3, 1))
    assert list(plans(register, 3, 1)) != list(plans(register, 3, 2))
