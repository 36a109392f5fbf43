"""Who answers, keys, and what the page says when something is missing."""

from pathlib import Path

import httpx
import pytest

from mags.server.auth import KeyRing, Scope
from tests.server.serving import Served, serving
from tests.web.using import listed, nodes_listed, not_loaded, say, sees, shoot

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`").expect
pytestmark = pytest.mark.full

NOBODY = "http://127.0.0.1:9/v1"


def settings(page) -> None:
    """Open the settings and wait until they are there."""
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Address").wait_for()


def test_a_model_is_chosen_and_given_up_again(page, http: httpx.Client):
    settings(page)
    page.get_by_label("Address").fill(NOBODY)
    page.get_by_label("Model").fill("small")
    page.get_by_label("Key", exact=True).fill("sk-secret")
    page.get_by_role("button", name="Save").click()
    sees(page, f"From now on small at {NOBODY} answers.")
    told = {"url": NOBODY, "model": "small", "key_set": True}
    assert http.get("/settings/model").json() == told
    assert "sk-secret" not in page.content()
    page.get_by_role("button", name="As configured").click()
    sees(page, "no model answers")
    assert http.get("/settings/model").json()["url"] == ""
    page.keyboard.press("Escape")
    expect(page.get_by_label("Address")).to_have_count(0)


def test_a_key_that_is_set_stays_until_it_is_removed(page, http: httpx.Client):
    http.put("/settings/model", json={"url": NOBODY, "model": "small", "key": "sk-secret"})
    settings(page)
    page.get_by_label("Model").fill("large")
    page.get_by_role("button", name="Save").click()
    sees(page, "From now on large")
    assert http.get("/settings/model").json()["key_set"]
    page.get_by_label("Remove the key that is set").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Remove the key that is set")).to_have_count(0)
    assert not http.get("/settings/model").json()["key_set"]


def test_a_wrong_address_is_told_in_the_settings(blank, served: Served):
    blank.goto(f"{served.base}/?memory=tour")
    settings(blank)
    blank.get_by_label("Address").fill("http://name:secret@localhost:1/v1")
    blank.get_by_role("button", name="Save").click()
    expect(blank.locator("dialog [role=status]")).to_contain_text("without a name or a key")
    assert not_loaded(blank, "422") == 1


def test_a_model_that_is_down_is_told_and_the_memory_quoted(page, http: httpx.Client):
    http.put("/settings/model", json={"url": NOBODY, "model": "small"})
    say(page, "Where does Ana live?")
    sees(page, "The model did not answer, so the memory is quoted")
    expect(page.locator(".talk .memory").last).to_contain_text("Lima")


def test_a_key_is_asked_for_where_one_is_needed(bare, tmp_path: Path, request):
    folder = tmp_path / "locked"
    key = KeyRing(folder).add("page", ("tour",), Scope.WRITE, 1.0)
    with serving(folder, need_key=True) as served, served.client(key) as client:
        client.post("/memories/tour/turns", json={"text": "Ana lives in Oslo."})
        bare.goto(f"{served.base}/")
        bare.get_by_label("This server wants a key").fill(key)
        assert not_loaded(bare, "401") == 1
        bare.get_by_role("button", name="Use it").click()
        bare.get_by_role("button", name="List").click()
        expect(nodes_listed(bare).first).to_be_visible()
        bare.get_by_role("button", name="Settings").click()
        sees(bare, "the model is set with an admin key")
        assert not_loaded(bare, "403") == 1
        shoot(bare, request.node.name)
        bare.close()


def test_a_server_that_is_gone_is_told_and_found_again(bare, tmp_path: Path, request):
    folder, page = tmp_path / "memories", bare
    with serving(folder) as served, served.client() as client:
        client.post("/memories/tour/turns", json={"text": "Ana lives in Oslo."})
        page.goto(f"{served.base}/?memory=tour")
        page.get_by_role("button", name="List").click()
        listed(page, "Ana lives in Oslo.").first.wait_for()
        port = int(served.base.rsplit(":", 1)[1])
    sees(page, "The server does not answer. It is tried again every second")
    say(page, "Bo likes chess.")
    sees(page, "No answer came.")
    shoot(page, f"{request.node.name}-gone")
    with serving(folder, port=port) as served, served.client() as client:
        expect(page.get_by_text("It is tried again every second")).to_have_count(0, timeout=15_000)
        client.post("/memories/tour/turns", json={"text": "Bo likes chess."})
        expect(listed(page, "Bo likes chess.").first).to_be_visible(timeout=15_000)
        assert not_loaded(page, "ERR_CONNECTION_REFUSED") > 1
        shoot(page, request.node.name)
        page.close()
