"""What is drawn on the canvas: shapes, colours, widths, what is lit, and what pulses."""

import itertools
import math

import httpx
import pytest

import mags
from tests.server.serving import EMBEDDER, Served
from tests.web.drawing import (
    CLOSELY,
    GROUND,
    LIT,
    STEP,
    THERE,
    Drawn,
    Shot,
    apart,
    colour,
    green,
    hue,
    hues_apart,
    opened,
    quiet,
    red,
    round_about,
    violet,
)
from tests.web.using import Unsure, ask, sees

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`").expect
pytestmark = pytest.mark.full

MORE = (
    "Zoe plays the cello.",
    "Zoe lives in Graz.",
    "Zoe's teacher is Max.",
    "Max plays the piano.",
    "Max lives in Wien.",
)
RING = 3.5
"""How far from its node's rim the ring of what is not certain stands."""
STILL_PULSE = 4 + 18 * 0.3
"""How far from its node's rim a pulse stands where nothing moves."""
PULSED_MS = 1_900
MOVING = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "no-preference"}
closely = pytest.mark.parametrize("blank", [CLOSELY], indirect=True, ids=["closely"])
GROWING = """name => new Promise((done) => {
  const canvas = document.querySelector(".canvas"), layer = canvas.querySelector(".sigma-ground");
  const radii = [], begun = performance.now();
  const violet = (x, y) => {
    const [r, g, b] = layer.getContext("2d").getImageData(x, y, 1, 1).data;
    return b - g > 12 && b - r > 9;
  };
  const look = () => {
    const node = canvas.seen().nodes[name];
    for (let far = 4; far < 24; far += 1) {
      const off = node.size + far;
      const around = [...Array(16).keys()].map((n) => n * Math.PI / 8)
        .filter((a) => violet(node.x + off * Math.cos(a), node.y + off * Math.sin(a)));
      if (around.length > 11) {
        radii.push(far);
        break;
      }
    }
    if (performance.now() - begun < 4000) requestAnimationFrame(look);
    else done(radii);
  };
  look();
})"""
"""How far from a node's rim its pulse stood, frame by frame, for four seconds."""


@pytest.fixture
def tour(http: httpx.Client) -> httpx.Client:
    """The memory `tour`, with a second circle of people in it."""
    turns = [
        {"text": text, "speaker": "Zoe", "at": f"2026-07-0{n + 1}", "session": f"z{n}"}
        for n, text in enumerate(MORE)
    ]
    http.post("/memories/tour/turns/bulk", json={"turns": turns, "apart": True})
    return http


@pytest.fixture
def known(tour: httpx.Client) -> dict[int, dict[str, object]]:
    """What the server has drawn, by id."""
    return {dot["id"]: dot for dot in picture(tour)["dots"]}


@pytest.fixture
def graph(blank, served: Served, known: dict[int, dict[str, object]]):
    """The page on the graph, all of it drawn."""
    opened(blank, served.base, len(known))
    return blank


def picture(http: httpx.Client) -> dict[str, list[dict[str, object]]]:
    return http.get("/memories/tour/picture").json()


def found(known: dict[int, dict[str, object]], kind: str, words: str) -> int:
    """The id of a node by its kind and words."""
    return next(i for i, dot in known.items() if (dot["kind"], dot["label"]) == (kind, words))


@closely
def test_episodes_are_squares_and_what_is_known_are_circles(graph, known):
    drawn, shot = Drawn(graph), Shot(graph)
    assert set(drawn.nodes) == set(known)
    looked_at = {"square": 0, "circle": 0}
    for name, node in drawn.alone():
        assert node.shape == ("square" if known[name]["kind"] == "episode" else "circle")
        assert apart(shot.at(node.x, node.y), colour(node.color)) < 12
        off = 0.78 * node.size  # a square has corners there, a circle has none
        corners = [shot.at(node.x + a * off, node.y + b * off) for a in (-1, 1) for b in (-1, 1)]
        filled = sum(apart(one, colour(node.color)) < 12 for one in corners)
        assert filled == (4 if node.shape == "square" else 0)
        looked_at[node.shape] += 1
    assert min(looked_at.values()) >= 5


@closely
def test_each_region_has_a_colour_of_its_own(graph, known):
    drawn, shot = Drawn(graph), Shot(graph)
    hues: dict[object, list[float]] = {}
    for name, node in drawn.alone():
        if known[name]["region"]:
            hues.setdefault(known[name]["region"], []).append(hue(shot.at(node.x, node.y)))
    assert len(hues) >= 3
    for of in hues.values():
        assert len(of) > 1
        assert max(hues_apart(a, b) for a, b in itertools.combinations(of, 2)) < 0.03
    for one, other in itertools.combinations(hues.values(), 2):
        assert hues_apart(one[0], other[0]) > 0.06


def test_the_stronger_an_association_the_wider_its_line(graph, tour: httpx.Client):
    weights: dict[frozenset[object], float] = {}
    for line in picture(tour)["lines"]:
        if line["kind"] == "association":
            pair = frozenset((line["src"], line["dst"]))
            weights[pair] = max(line["weight"], weights.get(pair, 0.0))
    widths = {arc.pair: arc.width for arc in Drawn(graph).arcs if arc.kind == "association"}
    assert set(widths) == set(weights)
    ordered = sorted(weights, key=weights.__getitem__)
    for weaker, stronger in itertools.pairwise(ordered):
        if weights[weaker] < weights[stronger]:
            assert widths[weaker] < widths[stronger]
    assert widths[ordered[-1]] > 3 * widths[ordered[0]]


@closely
def test_what_is_over_is_paler_than_what_holds(graph, known):
    drawn, shot = Drawn(graph), Shot(graph)
    over = drawn.nodes[found(known, "fact", "Ana lives in Oslo.")]
    said = drawn.nodes[found(known, "episode", "Ana lives in Oslo.")]
    faint, strong = (apart(shot.at(one.x, one.y), GROUND) for one in (over, said))
    assert 0 < faint < 0.5 * strong
    assert hues_apart(hue(colour(over.color)), hue(colour(said.color))) < 0.03  # of one region


@closely
def test_what_fades_grows_paler(graph, known, tour: httpx.Client):
    chess = found(known, "fact", "Bo likes chess.")
    before = apart(colour(Drawn(graph).nodes[chess].color), GROUND)
    tour.patch(f"/memories/tour/nodes/{chess}", json={"strength": 0.1})
    was = Drawn(graph).nodes[chess].color
    graph.wait_for_function(
        "([n, was]) => document.querySelector('.canvas').seen().nodes[n].color !== was",
        arg=[str(chess), was],
    )
    graph.wait_for_timeout(PULSED_MS)
    node = Drawn(graph).nodes[chess]
    assert apart(Shot(graph).at(node.x, node.y), GROUND) < 0.6 * before


def test_the_ways_to_the_evidence_of_an_answer_are_lit_and_nothing_else(graph):
    with graph.expect_response("**/traces/*") as answer:
        ask(graph, "Where does Zoe's teacher live?")
    trace = answer.value.json()["trace"]
    own = [hit for hit in trace["hits"] if hit["id"] in trace["cited"]]
    assert 0 < len(trace["cited"]) < len(trace["hits"])
    graph.wait_for_timeout(200)  # the graph is drawn in the next frame
    drawn = Drawn(graph)
    assert lit(drawn, LIT) == set(trace["cited"])
    on_the_way = {end for hit in own for one in hit["path"] for end in ends(one)}
    anchors = {hit["anchor"] for hit in own if hit["anchor"]}
    assert lit(drawn, STEP) == (on_the_way | anchors) - lit(drawn, LIT)
    steps = {frozenset(ends(one)) for hit in own for one in hit["path"]}
    assert steps
    assert {arc.pair for arc in drawn.arcs if arc.color == STEP} == steps
    assert all(arc.width == 3.5 for arc in drawn.arcs if arc.color == STEP)
    graph.get_by_label("Close the reasons").click()
    graph.wait_for_timeout(200)
    assert lit(Drawn(graph), LIT) == set()


@closely
def test_a_guess_has_a_dashed_ring_and_what_is_disputed_a_red_one(blank, served, folder):
    with mags.open(folder / "unsure.mags", policy=Unsure(), embedder=EMBEDDER) as memory:
        memory.observe("The cello again.", speaker="Ana")
    with mags.open(folder / "unsure.mags", embedder=EMBEDDER) as memory:
        memory.observe("My favourite food is risotto.", speaker="Ana")
        memory.observe("Ana's favourite food is pizza.", speaker="Bo")
        facts = {fact.object: fact for fact in memory.facts()}
    assert (facts["cello"].tentative, facts["pizza"].disputed) == (True, True)
    blank.goto(f"{served.base}/?memory=unsure")
    blank.wait_for_function(THERE, arg=len(facts))
    blank.wait_for_timeout(600)
    marks = {node: one.mark for node, one in Drawn(blank).nodes.items()}
    assert (marks[facts["cello"].id], marks[facts["risotto"].id]) == ("guess", None)
    assert marks[facts["pizza"].id] == "disputed"
    sees(blank, "dashed ring: a guess · red ring: disputed")
    assert round_about(blank, facts["pizza"].id, RING, red) > 0.9
    assert 0.2 < round_about(blank, facts["cello"].id, RING, quiet) < 0.9
    assert round_about(blank, facts["risotto"].id, RING, red) == 0


def lit(drawn: Drawn, written: str) -> set[int]:
    return {name for name, one in drawn.nodes.items() if one.color == written}


def ends(step: dict[str, int]) -> tuple[int, int]:
    return step["src"], step["dst"]


def test_what_came_pulses_green_and_what_was_touched_violet(graph, tour: httpx.Client):
    came = tour.post("/memories/tour/turns", json={"text": "Max has a cat."}).json()["episode_id"]
    graph.wait_for_function("n => document.querySelector('.canvas').seen().nodes[n]", arg=str(came))
    graph.wait_for_timeout(100)
    assert round_about(graph, came, STILL_PULSE, green) > 0.8
    graph.wait_for_timeout(PULSED_MS)
    assert round_about(graph, came, STILL_PULSE, green) == 0
    tour.patch(f"/memories/tour/nodes/{came}", json={"pinned": True})
    expect(graph.locator(".counts")).to_be_visible()
    graph.wait_for_timeout(800)  # until the change has come
    assert round_about(graph, came, STILL_PULSE, violet) > 0.8
    graph.wait_for_timeout(PULSED_MS)
    assert round_about(graph, came, STILL_PULSE, violet) == 0


def test_what_was_cut_pulses_red(graph, known, tour: httpx.Client):
    chess, bo = found(known, "entity", "chess"), found(known, "episode", "Bo likes chess.")
    before = ground_like(graph, red)
    tour.put("/memories/tour/associations", json={"src": bo, "dst": chess, "weight": None})
    tour.put("/memories/tour/associations", json={"src": chess, "dst": bo, "weight": None})
    graph.wait_for_timeout(800)
    assert before == 0
    along = math.dist(*((one.x, one.y) for one in map(Drawn(graph).nodes.get, (chess, bo))))
    assert ground_like(graph, red) > 0.3 * along  # a dashed line between the two
    graph.wait_for_timeout(PULSED_MS)
    assert ground_like(graph, red) == 0


def ground_like(page, like) -> int:
    """How many pixels under the graph have a colour."""
    data = page.evaluate("""() => {
      const layer = document.querySelector(".canvas .sigma-ground");
      const { data } = layer.getContext("2d").getImageData(0, 0, layer.width, layer.height);
      const found = {};
      for (let n = 0; n < data.length; n += 4) {
        const one = `${data[n]} ${data[n + 1]} ${data[n + 2]}`;
        found[one] = (found[one] ?? 0) + 1;
      }
      return found;
    }""")
    return sum(n for one, n in data.items() if like(tuple(map(int, one.split()))))


@pytest.mark.parametrize("blank", [MOVING], indirect=True, ids=["moving"])
def test_a_pulse_grows_where_motion_is_welcome(graph, known, tour: httpx.Client):
    graph.wait_for_timeout(5_000)  # until the layout is at rest
    zoe = found(known, "entity", "Zoe")
    graph.evaluate(f"() => {{ window.growing = ({GROWING})('{zoe}') }}")
    tour.patch(f"/memories/tour/nodes/{zoe}", json={"pinned": True})
    radii = graph.evaluate("window.growing")
    assert radii == sorted(radii)
    assert radii[-1] >= radii[0] + 4
