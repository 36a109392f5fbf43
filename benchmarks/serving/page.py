"""How soon the page shows a memory, and how smoothly: a real Chromium, `mags serve`, both local.

    python -m benchmarks.serving.page                # 1,000 nodes, and 50,000 by regions
    python -m benchmarks.serving.page --only 1000

Needs the extra `browser` and Debian's `chromium`. The memories are kept in .cache/benchmarks/page.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.results import CACHE, result, save
from benchmarks.serving.loads import told
from benchmarks.serving.process import Client, free_port, running
from benchmarks.systems import System

COMMAND = "python -m benchmarks.serving.page"
WHOLE, LARGE = 1_000, 50_000
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--disable-background-networking"]
WAIT_MS = 120_000
SIZE = {"width": 1280, "height": 800}
MOVED_S = 3.0
"""How long the graph is dragged about while frames are counted."""

SEEN = """() => {
  const [drawn] = performance.getEntriesByName("mags-drawn");
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const files = performance.getEntriesByType("resource");
  return {
    first_paint_ms: paint.startTime,
    useful_paint_ms: drawn.startTime,
    longest_task_ms: Math.max(0, ...(window.long ?? [0])),
    bundle_kb: files.filter(f => f.name.includes("/assets/"))
      .reduce((sum, f) => sum + f.decodedBodySize, 0) / 1000,
    data_kb: files.filter(f => f.name.includes("/memories"))
      .reduce((sum, f) => sum + f.decodedBodySize, 0) / 1000,
  };
}"""
LONG = """window.long = [];
new PerformanceObserver(list => window.long.push(...list.getEntries().map(e => e.duration)))
  .observe({type: "longtask", buffered: true});"""
COUNT = """window.frames_seen = [];
const count = now => { window.frames_seen.push(now); requestAnimationFrame(count); };
requestAnimationFrame(count);"""


def main() -> int:
    """Measure and save; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--only", type=int, choices=(WHOLE, LARGE), default=None)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    for nodes in (WHOLE, LARGE):
        if options.only not in (None, nodes):
            continue
        found = measured(nodes, options.times)
        print(nodes, {key: round(value, 1) for key, value in found.items()}, flush=True)
        command = f"{COMMAND} --only {nodes}"
        save(result(f"page-{nodes}", System(name="MAGS"), {}, found, command))
    return 0


def measured(nodes: int, times: int) -> dict[str, float]:
    """Medians of `times` openings, each by a browser that has nothing of it yet."""
    with served(nodes) as (base, there), browsing() as browser:
        opened(browser, base)  # the server reads the memory from the disk once
        seen = [opened(browser, base) for _ in range(times)]
        facts = {key: median(one[key] for one in seen) for key in seen[0]}
        facts |= {"nodes": there, "times": times, "load_average": os.getloadavg()[0]}
        if nodes > WHOLE:
            entered = [into_region(browser, base) for _ in range(times)]
            facts |= {key: median(one[key] for one in entered) for key in entered[0]}
        return facts


@contextmanager
def served(nodes: int) -> Iterator[tuple[str, int]]:
    """A server with a memory of so many nodes, made once; its address and how many there are."""
    folder, port = CACHE / "page" / str(nodes), free_port()
    folder.mkdir(parents=True, exist_ok=True)
    with running(folder, port):
        there = filled(Client(port), nodes)
        yield f"http://127.0.0.1:{port}/?memory=shown", there


def filled(client: Client, nodes: int) -> int:
    """Observe until there are so many nodes, and sleep once; how many there are."""
    there, number = count(client), 0
    if there >= nodes:
        return there
    step = max(5, nodes // 250)
    while there < nodes:
        turns = [{"text": told(n), "speaker": "user"} for n in range(number, number + step)]
        status, body = client.send("POST", "/memories/shown/turns/bulk", {"turns": turns})
        if status != 201:
            raise RuntimeError(f"filling failed: {status} {body[:200]!r}")
        number += step
        there = count(client)
    client.send("POST", "/memories/shown/sleep", {})
    return count(client)


def count(client: Client) -> int:
    """Nodes of the memory."""
    status, body = client.send("GET", "/memories/shown/stats")
    return sum(json.loads(body)["nodes"].values()) if status == 200 else 0


@contextmanager
def browsing() -> Iterator[Browser]:
    """Debian's Chromium, without a graphics card: what any machine does at least as well."""
    with sync_playwright() as running_playwright:
        browser = running_playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=FLAGS
        )
        yield browser
        browser.close()


@contextmanager
def page_of(browser: Browser, base: str) -> Iterator[tuple[Page, float]]:
    """The page once the memory was drawn, and the processor time of its main thread (ms)."""
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.add_init_script(LONG)
    # Of its main thread alone, so that other work on the machine does not count.
    line = context.new_cdp_session(page)
    line.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(base)
    drawn(page)
    told = {one["name"]: one["value"] for one in line.send("Performance.getMetrics")["metrics"]}
    yield page, 1000 * told["TaskDuration"]
    context.close()


def drawn(page: Page) -> None:
    """Wait until the graph stands on the canvas."""
    ends = time.monotonic() + WAIT_MS / 1000
    while not page.evaluate("performance.getEntriesByName('mags-drawn').length"):
        if time.monotonic() > ends:
            raise RuntimeError("the graph is not drawn")
        page.wait_for_timeout(50)


def opened(browser: Browser, base: str) -> dict[str, float]:
    """Milliseconds until something, and until the graph, is to be seen; frames a second after."""
    with page_of(browser, base) as (page, cpu_ms):
        page.wait_for_timeout(4_000)  # the layout comes to rest
        seen: dict[str, Any] = page.evaluate(SEEN)
        return seen | dragged(page) | {"main_thread_cpu_ms": cpu_ms}


def into_region(browser: Browser, base: str) -> dict[str, float]:
    """Milliseconds from a click on the largest region until it is shown; frames in it."""
    with page_of(browser, base) as (page, _):
        page.get_by_role("button", name="List", exact=True).click()
        first = page.locator(".list li button").first
        first.wait_for()
        begun = page.evaluate("performance.now()")
        first.click()
        # The list and the graph are told at once: of the graph alone an old frame could be taken.
        page.locator(".list h2:not(:text-is('Regions'))").first.wait_for()
        took = page.evaluate("performance.now()") - begun
        page.get_by_role("button", name="List", exact=True).click()
        page.wait_for_timeout(4_000)
        moved = {f"region_{key}": value for key, value in dragged(page).items()}
        return {"region_ms": took, **moved}


def dragged(page: Page) -> dict[str, float]:
    """Frames while the graph is dragged about by the mouse: how many a second, and the longest."""
    box = page.locator(".canvas").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] - 30
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(COUNT)
    for step in range(int(MOVED_S * 20)):
        page.mouse.move(x + 120 * ((step % 20) / 10 - 1), y - 2 * (step % 40))
        page.wait_for_timeout(50)
    page.mouse.up()
    times: list[float] = page.evaluate("window.frames_seen")
    gaps = [after - before for before, after in pairwise(times)]
    return {
        "frames_a_second": 1000 * len(gaps) / (times[-1] - times[0]),
        "longest_frame_ms": max(gaps),
    }


if __name__ == "__main__":
    sys.exit(main())
