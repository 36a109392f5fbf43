"""The command line, as a user types it, on the embedded default."""

import base64
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mags import inspect
from mags.cli.app import VERBS, app
from mags.errors import MagsError

Run = Callable[..., Result]


def on(folder: Path) -> Run:
    """Runs the command line on the memory of a folder."""
    runner = CliRunner()

    def go(*words: str, given: str | None = None) -> Result:
        env = {"MAGS_MEMORY": str(folder / "m.mags"), "COLUMNS": "200"}
        return runner.invoke(app, list(words), input=given, env=env)

    return go


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return on(tmp_path)


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a memory, which each test has a copy of."""
    folder = tmp_path_factory.mktemp("observed")
    for text, day in (
        ("I live in Bergen.", "2024-01-03"),
        ("My sister Ana has a dog named Rex.", "2024-01-04"),
        ("I moved to Oslo.", "2024-05-12"),
    ):
        assert on(folder)("observe", text, "--speaker", "Alice", "--at", day).exit_code == 0
    return folder


@pytest.fixture
def told(run: Run, observed: Path, tmp_path: Path) -> Run:
    shutil.copytree(observed, tmp_path, dirs_exist_ok=True)
    return run


NAMES = """
    demo chat observe recall ask feedback explain connect neighbours profile facts sleep stats show
    edit correct pin forget snapshot log diff branch rollback export import move backup
    restore verify reembed rekey shred prepare serve cluster mcp doctor
"""


def test_the_verbs_are_these() -> None:
    assert sorted(VERBS) == sorted(NAMES.split())


def test_every_verb_has_help(run: Run) -> None:
    for verb in VERBS:
        assert run(verb, "--help").exit_code == 0


def test_observe_tells_what_it_understood(run: Run) -> None:
    said = run("observe", "I live in Oslo.", "--speaker", "Alice").output
    assert "Alice lives in Oslo." in said


def test_ask_answers_with_citation_and_explain_says_why(told: Run) -> None:
    said = told("ask", "Where does Alice live?").output
    assert "Oslo" in said.splitlines()[0]
    why = told("explain").output
    assert "because" in why
    assert "*cited*" in why


def test_ask_about_the_past(told: Run) -> None:
    assert "Bergen" in told("ask", "Where does Alice live?", "--as-of", "2024-02-01").output


@pytest.mark.parametrize(
    "words",
    [
        ("recall", "Where does Alice live?"),
        ("ask", "Where does Alice live?"),
        ("connect", "Alice", "Rex"),
        ("neighbours", "Ana"),
        ("profile", "Alice"),
        ("facts", "Alice"),
        ("show", "m2"),
        ("stats",),
        ("log",),
        ("sleep",),
        ("snapshot", "here"),
        ("branch",),
        ("forget", "Rex", "--dry-run"),
    ],
)
def test_every_reading_verb_prints_json(told: Run, words: tuple[str, ...]) -> None:
    result = told(*words, "--json")
    assert result.exit_code == 0
    assert json.loads(result.output) is not None


def test_explain_prints_json(told: Run) -> None:
    told("ask", "Where does Alice live?")
    assert json.loads(told("explain", "--json").output)["hits"]


def test_feedback_counts_once(told: Run) -> None:
    told("ask", "Where does Alice live?")
    assert "Noted" in told("feedback", "1").output
    assert "nothing changed" in told("feedback", "1").output


def test_snapshot_diff_and_rollback(told: Run) -> None:
    told("snapshot", "before")
    told("observe", "I moved to Rome.", "--speaker", "Alice", "--at", "2024-06-01")
    assert "another name" in str(told("snapshot", "before").exception)
    assert "Rome" in told("diff", "before").output
    assert "Back at" in told("rollback", "before").output
    assert "Oslo" in told("ask", "Where does Alice live?").output
    assert "before at journal entry" in told("snapshot", "before", "--move").output


def test_a_branch_is_used_by_name(told: Run) -> None:
    told("branch", "what-if")
    told("observe", "I moved to Rome.", "--speaker", "Alice", "--branch", "what-if")
    assert "Rome" in told("ask", "Where does Alice live?", "--branch", "what-if").output
    assert "Oslo" in told("ask", "Where does Alice live?").output


def test_recall_goes_over_all_memories_of_a_folder_while_they_are_few(
    told: Run, tmp_path: Path
) -> None:
    other = tmp_path / "team.mags"
    assert told("observe", "The dog show is on Friday.", "-m", str(other)).exit_code == 0
    said = told("recall", "dog", "--also", "*", "--json").output
    memories = {hit["memory"] for hit in json.loads(said)["hits"]}
    assert memories == {str(path) for path in tmp_path.glob("*.mags")}
    for n in range(inspect.NEAREST):
        (tmp_path / f"{n}.mags").touch()
    refused = told("recall", "dog", "--also", "*").exception
    assert isinstance(refused, MagsError)
    assert "name them" in str(refused)


def test_forget_asks_first_and_then_erases(told: Run, tmp_path: Path) -> None:
    assert told("forget", "Rex", given="n\n").exit_code != 0
    assert "Rex" in told("recall", "dog").output
    assert "Erased" in told("forget", "Rex", given="y\n").output
    assert "Rex" not in told("recall", "dog").output
    held = [p for p in tmp_path.iterdir() if b"Rex" in p.read_bytes()]
    assert held == []


def test_forget_lists_what_the_id_of_a_name_would_erase(told: Run) -> None:
    by_name = told("forget", "Rex", "--dry-run").output
    assert "My sister Ana has a dog named Rex." in by_name
    plan = json.loads(told("forget", "Rex", "--dry-run", "--json").output)
    rex = next(i for i, text in plan["texts"].items() if text == "Rex")
    assert told("forget", f"m{rex}", "--dry-run").output == by_name
    assert all(f"m{i}: " in by_name for i in plan["texts"])


def test_edit_and_pin_change_one_node(told: Run) -> None:
    assert "pinned" in told("pin", "m1").output
    assert "0.90" in told("edit", "m2", "--importance", "0.9").output
    failed = told("edit", "m2")
    assert isinstance(failed.exception, MagsError)


def test_export_and_import_carry_a_memory_over(told: Run, tmp_path: Path) -> None:
    told("export", str(tmp_path / "m.jsonl"))
    other = str(tmp_path / "other.mags")
    assert "already" not in told("import", str(tmp_path / "m.jsonl"), "--memory", other).output
    assert "Oslo" in told("ask", "Where does Alice live?", "--memory", other).output
    again = told("import", str(tmp_path / "m.jsonl"), "--memory", other).output
    assert "there already, and are there twice now: 3." in again


def test_plain_dialogues_come_from_stdin(run: Run) -> None:
    text = "[2024-01-03] Alice: I live in Bergen.\nBob: I like tea.\n"
    assert "Remembered 2 turns" in run("observe", "-", given=text).output
    assert "tea" in run("ask", "What does Bob like?").output


def test_a_text_beside_a_file_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("Ana: I live in Oslo.\n", encoding="utf-8")
    refused = run("observe", "I like it.", "--file", str(path))
    assert isinstance(refused.exception, MagsError)
    assert "not both" in str(refused.exception)
    assert not (tmp_path / "m.mags").exists()


def test_json_lines_are_read_with_their_keys(run: Run, tmp_path: Path) -> None:
    line = {"text": "I live in Oslo.", "speaker": "Alice", "at": "2024-01-03", "key": "k1"}
    path = tmp_path / "turns.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    run("observe", "--file", str(path))
    assert "known already" in run("observe", "--file", str(path)).output


def test_a_missing_memory_is_an_error_that_says_what_to_do(run: Run) -> None:
    failed = run("ask", "Where does Alice live?")
    assert "mags observe" in str(failed.exception)


@pytest.mark.parametrize("ending", ["svg", "html", "png"])
def test_the_recalled_subgraph_is_drawn(told: Run, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"graph.{ending}"
    assert told("recall", "dog", "--plot", str(path)).exit_code == 0
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG") if ending == "png" else b"Rex" in data


def test_the_doctor_passes_on_the_embedded_default(run: Run) -> None:
    result = run("doctor")
    assert result.exit_code == 0
    assert "failed" not in result.output


def test_reembed_has_nothing_to_do_for_the_same_embedder(told: Run) -> None:
    assert "already" in told("reembed").output


def test_an_encrypted_memory_says_so_until_its_key_is_destroyed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("observe", "I am here.").exit_code == 0
    assert "is not encrypted" in str(run("shred", "--yes").exception)
    assert "not encrypted" in run("doctor").output
    monkeypatch.setenv("MAGS_MASTER_KEY", "env:MASTER")
    monkeypatch.setenv("MAGS_KEYS", str(tmp_path / "elsewhere" / "keys"))
    monkeypatch.setenv("MASTER", base64.b64encode(bytes(32)).decode())
    path = tmp_path / "secret.mags"
    given = ("--memory", str(path))
    assert run("observe", "Zorkmid lives in Oslo.", *given).exit_code == 0
    assert "Oslo" in run("ask", "Where does Zorkmid live?", *given).output
    assert [file.name for file in tmp_path.glob("secret*")] != [path.name]  # a trace is kept, too
    assert not any(b"zorkmid" in file.read_bytes().lower() for file in tmp_path.glob("secret*"))
    assert ", encrypted" in run("stats", *given).output
    said = run("doctor", *given).output
    assert "the master key wraps and unwraps" in said
    assert ", encrypted" in said
    assert run("shred", *given, given="n\n").exit_code == 1
    assert "Oslo" in run("ask", "Where does Zorkmid live?", *given).output
    assert "Destroyed" in run("shred", *given, given="y\n").output
    assert "it was destroyed" in str(run("shred", "--yes", *given).exception)
    assert "cannot be read" in str(run("ask", "Where does Zorkmid live?", *given).exception)
    monkeypatch.delenv("MAGS_MASTER_KEY")
    assert "which keys?" in str(run("shred", "--yes", *given).exception)


def test_chat_answers_what_is_piped_in(run: Run) -> None:
    lines = "I live in Oslo.\nWhere do I live?\n/why\n/facts\n/undo\n/stats\n/nonsense\n/quit\n"
    said = run("chat", "--speaker", "Alice", given=lines).output
    assert "Noted: Alice lives in Oslo." in said
    assert "Oslo —" in said
    assert "because" in said
    assert "Took back" in said
    assert "No such command" in said


def test_the_memory_may_be_named_before_the_verb(tmp_path: Path) -> None:
    path = str(tmp_path / "m.mags")
    runner = CliRunner()
    told = runner.invoke(app, ["--memory", path, "observe", "I live in Oslo.", "--speaker", "Ana"])
    asked = runner.invoke(app, ["--memory", path, "ask", "Where does Ana live?"])
    assert (told.exit_code, asked.exit_code) == (0, 0)
    assert "Oslo" in asked.output
    assert "MAGS_MEMORY" not in os.environ


def test_the_path_of_a_file_is_read_and_not_remembered_as_words(tmp_path: Path) -> None:
    talk = tmp_path / "talk.txt"
    talk.write_text("Ana: I live in Oslo.\nBo: I have a dog called Rex.\n", encoding="utf-8")
    path = str(tmp_path / "m.mags")
    told = CliRunner().invoke(app, ["observe", str(talk), "--memory", path])
    assert "Remembered 2 turns" in told.output
