"""What the page says of what was told, of how long it is kept, and of what parts are worth."""

from dataclasses import replace
from pathlib import Path

from lab.tests.evaluation.proving.turned import turned
from lab.tests.evaluation.report.made import kept, share
from mags_lab.evaluation.objective import Cost, GraphCounts, Load
from mags_lab.evaluation.proving.fidelity import Fidelity
from mags_lab.evaluation.proving.records import Left, MatchRecord, file_name, write_record
from mags_lab.evaluation.proving.tables import facts
from mags_lab.evaluation.report.digest import digest
from mags_lab.evaluation.report.folder import ReportRun, gather, page_of
from mags_lab.evaluation.report.page import markdown

RUN = ReportRun(command="mags eval report", commit="abc", seeds="0 on", machine="one", date="today")


def told(folder: Path, *records: MatchRecord) -> str:
    for one in records:
        write_record(folder / file_name(one.played), one)
    return markdown(page_of(gather([folder]), RUN))


def test_what_was_told_to_mags_stands_beside_the_oracle_where_rules_are_told(tmp_path: Path):
    unknown = [turned(n, right=False, knowable=n > 0) for n in range(4)]
    text = told(
        tmp_path,
        *(kept(unknown, game=game) for game in ("nonsense/standard", "eleusis/standard")),
        share("oracle", 9),
        share("oracle", 9, game="eleusis/standard"),
    )
    assert "| game | seeds | turns | chance | MAGS | oracle | told |" in text
    assert "| nonsense/standard | 1 | 10 | 25 | 0.0 | 90.0 | 81.2 |" in text
    assert "| eleusis/standard | 1 | 10 | 25 | 0.0 | 90.0 | - |" in text


def test_retention_is_told_by_age_and_by_how_many_facts_decide(tmp_path: Path):
    turns = [
        turned(0, age=5),
        turned(1, age=5, right=False),
        turned(2, needed=2, age=500),
        turned(3, needed=4, age=500, right=False),
    ]
    text = told(tmp_path, kept(turns), kept(turns[:1], player="growing"))
    assert "| nonsense/standard | MAGS | 50.0 (2) | - | 50.0 (2) |" in text
    assert "| nonsense/standard | growing | 100.0 (1) | - | - |" in text
    head, ours = text.split("**Score by age and by how many facts decide, MAGS**")
    assert ours.split("\n\n")[1].splitlines() == [
        "| game | facts that decide | to 10 | to 100 | to 1,000 |",
        "| --- | --- | --- | --- | --- |",
        "| nonsense/standard | all | 50.0 (2) | - | 50.0 (2) |",
        "| nonsense/standard | 1 | 50.0 (2) | - | - |",
        "| nonsense/standard | 2 | - | - | 100.0 (1) |",
        "| nonsense/standard | 3 and more | - | - | 0.0 (1) |",
    ]
    assert "facts that decide" not in head


def test_where_one_fact_always_decides_nothing_is_told_apart(tmp_path: Path):
    assert facts([digest(kept()).figures]).rows == ()
    assert "how many facts decide, MAGS" not in told(tmp_path, kept())


def test_without_ablations_the_page_says_where_they_are_told_and_what_plays_them(tmp_path: Path):
    text = told(tmp_path, share("MAGS", 5))
    said = text.partition("## Ablations\n\n")[2].partition("\n\n")[0]
    assert said.startswith("None was played for this page.")
    assert "docs/ablations.md" in said
    assert "mags eval ablate nonsense/easy" in said


def test_ablations_of_another_bank_or_player_are_tables_of_their_own(tmp_path: Path):
    records = [share("MAGS", 5), share("MAGS", 4, switch="hebb")]
    scored = [replace(one, played=replace(one.played, bank="scored")) for one in records]
    text = told(
        tmp_path,
        *records,
        *scored,
        share("MAGS recalling", 3),
        share("MAGS recalling", 5, switch="hebb"),
        share("MAGS recalling", 5, switch="hebb", game="nonsense/tiny"),
    )
    section = text.partition("## Ablations\n\n")[2].partition("\n## ")[0]
    captions = [line.strip("*") for line in section.splitlines() if line.startswith("**")]
    assert captions == [
        "nonsense/standard, bank scored, MAGS, 1 seed: what each part is worth",
        "nonsense/standard, bank tuning, MAGS, 1 seed: what each part is worth",
        "nonsense/standard, bank tuning, MAGS recalling, 1 seed: what each part is worth",
    ]
    assert "| hebb | -10.0 | " in section
    assert "| hebb | +20.0 | " in section


def test_more_kinds_of_question_than_players_are_told_a_row_a_kind(tmp_path: Path):
    asked = [turned(n, kind=kind, right=n > 0) for n, kind in enumerate("abc")]
    text = told(tmp_path, kept(asked), kept(asked, player="oracle"))
    assert "| player | MAGS | oracle |\n| --- | --- | --- |\n| a | 0.0 | 0.0 |" in text


def left(ended: int, stale: int) -> Left:
    held = Fidelity(holding=10, held=9, lost=1, ended=ended, stale=stale, open=9, right=9)
    return Left(fidelity=held, cost=Cost(counts=GraphCounts(nodes=1, arcs=1), load=Load()))


def test_ended_facts_that_are_held_open_stand_beside_f1_all_seeds_together(tmp_path: Path):
    ours = [replace(share("MAGS", 5, seed=n), left=left(10, n)) for n in (5, 8)]
    text = told(tmp_path, *ours, share("growing", 5))
    section = text.partition("## Update fidelity\n\n")[2].partition("\n## ")[0]
    head, _, row = [line.split(" | ") for line in section.splitlines() if line.startswith("|")]
    place = head.index("F1")
    assert head[place : place + 3] == ["F1", "ended left open", "left open"]
    assert row[place + 1 : place + 3] == ["13 of 20", "65.0 [50.0, 80.0]"]
    assert "| nonsense/standard: ended facts left open | - | - | 13 of 20 | - |" in text


def test_what_the_memory_adds_is_told_apart_from_what_rewards_add(tmp_path: Path):
    rights = {"growing": 4, "growing + diary": 5, "MAGS, no reward": 6, "MAGS": 9}
    text = told(tmp_path, *(share(name, right) for name, right in rights.items()))
    section = text.partition("## With and without rewards\n\n")[2].partition("\n## ")[0]
    assert "| nonsense/standard | score | 40.0 | 50.0 | 60.0 | 90.0 |" in section
    assert "| nonsense/standard | score | +50 | +80 | +25 | +50 |" in section
    assert "| MAGS, no reward over growing | MAGS over growing + diary |" in section
    assert "| nonsense/standard | - | - | - | +125 | +80 | - |" in text


def test_without_those_players_nothing_is_told_of_rewards_apart(tmp_path: Path):
    text = told(tmp_path, share("growing", 4), share("MAGS", 9))
    assert "## With and without rewards" not in text
    aims = text.partition("## What was to be reached\n\n")[2].partition("\n\n")[0]
    assert aims.startswith("Only MAGS and “growing + diary” learn from the reward of each act;")
