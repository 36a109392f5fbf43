"""The verbs, in the order in which one meets them."""

from __future__ import annotations

import typer

from mags.cli import (
    ask,
    branch,
    chat,
    connect,
    demo,
    diff,
    doctor,
    edit,
    explain,
    export,
    facts,
    feedback,
    forget,
    import_,
    log,
    neighbours,
    observe,
    pin,
    profile,
    recall,
    reembed,
    rollback,
    show,
    sleep,
    snapshot,
    stats,
)

app = typer.Typer(
    name="mags",
    help="A memory that learns, for any frozen language model.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

VERBS = {
    "demo": demo.demo,
    "chat": chat.chat,
    "observe": observe.observe,
    "recall": recall.recall,
    "ask": ask.ask,
    "explain": explain.explain,
    "feedback": feedback.feedback,
    "connect": connect.connect,
    "neighbours": neighbours.neighbours,
    "profile": profile.profile,
    "facts": facts.facts,
    "show": show.show,
    "stats": stats.stats,
    "sleep": sleep.sleep,
    "edit": edit.edit,
    "pin": pin.pin,
    "forget": forget.forget,
    "snapshot": snapshot.snapshot,
    "log": log.log,
    "diff": diff.diff,
    "branch": branch.branch,
    "rollback": rollback.rollback,
    "export": export.export,
    "import": import_.import_,
    "reembed": reembed.reembed,
    "doctor": doctor.doctor,
}

for _name, _verb in VERBS.items():
    app.command(name=_name)(_verb)
