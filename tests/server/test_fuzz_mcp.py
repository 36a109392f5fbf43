"""Whatever is sent to MCP: an answer in form, an error that names what was wrong, nothing lost."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.server.test_fuzz import FUZZ, HEADERS, JSON, near, sent
from tests.server.test_mcp import TOOLS

MCP, TOLD = "/mcp", "Ana lives in Porto."
MESSAGE, CRASHED = "event: message\r\ndata: ", "Error creating resource"
INTERNAL, UNPARSED = -32603, -32700
RESERVED = range(-32768, -31999)
IDS = st.sampled_from([1, 0, -5, 2**53 - 1, "a", "", "é"])
TEXT = st.text(max_size=20)
WORDS = st.sampled_from(["Ana", "Where does Ana live?", "Porto", "I like tea.", "\u2028", "%00"])
MARKS = st.sampled_from(["then", "now", "never"])
ARGUMENTS = {
    "query": WORDS | TEXT,
    "text": WORDS | TEXT,
    "question": WORDS | TEXT,
    "name": MARKS | TEXT,
    "what": WORDS | TEXT,
    "trace": TEXT,
    "k": st.integers(),
    "as_of": st.sampled_from(["2026-01-01", "never"]) | st.text(max_size=12),
    "dry_run": st.booleans(),
}
USUAL = {
    "recall": {"query": WORDS, "k": st.integers(0, 60)},
    "observe": {"text": WORDS, "key": st.sampled_from(["1", "2", None])},
    "ask": {"question": WORDS},
    "explain": {"trace": st.sampled_from(["kept", "gone"])},
    "forget": {"what": st.sampled_from(["Ana", "tea"]), "dry_run": st.booleans()},
    "snapshot": {"name": MARKS},
    "rollback": {"name": st.sampled_from(["then", "lost"])},
}


def call(id_: Any, method: Any, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


METHODS = [
    "initialize",
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/list",
    "ping",
    "x",
]
URIS = ["mags://profile/Ana", "mags://profile/Nobody", "mags://changes/5", "mags://changes/x"]
PARAMS = near(
    {
        "name": st.sampled_from(TOOLS),
        "arguments": near(ARGUMENTS),
        "uri": st.sampled_from(URIS) | st.builds("mags://changes/{}".format, st.text(max_size=8)),
        "protocolVersion": st.sampled_from(["2025-06-18", "1"]),
        "capabilities": st.just({}),
        "clientInfo": st.just({"name": "x", "version": "1"}),
    }
)
CALL = st.builds(call, IDS, st.sampled_from(METHODS), PARAMS)
READ = st.builds(
    lambda id_, uri: call(id_, "resources/read", {"uri": uri}), IDS, st.sampled_from(URIS)
)
USED = st.one_of(
    READ,
    *(
        st.builds(
            lambda id_, tool, given: call(id_, "tools/call", {"name": tool, "arguments": given}),
            IDS,
            st.just(tool),
            st.fixed_dictionaries(given),
        )
        for tool, given in USUAL.items()
    ),
)


@dataclass
class Remembering:
    """A memory that was told something, and another one whenever that was erased on demand."""

    http: httpx.Client
    name: str
    count: int = 0

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.count += 1
        self.path = f"/memories/{self.name}{self.count}"
        seen = self.http.post(f"{self.path}/turns", json={"text": TOLD, "speaker": "Bo"})
        self.episode = seen.json()["episode_id"]
        self.http.post(f"{self.path}/snapshots", json={"name": "then"})
        self.trace = self.http.post(f"{self.path}/recall", json={"query": "Ana"}).json()["trace"]

    def hear(self, body: Any) -> dict[str, Any] | None:
        """Send a message; the answer is in form, and what was told is there after it."""
        path = f"{MCP}?memory={self.path.removeprefix('/memories/')}"
        message = in_form(body, sent(self.http, path, body))
        found = {} if message is None else (message.get("result") or {})
        if (found.get("structuredContent") or {}).get("dry_run") is False:
            assert body["params"]["arguments"].get("dry_run", True) is not True
            self.begin()
        told = self.http.get(f"{self.path}/nodes/{self.episode}")
        assert (told.status_code, told.json().get("text")) == (200, TOLD)
        recalled = self.http.post(f"{self.path}/recall", json={"query": "Where does Ana live?"})
        assert recalled.status_code == 200
        return message


def in_form(body: Any, answer: httpx.Response) -> dict[str, Any] | None:
    """The JSON-RPC message of an answer; None where there is none, after a notification."""
    if answer.status_code == 202:
        assert body.get("id") is None
        assert answer.content == b""
        return None
    text = answer.text
    if answer.headers["content-type"] == "text/event-stream":
        head, text = text[: len(MESSAGE)], text[len(MESSAGE) :]
        assert head == MESSAGE
        assert text.count("\r\n") == 2  # one event and no more
    message = json.loads(text)
    assert message["jsonrpc"] == "2.0"
    assert message.keys() in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"})
    if answer.status_code == 200:
        assert message["id"] == body["id"]
    else:
        assert (answer.status_code, message["id"]) == (400, None)
        assert "error" in message
    names_what_was_wrong(body, message)
    return message


def names_what_was_wrong(body: Any, message: dict[str, Any]) -> None:
    """An error says more than that there was one: that is what a crash of a tool says."""
    if "error" in message:
        failure = message["error"]
        assert failure["code"] in RESERVED
        assert failure["message"].strip()
        assert not failure["message"].startswith(CRASHED)
        assert failure["code"] != INTERNAL or failure["data"]["uri"]  # a resource's own words
    elif message["result"].get("isError"):
        tool, (said,) = body["params"]["name"], message["result"]["content"]
        begin = f"Error executing tool {tool}: " if tool in TOOLS else "Unknown tool: "
        assert said["text"].startswith(begin)
        assert said["text"].removeprefix(begin).strip()


def test_every_message_to_mcp_is_answered_in_form_and_nothing_is_lost(client: httpx.Client):
    memory = Remembering(client, "any")
    forms: Counter[str] = Counter()

    @FUZZ
    @given(body=CALL | st.lists(CALL, max_size=2) | JSON)
    def one(body: Any) -> None:
        forms.update((memory.hear(body) or {"nothing": ""}).keys())

    one()
    assert min(forms["result"], forms["error"]) > 5


def test_every_tool_and_resource_works_among_calls_that_fail(client: httpx.Client):
    memory = Remembering(client, "usual")
    worked: set[str] = set()
    failed: set[str] = set()

    @settings(FUZZ, max_examples=100)
    @given(body=USED)
    def one(body: Any) -> None:
        wanted = body["params"].get("arguments", {})
        if wanted.get("trace") == "kept":
            wanted["trace"] = memory.trace
        message = memory.hear(body)
        assert message is not None
        wrong = "error" in message or message["result"].get("isError")
        (failed if wrong else worked).add(body["params"].get("uri") or body["params"]["name"])

    one()
    assert worked == {*TOOLS, "mags://profile/Ana", "mags://changes/5"}
    assert failed >= {"recall", "explain", "rollback", "mags://profile/Nobody", "mags://changes/x"}


@FUZZ
@given(raw=st.binary(max_size=200))
def test_bytes_that_are_no_message_are_told_so_in_form(client: httpx.Client, raw: bytes):
    answer = client.post(MCP, content=raw, headers=HEADERS)
    message = in_form(None, answer)
    assert message is not None
    if message["error"]["code"] != UNPARSED:
        json.loads(raw)  # JSON, though no message
