import gzip
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from mags.cli.app import app
from mags.models.grammar import read_engram
from mags.ports.policy import Act, Turn
from mags_lab.evaluation.protocol import split
from mags_lab.training.chains.card import card
from mags_lab.training.chains.schema import NOTHING, Role, Sample, Split, read_samples
from mags_lab.training.real import knowledgenet, redocred, tekgen, textworld
from mags_lab.training.real.passage import (
    Passage,
    PassageFact,
    data_folder,
    folded,
    odd,
    relation_name,
    sample,
    writable,
)
from mags_lab.training.real.redocred import LABELS, joined
from mags_lab.training.real.sets import SETS, halves, read


def row(document: int, said: str, name: str, text: str) -> str:
    cells = [1, document, *said.split(), 0, 0, 0, 0, name, f"<p> {text}</p>"]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Three passages of one document, two of them with the same fact under other names."""
    person = '<span id="subject"><a href="http://www.wikidata.org/entity/Q1">Bo Qir</a></span>'
    again = '<span id="subject"><a href="http://www.wikidata.org/entity/Q1">he</a></span>'
    town = '<span id="object">Vey &amp; Son</span>'
    text = f"Bo Qir was poor; he works at {town}."
    written = row(2, "0 40", "EMPLOYEE_OR_MEMBER_OF", text.replace("Bo Qir", person, 1))
    written += row(2, "0 40", "EMPLOYEE_OR_MEMBER_OF", text.replace("he w", f"{again} w", 1))
    written += row(2, "50 90", "PLACE_OF_BIRTH", f'{again} is from <span id="object">Ula</span>.')
    (tmp_path / "knowledgenet").mkdir()
    with zipfile.ZipFile(tmp_path / "knowledgenet" / "made-up.zip", "w") as packed:
        packed.writestr("__MACOSX/page.html", "")
        packed.writestr("page.html", f"<table>{written}</table>")
    return tmp_path


def test_two_mentions_of_one_person_are_one_fact_under_both_names(page: Path) -> None:
    (only,) = knowledgenet.passages(page)
    assert only.text == "Bo Qir was poor; he works at Vey & Son."
    assert only.facts == (
        PassageFact(subject=("Bo Qir", "he"), relation="works at", object=("Vey & Son",)),
    )
    assert only.asked == {"works at"}


def test_a_document_is_held_out_whole(page: Path) -> None:
    (only,) = knowledgenet.passages(page)
    assert only.held is odd("knowledgenet 2")


def test_a_fact_of_a_pronoun_alone_may_be_told_but_is_not_wanted() -> None:
    found = knowledgenet.merged(
        [
            (
                ("he", "is from", "Q2"),
                PassageFact(subject=("he",), relation="is from", object=("Ula",)),
            )
        ]
    )
    assert [fact.wanted for fact in found] == [False]


def document() -> dict[str, object]:
    return {
        "title": "Made up",
        "sents": [["Bo", "Qir", "(", "born", "3", "May", "1901", ")", "left", "Ula", "."], ["He"]],
        "vertexSet": [
            [{"name": "Qir", "sent_id": 0}, {"name": "Bo Qir", "sent_id": 0}],
            [{"name": "3 May 1901", "sent_id": 0}],
            [{"name": "Ula", "sent_id": 0}],
            [{"name": "Oz", "sent_id": 1}],
        ],
        "labels": [
            {"r": "P569", "h": 0, "t": 1, "evidence": [0]},
            {"r": "P19", "h": 0, "t": 2, "evidence": []},
            {"r": "P150", "h": 3, "t": 2, "evidence": [0]},
        ],
    }


def test_only_a_fact_that_one_sentence_shows_is_wanted_of_it() -> None:
    facts, left = redocred.sentence_facts(document(), 0)
    assert facts == [
        PassageFact(subject=("Bo Qir", "Qir"), relation="was born on", object=("3 May 1901",)),
        PassageFact(
            subject=("Bo Qir", "Qir"), relation="was born in", object=("Ula",), wanted=False
        ),
    ]
    assert left == 1  # Oz is not named there


def test_a_sentence_without_wanted_facts_is_no_passage(tmp_path: Path) -> None:
    (tmp_path / "redocred").mkdir()
    packed = gzip.compress(json.dumps([document()]).encode())
    (tmp_path / "redocred" / "dev_revised.json.gz").write_bytes(packed)
    (only,) = redocred.passages(tmp_path)
    assert only.text == "Bo Qir (born 3 May 1901) left Ula."
    assert only.id == "redocred/Made up/0"


def test_tokens_are_joined_as_a_person_types() -> None:
    assert (
        joined(["He", "said", '"', "well", ",", "no", '"', "(", "twice", ")", "."])
        == 'He said "well, no" (twice).'
    )


def test_every_property_that_re_docred_marks_has_a_label() -> None:
    assert len(LABELS) == 96
    assert LABELS["P569"] == "date of birth"


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    folder = tmp_path / "text2kg" / "wikidata_tekgen"
    for name in ("train", "ontologies"):
        (folder / name).mkdir(parents=True)
    raw = {"sub_label": "oz journal", "rel_label": "inception", "rel": "P571"}
    said = "The Oz Journal was begun by JosÃ© in 1992."
    lines = [
        {**raw, "id": "a", "obj_label": "01 January 1992", "sent": said},
        {**raw, "id": "b", "obj_label": "05 May 1993", "sent": said},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    (folder / "train" / "ont_4_book_train.jsonl").write_text(text, encoding="utf-8")
    asked = {"relations": [{"pid": "P50", "label": "author"}]}
    (folder / "ontologies" / "4_book_ontology.json").write_text(json.dumps(asked))
    return tmp_path


def test_names_and_years_are_as_the_sentence_writes_them(sentences: Path) -> None:
    (only,) = tekgen.passages(sentences)
    assert only.text == "The Oz Journal was begun by José in 1992."
    assert only.facts == (
        PassageFact(subject=("Oz Journal",), relation="was founded on", object=("1992",)),
    )
    assert only.left == 1
    assert only.asked == {"was founded on", "author"}


def test_a_sentence_lies_in_the_half_that_the_rules_were_tested_on(sentences: Path) -> None:
    (only,) = tekgen.passages(sentences)
    assert only.held is (split(only.text) == "test")


LOG = """Attempt: 1
Step: 1
Observation: Step: 1
-= Nook =-
You see a red cup on a shelf.
>    -= Nook =-0/1
Crucial items: {'red cup': 1}
New triplets: ['red cup, is on, shelf', 'nook, contains, dragon', 'nonsense']
Outdated triplets: []
Associated triplets: ()
Action: {
  "action_to_take": "take red cup"
}
Step: 2
Observation: Step: 2
You take the red cup from the shelf.
Crucial items: {}
New triplets: ['red cup, is in, inventory']
Outdated triplets: [["shelf, has on it, red cup -> red cup, is in, inventory"]]
Associated triplets: ('nook, has exit, east',)
Step: 3
Observation: Step: 3
You paint the red cup blue.
Crucial items: {}
New triplets: ['red cup, is, blue']
Outdated triplets: [['red cup, is, plain' -> 'red cup, is, blue']]
Associated triplets: ()
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    folder = tmp_path / "arigraph" / "logs"
    folder.mkdir(parents=True)
    (folder / "tidy_arigraph.txt").write_text(LOG)
    return tmp_path


def test_a_log_becomes_adds_updates_and_retractions(log: Path) -> None:
    found = [
        [(f.act, f.subject[0], f.relation, f.object[0]) for f in one.facts]
        for one in textworld.passages(log)
    ]
    assert found == [
        [(Act.ADD, "red cup", "is on", "shelf")],
        [
            (Act.ADD, "red cup", "is in", "inventory"),
            (Act.RETRACT, "shelf", "has on it", "red cup"),
        ],
        [(Act.UPDATE, "red cup", "is", "blue")],
    ]


def test_what_was_replaced_is_recalled_and_the_action_was_heard(log: Path) -> None:
    _, taken, _ = textworld.passages(log)
    assert [turn.text for turn in taken.recent] == ["take red cup"]
    assert [item.text for item in taken.recalled] == [
        "The player has an inventory.",
        "shelf has on it red cup.",
        "nook has exit east.",
    ]


def test_a_triple_that_nobody_saw_is_left(log: Path) -> None:
    first, *_ = textworld.passages(log)
    assert first.text == "-= Nook =- You see a red cup on a shelf."
    assert first.left == 1  # the dragon


def test_a_step_without_a_room_is_in_the_room_before(log: Path) -> None:
    assert {step.room for step in textworld.steps(LOG)} == {"Nook"}
    assert {one.held for one in textworld.passages(log)} == {odd("tidy Nook")}


def test_a_passage_is_a_sample_of_its_half() -> None:
    fact = PassageFact(subject=("Bo",), relation="lives in", object=("Ula",))
    passage = Passage(id="x/1", source="made up", text="Bo lives in Ula.", held=True, facts=(fact,))
    made = sample(passage)
    assert made.split is Split.REAL
    assert made.target == "<engram>\nADD | Bo | lives in | Ula\n</engram>"
    assert read_engram(made.target).operations[0].object == "Ula"


def test_sets_that_are_not_there_are_named_with_what_to_do(page: Path) -> None:
    found = read(page)
    assert len(found.samples) == 1
    assert len(found.absent) == len(SETS) - 1
    assert all("set MAGS_DATA" in line for line in found.absent)


def test_the_card_names_licences_and_what_the_halves_hang_on(page: Path) -> None:
    told = card(read(page).samples, command="made up")
    assert "| KnowledgeNet | 1 | CC BY-SA 4.0 (diffbot/knowledge-net) |" in told
    assert halves() in told


def test_the_card_of_generated_samples_is_silent_about_real_text() -> None:
    made = Sample(id="g", role=Role.WRITE, split=Split.TRAIN, turn=Turn(text="Hi."), target=NOTHING)
    assert "real sets" not in card([made], command="made up")


def test_the_folder_is_that_of_the_variable_or_the_default() -> None:
    assert data_folder({"MAGS_DATA": "there"}) == Path("there")
    assert data_folder({}) == Path("../shared/data")


def test_a_label_without_a_known_property_keeps_its_own_words() -> None:
    assert relation_name("P807", "separated from") == "separated from"
    assert relation_name("P69", "educated at") == "studied at"
    assert relation_name("", "CHILD_OF") == "is child of"


def test_a_pronoun_is_no_name_to_store() -> None:
    assert not writable("Bo", "her")
    assert not writable("a | b")
    assert writable("Bo", "3 May 1901")


@given(st.text(max_size=40))
def test_folding_twice_is_folding_once(words: str) -> None:
    assert folded(folded(words)) == folded(words)


@given(st.text())
def test_halves_are_those_of_the_evaluation(words: str) -> None:
    assert odd(words) is (split(words) == "test")


def test_real_text_is_written_beside_what_is_generated(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAGS_DATA", str(page))
    out = tmp_path / "made"
    words = ("train", "data", "--out", str(out), "--samples", "5", "--real")
    done = CliRunner().invoke(app, words)
    assert done.exception is None, done.output
    told = " ".join(done.output.split())
    assert "Took 1 samples of real text." in told
    absent = [SETS[name].source for name in SETS if name != "knowledgenet"]
    assert all(f"{source} is left out." in told for source in absent)
    (only,) = read(page).samples
    assert only in list(read_samples(out / f"{only.split}.jsonl"))
    assert "--real" in (out / "card.md").read_text(encoding="utf-8")
