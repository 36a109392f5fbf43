"""Records of matches, their figures, and the tables made of them."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from lab.tests.games.players.tiny import Towns, Words
from mags.errors import InvalidInput, NotFound
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules import RulePolicy
from mags.ports.answer import Answerer
from mags.ports.policy import Plan, Route, Turn
from mags.settings import Settings
from mags_lab.evaluation.proving.ablations import SWITCHES, Parted, model_switches, switch
from mags_lab.evaluation.proving.figures import Figures, figures, over_seeds
from mags_lab.evaluation.proving.records import (
    MatchIdentity,
    MatchRecord,
    file_name,
    read_record,
    read_records,
    record,
    write_record,
)
from mags_lab.evaluation.proving.tables import (
    ablated,
    ages,
    improvements,
    kinds,
    left_open,
    players,
)
from mags_lab.games.players.baselines import Nothing, Oracle
from mags_lab.games.players.remembering import Remembering

EMBEDDER = HashEmbedder(64)


def memory(
    clock: Callable[[], float], thinker: Answerer, settings: Settings | None = None
) -> Memory:
    given = settings or Settings()
    return mags.open(None, clock=clock, answerer=thinker, settings=given, embedder=EMBEDDER)


def played(name: str, seed: int, turns: int = 20) -> MatchRecord:
    makers = {
        "nothing": lambda: Nothing(Words()),
        "MAGS": lambda: Remembering(Words(), memory),
        "oracle": lambda: Oracle(Words()),
    }
    told = MatchIdentity(game="towns/tiny", player=name, seed=seed, turns=turns)
    return record(told, Towns(every=5), makers[name](), lines=seed == 0)


@pytest.fixture(scope="module")
def records() -> list[MatchRecord]:
    names = ("nothing", "MAGS", "oracle")
    return [played(name, seed) for name, seed in itertools.product(names, (0, 1))]


@pytest.fixture(scope="module")
def found(records: list[MatchRecord]) -> list[Figures]:
    return [figures(one) for one in records]


def test_a_record_is_read_as_it_was_written(records: list[MatchRecord], tmp_path: Path):
    for one in records:
        write_record(tmp_path / file_name(one.played), one)
    assert sorted(read_records([tmp_path]), key=_order) == sorted(records, key=_order)


def _order(one: MatchRecord) -> tuple[str, int]:
    return one.played.player, one.played.seed


def test_a_record_from_before_readers_had_names_is_the_shipped_ones(
    records: list[MatchRecord], tmp_path: Path
):
    path = tmp_path / file_name(records[0].played)
    write_record(path, records[0])
    path.write_text(path.read_text().replace(', "reader": ""', "", 1))
    assert '"reader"' not in path.read_text().splitlines()[0]
    assert read_record(path) == records[0]


@given(st.text(min_size=1), st.text())
def test_no_two_readers_share_a_file(one: str, other: str):
    a, b = (
        MatchIdentity(game="towns/tiny", player="MAGS", seed=0, turns=9, reader=reader)
        for reader in (one, other)
    )
    assert "/" not in file_name(a)
    assert (file_name(a) == file_name(b)) is (a == b)
    assert file_name(replace(a, reader="")) == "towns-tiny-tuning-MAGS-9-0.jsonl"


@pytest.mark.parametrize("text", ["", '{"match": {}}\n', '{"match": {}}\n{"turn": 0}\n'])
def test_what_is_cut_short_is_refused(text: str, tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    with pytest.raises(InvalidInput, match="record of a match"):
        read_record(path)


def test_words_are_left_out_where_they_are_not_wanted(records: list[MatchRecord]):
    assert any(turn.lines for turn in records[0].turns)
    assert not any(turn.lines for turn in records[1].turns)


def test_figures_of_an_oracle_are_perfect_and_of_a_memory_known(found: list[Figures]):
    oracle = next(one for one in found if one.played.player == "oracle")
    assert (oracle.score, oracle.recall, oracle.whole, oracle.explained) == (1.0, 1.0, 1.0, 1.0)
    assert oracle.chance == 1 / 8
    assert oracle.fidelity is None
    assert oracle.objective is None
    remembering = next(one for one in found if one.played.player == "MAGS")
    assert remembering.fidelity is not None
    assert (remembering.fidelity.f1, remembering.fidelity.wrongly_closed) == (1.0, 0.0)
    assert remembering.fidelity.ended == 3
    assert remembering.nodes is not None
    assert remembering.nodes > 8
    assert remembering.objective is not None
    assert remembering.objective < 0


def test_tables_have_a_line_a_player(found: list[Figures]):
    grid = players(found)
    assert [row[:2] for row in grid.rows] == [("nothing", "2"), ("MAGS", "2"), ("oracle", "2")]
    assert all(len(row) == len(grid.head) for row in grid.rows)
    assert grid.markdown().startswith("| player | seeds | score |")
    gains = improvements(found)
    assert [row[0] for row in gains.rows] == ["nothing", "oracle"]
    assert gains.rows[0][1].startswith("+")
    assert ages(found).head == ("player", "to 10", "to 100")
    assert kinds(found).rows[2] == ("oracle", "100.0")


def test_an_ablation_that_changes_nothing_differs_by_nothing(found: list[Figures]):
    whole = [one for one in found if one.played.player == "MAGS"]
    grid = ablated(whole, {"same": whole})
    assert grid.rows[1][:3] == ("same", "+0.0 [+0.0, +0.0]", "+0.0 [+0.0, +0.0]")
    assert grid.head[-1] == "ended left open"
    assert [row[-1] for row in grid.rows] == [left_open(whole)] * 2
    assert " of " in left_open(whole)


def test_a_mean_of_one_seed_has_no_interval(found: list[Figures]):
    one = [each for each in found if each.played.seed == 0]
    whole = [each for each in one if each.played.player == "MAGS"]
    assert ablated(whole, {"same": whole}).rows[1][:3] == ("same", "+0.0", "+0.0")
    assert "[" not in improvements(one).markdown()
    assert "[" not in players(one).markdown()


def test_a_measure_that_nobody_has_is_none(found: list[Figures]):
    assert over_seeds([one for one in found if one.fidelity is None], lambda one: one.nodes) is None


@pytest.mark.parametrize("name", SWITCHES)
def test_every_switch_changes_something_and_plays(name: str):
    one = switch(name)
    settings, rules = one.settings(Settings()), RulePolicy()
    policy = one.policy(rules)
    assert settings != Settings() or policy is not rules

    def make(clock: Callable[[], float], thinker: Answerer) -> Memory:
        return mags.open(
            None,
            clock=clock,
            answerer=thinker,
            settings=settings,
            policy=policy,
            embedder=EMBEDDER,
        )

    told = MatchIdentity(game="towns/tiny", player="MAGS", seed=1, turns=4, switch=name)
    kept = record(told, Towns(), Remembering(Words(), make))
    assert len(kept.turns) == 4


def test_without_the_arbiter_nothing_is_closed():
    def make(clock: Callable[[], float], thinker: Answerer) -> Memory:
        return memory(clock, thinker, SWITCHES["arbiter"].settings(Settings()))

    told = MatchIdentity(game="towns/tiny", player="MAGS", seed=1, turns=15)
    kept = record(told, Towns(every=5), Remembering(Words(), make))
    assert kept.left is not None
    assert kept.left.fidelity.stale == kept.left.fidelity.ended > 0


def test_an_unknown_switch_names_those_there_are():
    with pytest.raises(NotFound, match=r"no ablation 'gravity'.*hebb"):
        switch("gravity")


def test_decisions_can_be_parted():
    rules = RulePolicy()
    turn = Turn(text="Anna lives in Oslo.", speaker="Ida", at=1.0)
    none = Parted(route=None, ask=None, write=None, names=rules)
    assert none.name == "none + none + none"
    assert none.route(turn, ()) == Route()
    assert none.ask(turn, ()) == Plan(queries=(turn.text,))
    written = none.write(turn, (), ())
    assert written.operations == ()
    assert written.mentions == rules.write(turn, (), ()).mentions
    both = model_switches(rules, none)
    assert both["reader"].policy(rules).name == "rules + rules + none + none + none"
    assert switch("reader", both) is both["reader"]
