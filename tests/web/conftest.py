"""The page in a real Chromium; screenshots go to .cache/screenshots.

Needs the extra `browser` and Debian's `chromium` (see scripts/test_full.sh); the checks for access
need axe-core too (`npm ci` in web/).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.server.serving import Served, serving
from tests.web.using import WAIT_MS, nodes_listed, shoot, to_graph

TURNS = ("Ana lives in Oslo.", "Bo is Ana's brother.", "Bo likes chess.", "Ana moved to Lima.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memories"


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with serving(folder) as running:
        yield running


@pytest.fixture
def http(served: Served) -> Iterator[httpx.Client]:
    with served.client() as client:
        turns = [
            {"text": text, "speaker": "user", "at": f"2026-0{n + 1}-05", "session": f"s{n}"}
            for n, text in enumerate(TURNS)
        ]
        client.post("/memories/tour/turns/bulk", json={"turns": turns})
        yield client


@pytest.fixture
def bare(browser, request) -> Iterator[object]:
    """A page of no server yet; what it complains about fails the test."""
    with watched(browser, request) as made:
        yield made


@pytest.fixture
def blank(browser, served: Served, http: httpx.Client, request) -> Iterator[object]:
    """A page that nothing is loaded in yet, closed before its server; else as `bare`."""
    with watched(browser, request) as made:
        yield made


@contextmanager
def watched(browser, request) -> Iterator[object]:
    """A page that must not complain; how it looks at the end is kept."""
    options = getattr(request, "param", {"viewport": {"width": 1280, "height": 800}})
    context = browser.new_context(**{"reduced_motion": "reduce", **options})
    made, wrong = context.new_page(), []
    made.on("pageerror", lambda failure: wrong.append(str(failure)))
    made.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    made.set_default_timeout(WAIT_MS)
    made.wrong = wrong
    yield made
    if not made.is_closed():  # one whose server ended before it was looked at while there was one
        shoot(made, request.node.name)
    context.close()
    assert wrong == []


@pytest.fixture
def page(blank, served: Served) -> object:
    """The page on the memory `tour`, which is shown as a list."""
    blank.goto(f"{served.base}/?memory=tour")
    to_graph(blank)
    blank.get_by_role("button", name="List").click()
    nodes_listed(blank).first.wait_for()
    return blank
