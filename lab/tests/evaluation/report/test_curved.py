"""The reader's own curve on the page, and its kinds in docs/benchmarks.md."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import report
from benchmarks.results import load
from lab.tests.evaluation.report.made import share
from mags.errors import InvalidInput
from mags_lab.evaluation.proving.records import file_name, write_record
from mags_lab.evaluation.report.curved import MEASURES, read_curves
from mags_lab.evaluation.report.folder import ReportRun, gather, page_of
from mags_lab.evaluation.report.page import markdown

RUN = ReportRun(command="mags eval report", commit="abc", seeds="0 on", machine="one", date="today")


def figure(mean: float, n: int = 4) -> dict[str, float]:
    return {"mean": mean, "low": mean - 0.1, "high": mean + 0.1, "n": n}


def curve(folder: Path, side: str, system: str = "reader", **groups: Any) -> None:
    folder.mkdir(exist_ok=True)
    told = {
        "suite": f"reader-{side}",
        "system": system,
        "note": "",
        "groups": {
            "all": {name: figure(0.9 - 0.1 * place) for place, name in enumerate(MEASURES)},
            **groups,
        },
        "facts": {"chance": 30.0, "cited": 80.0, "ms": 3.0},
        "made": {"command": "measure", "commit": "c0ffee", "date": "today", "machine": "m"},
    }
    (folder / f"reader-{side}--{system}.json").write_text(json.dumps(told))


def test_the_readers_curve_is_told_by_side_of_its_world(tmp_path: Path):
    match = share("MAGS", 5)
    write_record(tmp_path / file_name(match.played), match)
    assert "by itself" not in markdown(page_of(gather([tmp_path]), RUN))
    for side, system in (("relations", "reader"), ("seen", "cosine"), ("seen", "reader")):
        curve(tmp_path / "measured", side, system)
    text = markdown(page_of(gather([tmp_path, tmp_path / "measured"]), RUN))
    section = text.partition("## The frozen reader by itself\n")[2].partition("\n## ")[0]
    figures = (
        "90.0 [80.0, 100.0] | 80.0 [70.0, 90.0] | 70.0 [60.0, 80.0] | 60.0 [50.0, 70.0] | "
        "50.0 [40.0, 60.0] | 30.0 | 80.0 |"
    )
    assert [line for line in section.splitlines() if line.startswith("| ")][2:] == [
        f"| seen | reader | {figures}",
        f"| seen | cosine | {figures}",
        f"| relations | reader | {figures}",
    ]
    assert "Measured by measure at c0ffee, today." in section


def test_what_is_no_curve_is_refused(tmp_path: Path):
    (tmp_path / "reader-seen--reader.json").write_text("{}")
    with pytest.raises(InvalidInput, match="is no curve of a reader"):
        read_curves([tmp_path])


def test_the_kinds_of_a_suite_stand_in_the_benchmarks_however_their_groups_are_named(
    tmp_path: Path,
):
    curve(tmp_path, "seen", **{"kind:lied": {"+5": figure(0.5)}, "kind:one": {"+5": figure(1.0)}})
    curve(tmp_path, "seen", "walk", **{"kind:lied": {"+5": figure(0.25, n=8)}})
    report.write(load(tmp_path), tmp_path / "page.md")
    lines = (tmp_path / "page.md").read_text().splitlines()
    at = lines.index("| +5 by kind (all) | lied (n 4 / 8) | one (n 4 / 0) |")
    assert lines[at + 2 : at + 4] == ["| reader | 50.0 | 100.0 |", "| walk | 25.0 | - |"]
