"""Verbs that ask a memory: they look and explain, and leave it as it is.

`feedback` stands here, too: it rewards the answer that `ask` or `recall` gave last.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.text import Text

from mags.cli import console, printing
from mags.cli.drawing import draw
from mags.inspect import near
from mags.memory.memory import recall_across
from mags.recall.found import Found, FoundAcross
from mags.store.folder import SUFFIX, FolderCatalog

Plot = Annotated[
    Path | None, typer.Option(help="Draw the recalled subgraph to .svg, .png or .html.")
]

SHOWN = ("text", "outcome", "support", "citations", "usage", "answerer", "fallback", "weights")
"""Of a reply, as JSON."""
ALL = Path("*")
"""Of `--also`: all memories in the folder of the first."""


def recall(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    k: Annotated[int, typer.Option("-k", help="How many hits.")] = 10,
    as_of: console.AsOf = None,
    recorded_as_of: console.RecordedAsOf = None,
    speaker: Annotated[str, typer.Option(help="Who asks.")] = "user",
    context: Annotated[int, typer.Option(help="Print a context of this many tokens.")] = 0,
    plot: Plot = None,
    graph: Annotated[bool, typer.Option("--graph", help="Draw it in the terminal.")] = False,
    also: Annotated[
        list[Path] | None,
        typer.Option("--also", help="Another memory, ranked with the first; '*': all beside it."),
    ] = None,
    json: console.AsJson = False,
) -> None:
    """Show the memories that a question calls up, best first."""
    if also:
        with ExitStack() as stack:
            first = stack.enter_context(console.opened(memory, branch))
            named, every = console.named(memory), {str(memory): first}
            if ALL in also:
                beside = near(first, query, FolderCatalog(named.parent))
                also = [*also, *(named.parent / f"{name}{SUFFIX}" for name in beside)]
            for path in also:
                if path != ALL and str(path) not in every:
                    every[str(path)] = stack.enter_context(console.opened(path, branch))
            across = recall_across(
                every, query, k, as_of, recorded_as_of=recorded_as_of, speaker=speaker
            )
        if json:
            console.print_json({"hits": list(across.hits)})
        else:
            _show(across, context)
        return
    with console.opened(memory, branch) as mem:
        found = mem.recall(query, k, as_of, recorded_as_of=recorded_as_of, speaker=speaker)
        console.keep_trace(memory, found.trace)
        if json:
            console.print_json({"hits": list(found.hits), "trace": found.trace.as_dict()})
        else:
            _show(found, context)
        draw(mem, found, plot, terminal=graph)


def _show(found: Found | FoundAcross, context: int) -> None:
    if context:
        console.out.print(found.context(context), markup=False)
    else:
        console.out.print(printing.hits(found) if len(found) else "Nothing recalled.")


def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    as_of: console.AsOf = None,
    recorded_as_of: console.RecordedAsOf = None,
    speaker: Annotated[str, typer.Option(help="Who asks (who 'I' is).")] = "user",
    plot: Plot = None,
    json: console.AsJson = False,
) -> None:
    """Answer a question from memory, with citations."""
    with console.opened(memory, branch) as mem:
        reply = mem.ask(question, as_of, recorded_as_of=recorded_as_of, speaker=speaker)
        console.keep_trace(memory, reply.trace)
        if json:
            learnt = None if reply.learnt is None else list(reply.learnt.facts)
            shown = {name: getattr(reply, name) for name in SHOWN}
            console.print_json(shown | {"learnt": learnt, "trace": reply.trace.as_dict()})
        else:
            printing.print_reply(reply)
        if reply.found is not None:
            draw(mem, reply.found, plot)


def explain(
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    limit: Annotated[int, typer.Option("-k", help="How many hits to explain.")] = 5,
    json: console.AsJson = False,
) -> None:
    """Explain the last `ask` or `recall`: anchors, paths, shares, sources."""
    trace = console.last_trace(memory)
    with console.opened(memory, branch) as mem:
        if json:
            console.print_json(trace.as_dict())
        else:
            console.out.print(str(mem.explain(trace, limit)), markup=False)


def feedback(
    reward: Annotated[float, typer.Argument(help="From -1 (wrong) to 1 (right).")],
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
) -> None:
    """Reward the paths that led to the last answer (use `-- -1` for a negative one)."""
    trace = console.last_trace(memory)
    with console.opened(memory, branch) as mem:
        counted = mem.feedback(trace, reward)
    console.out.print("Noted." if counted else "This answer was rewarded before; nothing changed.")


def connect(
    start: console.NodeOrName,
    end: Annotated[str, typer.Argument(help="Another.")],
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    json: console.AsJson = False,
) -> None:
    """Show the strongest path between two things."""
    with console.opened(memory, branch) as mem:
        path = mem.connect(console.node_or_name(start), console.node_or_name(end))
    none = "No path joins them."
    console.print_view(
        path, lambda one: Text(f"{one} (strength {one.strength:.3f})") if one else none, json=json
    )


def neighbours(
    node: console.NodeOrName,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    limit: Annotated[int, typer.Option("-k", help="How many.")] = 20,
    json: console.AsJson = False,
) -> None:
    """List everything one arc away, strongest first."""
    with console.opened(memory, branch) as mem:
        found = mem.neighbours(console.node_or_name(node))[:limit]
    console.print_view(found, printing.neighbours, json=json)


def profile(
    name: console.NodeOrName,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    json: console.AsJson = False,
) -> None:
    """Show the facts about a person or thing, now and before."""
    with console.opened(memory, branch) as mem:
        view = mem.profile(console.node_or_name(name))
    if json:
        console.print_json(view)
        return
    also = f" (also {', '.join(view.aliases)})" if view.aliases else ""
    said = "1 episode" if view.episodes == 1 else f"{view.episodes} episodes"
    console.out.print(f"[bold]{escape(view.name)}[/]{escape(also)}, in {said}")
    for title, found in (("Now", view.facts), ("Before", view.past), ("Named by", view.about)):
        if found:
            console.out.print(f"[dim]{title}[/]")
            console.out.print(printing.facts(found))


def facts(
    subject: Annotated[str | None, typer.Argument(help="Only about this name.")] = None,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    as_of: console.AsOf = None,
    recorded_as_of: console.RecordedAsOf = None,
    json: console.AsJson = False,
) -> None:
    """List facts with their validity; closed ones are struck through."""
    with console.opened(memory, branch) as mem:
        found = mem.facts(subject, as_of, recorded_as_of=recorded_as_of)
    console.print_view(
        found, lambda found: printing.facts(found) if found else "No facts.", json=json
    )


def show(
    node: console.Node,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    json: console.AsJson = False,
) -> None:
    """Show one node: text, validity, strength, sources."""
    with console.opened(memory, branch) as mem:
        view = mem.get(console.node_id(node))
    console.print_view(view, printing.node, json=json)


def stats(
    memory: console.MemoryPath = None, branch: console.Branch = "main", json: console.AsJson = False
) -> None:
    """Count nodes, arcs and facts, and tell where the bytes are."""
    with console.opened(memory, branch) as mem:
        view = mem.stats()
    console.print_view(view, printing.stats, json=json)
