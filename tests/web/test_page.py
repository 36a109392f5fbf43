"""A memory on the page: what one does with it, as somebody would do it."""

import re
from pathlib import Path

import httpx
import pytest

import mags
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Act, Operation, Writing
from tests.server.serving import EMBEDDER, Served
from tests.web.using import ask, listed, nodes_listed, not_loaded, say, sees, tab

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`").expect
pytestmark = pytest.mark.full

HOSTILE = (
    '<img src=x onerror="window.broken=1">',
    "<script>window.broken=1</script>",
    "{{constructor.constructor('window.broken=1')()}}",
    'javascript:window.broken=1//"><svg onload=window.broken=1>',
)
NO_RING = """() => {
  const layer = document.querySelector(".canvas .sigma-hovers");
  const { data } = layer.getContext("2d").getImageData(0, 0, layer.width, layer.height);
  return !data.some((value) => value);
}"""
MOVING = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "no-preference"}


def test_the_graph_grows_while_one_chats(page):
    before = nodes_listed(page).count()
    say(page, "Ana has a dog called Biscuit.")
    expect(nodes_listed(page)).not_to_have_count(before)
    sees(page, "new fact")
    tab(page, "History")
    expect(page.locator(".changes li").first).to_contain_text("observe")


class Unsure(RulePolicy):
    """Reads of every turn what it is not sure of."""

    def write(self, turn, recent, recalled):
        guess = Operation(
            act=Act.ADD,
            subject="Ana",
            relation="plays",
            object="cello",
            confidence=0.6,
            tentative=True,
        )
        return Writing(operations=(guess,))


def test_a_guess_is_marked_in_the_list_on_its_card_and_in_the_history(
    blank, served: Served, folder: Path
):
    with mags.open(folder / "unsure.mags", policy=Unsure(), embedder=EMBEDDER) as memory:
        memory.observe("The cello again.", speaker="Ana")
    blank.goto(f"{served.base}/?memory=unsure")
    blank.get_by_role("button", name="List").click()
    blank.get_by_role("button", name="Ana plays cello. (a guess)").click()
    expect(blank.locator(".card .text")).to_have_text("Ana plays cello. (a guess)")
    tab(blank, "History")
    expect(blank.locator(".changes li").first).to_contain_text("(a guess)")


def test_without_games_no_button_leads_to_them(page):
    sees(page, "fact")
    expect(page.get_by_role("button", name="Game", exact=True)).to_have_count(0)


def test_a_newcomer_is_told_what_to_do_first(blank, served: Served):
    blank.goto(f"{served.base}/?memory=fresh")
    sees(blank, "Nothing is remembered in")
    blank.get_by_role("button", name="My name is Ana and I live in Porto.").click()
    sees(blank, "Noted")
    expect(blank.get_by_text("Nothing is remembered in")).to_have_count(0)
    expect(blank.locator(".counts")).to_contain_text("2 facts hold")
    say(blank, "Where do I live?")
    expect(blank.locator(".talk .memory").last).to_contain_text("Porto")


def test_an_example_fills_an_empty_memory_and_suggests_what_to_ask(blank, served: Served):
    blank.goto(f"{served.base}/?memory=example")
    blank.get_by_role("button", name="Fill it with an example").click()
    blank.get_by_role("button", name="Where does Ana's brother live?").click()
    expect(blank.locator(".talk .memory").last).to_contain_text("Graz")
    expect(blank.locator(".counts")).to_contain_text("2 over")


def test_an_answer_lights_its_path_step_by_step(page):
    ask(page)
    expect(page.locator(".talk .memory").last).to_contain_text("Lima")
    status = page.locator(".path [role=status]")
    expect(status).to_contain_text("memory 1 of")
    expect(page.locator(".shares tr").first).to_contain_text("+")
    page.get_by_label("Step on").click()
    expect(status).to_contain_text("memory 2 of")
    page.locator(".beneath button", has_text="m").first.click()
    expect(page.locator(".card .text")).to_contain_text("Lima")
    tab(page, "Chat")
    page.get_by_role("button", name="Good").click()
    sees(page, "grew stronger")


@pytest.mark.parametrize("blank", [MOVING], indirect=True, ids=["moving"])
def test_the_path_is_played_by_itself_until_it_is_paused(page):
    ask(page)
    status = page.locator(".path [role=status]")
    expect(status).to_contain_text("memory 2 of")
    page.get_by_role("button", name="Pause").click()
    now = status.inner_text()
    page.wait_for_timeout(1_500)
    assert status.inner_text() == now
    page.get_by_label("Close the path").click()
    expect(page.get_by_text("Why this answer")).to_have_count(0)


def test_an_answer_that_knows_nothing_can_be_asked_why(page):
    say(page, "What is the capital of France?")
    page.get_by_role("button", name="Why?").click()
    sees(page, "Why this answer")


def test_the_first_slider_shows_what_was_true_then(page):
    moved = listed(page, "Ana moved to Lima.")
    expect(moved.first).to_be_visible()
    slider = page.locator(".times input").first
    slider.fill("400")
    expect(moved).to_have_count(0)
    expect(listed(page, "Ana lives in Oslo.").first).to_be_visible()
    sees(page, "You look at another time.")
    page.get_by_role("button", name="Now", exact=True).click()
    expect(moved.first).to_be_visible()
    expect(slider).to_have_value("1000")


def test_a_name_of_which_nothing_was_told_by_then_is_not_shown(page):
    names = page.locator(".list h2", has_text="People").locator(
        "xpath=following-sibling::ul[1]//button"
    )
    expect(names.get_by_text("chess", exact=True)).to_be_visible()
    page.locator(".times input").first.fill("400")  # told later, in March
    expect(names.get_by_text("chess", exact=True)).to_have_count(0)
    expect(names.get_by_text("Oslo", exact=True)).to_be_visible()
    page.get_by_role("button", name="Now", exact=True).click()
    expect(names.get_by_text("chess", exact=True)).to_be_visible()


def test_the_second_slider_shows_what_was_known_then(page, http: httpx.Client):
    known = [dot["recorded_at"] for dot in http.get("/memories/tour/picture").json()["dots"]]
    page.wait_for_timeout(1_100)  # the next turn is recorded a second later
    say(page, "Ana has a dog called Biscuit.")
    later = listed(page, "Biscuit")
    expect(later.first).to_be_visible()
    page.locator(".times input").nth(1).fill("500")
    expect(later).to_have_count(0)
    expect(nodes_listed(page)).to_have_count(len(known))
    # All of it was told within a minute: the seconds since the first tell more than a date.
    expect(page.locator(".times output").nth(1)).to_have_text(re.compile(r"^\d+ s in$"))


def test_a_search_looks_at_the_time_that_is_looked_at(page):
    page.locator(".times input").first.fill("400")
    expect(listed(page, "Ana moved to Lima.")).to_have_count(0)
    page.get_by_label("Search the memory").fill("Where does Ana live?")
    page.get_by_role("button", name="Search").click()
    found = page.locator(".found li")
    expect(found.filter(has_text="Ana lives in Oslo.").first).to_be_visible()
    expect(found.filter(has_text="Ana moved to Lima.")).to_have_count(0)


def test_sleep_can_be_watched(page):
    page.get_by_role("button", name="Sleep", exact=True).click()
    expect(page.locator(".night")).to_contain_text("associations before")
    page.get_by_role("button", name="Good morning").press("Enter")
    expect(page.locator(".night")).to_have_count(0)
    tab(page, "History")
    expect(page.locator(".changes li").first).to_contain_text("sleep")


def test_search_finds_and_leads_to_a_node(page):
    page.get_by_label("Search the memory").fill("chess")
    page.get_by_role("button", name="Search").click()
    page.locator(".found button", has_text="chess").first.click()
    expect(page.locator(".card .text")).to_contain_text("chess")
    page.get_by_label("Close what was found").click()
    expect(page.locator(".found")).to_have_count(0)


def test_a_search_shows_what_has_the_name_first_and_counts_what_it_shows(page):
    ask(page)
    page.get_by_label("Search the memory").fill("Lima")
    page.get_by_role("button", name="Search").click()
    found = page.locator(".found li")
    expect(found.nth(0)).to_have_text("Limaentity")
    expect(found.nth(1)).to_have_text("Ana moved to Lima.fact")
    shown = found.count()
    expect(page.locator(".found [role=status]")).to_have_text(f"{shown} memories found")
    assert all("Lima" in words for words in found.all_inner_texts())
    page.get_by_label("Search the memory").fill("xylophone")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".found [role=status]")).to_have_text("Nothing is found.")


def test_a_card_shows_words_sources_and_how_long_it_holds(page, http: httpx.Client):
    known = http.get("/memories/tour/facts", params={"subject": "Ana"}).json()
    over = next(fact for fact in known if fact["object"] == "Oslo")
    listed(page, "Ana lives in Oslo.").and_(page.locator(".over")).click()
    card = page.locator(".card")
    expect(card.locator("h2")).to_have_text(f"fact m{over['id']}")
    expect(card.locator(".text")).to_have_text("Ana lives in Oslo.")
    expect(card.locator(".text")).to_have_css("text-decoration-line", "line-through")
    expect(told(card, "fact")).to_have_text("Ana · lives in · Oslo")
    expect(told(card, "holds")).to_have_text("2026-01-05 \N{EN DASH} 2026-04-05")
    said = http.get(f"/memories/tour/nodes/{over['id']}").json()["sources"]
    expect(told(card, "sources").locator("button")).to_have_text([f"m{one}" for one in said])
    told(card, "sources").locator("button").first.click()
    expect(card.locator("h2")).to_have_text(f"episode m{said[0]}")
    expect(card.locator(".text")).to_have_text("Ana lives in Oslo.")
    expect(told(card, "said by")).to_have_text("user")
    expect(told(card, "said")).to_have_text("2026-01-05")
    listed(page, "Ana moved to Lima.").first.click()
    expect(told(card, "holds")).to_have_text("2026-04-05 \N{EN DASH} now")
    expect(card.locator(".text")).to_have_css("text-decoration-line", "none")


def told(card, name: str):
    """What a card tells under a name."""
    return card.get_by_text(name, exact=True).locator("xpath=self::dt/following-sibling::dd[1]")


def edit(page, old: str, new: str):
    """Open what is listed as `old`, and save it as `new`; its card."""
    listed(page, old).first.click()
    card = page.locator(".card")
    card.get_by_role("button", name="Edit").click()
    card.get_by_label("Text").fill(new)
    card.get_by_role("button", name="Save").click()
    expect(card.locator(".text")).to_have_text(new)
    return card


def test_a_card_edits_pins_and_forgets(page, http: httpx.Client):
    card = edit(page, "Bo likes chess.", "Bo likes go.")
    card.get_by_role("button", name="Pin").click()
    expect(card.get_by_role("button", name="Unpin")).to_be_visible()
    card.get_by_role("button", name="Edit").click()
    card.get_by_label("Text").fill("Of Bo one hears that go is all.")
    card.get_by_role("button", name="Save").click()
    sees(page, "could not be read as a fact")
    assert not_loaded(page, "422") == 1
    card.get_by_label("Object").fill("go")
    card.get_by_label("Relation").fill("is devoted to")
    card.get_by_role("button", name="Save").click()
    expect(card.locator(".text")).to_have_text("Of Bo one hears that go is all.")
    expect(card).to_contain_text("Bo · is devoted to · go")
    number = card.locator("h2").inner_text().split("m")[-1]
    card.get_by_role("button", name="Forget").click()
    sees(page, "erases for good")
    card.get_by_role("button", name="Keep it").click()
    assert http.get(f"/memories/tour/nodes/{number}").status_code == 200
    card.get_by_role("button", name="Forget").click()
    card.get_by_role("button", name="Forget for good").click()
    sees(page, "is forgotten")
    assert http.get(f"/memories/tour/nodes/{number}").status_code == 404


def test_a_card_draws_the_strength_over_time(page):
    ask(page)
    page.locator(".beneath button", has_text="m").first.click()
    chart = page.locator(".life svg")
    expect(chart).to_have_attribute(
        "aria-label", re.compile("^Strength from tick 4, where it was ")
    )
    expect(chart.locator("circle")).to_have_count(2)  # when it was told, and when it was cited
    expect(chart.locator(".ahead")).to_have_attribute("points", re.compile(r"^[\d.]+,[\d.]+ "))


def test_snapshots_compare_and_go_back_and_forth(page):
    tab(page, "History")
    page.get_by_label("Name of a snapshot").fill("then")
    page.get_by_role("button", name="Take").click()
    page.get_by_role("button", name="Compare with then").wait_for()
    tab(page, "Chat")
    say(page, "Bo lives in Graz.")
    sees(page, "new fact")
    tab(page, "History")
    page.get_by_role("button", name="Compare with then").click()
    expect(page.locator(".diff")).to_contain_text("Bo lives in Graz.")
    page.get_by_role("button", name="Go back to then").click()
    sees(page, "Back at “then”")
    graz = listed(page, "Bo lives in Graz.")
    expect(graz).to_have_count(0)
    page.get_by_role("button", name="Compare with before going back").click()
    gone = page.locator(".diff .minus", has_text="Bo lives in Graz.")
    expect(gone.first).to_contain_text("gone")
    page.get_by_role("button", name="Go back to before going back").click()
    expect(graz.first).to_be_visible()


def test_a_change_is_told_in_words_and_a_comparison_lists_what_changed(page):
    tab(page, "History")
    page.get_by_label("Name of a snapshot").fill("then")
    page.get_by_role("button", name="Take").click()
    page.get_by_role("button", name="Compare with then").wait_for()
    newest = page.locator(".changes > ol > li").first
    edit(page, "Bo likes chess.", "Bo likes go.")
    tab(page, "History")
    expect(newest.locator(".named")).to_contain_text("Bo likes go.")
    page.get_by_role("button", name="Compare with then").click()
    expect(page.locator(".diff")).to_contain_text("~ Bo likes go.")
    page.get_by_role("button", name="Sleep", exact=True).click()
    page.get_by_role("button", name="Good morning").press("Enter")
    expect(newest).to_contain_text(re.compile("sleep.* arcs reweighted"))


def test_a_change_says_how_much_was_erased(page):
    listed(page, "Bo likes chess.").first.click()
    page.locator(".card").get_by_role("button", name="Forget").click()
    page.locator(".card").get_by_role("button", name="Forget for good").click()
    sees(page, "is forgotten")
    tab(page, "History")
    newest = page.locator(".changes > ol > li").first
    expect(newest).to_contain_text(re.compile(r"forget.*[1-9]\d* nodes? and [1-9]\d* arcs? erased"))
    expect(newest).not_to_contain_text("chess")


def test_what_others_write_appears_by_itself(page, http: httpx.Client):
    http.post("/memories/tour/turns", json={"text": "Ana plays the cello."})
    expect(listed(page, "Ana plays the cello.").first).to_be_visible()


def test_another_memory_is_opened_by_its_name(page, served: Served):
    page.locator("header select").select_option(label="another …")
    page.get_by_label("Name of the memory").fill("elsewhere")
    page.get_by_role("button", name="Open").click()
    sees(page, "Nothing is remembered in")
    assert page.url == f"{served.base}/?memory=elsewhere"
    page.locator("header select").select_option("tour")
    expect(listed(page, "Ana moved to Lima.").first).to_be_visible()


def test_text_from_memory_never_runs(page, http: httpx.Client):
    turns = [{"text": words, "speaker": words} for words in HOSTILE]
    turns += [{"text": f"Ana lives in {words}."} for words in HOSTILE]
    http.post("/memories/tour/turns/bulk", json={"turns": turns})
    expect(listed(page, "onerror").first).to_be_visible()
    for words in HOSTILE:
        tab(page, "Chat")
        say(page, words)
        page.wait_for_timeout(300)
        listed(page, words[:12]).first.click()
    expect(page.locator(".card .text")).to_be_visible()
    tab(page, "History")
    page.get_by_label("Name of a snapshot").fill(HOSTILE[0])
    page.get_by_role("button", name="Take").click()
    page.get_by_role("button", name="Compare with").first.click()
    page.get_by_label("Search the memory").fill("onerror")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".found li", has_text="onerror").first).to_be_visible()
    assert page.evaluate("window.broken") is None
    assert page.locator("main img, main script, main iframe").count() == 0


def test_many_regions_are_shown_a_page_at_a_time(page):
    regions = [{"id": n, "name": f"Theme {n}", "leaders": [n], "size": 10} for n in range(1, 71)]
    found = {"regions": regions, "links": [{"a": 1, "b": 2, "weight": 1.0, "arcs": 3}]}

    def large(route):
        told = route.fetch().json()
        route.fulfill(json=told | {"nodes": told["nodes"] | {"fact": 5_000}})

    page.route("**/stats", large)
    page.route("**/regions", lambda route: route.fulfill(json=found))
    page.reload()
    sees(page, "Circle: a region")
    canvas = page.get_by_role("application")
    for left in ("41 smaller regions", "12 smaller regions"):
        canvas.focus()
        canvas.press("ArrowDown")  # to the largest
        page.get_by_role("status").filter(has_text=left).wait_for(state="attached")
        canvas.press("Enter")
        page.wait_for_function(NO_RING)  # none is left of the circle that was stood at
    page.get_by_role("button", name="All regions").click()
    page.get_by_role("button", name="List", exact=True).click()
    sees(page, "Theme 70")
