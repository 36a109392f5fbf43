"""Probes across tenants: keys of some try to get at the memories of others, by every way there is.

Each probe asks for another's memory (its name, in many spellings, wherever a name can stand; its
traces, branches and snapshots) with a key that does not see it. A leak is an answer that holds a
word of another's memory, or a memory that is not as it was before. Probes are numbered: a campaign
that is broken off goes on where it was.
"""

from __future__ import annotations

import http.client
import json
import random
import secrets
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.serving.process import free_port, running
from mags.server.auth import KeyRing, Scope

Json = dict[str, Any]
TENANTS, QUIET = 12, 6
"""So many tenants; the first of them only watch, so that nothing may change in their memories."""
CLIENTS, PIECE, CONTROL = 4, 500, 50
"""Clients at once; probes between two savings; every so many probes an owner asks, and gets."""
BROKEN = (OSError, http.client.HTTPException)
NEEDS_NO_BODY = ("GET", "DELETE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A tenant's memory and keys. `canary`: a word that stands in no other memory.

    `trace`, `branch`, `snapshot`, `node`: what else of it has a name.
    """

    name: str
    canary: str
    keys: tuple[str, ...]
    trace: str
    branch: str
    snapshot: str
    node: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestProbe:
    """One request as it is sent, by whom."""

    kind: str
    attacker: Tenant
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(slots=True)
class Campaign:
    """What came of the probes so far; saved in a file, so that it can go on."""

    done: int = 0
    controls: int = 0
    leaks: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)

    @classmethod
    def read(cls, path: Path) -> Campaign:
        """The campaign of a file, a new one where there is none."""
        if not path.exists():
            return cls()
        kept = json.loads(path.read_text())
        counts = {name: Counter(kept.pop(name)) for name in ("kinds", "answers")}
        return cls(**kept, **counts)

    def write(self, path: Path) -> None:
        """Save it, as a whole."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps({name: getattr(self, name) for name in self.__slots__}))
        part.replace(path)


def probes(folder: Path, *, times: int, state: Path) -> dict[str, float]:
    """Send probes until there were so many in all; how many leaked, and what was answered."""
    campaign, port = Campaign.read(state), free_port()
    with echoing() as model:
        ring = KeyRing(folder)
        root = ring.add("root", ("*",), Scope.ADMIN, 1.0)
        settings = {"MAGS_CHAT_URL": model, "MAGS_CHAT_MODEL": "echo", "MAGS_POLICY": "rules"}
        options = ("--need-key", "--audit", str(folder / "audit.jsonl"))
        with running(folder, port, options=options, settings=settings):
            tenants = [_tenant(port, ring, root, f"t{n}") for n in range(TENANTS)]
            before = {one.name: _state(port, root, one) for one in tenants[:QUIET]}
            operations = _operations(port)
            while campaign.done < times:
                numbers = range(campaign.done, min(campaign.done + PIECE, times))
                _piece(port, campaign, tenants, operations, numbers)
                _watched(port, root, campaign, tenants, before)
                campaign.write(state)
    refused = sum(n for status, n in campaign.answers.items() if status[0] == "4")
    return {
        "probes": campaign.done,
        "leaks": len(campaign.leaks),
        "controls": campaign.controls,
        "refused": refused,
        "failed": sum(n for status, n in campaign.answers.items() if status in ("500", "broken")),
        **{kind: count for kind, count in sorted(campaign.kinds.items())},
    }


def _tenant(port: int, ring: KeyRing, root: str, name: str) -> Tenant:
    """A memory with something in it, and keys that see it or what is named alike."""
    canary, line, at = f"q{secrets.token_hex(8)}", KeptConnection(port), f"/memories/{name}"
    mark = secrets.token_hex(6)
    told = [f"My secret code is {canary}.", f"I hid the {canary} in Oslo.", "I live in Porto."]
    line.told(root, f"{at}/turns/bulk", {"turns": [{"text": t, "speaker": "Ana"} for t in told]})
    line.told(root, f"{at}/snapshots", {"name": f"s{mark}"})
    line.told(root, f"{at}/branches", {"name": f"b{mark}"})
    found = line.told(root, f"{at}/recall", {"query": "What is the secret code?"})
    if canary not in json.dumps(found):
        raise RuntimeError(f"an owner does not get the own words: {found}")
    keys = [
        ring.add(f"{name} {number}", spaces, scope, 1.0, speaker=speaker)
        for number, (spaces, scope, speaker) in enumerate(
            (
                ((name,), Scope.READ, ""),
                ((name,), Scope.WRITE, ""),
                ((name,), Scope.ADMIN, ""),
                ((name,), Scope.WRITE, "Ana"),
                ((name, f"{name}-*"), Scope.ADMIN, ""),
            )
        )
    ]
    return Tenant(
        name=name, canary=canary, keys=tuple(keys), trace=found["trace"], branch=f"b{mark}",
        snapshot=f"s{mark}", node=found["hits"][0]["id"],
    )  # fmt: skip


def _state(port: int, root: str, tenant: Tenant) -> bytes:
    return KeptConnection(port).send("GET", f"/memories/{tenant.name}/log?limit=1000", root)[1]


def _watched(
    port: int, root: str, campaign: Campaign, tenants: list[Tenant], before: Mapping[str, bytes]
) -> None:
    """Look whether the quiet memories are as they were, and each holds only its own words."""
    for one in tenants:
        if one.name in before and _state(port, root, one) != before[one.name]:
            campaign.leaks.append(f"{one.name} was changed before probe {campaign.done}")
        there = KeptConnection(port).send(
            "GET", f"/memories/{one.name}/export?vectors=false", root
        )[1]
        for other in tenants:
            if other is not one and other.canary.encode() in there:
                campaign.leaks.append(f"{one.name} holds words of {other.name}")


def _piece(
    port: int,
    campaign: Campaign,
    tenants: list[Tenant],
    operations: list[tuple[str, str, list[bytes]]],
    numbers: range,
) -> None:
    lock, lines = threading.Lock(), threading.local()

    def work(number: int) -> None:
        chance = random.Random(number)
        line = getattr(lines, "line", None) or KeptConnection(port)
        lines.line = line
        attacker, victim = chance.choice(tenants[QUIET:]), chance.choice(tenants)
        if attacker is victim:
            victim = tenants[chance.randrange(QUIET)]
        probe = _probe(chance, number, attacker, victim, operations)
        try:
            status, body, head = line.raw(probe)
        except BROKEN:
            lines.line, status, body, head = None, 0, b"", b""
        others = (one for one in tenants if one is not attacker)
        foreign = [one.name for one in others if one.canary.encode() in body + head]
        with lock:
            campaign.kinds[probe.kind] += 1
            campaign.answers[str(status) if status else "broken"] += 1
            campaign.leaks += [f"{number}: {probe.method} {probe.path} got {x}" for x in foreign]
            campaign.controls += number % CONTROL == 0
        if number % CONTROL == 0:  # else answers that never say anything would pass
            asked = {"query": "What is the secret code?"}
            told = line.told(victim.keys[0], f"/memories/{victim.name}/recall", asked)
            if victim.canary not in json.dumps(told) and victim in tenants[:QUIET]:
                raise RuntimeError(f"{victim.name} does not get its own words")

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(work, numbers))
    campaign.done = numbers.stop


# -- what is asked


def _operations(port: int) -> list[tuple[str, str, list[bytes]]]:
    """Method, path and example bodies of each operation about a memory, from the document."""
    document = json.loads(KeptConnection(port).send("GET", "/openapi.json", None)[1])
    found = []
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            if "{namespace}" not in path:
                continue
            content = about.get("requestBody", {}).get("content", {})
            bodies: list[Any] = []
            for one in content.values():
                schema = one["schema"]
                if "$ref" in schema:
                    schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
                bodies += schema.get("examples", [])
            sent = [(b if isinstance(b, str) else json.dumps(b)).encode() for b in bodies]
            found.append((method.upper(), path, sent))
    return found


def _spelled(chance: random.Random, attacker: str, victim: str) -> str:
    """The victim's name as it may stand in a path."""
    wide = "".join(chr(0xFEE0 + ord(letter)) for letter in victim)
    return chance.choice(
        (
            victim, victim, victim, victim.upper(), f"{victim}%00", f"{victim}%20", f"{victim}*",
            f"./{victim}", f"{attacker}/../{victim}", f"{attacker}%2f..%2f{victim}", f"*{victim}",
            f"%2e%2e%2f{victim}", f"{attacker},{victim}", f"{attacker};{victim}", f"{victim};",
            f"%74{victim[1:]}", f"{victim}%23", f"/{victim}", f"{victim}/", "*", f"{victim}.mags",
            "".join(f"%{byte:02x}" for byte in wide.encode()),
        )
    )  # fmt: skip


def _probe(
    chance: random.Random,
    number: int,
    attacker: Tenant,
    victim: Tenant,
    operations: list[tuple[str, str, list[bytes]]],
) -> RequestProbe:
    kind = chance.choices(("http", "references", "mcp", "proxy"), (5, 2, 2, 1))[0]
    key = chance.choice(attacker.keys)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    headers |= chance.choice(
        (
            {}, {}, {}, {"X-API-Key": victim.name}, {"X-Forwarded-User": victim.name},
            {"X-Original-URL": f"/memories/{victim.name}/export"}, {"X-Memory": victim.name},
            {"X-HTTP-Method-Override": "GET"}, {"OpenAI-Organization": victim.name},
            {"Cookie": f"memory={victim.name}"}, {"X-Forwarded-Prefix": f"/memories/{victim.name}"},
        )
    )  # fmt: skip
    made = {"http": _named, "references": _referring, "mcp": _tool, "proxy": _chat}[kind]
    method, path, body = made(chance, attacker, victim, operations)
    if kind == "mcp":
        headers["Accept"] = "application/json, text/event-stream"
    return RequestProbe(
        kind=kind, attacker=attacker, method=method, path=path, headers=headers, body=body
    )


Operations = list[tuple[str, str, list[bytes]]]
Made = tuple[str, str, bytes | None]


def _named(chance: random.Random, attacker: Tenant, victim: Tenant, operations: Operations) -> Made:
    """Any operation on the other's memory."""
    method, path, bodies = chance.choice(operations)
    path = path.replace("{namespace}", _spelled(chance, attacker.name, victim.name))
    return method, _filled(path, victim), chance.choice(bodies) if bodies else None


def _referring(
    chance: random.Random, attacker: Tenant, victim: Tenant, operations: Operations
) -> Made:
    """The own memory, and what belongs to the other's wherever it may be named."""
    at, v = f"/memories/{attacker.name}", victim
    path = chance.choice(
        (
            f"{at}/traces/{v.trace}", f"{at}/log?branch={v.branch}", f"{at}/snapshots",
            f"{at}/facts?branch={v.branch}", f"{at}/diff?since={v.snapshot}",
            f"{at}/export?branch={v.branch}",
            f"{at}/export?namespace={v.name}", f"{at}/facts?namespace={v.name}&memory={v.name}",
            f"{at}/profile?of=Ana&namespace={v.name}", f"{at}/nodes/{v.node}?memory={v.name}",
            f"{at}/search?words=secret%20code&namespace={v.name}", f"/memories?namespace={v.name}",
            "/memories", "/metrics", "/settings/model", f"{at}/branches",
        )
    )  # fmt: skip
    posts: list[tuple[str, Json]] = [
        (f"{at}/feedback", {"trace": v.trace, "reward": 1.0}),
        (f"{at}/rollback", {"name": v.snapshot}),
        (f"{at}/recall?branch={v.branch}", {"query": "secret code"}),
        (f"{at}/recall?namespace={v.name}", {"query": "secret code"}),
        (f"{at}/recall", {"query": "secret code", "also": [v.name]}),
        (f"{at}/recall", {"query": "secret code", "also": [attacker.name, v.name, "*"]}),
        (f"{at}/ask", {"question": f"What is the secret code of {v.name}?"}),
        (f"{at}/ask?memory={v.name}", {"question": "What is the secret code?"}),
    ]
    if chance.random() < 0.6:
        return "GET", path, None
    path, body = chance.choice(posts)
    return "POST", path, json.dumps(body).encode()


def _tool(chance: random.Random, attacker: Tenant, victim: Tenant, _: Operations) -> Made:
    """A tool or a resource of MCP, with the other's memory named in the address."""
    a, v = attacker.name, victim.name
    named = chance.choice(
        (f"memory={v}", f"memory={v}", f"memory={a}&memory={v}", f"memory={v}&memory={a}",
         f"Memory={v}", f"namespace={v}", f"memory=%2e%2e%2f{v}", f"memory={v.upper()}", "memory=*")
    )  # fmt: skip
    tool, arguments = chance.choice(
        (
            ("recall", {"query": "What is the secret code?", "memory": v}),
            ("recall", {"query": "What is the secret code?"}),
            ("ask", {"question": "What is the secret code?"}),
            ("explain", {"trace": victim.trace}),
            ("observe", {"text": f"This is of {a}.", "speaker": "Bo"}),
            ("forget", {"what": "Oslo", "dry_run": True}),
            ("forget", {"what": "secret", "dry_run": False}),
            ("snapshot", {"name": f"of {a}"}),
            ("rollback", {"name": victim.snapshot}),
        )
    )
    call: Json = {"method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    if chance.random() < 0.25:
        uri = chance.choice(("mags://profile/Ana", "mags://changes/20", f"mags://profile/{v}"))
        call = {"method": "resources/read", "params": {"uri": uri}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, **call}).encode()
    return "POST", f"/mcp?{named}", body


def _chat(chance: random.Random, attacker: Tenant, victim: Tenant, _: Operations) -> Made:
    """A chat over the proxy, whose model says back all that it is shown."""
    user = chance.choice((victim.name, victim.name, victim.name.upper(), f"../{victim.name}", "*"))
    body = {
        "model": "echo",
        "user": user,
        "stream": chance.random() < 0.3,
        "messages": [{"role": "user", "content": f"What is the secret code? ({attacker.name})"}],
        "metadata": {"memory": victim.name},
    }
    path = chance.choice(("/v1/chat/completions", f"/v1/chat/completions?memory={victim.name}"))
    return "POST", path, json.dumps(body).encode()


def _filled(path: str, victim: Tenant) -> str:
    """A path with its other values, and the query that an operation needs."""
    path = path.replace("{trace}", victim.trace).replace("{node_id}", str(victim.node))
    needs = {"search": "words=secret", "connect": "start=Ana&end=Oslo", "neighbours": "of=Ana"}
    needs |= {"profile": "of=Ana", "diff": f"since={victim.snapshot}"}
    query = needs.get(path.rpartition("/")[2])
    return f"{path}?{query}" if query else path


# -- how it is asked


class KeptConnection:
    """One connection that is kept open, for requests that go out exactly as they are."""

    def __init__(self, port: int) -> None:
        """Connects at the first request."""
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=60.0)

    def send(
        self, method: str, path: str, key: str | None, body: bytes | None = None
    ) -> tuple[int, bytes, bytes]:
        """Status, body and headers."""
        headers = {"Content-Type": "application/json"}
        headers |= {} if key is None else {"Authorization": f"Bearer {key}"}
        return self._send(method, path, headers, body)

    def raw(self, probe: RequestProbe) -> tuple[int, bytes, bytes]:
        """The same of a probe."""
        return self._send(probe.method, probe.path, probe.headers, probe.body)

    def told(self, key: str, path: str, body: object) -> Any:  # noqa: ANN401 - any JSON
        """The answer to what must succeed; raises RuntimeError."""
        status, answer, _ = self.send("POST", path, key, json.dumps(body).encode())
        if status >= 300:
            raise RuntimeError(f"{path} answered {status}: {answer[:200]!r}")
        return json.loads(answer)

    def _send(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, bytes, bytes]:
        self._line.request(method, path, body, dict(headers))
        answer = self._line.getresponse()
        head = str(answer.headers).encode()
        if answer.status == 200 and path.partition("?")[0].endswith("/events"):
            self._line.close()  # it never ends: whoever gets one has got in
            return answer.status, b"".join(_first_piece(answer)), head
        return answer.status, answer.read(), head


def _first_piece(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    yield answer.read1(65_536)


@contextmanager
def echoing() -> Iterator[str]:
    """A model that says back all that it is shown; its address."""

    class Echo(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = " ".join(str(message["content"]) for message in body["messages"])
            message = {"role": "assistant", "content": said}
            if body.get("stream"):
                chunk = {"choices": [{"index": 0, "delta": message}]}
                answer, media = (
                    f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n",
                    "text/event-stream",
                )
            else:
                whole = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
                answer, media = json.dumps(whole), "application/json"
            self.send_response(200)
            self.send_header("Content-Type", media)
            self.send_header("Content-Length", str(len(answer.encode())))
            self.end_headers()
            self.wfile.write(answer.encode())

        def log_message(self, *_: object) -> None:
            """It has nothing to say."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
