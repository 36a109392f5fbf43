"""MCP, called by the SDK's own client: over stdio, and over HTTP with keys."""

import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from mags.server.auth import KeyRing, Scope
from tests.server.serving import Served, serving

TOOLS = ["recall", "observe", "ask", "explain", "forget", "snapshot", "rollback"]
TOLD = {"text": "Ana lives in Porto.", "speaker": "Bo", "key": "1"}


def talk(server: Any, what: Callable[[Client], Awaitable[None]]) -> None:
    """Run a conversation of a client with a server."""

    async def run() -> None:
        with anyio.fail_after(60.0):
            async with Client(server) as client:
                await what(client)

    anyio.run(run)


@asynccontextmanager
async def over_http(served: Served, key: str | None = None, memory: str = "") -> AsyncIterator[Any]:
    """A transport that carries a key."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    query = f"?memory={memory}" if memory else ""
    async with (
        httpx.AsyncClient(headers=headers, timeout=30.0, trust_env=False) as client,
        streamable_http_client(f"{served.base}/mcp{query}", http_client=client) as streams,
    ):
        yield streams


async def ok(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    return answer.content[0].text


async def every_tool(client: Client) -> None:
    assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
    seen = await ok(client, "observe", **TOLD)
    assert (await ok(client, "observe", **TOLD))["repeated"]
    await ok(client, "snapshot", name="then")
    found = await ok(client, "recall", query="Where does Ana live?")
    assert "Porto" in found["context"]
    told = await ok(client, "explain", trace=found["trace"])
    assert told["lines"]
    assert "Porto" in (await ok(client, "ask", question="Where does Ana live?"))["text"]
    known = await client.read_resource("mags://profile/Ana")
    assert "Porto" in known.contents[0].text
    changed = await client.read_resource("mags://changes/3")
    assert f'"seq":{seen["seq"]}' in changed.contents[0].text
    would = await ok(client, "forget", what="Porto")
    assert would["dry_run"]
    assert would["nodes"]["episode"]
    assert "Porto" in (await ok(client, "recall", query="Ana"))["context"]
    await ok(client, "forget", what="Porto", dry_run=False)
    assert "Porto" not in (await ok(client, "recall", query="Ana"))["context"]
    assert (await ok(client, "rollback", name="then"))["kind"] == "rollback"
    assert "there are: then" in await refused(client, "rollback", name="never")
    assert "no trace" in await refused(client, "explain", trace="x")
    short = await refused(client, "recall", query="")
    assert short == "Error executing tool recall: query: String should have at least 1 character"
    unknown = await refused(client, "explain", trace="x", speaker="Bo")
    assert unknown == "Error executing tool explain: it takes trace, and not speaker"
    await ok(client, "observe", text="I work at Acme.", speaker="Rolf")
    found = await ok(client, "ask", question="Where do I work?", speaker="Rolf")
    assert "Acme" in found["text"]
    assert found["outcome"] == "answered"
    assert (await ok(client, "ask", question="Where do I work?"))["outcome"] != "answered"
    hits = (await ok(client, "recall", query="Where do I work?", speaker="Rolf"))["hits"]
    assert "Acme" in hits[0]["text"]


async def every_listed_resource(client: Client) -> None:
    listed = {str(one.uri): one.mime_type for one in (await client.list_resources()).resources}
    assert listed == {
        "mags://profile/user": "application/json",
        "mags://changes/20": "application/x-ndjson",
    }
    seen = await ok(client, "observe", text="Ana lives in Porto.", speaker="Bo")
    unknown = (await client.read_resource("mags://profile/user")).contents[0].text
    assert json.loads(unknown) == {"name": "user", "facts": [], "past": []}
    await ok(client, "observe", text="I live in Faro.")
    known = (await client.read_resource("mags://profile/user")).contents[0]
    assert [fact["text"] for fact in json.loads(known.text)["facts"]] == ["User lives in Faro."]
    assert known.mime_type == "application/json"
    changes = (await client.read_resource("mags://changes/20")).contents[0].text.splitlines()
    assert json.loads(changes[0])["seq"] == seen["seq"]
    with pytest.raises(MCPError, match="nobody"):
        await client.read_resource("mags://profile/nobody")


def test_resources_that_are_listed_can_be_read(served: Served):
    talk(over_http(served, memory="listed"), every_listed_resource)


def test_every_tool_works_over_stdio(tmp_path: Path):
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mags", "mcp", "--memory", str(tmp_path / "a.mags")],
        env={**os.environ, "MAGS_CONFIG": os.devnull},
    )
    talk(server, every_tool)


def test_every_tool_works_over_http(served: Served):
    talk(over_http(served, memory="mcp"), every_tool)
    with served.client() as http:
        assert "mcp" in http.get("/memories").json()["memories"]


def test_a_key_leads_to_its_own_memory_and_no_further(folder: Path):
    ring = KeyRing(folder)
    ana = ring.add("ana", ("ana",), Scope.WRITE, 1.0)
    bo = ring.add("bo", ("bo",), Scope.WRITE, 1.0)
    reader = ring.add("reader", ("ana",), Scope.READ, 1.0)
    many = ring.add("many", ("team-*",), Scope.READ, 1.0)

    async def told(client: Client) -> None:
        await ok(client, "observe", **TOLD)

    async def unknown(client: Client) -> None:
        assert "there is no memory" in await refused(client, "recall", query="Ana")

    async def only_read(client: Client) -> None:
        assert "Porto" in (await ok(client, "recall", query="Ana"))["context"]
        assert "may read" in await refused(client, "observe", text="I am here.")

    with serving(folder, need_key=True) as served:
        talk(over_http(served, ana), told)
        talk(over_http(served, bo, memory="ana"), unknown)
        talk(over_http(served, many, memory="ana"), unknown)
        talk(over_http(served, reader), only_read)
        with served.client() as http:
            assert http.post("/mcp", json={}).status_code == 401


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"jsonrpc": "2.0"}', b'"\xff"'])
def test_what_is_no_message_is_refused(served: Served, body: bytes):
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    with served.client() as http:
        assert 400 <= http.post("/mcp", content=body, headers=headers).status_code < 500
