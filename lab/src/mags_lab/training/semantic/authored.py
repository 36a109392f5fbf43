"""How people may ask for a relation, in the words of a language model.

Only the names of relations are sent, nothing that a memory holds of anybody: `{s}` stands for whom
is asked about. What comes back is kept in a file, so that a relation is asked about once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mags.errors import ConfigurationError
from mags.files import appearing
from mags.ports.chat import ChatModel, Message

AT_ONCE = 8
"""Relations of a call."""
LONGEST = 120
"""Characters of a question."""
PROMPT = """\
People ask a memory about somebody, {s}, in many ways. For each relation below write

- ten questions, each on a line of its own that begins with "? ", that ask for what {s} has there
  (for "lives in": the place). They differ in their words as those of ten people would, in talk:
  some short, some roundabout, some without the relation's own words. None asks for more than that.
- three lines that begin with "= ", each a phrase that means it by way of {s}, as it could stand
  in a longer question (for "lives in": the town that {s} calls home).

Every line has {s} once and names nobody else. Write each relation's name on a line after "# ", then
its lines, and nothing more.

"""
_LINE = re.compile(r"^\s*([#?=])\s+(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """Questions for a relation, and phrases that mean its object; `{s}` is the subject."""

    questions: tuple[str, ...] = ()
    links: tuple[str, ...] = ()


def read_authored(path: Path) -> dict[str, Authored]:
    """What a file holds, by relation; nothing where there is none. Raises ConfigurationError."""
    if not path.is_file():
        return {}
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return {
            name: Authored(questions=tuple(row["questions"]), links=tuple(row["links"]))
            for name, row in rows.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise ConfigurationError(
            f"{path} holds no wordings ({failure}): delete it, and they are asked for anew.",
            key="--wordings",
        ) from failure


def author(chat: ChatModel, relations: Iterable[str], path: Path) -> dict[str, Authored]:
    """What the file holds, and of the relations that it lacks what the model writes, kept there.

    Raises ModelError, with what came before it kept.
    """
    found = read_authored(path)
    lacking = sorted(set(relations) - found.keys())
    for begin in range(0, len(lacking), AT_ONCE):
        some = lacking[begin : begin + AT_ONCE]
        asked = PROMPT + "\n".join(f"# {name}" for name in some)
        said = chat.complete([Message(role="user", content=asked)]).text
        found |= {name: Authored() for name in some} | written(said, some)
        with appearing(path) as out:
            rows = {name: asdict(one) for name, one in sorted(found.items())}
            json.dump(rows, out, ensure_ascii=False, indent=1)
    return found


def written(reply: str, relations: Sequence[str]) -> dict[str, Authored]:
    """What a reply has of these relations; lines of another form are left aside."""
    lines: Mapping[str, dict[str, list[str]]] = {name: {"?": [], "=": []} for name in relations}
    kept = None
    for mark, text in _LINE.findall(reply):
        if mark == "#":
            kept = lines.get(text)
        elif kept is not None and _is_whole(text) and (mark == "=") != text.endswith(("?", ".")):
            kept[mark].append(text)
    return {
        name: Authored(questions=tuple(each["?"]), links=tuple(each["="]))
        for name, each in lines.items()
    }


def _is_whole(text: str) -> bool:
    return (
        text.count("{s}") == 1
        and not re.search(r"[{}]", text.replace("{s}", ""))
        and (len(text) <= LONGEST)
    )
