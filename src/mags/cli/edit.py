"""`mags edit`: change a node by hand."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mags.cli import tables
from mags.cli.shared import Branch, MemoryPath, Where, node_id, out
from mags.errors import InvalidInput


def edit(
    node: Annotated[str, typer.Argument(help="A node as m12.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    text: Annotated[str | None, typer.Option(help="New text; of a fact it is read.")] = None,
    subject: Annotated[str | None, typer.Option(help="Whom or what a fact is about.")] = None,
    relation: Annotated[str | None, typer.Option(help="What it says of it: 'lives in'.")] = None,
    object_: Annotated[str | None, typer.Option("--object", help="And of what.")] = None,
    importance: Annotated[float | None, typer.Option(help="In [0, 1].")] = None,
    confidence: Annotated[float | None, typer.Option(help="In [0, 1].")] = None,
    valid_from: Annotated[str | None, typer.Option(help="Event time it began.")] = None,
    valid_to: Annotated[str | None, typer.Option(help="Event time it ended, or 'open'.")] = None,
) -> None:
    """Change a node's text or numbers; `mags rollback` takes it back."""
    given = {
        "text": text,
        "importance": importance,
        "confidence": confidence,
        "valid_from": valid_from,
        "valid_to": valid_to,
    }
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    triple = {"subject": subject, "relation": relation, "object": object_}
    said = {end: words for end, words in triple.items() if words is not None}
    if said:
        changes["meta"] = said
    if not changes:
        raise InvalidInput("nothing to change: give --text, --importance, --valid-to ...")
    with Where(path=memory, branch=branch).open() as opened:
        out.print(tables.node(opened.edit(node_id(node), **changes)))
