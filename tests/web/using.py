"""What somebody does on the page, and what they see."""

import json
import os
from pathlib import Path

import pytest

from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Act, Operation, Writing

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / ".cache" / "screenshots"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
LOOKS = [
    {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
]
axe = pytest.mark.skipif(not AXE.exists(), reason="needs axe-core: `npm ci` in web/")
WAIT_MS = 30_000
FLAGS = [
    "--no-sandbox",
    # Drawn and put together without a graphics card. Composed by it, a canvas that is only cleared
    # would still show in a screenshot what stood on it before.
    "--use-angle=swiftshader",
    "--disable-gpu-compositing",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


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


def shoot(page, name: str) -> None:
    """Keep how a page looks now."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name.replace(os.sep, '-')}.png")


def not_loaded(page, why: str) -> int:
    """Take note of what a test itself kept from being loaded: how often the browser said so."""
    there = len(page.wrong)
    own = "Failed to load resource: "
    page.wrong[:] = [line for line in page.wrong if not (line.startswith(own) and why in line)]
    return there - len(page.wrong)


def nodes_listed(page):
    """The nodes that are drawn, as the list has them."""
    return page.locator(".list li button")


def listed(page, words: str):
    """A node of the list by its words."""
    return page.locator(".list li button", has_text=words)


def tab(page, name: str) -> None:
    """Turn to one of the panels beside the graph."""
    page.get_by_role("tab", name=name).click()


def to_graph(page) -> None:
    """Turn to the graph, where the screen is too narrow for it to stand beside the rest."""
    if page.get_by_role("tab", name="Graph").count():
        tab(page, "Graph")


def switch(page, name: str) -> None:
    """Open another memory by its name, by keyboard."""
    page.locator("button.switch").click()
    page.get_by_label("Name of the memory").fill(name)
    page.get_by_label("Name of the memory").press("Enter")


def say(page, words: str) -> None:
    """Say something in the chat, by keyboard."""
    tab(page, "Chat")
    page.get_by_label("Say something").fill(words)
    page.get_by_label("Say something").press("Enter")


def ask(page, words: str = "Where does Ana live?") -> None:
    """Ask, and wait until the answer's path is lit."""
    say(page, words)
    page.get_by_role("heading", name="Why this answer").wait_for()


def sees(page, words: str) -> None:
    """Wait until words are to be seen."""
    page.get_by_text(words).first.wait_for()


def violations(page) -> list[str]:
    """What axe-core holds against the page as it is now, minor things and good practice too.

    It runs in a world of its own, since the page's policy lets no foreign script in.
    """
    line = page.context.new_cdp_session(page)
    frame = line.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = line.send("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"]
    line.send(
        "Runtime.evaluate",
        {"expression": AXE.read_text(encoding="utf-8"), "contextId": world},
    )
    asked = "axe.run().then(found => JSON.stringify(found.violations))"
    told = line.send(
        "Runtime.evaluate", {"expression": asked, "contextId": world, "awaitPromise": True}
    )
    line.detach()
    return [
        f"{one['impact']}: {one['id']}: {one['nodes'][0]['html']}"
        for one in json.loads(told["result"]["value"])
    ]
