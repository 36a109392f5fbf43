"""Matches and audits compute their products of matrices on one thread each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from threadpoolctl import threadpool_limits

from lab.tests.evaluation.report.made import EXHIBIT
from mags_lab.cli import arena
from mags_lab.cli import eval as evaluating
from mags_lab.cli.arena import QUICK, Bout, MatchTask, play_all
from mags_lab.evaluation.proving.audit import Dose
from mags_lab.evaluation.proving.records import MatchIdentity
from mags_lab.evaluation.report.exhibit import Exhibit
from mags_lab.evaluation.report.folder import AUDIT
from tests.cli.test_blas_threads import threads


def test_matches_are_played_with_products_computed_alone(monkeypatch: pytest.MonkeyPatch):
    seen: list[set[int]] = []
    monkeypatch.setattr(arena, "play_one", lambda _task: seen.append(threads()))
    task = MatchTask(
        played=MatchIdentity(game="nonsense/tiny", bank="tuning", player="nothing", turns=1, seed=0)
    )
    with threadpool_limits(limits=2, user_api="blas"):
        list(play_all([task]))
        assert threads() == {2}
    assert seen == [{1}]


def test_an_audit_computes_products_alone(monkeypatch: pytest.MonkeyPatch):
    seen: list[set[int]] = []

    def course(*_: object, **__: object) -> SimpleNamespace:
        seen.append(threads())
        return SimpleNamespace(about=())

    monkeypatch.setattr(evaluating, "course", course)
    dose = Dose(seed=0, turns=3, poisoned=1, audited=2)
    with threadpool_limits(limits=2, user_api="blas"):
        evaluating.courses("nonsense/tiny", "tuning", dose, 1)
        assert threads() == {2}
    assert seen == [{1}] * 4


def test_the_game_that_a_report_shows_is_played_with_products_computed_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    seen: list[set[int]] = []

    def looked(*_: object) -> Exhibit:
        seen.append(threads())
        return EXHIBIT

    monkeypatch.setattr(evaluating, "exhibit", looked)
    bout = Bout(game="nonsense/tiny", seeds=1, turns=1, players=("nothing",))
    programme = replace(QUICK, bouts=(bout,), without=(), shown=bout)
    (tmp_path / AUDIT).touch()
    with threadpool_limits(limits=2, user_api="blas"):
        evaluating.perform(programme, tmp_path, bank="tuning", first=0, workers=1)
        assert threads() == {2}
    assert seen == [{1}]
