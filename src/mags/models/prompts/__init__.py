"""Prompts are files: Markdown with a version in front and sections under `##` headings.

`## system` and `## user` frame a call, pairs of `## example` and `## reply` stand between them as
earlier exchanges, and further sections are named pieces. `{{name}}` is filled in when rendered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from mags.errors import ConfigurationError
from mags.ports.chat import Message

NAMES = ("ask", "write", "router", "answer", "answer_manager", "summarise", "remembered")

FRONT = re.compile(r"\A---\nversion: (\d+)\n---\n")
HEADING = re.compile(r"^## (.+)\n", re.MULTILINE)
SLOT = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt file. `version` grows with every change that could change a reply."""

    name: str
    version: int
    sections: Mapping[str, str]
    examples: tuple[tuple[str, str], ...] = ()

    def render(self, section: str, values: Mapping[str, str]) -> str:
        """One section with its slots filled; what is filled in is never read for slots again.

        Raises ConfigurationError for a section or a slot that is not there.
        """
        if section not in self.sections:
            raise ConfigurationError(
                f"The prompt {self.name!r} has no section '## {section}': add it to its file.",
                prompt=self.name,
                section=section,
            )

        def fill(slot: re.Match[str]) -> str:
            if slot[1] not in values:
                raise ConfigurationError(
                    f"The prompt {self.name!r} names the slot {slot[0]}, which is none of "
                    f"{', '.join(sorted(values))}.",
                    prompt=self.name,
                    slot=slot[1],
                )
            return values[slot[1]]

        return SLOT.sub(fill, self.sections[section])

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The whole call: system, the examples as earlier exchanges, user."""
        shown: list[Message] = []
        for asked, replied in self.examples:
            shown.append(Message(role="user", content=asked))
            shown.append(Message(role="assistant", content=replied))
        return (
            Message(role="system", content=self.render("system", values)),
            *shown,
            Message(role="user", content=self.render("user", values)),
        )


def parse(name: str, text: str) -> Prompt:
    """Read one prompt file; raises ConfigurationError where it is not in the form above."""
    front = FRONT.match(text)
    if front is None:
        raise ConfigurationError(
            f"The prompt {name!r} must begin with '---', 'version: N' and '---'.", prompt=name
        )
    _, *rest = HEADING.split(text[front.end() :])
    pairs = [
        (title.strip(), body.strip()) for title, body in zip(rest[::2], rest[1::2], strict=True)
    ]
    asked = [body for title, body in pairs if title == "example"]
    replied = [body for title, body in pairs if title == "reply"]
    sections = {title: body for title, body in pairs if title not in ("example", "reply")}
    if len(asked) != len(replied) or not {"system", "user"} <= sections.keys():
        raise ConfigurationError(
            f"The prompt {name!r} needs '## system', '## user', and a '## reply' for every "
            "'## example'.",
            prompt=name,
        )
    return Prompt(
        name=name,
        version=int(front[1]),
        sections=sections,
        examples=tuple(zip(asked, replied, strict=True)),
    )


def load_prompts(folder: Path | None = None) -> Mapping[str, Prompt]:
    """All prompts by name: those of `folder` where it has them, else the ones shipped."""
    shipped = resources.files(__name__)
    found = {}
    for name in NAMES:
        own = folder / f"{name}.md" if folder is not None else None
        source = own if own is not None and own.is_file() else shipped / f"{name}.md"
        found[name] = parse(name, source.read_text(encoding="utf-8"))
    return found
