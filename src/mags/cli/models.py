"""`mags models`: the policies there are, which one is in use, and how to take one elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from json import loads as json_of
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mags.app import make_adapters, make_both, make_heads
from mags.cli.config import set_policy
from mags.cli.joined import join
from mags.cli.shared import AsJson, out, print_json
from mags.errors import InvalidInput
from mags.models.policy.heads.weights import SHIPPED
from mags.ports.policy import Policy
from mags.settings import NANO_GONE, PolicySettings, config_file, read_settings

models = typer.Typer(
    help="List the policies there are, choose one, compare and export them.", no_args_is_help=True
)
ALWAYS = {
    "auto": "a prompted model where one is configured, else both",
    "rules": "no model at all",
    "prompted": "the configured language model with a few-shot prompt",
    "heads": "trained on the embedded encoder, with the rules for what it is unsure of",
    "both": "the rules, and beside them what the heads are sure of",
    "served": "the configured language model, taught as MAGS teaches (a merged adapter)",
}
COMES = {"heads": SHIPPED.path, "both": SHIPPED.path}
MADE: dict[str, Callable[[], Policy]] = {
    "heads": make_heads,
    "both": make_both,
}
ROLES = ("ask", "write", "router")
HEADS, ADAPTER = ".npz", "mags.json"
"""By what a file is known for heads, and a folder for that of an adapter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One policy: what `mags models use` takes for it, and what it is."""

    given: str
    about: str
    megabytes: float | None = None
    used: bool = False


@models.callback()
def about() -> None:
    """List the policies there are, choose one, compare and export them."""


@models.command(name="list")
def list_(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders to look into, else this one.")
    ] = None,
    json: AsJson = False,
) -> None:
    """List the policies there are; the one in use is marked."""
    found = listed(folders or [Path()])
    if json:
        print_json(found)
        return
    made = Table("", "policy", "what it is", "MB")
    for one in found:
        size = "" if one.megabytes is None else f"{one.megabytes:.1f}"
        made.add_row("*" if one.used else "", one.given, one.about, size)
    out.print(made)


def listed(folders: list[Path]) -> list[Listed]:
    """The policies that come with MAGS, that of the settings, and adapters below folders."""
    policy = read_settings(os.environ).policy
    found = [
        Listed(given=name, about=what, used=policy.kind == name and policy.path is None)
        for name, what in ALWAYS.items()
        if name not in COMES or COMES[name].is_file()
    ]
    if policy.kind == "heads" and policy.path is not None:
        found.append(Listed(given=str(policy.path), about="heads", used=True))
    return [*found, *_adapters(folders, policy)]


def _adapters(folders: list[Path], policy: PolicySettings) -> list[Listed]:
    """Adapters below some folders, and that of the settings; one for each role counts once."""
    used = policy.path.resolve() if policy.kind == "adapters" and policy.path else None
    places = {card.parent.resolve() for folder in folders for card in folder.rglob(ADAPTER)}
    roles = {place.parent for place in places if place.name in ROLES}
    whole = {place for place in places if place.parent not in roles} | roles
    return [
        Listed(
            given=str(place),
            about=f"adapter of {_base(place)}" + (": one for each role" if place in roles else ""),
            megabytes=sum(one.stat().st_size for one in place.rglob("*.safetensors")) / 1e6,
            used=place == used,
        )
        for place in sorted(whole | ({used} if used else set()))
    ]


def _base(place: Path) -> str:
    """The base that an adapter's card names, or "" where the card is gone."""
    card = next(
        (one for one in (place / ADAPTER, *place.glob(f"*/{ADAPTER}")) if one.is_file()), None
    )
    return "" if card is None else str(json_of(card.read_text(encoding="utf-8")).get("base", ""))


@models.command()
def use(
    given: Annotated[
        str,
        typer.Argument(
            metavar="POLICY", help="auto, rules, prompted, heads, both, served, or a path."
        ),
    ],
) -> None:
    """Choose the policy that memories are opened with, in the config file."""
    file, path = config_file(os.environ), Path(given).expanduser()
    if given in ALWAYS:
        if given in MADE:
            MADE[given]()
        set_policy(file, given, None)
    elif given.endswith(HEADS):
        make_heads(path)
        set_policy(file, "heads", path.resolve())
    elif adapters_in(path):
        make_adapters(path)
        set_policy(file, "adapters", path.resolve())
    elif given == "nano":
        raise InvalidInput(f"There is no policy nano: {NANO_GONE}", given=given)
    else:
        raise InvalidInput(
            f"{given} is no policy: there are {', '.join(ALWAYS)}, files of heads ({HEADS}) and "
            "folders of adapters (`mags train lora`).",
            given=given,
        )
    settings = read_settings(os.environ).policy
    place = f" ({settings.path})" if settings.path else ""
    out.print(
        f"policy.kind is {settings.kind}{place}, written to {file}.", markup=False, soft_wrap=True
    )


def adapters_in(folder: Path) -> bool:
    """Whether a folder holds an adapter for every role, or one for each."""
    return any((folder / one / ADAPTER).is_file() for one in (".", "write"))


LABORATORY = {
    "compare": "Score policies on samples that none was trained on.",
    "export": "Merge an adapter into its base, for transformers or llama.cpp.",
}
for _name, _about in LABORATORY.items():
    join(models, _name, _about, point=f"models.{_name}")
