"""`mags eval`: from names to tables."""

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from mags.app import encoder
from mags.cli.app import app, explained
from mags.errors import NotFound
from mags_lab.cli import arena
from mags_lab.cli.arena import (
    ADVENTURES,
    GAMES,
    PLAYERS,
    MatchTask,
    make_game,
    make_player,
    make_reader,
    play_all,
    switch_named,
)
from mags_lab.cli.eval import show
from mags_lab.evaluation.proving.records import MatchIdentity, MatchRecord, read_records, record
from mags_lab.evaluation.proving.tables import Grid
from mags_lab.games.adventures.planner import Planner
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.reader import shipped_reader

SLOW = ("nonsense", "science", *ADVENTURES)


def run(*words: str) -> str:
    found = CliRunner().invoke(app, ["eval", *words], env={"COLUMNS": "400"})
    assert found.exit_code == 0, found.output
    return found.output


def test_players_stand_side_by_side():
    said = run(
        "play", "nonsense/tiny", "--turns", "8", "--seeds", "1", "--player", "oracle",
        "--player", "growing", "--player", "MAGS", "--markdown",
    )  # fmt: skip
    assert "| player | seeds | score |" in said
    assert "| MAGS | 1 |" in said
    assert "| MAGS over | score | after changes |" in said


def test_a_table_that_is_too_wide_is_turned_on_its_side(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    grid = Grid(head=("player", "score", "engram"), rows=(("MAGS", "73.7 [71.3, 75.8]", "4.1"),))
    assert grid.turned().turned() == grid
    for width, first in ((80, ["player", "score", "engram"]), (24, ["player", "MAGS"])):
        console = Console(width=width, highlight=False)
        monkeypatch.setattr("mags_lab.cli.eval.out", console)
        show(grid, markdown=False)
        head = capsys.readouterr().out.splitlines()[1]
        assert [cell.strip() for cell in head.strip("┃").split("┃")] == first


def test_records_are_kept_where_they_are_wanted(tmp_path: Path):
    said = run(
        "play", "nonsense/tiny", "--turns", "5", "--seeds", "2", "--player", "nothing",
        "--out", str(tmp_path), "--json",
    )  # fmt: skip
    told = json.loads(said)
    kept = read_records([tmp_path])
    assert [one.played.seed for one in kept] == [0, 1]
    assert [one["played"]["seed"] for one in told] == [0, 1]
    assert [len(one.turns) for one in kept] == [5, 5]


def test_an_ablation_is_held_against_the_whole():
    said = run(
        "ablate", "nonsense/tiny", "--turns", "6", "--seeds", "1", "--without", "arbiter",
        "--without", "ask", "--markdown",
    )  # fmt: skip
    lines = [line.split(" | ")[0] for line in said.splitlines() if line.startswith("| ")]
    assert lines == ["| without", "| ---", "| (whole)", "| arbiter", "| ask"]


def test_what_is_compiled_and_loaded_first_is_no_part_of_a_match(monkeypatch: pytest.MonkeyPatch):
    seen: list[MatchIdentity] = []

    def noted(played: MatchIdentity, *rest: Any, **more: Any) -> MatchRecord:
        seen.append(played)
        return record(played, *rest, **more)

    monkeypatch.setattr(arena, "record", noted)
    arena.warm_up.cache_clear()
    names = MatchIdentity(game="nonsense/tiny", player="MAGS", seed=0, turns=2)
    tasks = [
        MatchTask(played=replace(names, seed=n, switch=s)) for s in ("", "hebb") for n in (0, 1)
    ]
    kept = list(play_all(tasks))
    assert [one.played for one in kept] == [task.played for task in tasks]
    thrown = [
        (place, one.switch) for place, one in enumerate(seen) if one.seed == arena.WARMING_SEED
    ]
    assert thrown == [(0, ""), (3, "hebb")]
    assert len(seen) == 6


def test_no_match_finds_what_the_one_before_has_read(monkeypatch: pytest.MonkeyPatch):
    runs: list[int] = []
    arena.warm_up("growing")
    model = encoder()
    embed = model.embed

    def counted(texts: Sequence[str]) -> Any:
        runs[-1] += len(texts)
        return embed(texts)

    monkeypatch.setattr(model, "embed", counted)
    names = MatchIdentity(game="nonsense/tiny", player="growing", seed=0, turns=2)
    for _ in range(2):
        runs.append(0)
        list(play_all([MatchTask(played=names)]))
    assert runs[0] == runs[1] > 0


def test_an_audit_tells_four_courses():
    said = run(
        "audit", "nonsense/tiny", "--turns", "20", "--poisoned", "8", "--audited", "14",
        "--lies", "3", "--markdown",
    )  # fmt: skip
    for course in ("never lied to", "lied to, nothing", "lied to, mend", "lied to, roll back"):
        assert f"| {course} |" in said


@pytest.mark.parametrize("name", [name for name in GAMES if not name.startswith(SLOW)])
def test_every_game_begins(name: str):
    scene = make_game(name, "tuning").begin(0)
    assert len(scene.actions) > 1


@pytest.mark.skipif(find_spec("textworld") is not None, reason="the extra textworld is there")
def test_an_adventure_without_its_extra_says_which(capsys: pytest.CaptureFixture[str]):
    assert make_game("hunt/small", "tuning").name == "hunt/small/tuning"
    with pytest.raises(SystemExit), explained():
        CliRunner().invoke(app, ["eval", "play", "hunt/small"], catch_exceptions=False)
    assert "'./lab[textworld]'" in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ADVENTURES)
def test_the_planner_plays_adventures_for_every_player(kind: str):
    pytest.importorskip("textworld", reason="needs the extra textworld")
    found = json.loads(run("play", f"{kind}/small", "--seeds", "1", "--json"))
    scores = {one["played"]["player"]: one["score"] for one in found}
    assert scores["oracle"] == pytest.approx(1.0)
    assert scores["nothing"] < scores["MAGS"]


def test_a_reader_belongs_to_a_kind_of_game():
    assert isinstance(make_reader("cook/large"), Planner)
    assert make_reader("nonsense/tiny") is shipped_reader()


@pytest.mark.parametrize("name", PLAYERS)
def test_every_player_has_its_name(name: str):
    assert make_player(name, shipped_reader()).name == name


def test_unknown_names_are_told_with_those_there_are():
    with pytest.raises(NotFound, match="nonsense/tiny"):
        make_game("nonsense/enormous", "tuning")
    with pytest.raises(NotFound, match="oracle"):
        make_player("nobody", shipped_reader())
    with pytest.raises(NotFound, match="hebb"):
        switch_named("gravity")
    assert switch_named("") is None


def test_a_player_that_shows_more_lines_recalls_the_same_share_of_them_from_both_ends():
    usual, wide = (
        make_player("MAGS", shipped_reader()),
        make_player("MAGS", shipped_reader(), lines=60),
    )
    assert isinstance(usual, Remembering)
    assert isinstance(wide, Remembering)
    assert wide.habits.k == 60
    assert wide.habits.meeting / wide.habits.k == usual.habits.meeting / usual.habits.k


def test_memories_may_be_files(tmp_path: Path):
    told = MatchIdentity(game="nonsense/tiny", player="MAGS", seed=0, turns=2)
    (kept,) = play_all([MatchTask(played=told, files=tmp_path)])
    assert len(kept.turns) == 2
    assert len(list(tmp_path.rglob("*.mags"))) == 1
