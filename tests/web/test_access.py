"""The page by keyboard, by screen reader, in the dark, narrow and still."""

import httpx
import pytest

from tests.server.serving import Served
from tests.web.using import LOOKS, ask, axe, nodes_listed, say, sees, tab, to_graph, violations

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`").expect
pytestmark = pytest.mark.full

FOCUSED = "(e => e.getAttribute('aria-label') || e.textContent)(document.activeElement)"
NAMELESS = """[...document.querySelectorAll("button,input,select,textarea,[role=img]")]
  .filter(e => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
  .map(e => e.outerHTML)"""


@axe
@pytest.mark.parametrize("blank", LOOKS, indirect=True, ids=["light", "dark", "390px"])
def test_axe_finds_nothing_anywhere(page):
    seen = {"list": violations(page)}
    page.get_by_role("button", name="List").click()
    ask(page)
    for summary in page.locator(".path summary").all():
        summary.click()
    seen["path"] = violations(page)
    page.locator(".beneath button").first.click()
    page.locator(".life svg").wait_for()
    seen["card"] = violations(page)
    page.locator(".card").get_by_role("button", name="Forget").click()
    page.locator("dialog").wait_for()
    seen["forgetting"] = violations(page)
    page.keyboard.press("Escape")
    page.locator("button.switch").click()
    page.locator(".names li").first.wait_for()
    seen["memories"] = violations(page)
    page.keyboard.press("Escape")
    tab(page, "History")
    seen["history"] = violations(page)
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Address").wait_for()
    seen["settings"] = violations(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Sleep", exact=True).click()
    page.get_by_role("button", name="Good morning").wait_for()
    seen["sleep"] = violations(page)
    page.get_by_role("button", name="Good morning").click()
    assert {where: found for where, found in seen.items() if found} == {}


@axe
def test_axe_finds_nothing_where_nothing_is_remembered(blank, served: Served):
    blank.goto(f"{served.base}/?memory=fresh")
    sees(blank, "Nothing is remembered in")
    assert violations(blank) == []


def test_everything_is_reached_by_keyboard_alone(page):
    page.locator("body").click(position={"x": 640, "y": 4})
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(FOCUSED))
    wanted = {"Search the memory", "Say something", "Sleep", "Settings", "List", "Chat"}
    assert wanted <= reached


def test_by_keyboard_alone_one_asks_sees_why_corrects_undoes_and_turns_to_another_memory(
    blank, served: Served
):
    blank.goto(f"{served.base}/?memory=tour")
    expect(blank.locator(".counts")).to_contain_text("facts hold")
    keys(blank, "Say something", "Where does Ana live?")
    sees(blank, "It rests on 1 memory.")
    keys(blank, "How it was found")
    expect(blank.locator(".shares").first).to_be_visible()
    keys(blank, "Ana moved to Lima.")
    keys(blank, "Correct")
    blank.keyboard.type("Quito")
    blank.keyboard.press("Enter")
    expect(blank.locator(".card .text")).to_have_text("Ana lives in Quito.")
    keys(blank, "Undo change", "")
    expect(blank.get_by_role("button", name="Leave it")).to_be_focused()
    blank.keyboard.press("Shift+Tab")
    blank.keyboard.press("Enter")
    sees(blank, "Taken back.")
    keys(blank, "Memory tour")
    name = blank.get_by_label("Name of the memory")
    expect(name).to_be_focused()
    blank.keyboard.press("Escape")
    expect(blank.locator("button.switch")).to_be_focused()
    blank.keyboard.press("Enter")
    expect(name).to_be_focused()
    blank.keyboard.type("new")
    expect(blank.get_by_role("button", name="Begin “new”")).to_be_visible()
    blank.keyboard.press("ArrowDown")
    blank.keyboard.press("Enter")
    sees(blank, "Nothing is remembered in “new”")


def keys(page, name: str, words: str = "") -> None:
    """Go by Tab to what is called so, write into it if there is something to write; Enter."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if (page.evaluate(FOCUSED) or "").startswith(name):
            break
    else:
        raise AssertionError(f"no Tab leads to {name}")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.type(words)
    page.keyboard.press("Enter")


def test_the_graph_is_walked_by_arrow_keys(page):
    page.get_by_role("button", name="List").click()
    graph = page.locator(".canvas")
    assert "nodes" in graph.get_attribute("aria-label")
    graph.focus()
    told = page.locator(".field > p[role=status]")
    met = []
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
        met.append(told.inner_text())
    assert all(": " in words and "arc" in words for words in met)
    assert len(set(met)) > 1
    page.keyboard.press("Enter")
    expect(page.locator(".card .text")).to_be_visible()
    said = page.locator(".card .text").inner_text()
    assert said in told.inner_text()


def test_whoever_walks_by_arrow_keys_keeps_the_place_while_others_write(page, http: httpx.Client):
    page.get_by_role("button", name="List").click()
    page.locator(".canvas").focus()
    page.keyboard.press("ArrowRight")
    told = page.locator(".field > p[role=status]")
    node = told.inner_text().partition(",")[0]
    counts = page.locator(".counts").inner_text()
    http.post("/memories/tour/turns", json={"text": "Zoe plays the cello."})
    expect(page.locator(".counts")).not_to_have_text(counts)
    page.wait_for_timeout(500)  # the graph is drawn in the same moment
    assert told.inner_text().startswith(node)


def test_the_tabs_are_turned_by_arrow_keys(page):
    page.get_by_role("tab", name="Chat").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Node")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="History")).to_be_focused()


def test_answers_and_what_was_done_are_read_out(page):
    log = page.locator(".talk")
    assert (log.get_attribute("role"), log.get_attribute("aria-live")) == ("log", "polite")
    ask(page)
    page.get_by_role("button", name="Good").click()
    done = page.locator("[role=status] p", has_text="grew stronger")
    expect(done).to_be_visible()


def test_every_control_has_a_name(page):
    ask(page)
    page.locator(".beneath button").first.click()
    expect(page.locator(".card")).to_be_visible()
    assert page.evaluate(NAMELESS) == []
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1


def test_nothing_moves_where_no_motion_is_wanted(page):
    page.get_by_role("button", name="List").click()
    say(page, "Ana has a dog called Biscuit.")
    sees(page, "new fact")
    page.wait_for_timeout(2_500)
    first = page.locator(".canvas").screenshot()
    page.wait_for_timeout(700)
    assert page.locator(".canvas").screenshot() == first
    assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize("blank", LOOKS[1:], indirect=True, ids=["dark", "390px"])
def test_it_works_narrow_and_dark(page):
    say(page, "Where does Ana live?")
    sees(page, "Lima —")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    ground, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert ground != ink
    to_graph(page)
    expect(nodes_listed(page).first).to_be_visible()
