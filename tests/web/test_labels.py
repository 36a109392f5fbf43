"""Words beside nodes: they stand on no others, and within the canvas."""

import itertools

import httpx
import pytest

from tests.server.serving import Served
from tests.web.using import ask, to_graph

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`").expect
pytestmark = pytest.mark.full

LONG = "Zoe keeps bees on the roof of the old brewery by the harbour, and sells their honey in May."
SIZES = [{"viewport": {"width": width, "height": 800}} for width in (1280, 390)]
sizes = pytest.mark.parametrize("blank", SIZES, indirect=True, ids=["wide", "390px"])
SIDES = (("left", "x", -1), ("right", "x", 1), ("top", "y", -1), ("bottom", "y", 1))
NAMED = "least => Object.keys(document.querySelector('.canvas').seen().labels).length >= least"


@pytest.fixture
def graph(blank, served: Served, http: httpx.Client):
    """The page on a graph of more names than there is room for."""
    names = [f"Person{n} lives in Town{n}." for n in range(40)]
    turns = [{"text": text, "at": "2026-07-01", "session": text} for text in (*names, LONG)]
    http.post("/memories/tour/turns/bulk", json={"turns": turns, "apart": True})
    blank.goto(f"{served.base}/?memory=tour")
    to_graph(blank)
    blank.wait_for_function(NAMED, arg=5)
    return blank


def labels(page) -> dict[str, dict[str, float]]:
    """Where words stand, by node."""
    return page.evaluate("document.querySelector('.canvas').seen().labels")


def meet(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether words stand on others."""
    across = one["left"] < other["right"] and other["left"] < one["right"]
    return across and one["top"] < other["bottom"] and other["top"] < one["bottom"]


def holds(page, least: int) -> None:
    """Of `least` labels or more none stands on another or leaves the canvas."""
    shown, room = labels(page), page.locator(".stage .canvas").bounding_box()
    assert len(shown) >= least
    for one in shown.values():
        assert 0 <= one["left"] < one["right"] <= room["width"]
        assert 0 <= one["top"] < one["bottom"] <= room["height"]
    assert not [pair for pair in itertools.combinations(shown.values(), 2) if meet(*pair)]


@sizes
def test_words_beside_nodes_never_stand_on_each_other(graph):
    holds(graph, 5)


@sizes
def test_words_along_a_path_never_stand_on_each_other(graph):
    ask(graph, "Where does Ana's brother live?")
    to_graph(graph)
    graph.wait_for_timeout(200)  # the graph is drawn in the next frame
    holds(graph, 2)


def test_facts_are_named_in_the_graph(blank, served: Served, http: httpx.Client):
    blank.goto(f"{served.base}/?memory=tour")
    blank.wait_for_function(NAMED, arg=5)
    blank.wait_for_timeout(600)
    dots = http.get("/memories/tour/picture").json()["dots"]
    assert {str(dot["id"]) for dot in dots if dot["kind"] == "fact"} <= labels(blank).keys()


@sizes
def test_long_words_on_a_plate_are_wrapped_and_leave_their_node_free(graph):
    graph.get_by_role("button", name="List").click()
    graph.locator(".list li button", has_text="old brewery").first.click()
    number = graph.locator(".card h2").inner_text().split("m")[-1]
    to_graph(graph)
    graph.get_by_role("button", name="List").click()
    graph.wait_for_function(
        "n => document.querySelector('.canvas').seen().nodes[n]?.ringed", arg=number
    )
    graph.wait_for_timeout(200)
    holds(graph, 2)
    plate = labels(graph)[number]
    node = graph.evaluate("n => document.querySelector('.canvas').seen().nodes[n]", number)
    assert plate["bottom"] - plate["top"] > 30  # two lines or more
    around = {side: node[axis] + way * node["size"] for side, axis, way in SIDES}
    assert not meet(plate, around)
