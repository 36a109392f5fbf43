"""The page in a real Chromium, used as somebody would; screenshots go to .cache/screenshots.

Needs the extra `browser` and Debian's `chromium` (see scripts/test_full.sh).
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from mags.server.grants import Scope
from mags.server.keys import KeyRing
from tests.server.serving import Served, serving

playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`")
pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Debian's chromium"),
]
SHOTS = Path(__file__).parents[2] / ".cache" / "screenshots"
FLAGS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
WAIT_MS = 30_000
FOCUSED = "(e => e.getAttribute('aria-label') || e.textContent)(document.activeElement)"
NAMELESS = """[...document.querySelectorAll("button,input,select,textarea,[role=img]")]
  .filter(e => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
  .map(e => e.outerHTML)"""
HOSTILE = (
    '<img src=x onerror="window.broken=1">',
    "<script>window.broken=1</script>",
    "{{constructor.constructor('window.broken=1')()}}",
    'javascript:window.broken=1//"><svg onload=window.broken=1>',
)


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with playwright.sync_playwright() as running:
        made = running.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with serving(folder) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memories"


@pytest.fixture
def http(served: Served) -> Iterator[httpx.Client]:
    with served.client() as client:
        turns = [
            {"text": text, "speaker": "user", "at": f"2026-0{n + 1}-05", "session": f"s{n}"}
            for n, text in enumerate(
                (
                    "Ana lives in Oslo.",
                    "Bo is Ana's brother.",
                    "Bo likes chess.",
                    "Ana moved to Lima.",
                )
            )
        ]
        client.post("/memories/tour/turns/bulk", json={"turns": turns})
        yield client


@pytest.fixture
def page(browser, served: Served, http: httpx.Client, request) -> Iterator[object]:
    """The page on the memory `tour`; what it complains about fails the test."""
    options = getattr(request, "param", {"viewport": {"width": 1280, "height": 860}})
    context = browser.new_context(**options, reduced_motion="reduce")
    made, wrong = context.new_page(), []
    made.on("pageerror", lambda failure: wrong.append(str(failure)))
    made.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    made.set_default_timeout(WAIT_MS)
    made.goto(f"{served.base}/?memory=tour")
    made.get_by_text("The graph as a list").click()
    playwright.expect(names(made).first).to_be_visible(timeout=WAIT_MS)
    yield made
    SHOTS.mkdir(parents=True, exist_ok=True)
    made.screenshot(path=SHOTS / f"{request.node.name.replace(os.sep, '-')}.png")
    context.close()
    assert wrong == []


def names(page):
    """The nodes that are drawn, as the list under the graph has them."""
    return page.locator(".list li button")


def said(page, words: str) -> None:
    page.get_by_label("Say something").fill(words)
    page.get_by_label("Say something").press("Enter")


def sees(page, words: str, *, count: int | None = None) -> None:
    found = page.get_by_text(words)
    if count is None:
        playwright.expect(found.first).to_be_visible(timeout=WAIT_MS)
    else:
        playwright.expect(found).to_have_count(count, timeout=WAIT_MS)


def test_the_graph_grows_while_one_chats(page):
    before = names(page).count()
    said(page, "Ana has a dog called Biscuit.")
    playwright.expect(names(page)).not_to_have_count(before, timeout=WAIT_MS)
    sees(page, "new facts")
    playwright.expect(page.locator(".changes li").first).to_contain_text("observe")


def test_an_answer_lights_its_path_step_by_step(page):
    said(page, "Where does Ana live?")
    sees(page, "Lima —")
    sees(page, "Why this answer")
    status = page.locator(".path [role=status]")
    playwright.expect(status).to_contain_text("memory 1 of")
    page.get_by_label("Step on").click()
    playwright.expect(status).to_contain_text("memory 2 of")
    playwright.expect(page.locator(".path meter").first).to_be_visible()
    page.locator(".beneath button", has_text="m").first.click()
    playwright.expect(page.locator(".card .text")).to_contain_text("Lima")
    page.get_by_role("button", name="Good").click()
    sees(page, "grew stronger")


def test_the_sliders_show_what_was_true_and_known_then(page):
    over = page.locator(".list li button", has_text="Ana lives in Oslo.")
    moved = page.locator(".list li button", has_text="Ana moved to Lima.")
    playwright.expect(moved.first).to_be_visible()
    slider = page.locator(".times input").first
    slider.fill("400")
    playwright.expect(moved).to_have_count(0, timeout=WAIT_MS)
    playwright.expect(over.first).to_be_visible()
    slider.fill("1000")
    playwright.expect(moved.first).to_be_visible(timeout=WAIT_MS)
    page.locator(".times input").nth(1).fill("0")
    playwright.expect(names(page)).not_to_have_count(0, timeout=WAIT_MS)


def test_sleep_can_be_watched(page):
    page.get_by_role("button", name="Sleep").click()
    sees(page, "Slept.")
    playwright.expect(page.locator(".changes li").first).to_contain_text("sleep", timeout=WAIT_MS)


def test_search_finds_and_leads_to_a_node(page):
    page.get_by_label("Search the memory").fill("chess")
    page.get_by_role("button", name="Search").click()
    page.locator(".found button", has_text="chess").first.click()
    playwright.expect(page.locator(".card .text")).to_contain_text("chess")


def test_a_card_edits_pins_and_forgets(page, http: httpx.Client):
    page.locator(".list li button", has_text="Bo likes chess.").first.click()
    card = page.locator(".card")
    card.get_by_role("button", name="Edit").click()
    card.get_by_label("Text").fill("Bo likes go.")
    card.get_by_role("button", name="Save").click()
    playwright.expect(card.locator(".text")).to_have_text("Bo likes go.", timeout=WAIT_MS)
    card.get_by_role("button", name="Pin").click()
    playwright.expect(card.get_by_role("button", name="Unpin")).to_be_visible(timeout=WAIT_MS)
    number = card.locator("h2").inner_text().split("m")[-1]
    card.get_by_role("button", name="Forget").click()
    sees(page, "would erase for good")
    assert http.get(f"/memories/tour/nodes/{number}").status_code == 200
    card.get_by_role("button", name="Forget for good").click()
    sees(page, "is forgotten")
    assert http.get(f"/memories/tour/nodes/{number}").status_code == 404


def test_snapshots_compare_and_go_back(page):
    page.get_by_label("Name of a snapshot").fill("then")
    page.get_by_role("button", name="Take").click()
    sees(page, "then")
    said(page, "Bo lives in Graz.")
    sees(page, "new facts")
    page.get_by_role("button", name="Compare").click()
    playwright.expect(page.locator(".diff")).to_contain_text("Bo lives in Graz.", timeout=WAIT_MS)
    page.get_by_role("button", name="Go back").click()
    sees(page, 'Back at "then"')
    graz = page.locator(".list li button", has_text="Bo lives in Graz.")
    playwright.expect(graz).to_have_count(0, timeout=WAIT_MS)


def test_what_others_write_appears_by_itself(page, http: httpx.Client):
    http.post("/memories/tour/turns", json={"text": "Ana plays the cello."})
    playwright.expect(
        page.locator(".list li button", has_text="Ana plays the cello.").first
    ).to_be_visible(timeout=WAIT_MS)


def test_text_from_memory_never_runs(page, http: httpx.Client):
    turns = [{"text": words, "speaker": words} for words in HOSTILE]
    turns += [{"text": f"Ana lives in {words}."} for words in HOSTILE]
    http.post("/memories/tour/turns/bulk", json={"turns": turns})
    playwright.expect(page.locator(".list li button", has_text="onerror").first).to_be_visible(
        timeout=WAIT_MS
    )
    for words in HOSTILE:
        said(page, words)
        page.wait_for_timeout(300)
        page.locator(".list li button", has_text=words[:12]).first.click()
    playwright.expect(page.locator(".card .text")).to_be_visible()
    assert page.evaluate("window.broken") is None


def test_it_can_be_used_by_keyboard_alone(page):
    page.locator("body").click(position={"x": 2, "y": 2})
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(FOCUSED))
    assert {"Search the memory", "Say something"} <= reached
    assert any("Sleep" in one for one in reached)


def test_every_control_has_a_name(page):
    said(page, "Where does Ana live?")
    sees(page, "Why this answer")
    page.locator(".beneath button").first.click()
    playwright.expect(page.locator(".card")).to_be_visible()
    assert page.evaluate(NAMELESS) == []
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1


@pytest.mark.parametrize(
    "page",
    [
        {"viewport": {"width": 400, "height": 800}},
        {"viewport": {"width": 1280, "height": 860}, "color_scheme": "dark"},
    ],
    indirect=True,
    ids=["400px", "dark"],
)
def test_it_works_narrow_and_dark(page):
    said(page, "Where does Ana live?")
    sees(page, "Lima —")
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    ground, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert ground != ink


def test_a_key_is_asked_for_where_one_is_needed(browser, tmp_path: Path):
    folder = tmp_path / "locked"
    key = KeyRing(folder).add("page", ("tour",), Scope.WRITE, 1.0)
    with serving(folder, need_key=True) as served, served.client(key) as client:
        client.post("/memories/tour/turns", json={"text": "Ana lives in Oslo."})
        page = browser.new_page()
        page.goto(f"{served.base}/")
        page.get_by_label("This server wants a key").fill(key)
        page.get_by_role("button", name="Use it").click()
        page.get_by_text("The graph as a list").click()
        playwright.expect(names(page).first).to_be_visible(timeout=WAIT_MS)
        page.close()
