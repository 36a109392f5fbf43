"""`mags eval report`: played once, told as often as one likes."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from mags.cli.app import app
from mags_lab.cli.arena import FULL, QUICK, Narrowed, commit, machine, narrowed, playable
from mags_lab.evaluation.proving.ablations import SWITCHES
from mags_lab.evaluation.report.exhibit import read_exhibit
from mags_lab.evaluation.report.folder import read_runs
from mags_lab.evaluation.report.inside import read_audit

SMALL = (
    "--game", "nonsense/tiny", "--seeds", "1", "--turns", "12", "--player", "nothing", "--player",
    "MAGS", "--without", "hebb", "--bank", "tuning", "--workers", "1",
)  # fmt: skip


def run(*words: str) -> str:
    found = CliRunner().invoke(app, ["eval", "report", *words], env={"COLUMNS": "400"})
    assert found.exit_code == 0, found.output
    return found.output


def test_a_report_is_played_once_and_told_again(tmp_path: Path):
    folder, told = tmp_path / "played", tmp_path / "told"
    said = run("--out", str(folder), *SMALL)
    assert f"Written to {folder / 'index.html'}." in said
    page = (folder / "index.html").read_text()
    for part in ("scores", "changes", "ablations", "graph", "move", "audit"):
        assert f'<section id="{part}"' in page
    files = {path: path.stat().st_mtime_ns for path in folder.rglob("*.json*")}
    records = sorted(path.name for path in (folder / "records").iterdir())
    assert records == [
        "nonsense-tiny-tuning-MAGS-12-0.jsonl",
        "nonsense-tiny-tuning-nothing-12-0.jsonl",
    ]
    run("--out", str(folder), *SMALL)
    del files[folder / "runs.jsonl"]
    assert {path: path.stat().st_mtime_ns for path in files} == files
    run("--out", str(told), "--from", str(folder))
    assert sorted(path.name for path in told.iterdir()) == ["index.html", "report.md"]
    assert 0.0 <= read_exhibit(folder / "exhibit.json").score <= 1.0
    assert read_runs(folder)[0].seeds == "from 0 on, 1 a game"


def test_matches_played_by_themselves_bring_their_command_to_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    played, told = tmp_path / "played", tmp_path / "told"
    words = ["nonsense/tiny", "--turns", "2", "--seeds", "1", "--out", str(played)]
    for verb, more in (("play", ["--player", "nothing"]), ("ablate", ["--without", "hebb"])):
        monkeypatch.setattr("sys.argv", ["mags", "eval", verb, "its", "words"])
        done = CliRunner().invoke(app, ["eval", verb, *words, *more])
        assert done.exit_code == 0, done.output
    assert [run.command for run in read_runs(played)] == [
        "mags eval play its words",
        "mags eval ablate its words",
    ]
    monkeypatch.setattr("sys.argv", ["mags", "eval", "report"])
    run("--out", str(told), "--from", str(played))
    report = (told / "report.md").read_text()
    assert "mags eval play its words; mags eval ablate its words" in report


def test_what_a_scored_report_quotes_is_of_the_tuning_bank(tmp_path: Path):
    run("--out", str(tmp_path), *SMALL, "--bank", "scored", "--without", "none")
    assert (tmp_path / "records" / "nonsense-tiny-scored-MAGS-12-0.jsonl").exists()
    assert read_exhibit(tmp_path / "exhibit.json").played.bank == "tuning"
    assert read_audit(tmp_path / "audit.json").played.bank == "tuning"


def test_the_quick_programme_takes_every_part_out_and_plays_every_kind():
    kinds = {bout.game.partition("/")[0] for bout in QUICK.bouts}
    rounds = {"eleusis", "mastermind", "knights", "companion"}
    assert kinds == {"nonsense", "hunt", "clean", "cook", *rounds}
    assert QUICK.without == FULL.without == tuple(SWITCHES)
    assert next(b for b in QUICK.bouts if b.game == "nonsense/standard").seeds == 10


def test_a_programme_can_be_narrowed():
    wanted = Narrowed(games=("nonsense/tiny", "nonsense/hard"), seeds=2, turns=30, without=())
    found = narrowed(QUICK, wanted)
    assert [(b.game, b.seeds, b.turns) for b in found.bouts] == [
        ("nonsense/tiny", 2, 30),
        ("nonsense/hard", 2, 30),
    ]
    assert (found.shown.game, found.shown.seeds, found.audited) == (
        "nonsense/tiny", 1, "nonsense/tiny",
    )  # fmt: skip
    assert (found.dose.poisoned, found.dose.audited, found.dose.turns) == (9, 18, 30)
    assert found.without == ()
    assert narrowed(QUICK, Narrowed()) == QUICK


def test_a_game_with_two_bouts_keeps_both():
    found = narrowed(FULL, Narrowed(games=("nonsense/standard", "nonsense/tiny")))
    assert [(b.game, b.seeds, "MAGS" in b.players) for b in found.bouts] == [
        ("nonsense/standard", 10, True),
        ("nonsense/standard", 3, False),
        ("nonsense/tiny", 3, True),
    ]


def test_games_whose_extra_is_missing_are_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("mags_lab.cli.arena.find_spec", lambda name: None)
    found, missing = playable(QUICK)
    assert missing == ("hunt/large", "clean/large", "cook/large")
    assert len(found.bouts) == len(QUICK.bouts) - 3
    monkeypatch.setattr("mags_lab.cli.arena.find_spec", lambda name: name)
    assert playable(QUICK) == (QUICK, ())


def test_the_machine_and_the_commit_are_told(tmp_path: Path):
    cpus = tmp_path / "cpuinfo"
    cpus.write_text("processor : 0\nmodel name\t: Some CPU\n")
    assert machine(cpus).startswith("Some CPU, ")
    assert "cores; Python 3." in machine(tmp_path / "none")
    assert commit(tmp_path).startswith("version ")
