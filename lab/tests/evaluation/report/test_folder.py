"""From records in folders to the page."""

from dataclasses import replace
from pathlib import Path

import pytest

from lab.tests.evaluation.proving.turned import turned
from lab.tests.evaluation.report.made import AUDIT, EXHIBIT, kept, share
from mags.errors import InvalidInput
from mags_lab.evaluation.objective import Cost, GraphCounts, Load
from mags_lab.evaluation.proving.fidelity import Fidelity
from mags_lab.evaluation.proving.records import Left, MatchRecord, file_name, write_record
from mags_lab.evaluation.report.exhibit import read_exhibit, write_exhibit
from mags_lab.evaluation.report.folder import (
    ReportRun,
    gather,
    note_run,
    page_of,
    read_runs,
    write_page,
)
from mags_lab.evaluation.report.goals import goals
from mags_lab.evaluation.report.inside import read_audit, write_audit
from mags_lab.games.matches import PlayedTurn

RUN = ReportRun(command="mags eval report", commit="abc", seeds="0 on", machine="one", date="today")


def put(folder: Path, *records: MatchRecord) -> Path:
    for one in records:
        write_record(folder / file_name(one.played), one)
    return folder


def test_the_exhibit_and_the_audit_are_of_the_first_folder_that_has_one(tmp_path: Path):
    first, second, third = (
        put(tmp_path / name, share("MAGS", 1, game=f"{name}/large")) for name in "abc"
    )
    for folder, game in ((second, "b/large"), (third, "c/large")):
        its = replace(EXHIBIT.played, game=game)
        write_exhibit(folder / "exhibit.json", replace(EXHIBIT, played=its))
        write_audit(folder / "audit.json", replace(AUDIT, played=its))
    found = gather([first, second, third])
    assert found.exhibit is not None
    assert found.audit is not None
    assert (found.exhibit.played.game, found.audit.played.game) == ("b/large", "b/large")


def test_how_matches_came_is_read_beside_them_wherever_they_lie(tmp_path: Path):
    put(tmp_path / "records", share("MAGS", 1))
    for place in ("", "records", "ablations"):
        note_run(tmp_path / place, replace(RUN, command=f"mags {place}"))
    head = dict(page_of(gather([tmp_path]), RUN).head)
    assert head["command"] == "mags ; mags records; mags ablations"


def test_a_page_of_older_matches_says_so_first(tmp_path: Path):
    put(tmp_path, replace(share("MAGS", 1), commit="old"))
    assert page_of(gather([tmp_path]), replace(RUN, commit="old")).head[0][0] == "command"
    name, told = page_of(gather([tmp_path]), replace(RUN, commit="new")).head[0]
    assert (
        name,
        told.startswith("matches played at old stand here, and the sources are at new"),
    ) == ("older", True)


def test_a_later_folder_goes_before_and_players_come_in_their_order(tmp_path: Path):
    old = put(tmp_path / "old" / "records", share("MAGS", 1), share("nothing", 2))
    new = put(tmp_path / "new", share("MAGS", 9), share("oracle", 10))
    found = gather([old.parent, new])
    assert [(one.figures.played.player, one.figures.score) for one in found.matches] == [
        ("nothing", 0.2),
        ("MAGS", 0.9),
        ("oracle", 1.0),
    ]


def test_a_match_with_a_switch_is_an_ablation_held_against_the_whole(tmp_path: Path):
    put(tmp_path, share("MAGS", 5), share("MAGS", 4, switch="hebb"), share("window", 3))
    found = gather([tmp_path])
    assert [one.figures.played.switch for one in found.ablations] == ["", "hebb"]
    assert len(found.matches) == 2
    text = write_page(tmp_path / "page", page_of(found, RUN))[1].read_text()
    assert "| hebb | -10.0 |" in text


def test_who_did_not_play_is_named_and_who_played_less_has_its_seeds_told(tmp_path: Path):
    put(tmp_path, *(share("MAGS", 5, seed=seed) for seed in (0, 1, 3)), share("window", 3))
    put(tmp_path, *(share(name, 2, game="nonsense/hard") for name in ("oracle", "MAGS chat")))
    put(tmp_path, share("window", 2, game="nonsense/tiny"))
    text = write_page(tmp_path / "page", page_of(gather([tmp_path]), RUN))[1].read_text()
    none = "not played"
    assert "| chance | window | MAGS | MAGS chat | oracle | told |" in text
    row = f"| nonsense/standard | 3 | 10 | 25 | 30.0 (1 seed) | 50.0 | {none} | {none} | 100.0 |"
    assert row in text
    assert f"| nonsense/tiny | 1 | 10 | 25 | 20.0 | {none} | {none} | {none} | - |" in text
    assert "| nonsense/standard | MAGS | tuning | 0-1, 3 | 10 | 0.0 | - |" in text


def test_matches_of_another_bank_or_length_are_left_out_and_named(tmp_path: Path):
    tried, long = share("MAGS", 5), share("MAGS", 4, seed=1)
    names = replace(long.played, bank="scored")
    put(tmp_path, tried, replace(long, played=names, commit="abc"))
    put(tmp_path, replace(long, played=replace(names, turns=5)))
    found = gather([tmp_path])
    assert [one.figures.score for one in found.matches] == [0.4]
    assert [one.figures.commit for one in found.matches] == ["abc"]
    assert set(found.left_out) == {
        "1 of nonsense/standard (bank tuning, 9 turns at most)",
        "1 of nonsense/standard (bank scored, 5 turns at most)",
    }
    text = write_page(tmp_path / "page", page_of(found, RUN))[1].read_text()
    assert "In the folders too, and left out: 1 of nonsense/standard (bank" in text


def of_bank(bank: str, *records: MatchRecord) -> list[MatchRecord]:
    return [replace(one, played=replace(one.played, bank=bank)) for one in records]


def test_matches_of_the_bank_that_nobody_looks_at_have_a_table_of_their_own(tmp_path: Path):
    put(tmp_path / "a", *of_bank("scored", share("growing", 4), share("MAGS", 8)))
    third = [share("nothing", 2), share("growing", 5), share("oracle", 10)]
    third += [share("MAGS", 6), share("MAGS", 8, seed=1)]
    put(tmp_path / "b", *of_bank("unseen", *third))
    found = gather([tmp_path / "a", tmp_path / "b"])
    assert [one.figures.score for one in found.matches] == [0.4, 0.8]
    assert len(found.third) == 5
    assert found.left_out == ()
    page = page_of(found, RUN)
    assert dict(page.head)["matches"] == "2, sentences of the bank scored; 5 of the third"
    text = write_page(tmp_path / "page", page)[1].read_text()
    head = "| game | bank | seeds | turns | nothing | growing | MAGS | oracle | MAGS over growing |"
    game, mean = "nonsense/standard", "70.0 [60.0, 80.0]"
    rows = (
        f"| {game} | unseen | 1-2 | 10 | 20.0 | 50.0 | {mean} | 100.0 | +20 |",
        f"| {game} | scored | 1 | 10 | - | 40.0 | 80.0 | - | +100 |",
    )
    assert "\n".join((head, f"|{' --- |' * 9}", *rows)) in text
    assert f"| {game} | MAGS | unseen | 0-1 | 10 | 0.0 | - |" in text
    assert f"| {game} | MAGS | scored | 0 | 10 | 0.0 | - |" in text


def test_where_nothing_else_was_played_the_third_bank_is_the_report(tmp_path: Path):
    put(tmp_path, *of_bank("unseen", share("MAGS", 6)))
    found = gather([tmp_path])
    assert [one.figures.score for one in found.matches] == [0.6]
    assert found.third == ()
    assert "third" not in [section.id for section in page_of(found, RUN).sections]


def test_matches_of_the_third_bank_of_another_length_are_left_out_too(tmp_path: Path):
    short = share("MAGS", 5, seed=1)
    put(tmp_path, *of_bank("unseen", share("MAGS", 6)), *of_bank("scored", share("MAGS", 7)))
    put(tmp_path, *of_bank("unseen", replace(short, played=replace(short.played, turns=5))))
    found = gather([tmp_path])
    assert [one.figures.score for one in found.third] == [0.6]
    assert found.left_out == ("1 of nonsense/standard (bank unseen, 5 turns at most)",)


def test_a_folder_without_a_record_is_refused(tmp_path: Path):
    with pytest.raises(InvalidInput, match="no record of a match"):
        gather([tmp_path])


def test_the_page_tells_of_what_was_played_and_by_which_command(tmp_path: Path):
    spent = {"MAGS": 3_600.0, "growing": 50.0, "oracle": 11.0}
    put(tmp_path / "records", *(replace(kept(player=n), cpu_s=s) for n, s in spent.items()))
    put(tmp_path / "ablations", replace(kept(switch="hebb"), cpu_s=30.0))  # held against records
    write_exhibit(tmp_path / "exhibit.json", EXHIBIT)
    write_audit(tmp_path / "audit.json", AUDIT)
    note_run(tmp_path, RUN)
    note_run(tmp_path, RUN)
    assert read_runs(tmp_path) == [RUN]
    page = page_of(gather([tmp_path]), RUN)
    assert [section.id for section in page.sections] == [
        "aims", "scores", "improvement", "changes", "fidelity", "retention", "recalled", "cost",
        "ablations", "graph", "move", "audit", "played", "about",
    ]  # fmt: skip
    assert dict(page.head) == {
        "command": "mags eval report",
        "commit": "abc",
        "seeds": "0 on",
        "machine": "one",
        "played": "today",
        "matches": "4, sentences of the bank tuning",
        "processor time": "1 h 01 min of all matches, one thread each",
    }
    web, text = write_page(tmp_path, page)
    assert "<svg" in web.read_text()
    assert "## A move explained" in text.read_text()


def test_what_was_looked_into_is_read_as_it_was_written(tmp_path: Path):
    write_exhibit(tmp_path / "e.json", EXHIBIT)
    write_audit(tmp_path / "a.json", AUDIT)
    assert read_exhibit(tmp_path / "e.json") == EXHIBIT
    assert read_audit(tmp_path / "a.json") == AUDIT


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"played": {"a": 1}}'])
def test_what_is_no_such_file_is_refused(tmp_path: Path, text: str):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=r"x\.json is no"):
        read_exhibit(path)
    with pytest.raises(InvalidInput, match=r"x\.json is no"):
        read_audit(path)
    (tmp_path / "runs.jsonl").write_text("nothing of it\n")
    with pytest.raises(InvalidInput, match="does not tell of runs"):
        read_runs(tmp_path)


def test_aims_are_held_against_what_was_measured(tmp_path: Path):
    scores = {"nothing": 2, "growing": 5, "MAGS": 6, "oracle": 10}
    put(tmp_path, *(share(name, right) for name, right in scores.items()))
    put(tmp_path, *(share(n, r, game="hunt/large") for n, r in (("MAGS", 9), ("window", 3),
                                                                 ("growing", 5))))  # fmt: skip
    found = goals([one.figures for one in gather([tmp_path]).matches])
    rows = {row[0].partition(": ")[::2]: row[2:] for row in found.rows}
    standard = "nonsense/standard"
    assert rows[standard, "over nothing but the turn, told no reward"] == (
        "+150 %", "+200 %", "yes",
    )  # fmt: skip
    assert rows[standard, "share of the oracle's score"] == ("90 %", "60 %", "no")
    assert rows[standard, "over growing retrieval, told no reward, after changes"][2] == (
        "not measured"
    )
    assert rows["hunt/large", "score; over window and growing retrieval"] == (
        "+50 % over both",
        "9.00; +200 % and +80 %",
        "yes",
    )


def test_fidelity_of_other_games_stands_beside_the_aims_without_one(tmp_path: Path):
    held = Fidelity(holding=10, held=8, lost=2, ended=4, stale=3, open=8, right=8)
    left = Left(fidelity=held, cost=Cost(counts=GraphCounts(nodes=1, arcs=1), load=Load()))
    for game in ("nonsense/standard", "nonsense/hard", "mastermind/standard"):
        put(tmp_path, replace(kept(game=game), left=left))
    put(tmp_path, kept(game="knights/plain"), kept(game="eleusis/standard", player="growing"))
    found = goals([one.figures for one in gather([tmp_path]).matches])
    told = [row for row in found.rows if any(w in row[0] for w in ("fidelity", "closed", "ended"))]
    other = "update fidelity F1; ended facts left open; wrongly closed"
    assert [(row[0], *row[2:]) for row in told] == [
        ("nonsense/standard: update fidelity F1", "95", "88.9", "no"),
        ("nonsense/standard: ended facts left open", "-", "3 of 4", "-"),
        ("nonsense/standard: wrongly closed facts", "under 1 %", "20.00", "no"),
        (f"nonsense/hard: {other}", "-", "88.9; 3 of 4; 20.00 %", "-"),
        (f"mastermind/standard: {other}", "-", "88.9; 3 of 4; 20.00 %", "-"),
    ]


def test_retention_is_held_against_what_was_told_lately(tmp_path: Path):
    old = [turned(n, age=5_000, right=n < 3) for n in range(4)]
    new = [turned(n, age=50, right=n < 6) for n in range(4, 8)]
    put(tmp_path, kept([*old, *new], game="nonsense/vast"))
    rows = {row[0]: row[3:] for row in goals([o.figures for o in gather([tmp_path]).matches]).rows}
    assert rows["score of what was told 1,000 to 10,000 turns ago, against 10 to 100"] == (
        "+25.0 points (75.0 of 4, 50.0 of 4)",
        "yes",
    )


def test_retention_is_held_against_questions_that_as_many_facts_decide(tmp_path: Path):
    def asked(age: int, needed: int, *right: bool) -> list[PlayedTurn]:
        return [turned(0, age=age, needed=needed, right=one) for one in right]

    old = [*asked(5_000, 1, True), *asked(5_000, 2, True, False, False, False)]
    new = [*asked(50, 1, True, True, True), *asked(50, 2, True, False), *asked(50, 3, False)]
    turns = [replace(one, turn=n) for n, one in enumerate([*old, *new])]
    put(tmp_path, kept(turns, game="nonsense/vast"))
    rows = {row[0]: row[3:] for row in goals([o.figures for o in gather([tmp_path]).matches]).rows}
    whole = "score of what was told 1,000 to 10,000 turns ago, against 10 to 100"
    assert rows[whole] == ("-26.7 points (40.0 of 5, 66.7 of 6)", "no")
    apart = "the same, apart by how many facts decide, weighed as of 10 to 100"
    assert rows[apart] == ("-10.0 points", "no")  # (3 x 0 + 2 x (1/2 - 1/4)) / 5
