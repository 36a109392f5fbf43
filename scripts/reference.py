"""Write what is generated in the documentation: docs/reference/{python,cli,settings,http}.md.

    python -m scripts.reference

It also copies what MAGS reached from docs/benchmarks.md into the README. What stands by hand
between the marks of `CONTRACT` in python.md stays. The tests fail where these files are not what
this would write.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from math import inf
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import mags
from mags.cli.app import app, whole
from mags.settings import ENVIRONMENT, NESTED, Settings
from scripts.http_reference import http

ROOT = Path(__file__).resolve().parent.parent
BY_SCRIPT = "<!-- Written by `python -m scripts.reference`; do not edit by hand. -->"
GLANCE = ("<!-- glance -->", "<!-- /glance -->")
GLANCED = 3
"""Columns of the benchmarks' first table that the README shows."""
CONTRACT = ("<!-- contract -->", "<!-- /contract -->")


def pages() -> dict[Path, str]:
    """Every generated file and what stands in it."""
    readme = ROOT / "README.md"
    page = ROOT / "docs/reference/python.md"
    return {
        page: python(within(page.read_text(encoding="utf-8"), CONTRACT)[1]),
        ROOT / "docs/reference/cli.md": cli(),
        ROOT / "docs/reference/settings.md": settings(),
        ROOT / "docs/reference/http.md": f"{BY_SCRIPT}\n\n{http()}",
        readme: glanced(
            readme.read_text(encoding="utf-8"),
            (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8"),
        ),
    }


# -- Python ----------------------------------------------------------------------


def python(contract: str) -> str:
    """The names that are a contract, then every public name with its docstring."""
    names = [getattr(mags, name) for name in mags.__all__]
    errors = [one for one in names if inspect.isclass(one) and issubclass(one, Exception)]
    values = [
        one
        for one in names
        if inspect.isclass(one) and one not in errors and one is not mags.Memory
    ]
    parts = [
        BY_SCRIPT,
        "# Python",
        "Everything that `import mags` gives. Times are datetimes, ISO texts or seconds; what is "
        "handed out is frozen.",
        CONTRACT[0] + contract + CONTRACT[1],
        _function("mags.open", mags.open),
        "## Memory",
        _prose(mags.Memory),
        *(_function(name, one) for name, one in _methods(mags.Memory)),
        "## `mags.inspect`",
        _prose(mags.inspect),
        *(_function(name, getattr(mags.inspect, name)) for name in mags.inspect.__all__),
        "## Values",
        *(_value(one) for one in values),
        "## Errors",
        "\n".join(f"- `{one.__name__}` ({one.__bases__[0].__name__}): {_first(one)}"
                  for one in sorted(errors, key=lambda e: len(e.__mro__))),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _methods(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, one in vars(kind).items():
        if not name.startswith("_") and inspect.isfunction(one):
            yield name, one


def _function(name: str, one: Callable[..., Any]) -> str:
    return (
        f"### `{name}`\n\n```text\n{name.rpartition('.')[2]}{_signature(one)}\n```\n\n{_prose(one)}"
    )


def _signature(one: Callable[..., Any]) -> str:
    """The signature, a parameter a line where it is long."""
    whole = inspect.signature(one)
    shown: list[str] = []
    for name, parameter in whole.parameters.items():
        if name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        default = "" if parameter.default is parameter.empty else f" = {_given(parameter.default)}"
        shown.append(f"{stars}{name}: {parameter.annotation}{default}")
    line = f"({', '.join(shown)}) -> {whole.return_annotation}"
    if len(line) <= 80:
        return line
    inner = "".join(f"    {one},\n" for one in shown)
    return f"(\n{inner}) -> {whole.return_annotation}"


def _given(value: object) -> str:
    if callable(value):
        return f"{value.__module__}.{getattr(value, '__name__', value)}"
    return repr(value)


def _value(kind: type) -> str:
    head = f"### `{kind.__name__}`\n\n{_prose(kind)}"
    if not is_dataclass(kind):
        return head
    rows = "\n".join(f"- `{one.name}`: `{one.type}`" for one in fields(kind))
    extra = "\n".join(
        f"- `{name}`: {_first(member.fget if isinstance(member, property) else member)}"
        for name, member in vars(kind).items()
        if not name.startswith("_")
        and (isinstance(member, property | classmethod) or inspect.isfunction(member))
        and getattr(member, "__doc__", None)
    )
    return f"{head}\n\n{rows}" + (f"\n{extra}" if extra else "")


def _prose(one: object) -> str:
    return inspect.cleandoc(one.__doc__ or "")


def _first(one: object) -> str:
    return _prose(one).split("\n\n")[0].replace("\n", " ")


# -- the command line ------------------------------------------------------------


def cli() -> str:
    """Every verb with its arguments and options, from the typer app."""
    group = whole(app)
    parts = [
        BY_SCRIPT,
        "# Command line",
        f"{group.help} `mags VERB --help` tells the same in the terminal. A wrong use or a failure "
        "is one line on standard error and exit code 2; Ctrl-C leaves the memory whole (exit "
        "code 130).",
        *(part for name, command in group.commands.items() for part in _verbs(name, command)),
    ]
    return "\n\n".join(parts) + "\n"


def _verbs(name: str, command: Any) -> Iterator[str]:  # noqa: ANN401
    """A verb; of a group what it is for, and then each of its verbs."""
    found = getattr(command, "commands", {})
    inner = {one: verb for one, verb in found.items() if not verb.hidden}
    if not inner:
        yield _verb(name, command)
        return
    rows = "\n".join(f"- [`mags {name} {one}`](#{name}-{one})" for one in inner)
    yield f"## `{name}`\n\n{command.help}\n\n{rows}"
    for one, verb in inner.items():
        yield _verb(f"{name} {one}", verb)


def _verb(name: str, command: Any) -> str:  # noqa: ANN401
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    usage = " ".join(
        [f"mags {name}", *(_placed(one) for one in arguments), *(["[OPTIONS]"] if options else [])]
    )
    lines = [f"- `{_placed(one)}`: {getattr(one, 'help', '') or ''}" for one in arguments]
    lines += [_option(one) for one in options]
    return f"## `{name}`\n\n{command.help}\n\n```text\n{usage}\n```\n\n" + "\n".join(lines)


def _placed(one: Any) -> str:  # noqa: ANN401
    name = (one.name or "").upper()
    return name if one.required else f"[{name}]"


def _option(one: Any) -> str:  # noqa: ANN401
    names = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
    said = one.help or ""
    if one.envvar:
        said += f" Also `{one.envvar}`."
    if one.default not in (None, False, "", ()) and not callable(one.default):
        said += f" Default: `{one.default}`."
    return f"- {names}: {said.strip()}"


# -- settings --------------------------------------------------------------------


def settings() -> str:
    """Every setting with type, default, range and environment variable."""
    variables = {".".join(place): name for name, place in ENVIRONMENT.items()}
    variables |= {"embedder": "MAGS_EMBEDDER"}
    parts = [
        BY_SCRIPT,
        "# Settings",
        "A TOML file (what `MAGS_CONFIG` names, else `~/.config/mags/config.toml`) with these "
        "tables; environment variables go before it. "
        "`false` stands for none: it switches a rule of sleep off, a limit too. An unknown key or "
        "a value out of range is an error that names what is allowed.",
        "`MAGS_EMBEDDER` is one word for the table `[embedder]`: `embedded`, a folder, or "
        "`URL#model`. Where no endpoint is named, `OPENAI_BASE_URL` is taken for `chat.url`, and "
        "then `OPENAI_API_KEY` for its key; the key alone configures nothing.",
        *_tables(Settings, Settings(), "", variables),
    ]
    return "\n\n".join(parts) + "\n"


def _tables(kind: type, given: Any, at: str, variables: Mapping[str, str]) -> Iterator[str]:  # noqa: ANN401
    hints = get_type_hints(kind)
    inner = {one.name: _part(hints[one.name], getattr(given, one.name)) for one in fields(kind)}
    plain = [one for one in fields(kind) if inner[one.name] is None]
    if plain:
        head = f"## `[{at}]`" if at else "## At the top"
        rows = [
            "| setting | default | allowed | variable |",
            "|---|---|---|---|",
            *(_row(one, hints[one.name], getattr(given, one.name), at, variables) for one in plain),
        ]
        yield "\n\n".join([head, _prose(kind), "\n".join(rows)])
    for one in fields(kind):
        value = inner[one.name]
        if value is not None:
            name = one.name if one.name in NESTED else f"{at}.{one.name}".strip(".")
            tables = _tables(type(value), value, name, variables)
            if getattr(given, one.name) is None:
                head, _, rest = next(tables).partition("\n\n")
                yield f"{head}\n\nOff unless its table is there, which may be empty.\n\n{rest}"
            yield from tables


def _part(hint: Any, value: Any) -> Any:  # noqa: ANN401
    """A part with settings of its own, as it is by default once switched on; None for a value."""
    kinds = [kind for kind in get_args(hint) if is_dataclass(kind)]
    if value is None and kinds and isinstance(kinds[0], type):
        return kinds[0]()
    return value if is_dataclass(value) else None


def _row(one: Any, hint: Any, value: Any, at: str, variables: Mapping[str, str]) -> str:  # noqa: ANN401
    key = f"{at}.{one.name}".strip(".")
    variable = variables.get(key, "")
    shown = f"`{variable}`" if variable else ""
    return f"| `{one.name}` | {_default(value)} | {_allowed(one, hint)} | {shown} |"


def _default(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, Mapping):
        return "; ".join(f"`{name}` {number:g}" for name, number in value.items())
    if isinstance(value, int | float):
        return f"`{value:g}`" if abs(value) < 1e6 else f"`{value:.0f}`"
    return f"`{value.value if isinstance(value, Enum) else value}`" if value != "" else "empty"


def _allowed(one: Any, hint: Any) -> str:  # noqa: ANN401
    union = get_origin(hint) in (UnionType, Union)
    options = [kind for kind in (get_args(hint) if union else (hint,)) if kind is not NoneType]
    if get_origin(hint) is Literal:
        return ", ".join(f"`{word}`" for word in get_args(hint))
    kind = options[0]
    least, most = one.metadata.get("within", (-inf, inf))
    words = {bool: "`true`, `false`", int: "whole number", float: "number", str: "text"}
    said = words.get(kind, "path" if kind is Path else "table of numbers")
    if "within" in one.metadata:
        said += f" from {least:,g} to {most:,.10g}"
    if one.metadata.get("url"):
        said = "URL"
    return said


# -- what the README says of the benchmarks -----------------------------------------


def glanced(readme: str, benchmarks: str) -> str:
    """The README with the rows of the benchmarks' first table in which MAGS was measured."""
    head, _, tail = within(readme, GLANCE)
    section = benchmarks.partition("## At a glance")[2].partition("\n## ")[0]
    table = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("|")]
    rows = [cells for cells in table[2:] if cells[1].strip() not in ("", "not run")]
    shown = [f"|{'|'.join(cells[:GLANCED])}|" for cells in [*table[:2], *rows]]
    if not rows:
        shown = ["Nothing was measured yet."]
    return "\n".join([head + GLANCE[0], *shown, GLANCE[1] + tail])


def within(page: str, marks: tuple[str, str]) -> tuple[str, str, str]:
    """What stands before, between and after two marks of a page."""
    head, begin, rest = page.partition(marks[0])
    inner, end, tail = rest.partition(marks[1])
    if not (begin and end):
        raise ValueError(f"a page lacks {marks[0]} or {marks[1]}")
    return head, inner, tail


def main() -> None:
    """Write every generated file."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
