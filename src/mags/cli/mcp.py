"""`mags mcp`: a memory for any client of the Model Context Protocol, over stdio."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mags.cli.shared import Branch, MemoryPath, Where
from mags.extras import bring

if TYPE_CHECKING:
    from mags.server.halls import Hall

TRACES = 200


def mcp(memory: MemoryPath = None, branch: Branch = "main") -> None:
    """Speak MCP over stdio: tools to recall, observe, ask, explain, forget, take back.

    For the settings of Claude Desktop and others: {"command": "mags", "args": ["mcp", "--memory",
    "/path/to/alice.mags"]}.
    """
    tools = bring("mags.server.mcp", extra="server", needed_for="mags mcp")
    halls = bring("mags.server.halls", extra="server", needed_for="mags mcp")
    with Where(path=memory, branch=branch).open(must_exist=False) as opened:
        hall = halls.Hall(memory=opened, traces=halls.Traces(TRACES))

        @contextmanager
        def enter(_context: Any, _needed: Any) -> Iterator[Hall]:  # noqa: ANN401 - any client's
            yield hall  # whoever may start the process may do everything

        tools.make(enter).run("stdio")
