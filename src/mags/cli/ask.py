"""`mags ask`: a question answered from memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from mags.cli.last import keep_trace
from mags.cli.picture import draw
from mags.cli.shared import AsJson, AsOf, Branch, MemoryPath, RecordedAsOf, Where, out, print_json
from mags.cli.tables import day, guess
from mags.memory.views import Reply


def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    as_of: AsOf = None,
    recorded_as_of: RecordedAsOf = None,
    speaker: Annotated[str, typer.Option(help="Who asks (who 'I' is).")] = "user",
    plot: Annotated[
        Path | None, typer.Option(help="Draw the recalled subgraph to .svg, .png or .html.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Answer a question from memory, with citations."""
    with Where(path=memory, branch=branch).open() as opened:
        reply = opened.ask(question, as_of, recorded_as_of=recorded_as_of, speaker=speaker)
        keep_trace(memory, reply.trace)
        if json:
            print_json(
                {
                    "text": reply.text,
                    "support": reply.support,
                    "citations": list(reply.citations),
                    "usage": reply.usage,
                    "answerer": reply.answerer,
                    "fallback": reply.fallback,
                    "learnt": None if reply.learnt is None else list(reply.learnt.facts),
                    "trace": reply.trace.as_dict(),
                }
            )
        else:
            print_reply(reply)
        if reply.found is not None:
            draw(opened, reply.found, plot, terminal=False)


def print_reply(reply: Reply, said: Console = out) -> None:
    """An answer, what it rests on, and what it cost."""
    said.print(f"[bold]{escape(reply.text)}[/]")
    print_basis(reply, said)


def print_basis(reply: Reply, said: Console = out) -> None:
    """What an answer rests on, and what it cost."""
    for c in reply.citations:
        who = f"{c.speaker}, " if c.speaker else ""
        told = escape(c.text) + guess(c)
        said.print(f"  [dim]m{c.id}[/] {told} [dim]({escape(who)}{day(c.at)})[/]")
    usage = reply.usage
    cost = f"{usage.calls} calls, {usage.tokens} tokens"
    said.print(f"  [dim]support {reply.support:.2f} · {escape(reply.answerer)} · {cost}[/]")
    if reply.learnt is not None:
        ids = (*reply.learnt.facts, *reply.learnt.notes, *reply.learnt.closed)
        made = ", ".join(f"m{i}" for i in ids) or "nothing new"
        said.print(f"  [dim]remembered by itself, from m{reply.learnt.episode_id}: {made}[/]")
    print_warnings(reply, said)


def print_warnings(reply: Reply, said: Console = out) -> None:
    """What did not go well beside a reply."""
    for warning in (*((reply.fallback,) if reply.fallback else ()), *reply.warnings):
        said.print(f"  [yellow]{escape(warning)}[/]")
