"""The loader of PersonaMem, on small files of its own shape."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from mags.errors import InvalidInput, NotFound
from mags_lab.evaluation.datasets.personamem import APART, FIRST, load_personamem

PROFILE = "[SYSTEM] Current user persona: Name: Ana Lima\nShe paints."
SAID = (
    f"{PROFILE}\n\n[USER] User: I began to paint.\n\nIt calms me.\n\n[ASSISTANT] Assistant: Good.",
    f"{PROFILE}\n\n[USER] User: Now I sculpt.",
)


def files(folder: Path, options: str) -> tuple[Path, Path]:
    documents = [
        {"id": f"u_{n}", "user_id": "u", "content": text, "timestamp": None}
        for n, text in reversed(list(enumerate(SAID)))
    ]
    query = {
        "id": "q",
        "user_id": "u",
        "query": f"User: Ana Lima\n\nWhat shall I do?\n\n{options}",
        "gold_answers": ["(c) Sculpt.", "c"],
        "meta": {"question_type": "suggest_new_ideas"},
    }
    paths = folder / "documents.json", folder / "queries.json"
    for path, value in zip(paths, (documents, [query]), strict=True):
        path.write_text(json.dumps(value), encoding="utf-8")
    return paths


def test_sessions_are_read_in_order_and_the_profile_once(tmp_path: Path) -> None:
    (persona,) = load_personamem(*files(tmp_path, "(a) Sing.\n(b) Run.\n(c) Sculpt.\n(d) Sleep."))
    assert persona.name == "Ana Lima"
    assert [(turn.id, turn.speaker, turn.text) for turn in persona.turns] == [
        ("u_0#0", "profile", "Current user persona: Name: Ana Lima\nShe paints."),
        ("u_0#1", "Ana Lima", "I began to paint.\n\nIt calms me."),
        ("u_0#2", "assistant", "Good."),
        ("u_1#1", "Ana Lima", "Now I sculpt."),
    ]
    assert persona.turns[-1].at == FIRST + APART + timedelta(minutes=1)


def test_a_question_has_its_four_replies_and_the_right_one(tmp_path: Path) -> None:
    options = "(a) Sing (a lot).\n(b) Run.\n(c) Sculpt.\n(d) Sleep."
    (persona,) = load_personamem(*files(tmp_path, options))
    (question,) = persona.questions
    assert question.said == "What shall I do?"
    assert question.options == ("Sing (a lot).", "Run.", "Sculpt.", "Sleep.")
    assert question.right == 2


def test_what_is_said_is_read_with_and_without_a_name_before_it(tmp_path: Path) -> None:
    documents, queries = files(tmp_path, "(a) Sing.\n(b) Run.\n(c) Sculpt.\n(d) Sleep.")
    (query,) = json.loads(queries.read_text(encoding="utf-8"))
    for head in ("What shall I do?", "User: What shall I do?"):
        query["query"] = query["query"][query["query"].index("(a)") :]
        query["query"] = f"{head}\n\n{query['query']}"
        queries.write_text(json.dumps([query]), encoding="utf-8")
        (persona,) = load_personamem(documents, queries)
        assert (persona.name, persona.questions[0].said) == ("Ana Lima", "What shall I do?")


def test_a_question_without_four_replies_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no four replies"):
        load_personamem(*files(tmp_path, "(a) Sing.\n(b) Run."))


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="MAGS_DATA"):
        load_personamem(tmp_path / "none.json", tmp_path / "none.json")
