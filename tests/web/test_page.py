"""A memory on the page: what one does with it, as somebody would do it."""

import re
from pathlib import Path

import httpx
import pytest

import mags
from mags.settings import Settings
from tests.memory.test_weights import train
from tests.server.serving import EMBEDDER, Served
from tests.web.using import (
    Unsure,
    ask,
    listed,
    nodes_listed,
    say,
    sees,
    switch,
    tab,
    to_graph,
)

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
    expect(page.locator(".changes li").first).to_contain_text("told")


def test_a_guess_is_marked_in_the_list_on_its_card_and_in_the_history(
    blank, served: Served, folder: Path
):
    with mags.open(folder / "unsure.mags", policy=Unsure(), embedder=EMBEDDER) as memory:
        memory.observe("The cello again.", speaker="Ana")
    blank.goto(f"{served.base}/?memory=unsure")
    blank.get_by_role("button", name="List").click()
    blank.get_by_role("button", name="Ana plays cello. a guess").click()
    expect(blank.locator(".card .text .mark")).to_have_text("a guess")
    tab(blank, "History")
    expect(blank.locator(".changes li").first).to_contain_text("Ana plays cello. a guess")


def test_what_is_disputed_says_so_wherever_it_is_shown_and_by_what(page, http: httpx.Client):
    for speaker, text in (
        ("Ana", "My favourite food is soup."),
        ("Bo", "Ana's favourite food is pie."),
    ):
        http.post("/memories/tour/turns", json={"text": text, "speaker": speaker})
    page.get_by_label("Search the memory").fill("pie")
    page.get_by_role("button", name="Search").click()
    marks = page.locator(".found li", has=page.get_by_text("fact")).locator(".mark")
    expect(marks).to_have_text(["disputed"])
    page.get_by_role("button", name="Ana's favourite food is pie. disputed").first.click()
    expect(page.locator(".card .text .mark")).to_have_text("disputed")
    page.locator(".rival").get_by_role("button", name="Ana's favourite food is soup.").click()
    expect(page.locator(".card .text")).to_have_text("Ana's favourite food is soup.")
    expect(page.locator(".card .text .mark")).to_have_count(0)


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


def test_why_begins_with_the_evidence_of_the_answer_in_words_that_a_user_knows(
    page, http: httpx.Client
):
    http.post("/memories/tour/turns", json={"text": "Bo lives in Graz.", "speaker": "Bo"})
    with page.expect_response("**/traces/*") as told:
        ask(page, "Where does Ana's brother live?")
    trace = told.value.json()["trace"]
    sees(page, "It rests on 2 memories.")
    own = page.locator(".path > .trails > li")
    texts = [http.get(f"/memories/tour/nodes/{one}").json()["text"] for one in trace["cited"]]
    expect(own.locator("> button")).to_have_text(texts)
    expect(own.filter(has_text="Bo lives in Graz.")).to_contain_text("told by Bo")
    others = page.locator(".path > details")
    expect(others.locator("summary").first).to_have_text(
        f"{len(trace['hits']) - 2} other memories were looked at"
    )
    expect(others.locator(".trails")).to_be_hidden()
    own.last.get_by_text("How it was found").click()
    rows = own.last.locator(".shares tr")
    expect(rows.first).to_be_visible()
    degrees = rows.locator("td:last-child").all_inner_texts()
    assert set(degrees) <= {"much", "some", "a little", "against it"}
    assert degrees == sorted(degrees, key=lambda one: one == "against it")
    shown = page.locator(".path").inner_text().lower()
    names = {name for hit in trace["hits"] for name in hit["shares"]}
    assert not [name for name in names if name.replace("_", " ") in shown.split("\n")]
    own.last.locator("> button").click()
    expect(page.locator(".card .text")).to_have_text(texts[-1])
    tab(page, "Chat")
    page.get_by_role("button", name="Good").last.click()
    sees(page, "grew stronger")


def test_an_answer_that_knows_nothing_can_be_asked_why(page):
    say(page, "What is the capital of France?")
    page.get_by_role("button", name="Why?").click()
    sees(page, "No memory answers it. These come closest:")


PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.mark.parametrize("blank", [PHONE], indirect=True, ids=["390px"])
def test_on_a_phone_the_chat_is_in_the_first_screen_and_the_graph_a_tab_away(blank, served: Served):
    blank.goto(f"{served.base}/?memory=tour")
    say_box = blank.get_by_label("Say something")
    expect(say_box).to_be_in_viewport(ratio=1)
    ask(blank)
    expect(say_box).to_be_in_viewport(ratio=1)
    expect(blank.locator(".talk .memory").last).to_be_in_viewport(ratio=1)
    expect(blank.locator(".trails button").first).to_be_in_viewport(ratio=1)
    assert blank.evaluate("[scrollX, document.documentElement.scrollHeight - innerHeight]") == [
        0,
        0,
    ]
    to_graph(blank)
    expect(blank.locator(".stage .canvas")).to_be_in_viewport(ratio=1)
    expect(say_box).to_be_hidden()
    blank.get_by_role("button", name="Sleep", exact=True).click()
    expect(blank.get_by_role("button", name="Good morning")).to_be_in_viewport()


@pytest.mark.parametrize("blank", [PHONE], indirect=True, ids=["390px"])
def test_on_a_phone_a_newcomer_is_told_what_to_do_in_the_chat(blank, served: Served):
    blank.goto(f"{served.base}/?memory=fresh")
    blank.get_by_role("button", name="My name is Ana and I live in Porto.").click()
    sees(blank, "Noted")


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


def test_the_sliders_mark_when_something_changed_and_arrow_keys_go_from_change_to_change(page):
    marks = page.locator(".track path").first.get_attribute("d")
    assert len(marks.split("M")) - 1 == 4  # a turn a month, the last of which ends the first's fact
    slider, shown = page.locator(".times input").first, page.locator(".times output").first
    for day in ("2026-03-05", "2026-02-05", "2026-01-05", "2026-01-05"):
        slider.press("ArrowLeft")
        expect(shown).to_have_text(day)
    expect(nodes_listed(page).filter(has_text="Bo likes chess.")).to_have_count(0)
    slider.press("ArrowRight")
    expect(shown).to_have_text("2026-02-05")
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    expect(shown).to_have_text("now")


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
    expect(page.locator(".changes li").first).to_contain_text("slept")


def test_search_finds_and_leads_to_a_node(page):
    page.get_by_label("Search the memory").fill("chess")
    page.get_by_role("button", name="Search").click()
    page.locator(".found button", has_text="chess").first.click()
    expect(page.locator(".card .text")).to_contain_text("chess")
    page.get_by_label("Close what was found").click()
    expect(page.locator(".found")).to_have_count(0)


def test_what_was_found_covers_nothing_and_goes_with_the_memory_it_was_found_in(
    page, http: httpx.Client
):
    http.post("/memories/other/turns", json={"text": "Zoe plays the cello."})
    page.get_by_label("Search the memory").fill("chess")
    page.get_by_role("button", name="Search").click()
    found = page.locator(".found")
    expect(found.locator("li", has_text="Bo likes chess.").first).to_be_visible()
    over, under = found.bounding_box(), page.locator(".list").bounding_box()
    assert over["y"] + over["height"] <= under["y"]
    fact = next(
        one["id"] for one in http.get("/memories/tour/facts").json() if one["object"] == "chess"
    )
    http.patch(f"/memories/tour/nodes/{fact}", json={"text": "Bo likes go."})
    expect(found.locator("li", has_text="fact")).to_have_count(0)  # sought anew: it is so no more
    switch(page, "other")
    expect(listed(page, "Zoe").first).to_be_visible()
    expect(found).to_have_count(0)
    expect(page.get_by_label("Search the memory")).to_have_value("")


def test_a_search_shows_what_has_the_name_first_and_counts_what_it_shows(page):
    ask(page)
    page.get_by_label("Search the memory").fill("Lima")
    page.get_by_role("button", name="Search").click()
    found = page.locator(".found li")
    expect(found.nth(0)).to_have_text("Lima entity")
    expect(found.nth(1)).to_have_text("Ana moved to Lima. fact")
    shown = found.count()
    expect(page.locator(".found [role=status]")).to_have_text(f"{shown} memories found")
    assert all("Lima" in words for words in found.all_inner_texts())
    page.get_by_label("Search the memory").fill("xylophone")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".found [role=status]")).to_have_text("Nothing is found.")


def test_a_card_shows_words_sources_and_how_long_it_holds(page, http: httpx.Client):
    known = http.get("/memories/tour/facts", params={"subject": "Ana"}).json()
    over = next(fact for fact in known if fact["object"] == "Oslo")
    page.locator(".list button:has(.over)", has_text="Ana lives in Oslo.").click()
    card = page.locator(".card")
    expect(card.locator("h2")).to_have_text(f"fact m{over['id']}")
    expect(card.locator(".text")).to_have_text("Ana lives in Oslo.")
    expect(card.locator(".text .over")).to_have_css("text-decoration-line", "line-through")
    expect(told(card, "fact")).to_have_text("Ana · lives in · Oslo")
    expect(told(card, "holds")).to_have_text("2026-01-05 \N{EN DASH} 2026-04-05")
    said = http.get(f"/memories/tour/nodes/{over['id']}").json()["sources"]
    expect(told(card, "sources").locator("button")).to_have_text([f"m{one}" for one in said])
    told(card, "sources").locator("button").first.click()
    expect(card.locator("h2")).to_have_text(f"episode m{said[0]}")
    expect(card.locator(".text")).to_have_text("Ana lives in Oslo.")
    expect(told(card, "told by")).to_have_text("user, 2026-01-05")
    listed(page, "Ana moved to Lima.").first.click()
    expect(told(card, "holds")).to_have_text("2026-04-05 \N{EN DASH} now")
    expect(card.locator(".text .over")).to_have_count(0)


def told(card, name: str):
    """What a card tells under a name."""
    return card.get_by_text(name, exact=True).locator("xpath=self::dt/following-sibling::dd[1]")


def correct(page, old: str, right: str, new: str):
    """Open what is listed as `old`, and say what is right; the card of what holds then."""
    listed(page, old).first.click()
    card = page.locator(".card")
    card.get_by_role("button", name="Correct").click()
    card.get_by_label("What is right").fill(right)
    card.get_by_role("button", name="Save").click()
    expect(card.locator(".text")).to_have_text(new)
    return card


def test_a_card_corrects_and_undoes_the_correction(page, http: httpx.Client):
    card = correct(page, "Bo likes chess.", "go", "Bo likes go.")
    old = listed(page, "Bo likes chess.").first
    expect(old.locator(".over")).to_be_visible()
    card.get_by_role("button", name="Undo").click()
    box = page.locator("dialog")
    expect(box).to_contain_text("Undo “corrected”?")
    expect(box).to_contain_text("takes back 1 change.")
    expect(box.locator("li", has_text="goes")).to_contain_text(["Bo likes go."])
    expect(box.locator("li", has_text="holds again")).to_contain_text("Bo likes chess.")
    box.get_by_role("button", name="Leave it").click()
    assert "go" in [one["object"] for one in http.get("/memories/tour/facts").json()]
    card.get_by_role("button", name="Undo").click()
    box.get_by_role("button", name="Undo", exact=True).click()
    sees(page, "Taken back.")
    expect(listed(page, "Bo likes go.")).to_have_count(0)
    expect(old.locator(".over")).to_have_count(0)
    known = [one for one in http.get("/memories/tour/facts").json() if one["object"] == "chess"]
    assert [one["valid_to"] for one in known] == [None]
    expect(page.locator(".card")).to_have_count(0)  # what it showed is no more
    tab(page, "History")
    page.locator(".changes li").first.get_by_role("button", name="Undo").click()
    box.get_by_role("button", name="Undo", exact=True).click()
    expect(listed(page, "Bo likes go.").first).to_be_visible()


def test_a_card_edits_words_pins_and_forgets_and_says_first_what_goes(page, http: httpx.Client):
    page.locator(".list").get_by_role("button", name="Bo", exact=True).click()
    card = page.locator(".card")
    card.get_by_role("button", name="Edit").click()
    card.get_by_label("Text").fill("Bob")
    card.get_by_role("button", name="Save").click()
    expect(card.locator(".text")).to_have_text("Bob")
    card.get_by_role("button", name="Pin").click()
    expect(card.get_by_role("button", name="Unpin")).to_be_visible()
    number = card.locator("h2").inner_text().split("m")[-1]
    goes = http.delete(f"/memories/tour/nodes/{number}", params={"dry_run": True}).json()["texts"]
    assert len(goes) > 2
    card.get_by_role("button", name="Forget").click()
    box = page.locator("dialog")
    expect(box.get_by_role("button", name="Keep it")).to_be_focused()
    expect(box).to_contain_text("It cannot be undone.")
    for text in goes.values():
        expect(box.locator("li", has_text=text).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(card.get_by_role("button", name="Forget")).to_be_focused()
    assert http.get(f"/memories/tour/nodes/{number}").status_code == 200
    card.get_by_role("button", name="Forget").click()
    box.get_by_role("button", name="Forget for good").click()
    sees(page, "is forgotten")
    for gone in goes:
        assert http.get(f"/memories/tour/nodes/{gone}").status_code == 404


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
    tab(page, "History")
    page.locator(".changes li").first.get_by_role("button", name="Undo").click()
    page.locator("dialog").get_by_role("button", name="Undo", exact=True).click()
    expect(graz.first).to_be_visible()


def test_a_change_is_told_in_words_and_a_comparison_lists_what_changed(page):
    tab(page, "History")
    page.get_by_label("Name of a snapshot").fill("then")
    page.get_by_role("button", name="Take").click()
    page.get_by_role("button", name="Compare with then").wait_for()
    newest = page.locator(".changes > ol > li").first
    correct(page, "Bo likes chess.", "go", "Bo likes go.")
    tab(page, "History")
    expect(newest.locator(".named")).to_contain_text("Bo likes go.")
    page.get_by_role("button", name="Compare with then").click()
    expect(page.locator(".diff")).to_contain_text("+ Bo likes go.")
    expect(page.locator(".diff .minus")).to_contain_text("Bo likes chess.")
    page.get_by_role("button", name="Sleep", exact=True).click()
    page.get_by_role("button", name="Good morning").press("Enter")
    expect(newest).to_contain_text(re.compile("slept.* arcs reweighted"))


def test_a_change_says_how_much_was_erased(page):
    listed(page, "Bo likes chess.").first.click()
    page.locator(".card").get_by_role("button", name="Forget").click()
    page.get_by_role("button", name="Forget for good").click()
    sees(page, "is forgotten")
    tab(page, "History")
    newest = page.locator(".changes > ol > li").first
    expect(newest).to_contain_text(
        re.compile(r"forgotten.*[1-9]\d* nodes? and [1-9]\d* arcs? erased")
    )
    expect(newest).not_to_contain_text("chess")


def test_what_a_model_was_taught_is_told_and_goes_with_what_is_forgotten(
    page, folder: Path, tmp_path: Path
):
    with mags.open(folder / "tour.mags", settings=Settings(), embedder=EMBEDDER) as memory:
        taught = train(memory, tmp_path / "weights")
    tab(page, "History")
    newest = page.locator(".changes > ol > li").first
    expect(newest).to_contain_text(f"taught to the model #{taught.seq + 1}")
    expect(newest).to_contain_text(f"{len(taught.ids)} facts, as first")
    listed(page, "Bo likes chess.").first.click()
    page.locator(".card").get_by_role("button", name="Forget").click()
    box = page.locator("dialog")
    expect(box).to_contain_text("A model was taught it. These are deleted, too:")
    expect(box.locator("li", has_text=str(tmp_path / "weights" / "first"))).to_be_visible()
    box.get_by_role("button", name="Forget for good").click()
    sees(page, "is forgotten")
    assert not (tmp_path / "weights" / "first").exists()


def test_what_others_write_appears_by_itself(page, http: httpx.Client):
    http.post("/memories/tour/turns", json={"text": "Ana plays the cello."})
    expect(listed(page, "Ana plays the cello.").first).to_be_visible()


def test_of_ten_thousand_memories_one_is_found_by_how_its_name_begins(
    page, served: Served, folder: Path
):
    for n in range(10_000):
        (folder / f"person-{n:05d}.mags").touch()
    page.locator("button.switch").click()
    names = page.locator(".names li")
    expect(names).to_have_count(50)
    sees(page, "The first 50")
    page.get_by_role("button", name="Show more").click()
    expect(names).to_have_count(100)
    assert names.last.inner_text() == "person-00099"
    page.get_by_label("Name of the memory").fill("person-0432")
    expect(names).to_have_text([f"person-{n:05d}" for n in range(4320, 4330)])
    page.get_by_label("Name of the memory").fill("elsewhere")
    page.get_by_role("button", name="Begin “elsewhere”").click()
    sees(page, "Nothing is remembered in")
    assert page.url == f"{served.base}/?memory=elsewhere"
    switch(page, "tou")
    expect(listed(page, "Ana moved to Lima.").first).to_be_visible()
    assert page.url == f"{served.base}/?memory=tour"


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
