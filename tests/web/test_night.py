"""Sleep as something to watch: each rule when it is done, and not all of them at the end."""

import itertools

import pytest

from mags.errors import StoreBusy
from tests.server.serving import Served
from tests.server.sleeping import RULES, Held, begins_again, failing
from tests.web.using import WAIT_MS, sees, switch, tab

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`").expect
pytestmark = pytest.mark.full

MOVING = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "no-preference"}
moving = pytest.mark.parametrize("blank", [MOVING], indirect=True, ids=["moving"])
TOLD = """() => {
  window.told = [];
  new MutationObserver(() => {
    const rules = document.querySelectorAll(".night li").length;
    if (rules > window.told.length) window.told.push(performance.now());
  }).observe(document.body, { childList: true, subtree: true });
}"""
"""Notes when each rule is told; two that come together are noted as one."""


@pytest.fixture
def night(blank, served: Served):
    """The page on a memory that is put to sleep by `sleep`."""
    blank.goto(f"{served.base}/?memory=tour")
    expect(blank.get_by_role("button", name="Sleep", exact=True)).to_be_enabled()
    return blank


def sleep(page) -> None:
    page.get_by_role("button", name="Sleep", exact=True).click()


def rules(page):
    """The rules that are told so far."""
    return page.locator(".night li")


@moving
def test_each_rule_is_told_while_the_sleep_still_goes_on(night, monkeypatch: pytest.MonkeyPatch):
    held = Held(monkeypatch)
    sleep(night)
    for told, rule in enumerate(RULES, start=1):
        expect(rules(night)).to_have_count(told)
        expect(rules(night).last).to_contain_text(rule.replace("_", " "))
        expect(night.get_by_role("heading", name="Asleep")).to_be_visible()
        night.wait_for_timeout(100)
        assert (rules(night).count(), held.ended) == (told, 0)
        held.rules.release()
    expect(night.get_by_role("heading", name="Slept")).to_be_visible()
    expect(night.locator(".night")).to_contain_text("associations before")


@moving
def test_rules_that_are_done_at_once_are_told_at_a_pace_that_can_be_read(night):
    night.evaluate(TOLD)
    sleep(night)
    expect(night.get_by_role("heading", name="Slept")).to_be_visible(timeout=WAIT_MS)
    times = night.evaluate("window.told")
    assert len(times) == len(RULES)
    between = [later - sooner for sooner, later in itertools.pairwise(times)]
    assert min(between) > 400


def test_what_a_rule_did_is_told_in_words_and_what_did_nothing_too(night):
    sleep(night)
    expect(night.get_by_role("heading", name="Slept")).to_be_visible()
    expect(rules(night)).to_have_count(len(RULES))
    expect(rules(night).filter(has_text="regions")).to_contain_text("of what hangs together found")
    expect(rules(night).filter(has_text="decay")).to_contain_text("found company and last longer")
    expect(rules(night).filter(has_text="capacity")).to_contain_text("nothing to do")


def test_a_sleep_that_fails_on_the_way_is_told_and_the_night_is_over(
    night, monkeypatch: pytest.MonkeyPatch
):
    failing(monkeypatch, StoreBusy("others keep sleeping over this memory"), after=2)
    sleep(night)
    sees(night, "others keep sleeping over this memory")
    expect(night.locator(".night")).to_have_count(0)
    expect(night.get_by_role("button", name="Sleep", exact=True)).to_be_enabled()


def test_a_sleep_that_begins_again_is_told_from_the_beginning(
    night, monkeypatch: pytest.MonkeyPatch
):
    begins_again(monkeypatch, after=2)
    sleep(night)
    expect(night.get_by_role("heading", name="Slept")).to_be_visible()
    expect(rules(night)).to_have_count(len(RULES))


def test_the_night_of_one_memory_is_not_seen_over_another(
    night, monkeypatch: pytest.MonkeyPatch, http
):
    http.post("/memories/other/turns", json={"text": "Zoe plays the cello."})
    night.reload()
    held = Held(monkeypatch)
    sleep(night)
    expect(rules(night)).to_have_count(1)
    switch(night, "other")
    expect(night.locator(".night")).to_have_count(0)
    held.let_go()
    expect(night.locator(".counts")).to_contain_text("1 fact holds")
    expect(night.locator(".night")).to_have_count(0)


def test_going_back_is_seen_and_not_hidden_by_the_night_that_is_over(night, http):
    http.post("/memories/tour/snapshots", json={"name": "then"})
    sleep(night)
    expect(night.get_by_role("heading", name="Slept")).to_be_visible()
    tab(night, "History")
    night.get_by_role("button", name="Go back to then").click()
    sees(night, "Back at “then”")
    expect(night.locator(".night")).to_have_count(0)
