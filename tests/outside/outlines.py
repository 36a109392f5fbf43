"""Everything that users touch, as sorted lines: what `tests/outside/golden` holds.

What HTTP offers is held by `tests/server/openapi.json`.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import anyio

import mags
from mags.cli.app import app, whole
from mags.server import mcp
from mags.server.middleware import Metrics
from mags.settings import ENVIRONMENT, NESTED, Settings

ROOT = Path(__file__).resolve().parents[2]
BESIDE = (
    "mags.app.embedded",
    "mags.graph.delta.Delta",
    "mags.memory.views.MomentView",
    "mags.models.chat.scripted.ScriptedChat",
    "mags.models.embed.hashing.HashEmbedder",
    "mags.models.policy.rules.RulePolicy",
    "mags.plasticity.cycle.SleepReport",
    "mags.ports.answer.Answer",
    "mags.ports.chat.Usage",
    "mags.ports.policy.Act",
    "mags.ports.policy.Hop",
    "mags.ports.policy.Operation",
    "mags.ports.policy.Writing",
    "mags.ports.store.Mark",
    "mags.recall.chains.Chain",
    "mags.settings.ChatSettings",
    "mags.settings.PolicySettings",
    "mags.settings.Settings",
    "mags.settings.read_settings",
)
"""Names beside `mags.__all__` that README or docs import, or that `Memory` hands out."""
VARIABLE = re.compile(r"MAGS_[A-Z_]*[A-Z]")


def python() -> Iterator[str]:
    """Names, signatures, fields, and what errors derive from."""
    for name in mags.__all__:
        if name != "inspect":
            yield from _named(f"mags.{name}", getattr(mags, name))
    for name in mags.inspect.__all__:
        yield from _named(f"mags.inspect.{name}", getattr(mags.inspect, name))
    for path in BESIDE:
        module, _, name = path.rpartition(".")
        yield from _named(path, getattr(import_module(module), name))


def _named(path: str, one: Any) -> Iterator[str]:
    if not inspect.isclass(one):
        yield f"{path}{_signature(one)}"
        return
    if issubclass(one, BaseException):
        yield f"{path}: error of {', '.join(base.__name__ for base in one.__bases__)}"
        return
    yield f"{path}: class"
    if issubclass(one, Enum):
        yield from (f"{path}.{member.name} = {member.value!r}" for member in one)
        return
    if is_dataclass(one):
        yield from (f"{path}.{field.name}: {field.type}{_default(field)}" for field in fields(one))
    elif "__init__" in vars(one) and one is not mags.Memory:  # which `mags.open` makes
        yield f"{path}.__init__{_signature(one.__init__)}"
    for name, member in inspect.getmembers_static(one):
        owner = next(kind for kind in one.__mro__ if name in vars(kind))
        if name.startswith("_") or not owner.__module__.startswith("mags"):
            continue
        if isinstance(member, property):
            yield f"{path}.{name}: property"
        elif inspect.isroutine(member):
            yield f"{path}.{name}{_signature(getattr(member, '__func__', member))}"


def _default(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        return " = ..."
    return "" if field.default is MISSING else f" = {field.default!r}"


def _signature(one: Callable[..., Any]) -> str:
    """As it is written, but for what a default is that no text can tell."""
    whole = inspect.signature(one)
    parameters: list[str] = []
    for name, about in whole.parameters.items():
        if about.kind is about.KEYWORD_ONLY and not any(p.startswith("*") for p in parameters):
            parameters.append("*")
        stars = {about.VAR_POSITIONAL: "*", about.VAR_KEYWORD: "**"}.get(about.kind, "")
        kind = "" if about.annotation is about.empty else f": {about.annotation}"
        given = getattr(about.default, "__name__", repr(about.default))
        default = "" if about.default is about.empty else f" = {given}"
        parameters.append(f"{stars}{name}{kind}{default}")
    return f"({', '.join(p for p in parameters if p != 'self')}) -> {whole.return_annotation}"


def settings() -> Iterator[str]:
    """Every key of the settings file with its default, and every variable of the environment."""
    for key, default in settings_keys().items():
        entries = default.items() if isinstance(default, dict) else [("", default)]
        for name, value in entries:
            yield f"{f'{key}.{name}'.rstrip('.')} = {json.dumps(value)}"
    sleep = Settings().sleep
    yield from (f"sleep.{one.name} = off" for one in fields(sleep) if not getattr(sleep, one.name))
    sources = [path for part in ("src", "lab") for path in (ROOT / part).rglob("*.py")]
    used = {name for path in sources for name in VARIABLE.findall(path.read_text("utf-8"))}
    for name in used:
        yield f"{name} -> {'.'.join(ENVIRONMENT.get(name, ())) or 'see the documentation'}"


def settings_keys(kind: type = Settings, at: str = "") -> dict[str, Any]:
    """By key of the settings file its default as JSON; rules that are off with those once on."""
    made = kind()
    hints, out = get_type_hints(kind), {}
    for field in fields(kind):  # type: ignore[arg-type]
        moved = at == "memory" and field.name in NESTED
        key = field.name if moved else f"{at}.{field.name}".strip(".")
        value = getattr(made, field.name)
        parts = [one for one in (*get_args(hints[field.name]), type(value)) if is_dataclass(one)]
        if parts:
            out |= settings_keys(parts[0], key)
        else:
            out[key] = dict(value) if isinstance(value, Mapping) else value
    return out


def command_line() -> Iterator[str]:
    """Every verb with its arguments and options."""
    return _verbs("mags", whole(app))


def _verbs(path: str, command: Any) -> Iterator[str]:
    yield path
    hints = get_type_hints(command.callback) if command.callback else {}
    for one in command.params:
        said = [one.param_type_name, _kind(hints.get(one.name, bool))]
        said += ["required"] if one.required else []
        said += [f"or {one.envvar}"] if one.envvar else []
        if one.default not in (None, (), False, "") and not callable(one.default):
            said.append(f"default {getattr(one.default, 'value', one.default)}")
        yield f"{path} {'/'.join([*one.opts, *one.secondary_opts])}: {', '.join(said)}"
    for name, inner in getattr(command, "commands", {}).items():
        yield from _verbs(f"{path} {name}", inner)


def _kind(hint: Any) -> str:
    """What is given, without None; the words where only some are allowed."""
    if inspect.isclass(hint) and not get_args(hint):
        return "|".join(map(str, hint)) if issubclass(hint, Enum) else hint.__name__
    inner = [one if isinstance(one, str) else _kind(one) for one in get_args(hint)]
    many = f"{get_origin(hint).__name__} of " if inspect.isclass(get_origin(hint)) else ""
    return (many if many[:5] != "Union" else "") + "|".join(
        one for one in inner if one != "NoneType"
    )


def mcp_tools() -> Iterator[str]:
    """Tools, what they take and give, and the resources there are."""
    server = mcp.make(lambda *_: nullcontext(None))  # type: ignore[arg-type, return-value]

    async def listed() -> tuple[Any, ...]:
        return (
            await server.list_tools(),
            await server.list_resources(),
            await server.list_resource_templates(),
        )

    tools, resources, templates = anyio.run(listed)
    for tool in tools:
        taken, given = tool.input_schema, tool.output_schema or {}
        yield f"{tool.name}: {tool.annotations.model_dump_json(exclude_none=True)}"
        for name, about in taken["properties"].items():
            plain = json.dumps({k: v for k, v in about.items() if k != "title"}, sort_keys=True)
            needed = " required" if name in taken.get("required", ()) else ""
            yield f"{tool.name} <- {name}{needed}: {plain}"
        yield from (f"{tool.name} -> {name}" for name in given.get("properties", {}))
    yield from (f"resource {one.uri}: {one.mime_type}" for one in resources)
    yield from (f"template {one.uri_template}: {one.mime_type}" for one in templates)


def metrics() -> Iterator[str]:
    """Every metric with its kind and labels, as Prometheus meets it."""
    counted = Metrics(lambda: 0)
    counted.requests.labels("GET", "/", "200").inc()
    counted.seconds.labels("GET", "/").observe(0.1)
    counted.parts.labels("recall").observe(0.1)
    counted.upstream.labels("200").inc()
    for family in counted.registry.collect():
        for sample in family.samples:
            labels = ", ".join(sorted(sample.labels)) or "none"
            yield f"{sample.name}: {family.type}, labels {labels}"


OUTLINES: Mapping[str, Callable[[], Iterable[str]]] = {
    "python": python,
    "settings": settings,
    "command_line": command_line,
    "mcp": mcp_tools,
    "metrics": metrics,
}
