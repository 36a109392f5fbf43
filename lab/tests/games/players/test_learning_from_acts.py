"""A player that acts on a rumour learns from what comes of it, for whomever it is asked next."""

from __future__ import annotations

import pytest

from lab.tests.games.players.test_players import in_ram
from lab.tests.games.players.tiny import Words
from mags_lab.games.players import doubts
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.turns import GameLine, GameScene, Outcome

ACTIONS = ("Give amber wax", "Give oat bread", "Give copper coins")
TOLD = (
    *(("guide", f"{who} belongs to the Orn clan.") for who in ("Pell", "Gurk", "Tavi", "Mirren")),
    ("guide", "The Orn clan loves amber wax."),
)
RUMOUR = "I heard that the Orn clan loves oat bread instead of amber wax."


def scene(turn: int, who: str, *said: tuple[str, str]) -> GameScene:
    at = 3_600.0 * turn
    lines = tuple(GameLine(speaker=speaker, text=text, at=at) for speaker, text in said)
    question = f"What do you give {who}?"
    return GameScene(turn=turn, at=at, said=lines, question=question, actions=ACTIONS)


def played() -> tuple[Remembering, list[str]]:
    """What is given to four of a clan, of which a liar says that it loves something else now."""
    reports = (
        TOLD,
        (("narrator", "You gave Pell amber wax, and Pell was glad."), ("Jon", RUMOUR)),
        (("narrator", "Gurk would not take the oat bread."),),
        (("narrator", "You gave Tavi amber wax, and Tavi was glad."),),
    )
    player, given = Remembering(Words(), in_ram), []
    for turn, (who, said) in enumerate(
        zip(("Pell", "Gurk", "Tavi", "Mirren"), reports, strict=True)
    ):
        now = scene(turn, who, *said)
        if not turn:
            player.begin(now)
        given.append(player.choose(now).action)
        player.rewarded(Outcome(reward=float(given[-1] == ACTIONS[0])))
    return player, given


def test_a_rumour_that_went_wrong_leads_less_to_what_it_led_to(monkeypatch: pytest.MonkeyPatch):
    doubting, _ = played()
    monkeypatch.setattr(doubts, "DOUBT", 0.0)
    trusting, _ = played()
    bread = [one._thinker._lead[ACTIONS[1]] for one in (doubting, trusting)]
    assert bread[0] < 0.8 * bread[1]


def test_the_report_of_an_act_that_went_well_names_what_led_to_it():
    player, _ = played()
    every = (player.memory.get(one) for one in player._thinker.notes)
    said = {node.text: node for node in every}
    report = said["You gave Pell amber wax, and Pell was glad."]
    ground = said["Pell belongs to the Orn clan."], said["The Orn clan loves amber wax."]
    assert report.meta["attrs"]["led_by"] == " ".join(str(one.id) for one in ground)
    assert "led_by" not in said["Gurk would not take the oat bread."].meta["attrs"]


def kept(player: Remembering) -> dict[str, tuple[object, ...]]:
    """By line what was kept with it: how the act went, and the lines that led to it."""
    found = {}
    for episode, note in player.notes.items():
        attrs = player.memory.get(episode).meta.get("attrs", {})
        led = (player.notes[int(one)].shown for one in attrs.get("led_by", "").split())
        found[note.shown] = attrs.get("outcome"), *led
    return found


def test_lines_told_again_report_what_they_reported_at_first():
    player, _ = played()
    at_first = kept(player)
    assert [len(one) for one in at_first.values()].count(3) > 0
    late = {episode: note for episode, note in player.notes.items() if note.said[0] > 0}
    for episode in late:
        player.memory.forget(episode)
    player.let_go(late)
    player.again(list(late.values()))
    assert late.keys().isdisjoint(player.notes)
    assert kept(player) == at_first
