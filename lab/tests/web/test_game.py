"""The game, played live: MAGS beside a player without memory."""

import re

import pytest

from tests.server.serving import Served
from tests.web.using import LOOKS, axe, sees, violations

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`").expect
pytestmark = pytest.mark.full


@pytest.fixture
def game(blank, served: Served):
    blank.goto(f"{served.base}/?memory=tour")
    blank.get_by_role("button", name="Game", exact=True).click()
    sees(blank, "What is a memory worth?")
    return blank


def begin(page) -> None:
    """Begin the smallest game and let it run as fast as it goes."""
    page.locator("select[name=game]").select_option("nonsense/tiny")
    page.get_by_label("Seed").fill("3")
    page.get_by_role("button", name="Begin").click()
    page.get_by_label("Pace").select_option("as fast as it goes")


def test_a_game_is_played_by_both_until_it_is_over(game):
    begin(game)
    expect(game.get_by_role("button", name="Over")).to_be_disabled(timeout=120_000)
    told = game.locator(".score svg").get_attribute("aria-label")
    assert "Turn 50 of 50" in told
    assert "The game is over" in told
    points = game.locator(".score polyline.of-mags").get_attribute("points").split()
    assert len(points) == 50


def test_each_turn_shows_what_was_said_recalled_and_done(game):
    begin(game)
    game.get_by_role("button", name="Pause").click()
    mags, alone = game.locator(".player.mags"), game.locator(".player.alone")
    for side in (mags, alone):
        expect(side.locator(".question")).to_contain_text("?")
        expect(side.locator(".move")).to_have_class(re.compile("right|wrong"))
    expect(mags.get_by_text("recalled")).to_be_visible()
    expect(alone.get_by_text("No memory")).to_be_visible()
    game.get_by_role("button", name="One turn").click()
    game.get_by_role("button", name="One turn").click()
    expect(game.locator(".tally")).to_contain_text("right moves of")


def test_a_turn_that_is_past_can_be_looked_at_again(game):
    begin(game)
    expect(game.locator(".turn output")).to_have_text(re.compile(r"^([4-9]|\d\d) of 50$"))
    game.get_by_role("button", name="Pause").click()
    first = "1 of 50"
    game.get_by_label("Turn that is shown").fill("1")
    expect(game.locator(".turn output")).to_have_text(first)
    shown = game.locator(".player.mags .question").inner_text()
    game.get_by_role("button", name="One turn").click()
    expect(game.locator(".tally")).to_contain_text("right moves of")
    assert game.locator(".turn output").inner_text() == first  # looking back is left alone
    assert game.locator(".player.mags .question").inner_text() == shown


def test_the_memory_of_the_game_is_drawn_as_it_grows(game):
    begin(game)
    drawn = game.locator(".remembered .canvas")
    expect(drawn).to_have_attribute("aria-label", re.compile(r"The memory of MAGS: \d+ nodes"))
    first = nodes(drawn)
    expect(drawn).not_to_have_attribute("aria-label", drawn.get_attribute("aria-label"))
    assert nodes(drawn) >= first > 1


def nodes(drawn) -> int:
    """How many nodes the picture tells of."""
    return int(re.search(r"(\d+) node", drawn.get_attribute("aria-label"))[1])


def test_the_chat_is_as_it_was_after_a_game(game):
    game.get_by_role("button", name="Memory", exact=True).click()
    game.get_by_label("Say something").fill("Half a")
    game.get_by_role("button", name="Game", exact=True).click()
    game.get_by_role("button", name="Memory", exact=True).click()
    expect(game.get_by_label("Say something")).to_have_value("Half a")


@axe
@pytest.mark.parametrize("blank", LOOKS, indirect=True, ids=["light", "dark", "400px"])
def test_axe_finds_nothing_in_a_game(game):
    begin(game)
    game.locator(".player.mags .question").wait_for()
    game.get_by_role("button", name="Pause").click()
    assert violations(game) == []
