"""Requests that nobody sends on purpose: no 5xx, no hang, and the counts add up.

Request number n is made from n alone (and the document of the server), so that a campaign can be
stopped, gone on with, and one request of it sent again.
"""

from __future__ import annotations

import http.client
import json
import random
import string
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlencode

from benchmarks.serving.process import free_port, running
from tests.server.asking import Asked, every_example

HANG_S = 60.0
"""What is not answered by then hangs."""
CLIENTS = 6
SAID = 400
"""Characters that are kept of what a failure says."""
BLOCK = 600
CLEAR = ("502 ModelUnavailable", "502 ModelReplyError", "503 Overloaded")
"""What is no fault of the server: a model that is not there, and a limit that was reached."""
NAMES = ("ana", "bo.1", "default", "events", "..", "a/b", "A" * 101, "%00", "кот", "a.mags", "")
ODD: tuple[object, ...] = (
    *(None, True, False, 0, -1, 1e308, float("nan"), float("inf"), 2**63, -(2**70)),
    *("", " ", "\x00", "\ud800", "m1", "m0", "[m1]", "data: [DONE]", "</s>", "NaN", "1970-01-01"),
    *("9999-12-31T23:59:60Z", "x" * 5_000, "' OR 1=1 --", "${jndi}", "\u202e", "🦆" * 50),
    *([], {}, [[[[[]]]]], {"": {"": None}}, {"$ref": "#"}),
)


def fuzz(folder: Path, kept: Path, *, requests: int) -> dict[str, float]:
    """Send what is missing of so many requests; statuses by count, over all runs so far.

    `kept`: where the counts of earlier runs lie, and the numbers of what failed; without it the
    campaign begins anew.
    """
    state = json.loads(kept.read_text()) if kept.exists() else {"counts": {}, "failures": []}
    tally, failures = Counter[str](state["counts"]), list(state["failures"])
    first, port = sum(tally.values()), free_port()
    begun = time.perf_counter()
    with running(folder, port) as server, ThreadPoolExecutor(CLIENTS) as pool:
        known, lines = _known(port), threading.local()

        def work(number: int) -> tuple[str, str]:
            if not hasattr(lines, "own"):
                lines.own = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_S)
            return _sent(lines.own, *_made(number, known))

        # A block is counted when all of it is answered: what was stopped is sent again.
        for start in range(first, requests, BLOCK):
            numbers = range(start, min(start + BLOCK, requests))
            for number, (became, said) in zip(numbers, pool.map(work, numbers), strict=True):
                tally[became] += 1
                if not became.isdigit() and became not in CLEAR:
                    failures.append(f"{number}: {became}: {said}")
            part = kept.with_suffix(".part")
            part.write_text(json.dumps({"counts": tally, "failures": failures}))
            part.replace(kept)
        alive = server.poll() is None
    done, seconds = sum(tally.values()), time.perf_counter() - begun
    return {
        "requests": float(done),
        "succeeded": float(sum(n for what, n in tally.items() if what[0] == "2")),
        "refused": float(sum(n for what, n in tally.items() if what[0] == "4")),
        "clear": float(sum(tally[what] for what in CLEAR)),
        "server_errors": float(
            sum(n for what, n in tally.items() if what[0] == "5" and what not in CLEAR)
        ),
        "hangs": float(tally["hang"]),
        "broken": float(tally["broken"]),
        "alive": float(alive),
        "requests_a_second": (done - first) / seconds,
    }


def _known(port: int) -> list[Asked]:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_S)
    line.request("GET", "/openapi.json")
    document = json.loads(line.getresponse().read())
    line.close()
    return [one for one in every_example(document) if one.name != "import"]


Sent = tuple[str, str, bytes, dict[str, str]]
"""Method, path with query, body and headers."""


def _made(number: int, known: list[Asked]) -> Sent:
    """One request: an example as it is, or with something odd in one or several places."""
    chance = random.Random(number)
    asked = chance.choice(known)
    inside = dict(asked.inside)
    if "namespace" in inside:
        inside["namespace"] = f"fuzz{chance.randrange(20)}"
    for name in inside:
        if chance.random() < 0.1:
            inside[name] = chance.choice(NAMES)
    query = dict(asked.query)
    if chance.random() < 0.1:
        query[chance.choice([*query, "branch", "k", "as_of", "limit"])] = chance.choice(ODD)
    asked = replace(asked, inside={name: quote(str(v), safe="") for name, v in inside.items()})
    path = asked.path + ("?" + urlencode(query, errors="replace") if query else "")
    headers = dict(asked.headers)
    body = b""
    if asked.media:
        headers["Content-Type"] = asked.media
        body = _body(chance, asked.body)
    if chance.random() < 0.03:
        headers[chance.choice(("Content-Type", "Accept", "Last-Event-ID", "X-Odd"))] = "".join(
            chance.choices(string.printable[:94], k=chance.randrange(1, 60))
        )
    method = asked.method if chance.random() < 0.97 else chance.choice(("GET", "POST", "PATCH"))
    return method, path, body, headers


def _body(chance: random.Random, example: object) -> bytes:
    kind = chance.random()
    if kind < 0.05:
        return chance.randbytes(chance.randrange(200))
    if isinstance(example, str):
        return example.encode()
    body = deepcopy(example)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 4))):
        body = _changed(chance, body)
    raw = json.dumps(body).encode()
    return raw[: chance.randrange(len(raw))] if kind > 0.97 else raw


def _changed(chance: random.Random, value: object) -> object:
    """The value with one thing in it another one, gone, or new."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(list(value))
        change: Callable[[], object] = chance.choice(
            (
                lambda: {**value, name: _changed(chance, value[name])},
                lambda: {key: one for key, one in value.items() if key != name},
                lambda: {**value, str(chance.choice(ODD))[:40]: chance.choice(ODD)},
            )
        )
        return change()
    if isinstance(value, list) and value and chance.random() < 0.8:
        at = chance.randrange(len(value))
        return [*value[:at], _changed(chance, value[at]), *value[at + 1 :]]
    return chance.choice(ODD)


def _sent(line: http.client.HTTPConnection, method: str, path: str, body: bytes,
          headers: dict[str, str]) -> tuple[str, str]:  # fmt: skip
    """Its status, "hang" for none in time, "broken" where the line was closed without one.

    And what a failure of the server says.
    """
    for again in (False, True):
        try:
            line.request(method, path, body, headers)
            answer = line.getresponse()
            if answer.headers.get_content_type() == "text/event-stream":
                line.close()  # it may never end
                return str(answer.status), ""
            said = answer.read()
            if answer.status < 500:
                return str(answer.status), ""
            problem = json.loads(said)
            kind = problem["error"]["code"] if "error" in problem else problem["type"]
            return f"{answer.status} {str(kind).rpartition(':')[2]}", str(problem)[:SAID]
        except TimeoutError:
            line.close()
            return "hang", ""
        except (OSError, http.client.HTTPException):
            # An idle line may be closed by the server at any time: sent once more on a new one.
            line.close()
            if again:
                return "broken", ""
    return "broken", ""
