"""`mags eval` with an endpoint as the frozen model: a real server, by script, on loopback."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mags.cli.app import app
from mags.errors import ConfigurationError, InvalidInput
from mags_lab.cli.deciders import frozen
from mags_lab.evaluation.proving.records import read_records, record_files
from mags_lab.evaluation.report.exhibit import read_exhibit
from mags_lab.evaluation.report.inside import read_audit
from tests.models.chat.endpoint import Server, Step

CHOSEN = Step(text='{"action": 1, "cited": [], "sure": 1}')


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    for name in [name for name in os.environ if name.startswith(("MAGS_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    server = Server()
    server.start()
    yield server
    server.stop()


def run(*words: str, **environment: str) -> str:
    done = CliRunner().invoke(app, ["eval", *words], env={"COLUMNS": "400", **environment})
    assert done.exit_code == 0, done.output
    return done.output


def played_to(folder: Path) -> tuple[str, ...]:
    return "nonsense/tiny", "--turns", "3", "--seeds", "1", "--out", str(folder), "--json"


def test_an_endpoint_plays_for_every_player_and_the_record_names_it(
    server: Server, tmp_path: Path
) -> None:
    server.steps += [CHOSEN] * 6
    said = run(
        "play", *played_to(tmp_path), "--player", "window", "--player", "MAGS",
        "--reader", f"{server.url}#tiny", MAGS_CHAT_KEY="s3cret",
    )  # fmt: skip
    place = server.url.removeprefix("http://").removesuffix("/v1")
    assert {one["played"]["reader"] for one in json.loads(said)} == {f"tiny at {place}"}
    kept = read_records([tmp_path])
    assert [(one.played.player, len(one.turns)) for one in kept] == [("MAGS", 3), ("window", 3)]
    assert {one.played.reader for one in kept} == {f"tiny at {place}"}
    assert server.steps == []
    first = [str(request["messages"][-1]["content"]) for request in server.requests]
    assert len(first) == 6
    assert all("\n1. " in text for text in first)
    assert {headers["authorization"] for headers in server.headers} == {"Bearer s3cret"}
    assert "s3cret" not in "".join(path.read_text() for path in tmp_path.glob("*.jsonl"))


def test_matches_of_two_readers_lie_beside_each_other(server: Server, tmp_path: Path) -> None:
    server.steps += [CHOSEN] * 3
    given = {"MAGS_CHAT_URL": server.url, "MAGS_CHAT_MODEL": "a/b"}
    for words in (("--reader", "chat"), ()):
        run("play", *played_to(tmp_path), "--player", "nothing", *words, **given)
    place = server.url.removeprefix("http://").removesuffix("/v1")
    assert {one.played.reader for one in read_records([tmp_path])} == {"", f"a/b at {place}"}
    assert len(record_files(tmp_path)) == 2


def test_an_ablation_is_played_by_the_same_endpoint_and_not_twice(
    server: Server, tmp_path: Path
) -> None:
    server.steps += [CHOSEN] * 6
    words = (*played_to(tmp_path), "--without", "spread", "--reader", f"{server.url}#tiny")
    first, again = (json.loads(run("ablate", *words)) for _ in range(2))
    assert [one["played"] for one in first] == [one["played"] for one in again]
    assert [one["played"]["switch"] for one in first] == ["", "spread"]
    assert len(server.requests) == 6


def test_an_audit_asks_the_endpoint_in_each_course(server: Server) -> None:
    server.steps += [CHOSEN] * 12
    said = run(
        "audit", "nonsense/tiny", "--turns", "3", "--poisoned", "1", "--audited", "2",
        "--reader", f"{server.url}#tiny",
    )  # fmt: skip
    assert "never lied to" in said
    assert server.steps == []


def test_a_report_is_played_by_the_endpoint_and_says_so(server: Server, tmp_path: Path) -> None:
    server.steps += [CHOSEN] * 12 * 6  # a match, the game looked into, and four courses
    run(
        "report", "--out", str(tmp_path), "--game", "nonsense/tiny", "--turns", "12", "--seeds",
        "1", "--player", "window", "--without", "none", "--workers", "1",
        "--reader", f"{server.url}#tiny",
    )  # fmt: skip
    assert server.steps == []
    name = f"tiny at {server.url.removeprefix('http://').removesuffix('/v1')}"
    assert read_exhibit(tmp_path / "exhibit.json").played.reader == name
    assert read_audit(tmp_path / "audit.json").played.reader == name
    told = (tmp_path / "report.md").read_text()
    assert f"- reader: {name}, in the place" in told
    assert told.count(f"The reader is {name}.") == 2


def test_a_reader_that_no_record_could_name_is_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert frozen("embedded") is None
    with pytest.raises(InvalidInput, match="URL#MODEL"):
        frozen("gpt")
    with pytest.raises(ConfigurationError, match="which model played"):
        frozen(server.url)
    with pytest.raises(ConfigurationError, match="which model played"):
        frozen("chat")
    monkeypatch.setenv("MAGS_CHAT_URL", server.url)
    monkeypatch.setenv("MAGS_CHAT_MODEL", "tiny")
    found = frozen("chat")
    assert found is not None
    assert (found.url, found.model) == (server.url, "tiny")
