"""`mags models`: the policies there are, which one is in use, and how to take one elsewhere."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from json import loads as json_of
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mags.app import make_adapters, make_both, make_heads, make_nano
from mags.cli.config import set_policy
from mags.cli.deciders import ADAPTER, CARD, HEADS, WEIGHTS, adapters_in, nano_folder
from mags.cli.shared import AsJson, out, print_json
from mags.cli.train_evaluate import evaluate
from mags.errors import InvalidInput
from mags.extras import bring
from mags.models.policy.heads.weights import SHIPPED
from mags.models.policy.nano import SHIPPED as NANO
from mags.models.policy.nano import NanoFolder
from mags.ports.policy import Policy
from mags.settings import PolicySettings, config_file, read_settings

models = typer.Typer(
    help="List the policies there are, choose one, compare and export them.", no_args_is_help=True
)
ALWAYS = {
    "auto": "a prompted model where one is configured, else both",
    "rules": "no model at all",
    "prompted": "the configured language model with a few-shot prompt",
    "heads": "trained on the embedded encoder, with the rules for what it is unsure of",
    "both": "the rules, and beside them what the heads are sure of",
    "nano": "a small language model trained from nothing, with the rules for what it is refused",
    "served": "the configured language model, taught as MAGS teaches (a merged adapter)",
}
COMES = {"heads": SHIPPED.path, "both": SHIPPED.path, "nano": NANO / "nano.json"}
MADE: dict[str, Callable[[], Policy]] = {
    "heads": make_heads,
    "both": make_both,
    "nano": make_nano,
}
STAGES = ("grpo", "role")
ROLES = ("ask", "write", "router")


class Form(StrEnum):
    """What a policy is exported as."""

    ONNX = "onnx"
    SAFETENSORS = "safetensors"
    GGUF = "gguf"


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
    """The policies that come with MAGS, that of the settings, nanos and adapters below folders."""
    policy = read_settings(os.environ).policy
    found = [
        Listed(given=name, about=what, used=policy.kind == name and policy.path is None)
        for name, what in ALWAYS.items()
        if name not in COMES or COMES[name].is_file()
    ]
    if policy.kind == "heads" and policy.path is not None:
        found.append(Listed(given=str(policy.path), about="heads", used=True))
    used = policy.path.resolve() if policy.kind == "nano" and policy.path else None
    cards = {card.parent.resolve() for folder in folders for card in folder.rglob("nano.json")}
    for path in sorted(cards | ({used} if used else set())):
        nano = NanoFolder.read(path)
        size = sum((path / name).stat().st_size for name in {*nano.files.values()})
        about = f"{nano.name}: {', '.join(nano.files)}"
        found.append(Listed(given=str(path), about=about, megabytes=size / 1e6, used=path == used))
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
            metavar="POLICY", help="auto, rules, prompted, heads, both, nano, served, or a path."
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
    else:
        folder = nano_folder(path)
        if folder is None:
            raise InvalidInput(
                f"{given} is no policy: there are {', '.join(ALWAYS)}, files of heads ({HEADS}), "
                "folders with a nano.json (`mags models list`) and folders of adapters "
                "(`mags train lora`).",
                given=given,
            )
        NanoFolder.read(folder)
        set_policy(file, "nano", folder.resolve())
    settings = read_settings(os.environ).policy
    place = f" ({settings.path})" if settings.path else ""
    out.print(
        f"policy.kind is {settings.kind}{place}, written to {file}.", markup=False, soft_wrap=True
    )


@models.command()
def export(
    run: Annotated[
        Path,
        typer.Argument(
            help="Folder of a run (`mags train all --out`), of a nano or of an adapter; `nano` is "
            "the one that comes with MAGS."
        ),
    ],
    out_folder: Annotated[Path, typer.Option("--out", help="Where it goes.")],
    form: Annotated[Form, typer.Option(help="For MAGS, transformers, or llama.cpp.")] = Form.ONNX,
) -> None:
    """Take a trained policy out of its run: all that is needed to use it, and nothing else.

    An adapter is merged into its base: a folder of safetensors, and with `--form gguf` one file
    more in it. What is there as ONNX alone is taken back from that, its weights of 8 bits.
    """
    run = NANO if str(run) == "nano" else run
    if (run / ADAPTER).is_file():
        out.print(f"Wrote {_merged(run, out_folder, form)}.", markup=False, soft_wrap=True)
        return
    copy = {Form.ONNX: _onnx, Form.SAFETENSORS: _safetensors, Form.GGUF: _gguf}[form]
    copied = copy(run, out_folder)
    size = sum(path.stat().st_size for path in copied) / 1e6
    out.print(
        f"Wrote {len(copied)} files, {size:.1f} MB, to {out_folder}.", markup=False, soft_wrap=True
    )


models.command(name="compare")(evaluate)


def _onnx(run: Path, folder: Path) -> list[Path]:
    source = nano_folder(run)
    if source is None:
        raise InvalidInput(
            f"{run} has exported nothing yet: finish it with `mags train all --out {run}`.",
            path=str(run),
        )
    names = {"nano.json", "tokenizer.json", *NanoFolder.read(source).files.values()}
    return [_copied(source / name, folder) for name in sorted(names)]


def _safetensors(run: Path, folder: Path) -> list[Path]:
    if _alone(run):
        folders = bring("mags.training.folders", extra="train", needed_for="safetensors")
        places = folders.unpacked(NanoFolder.read(run), folder)
        return [path for place in places for path in sorted(place.iterdir())]
    words = sorted((run / "tokenizer").glob("*.json*"))
    return [
        _copied(path, folder / place.name)
        for place in _trained(run)
        for path in (*sorted(place.glob("*.json")), *place.glob("*.safetensors"), *words)
    ]


def _gguf(run: Path, folder: Path) -> list[Path]:
    if _alone(run):
        folders = bring("mags.training.folders", extra="train", needed_for="a GGUF file")
        written: list[Path] = folders.nano_to_gguf(NanoFolder.read(run), folder)
        return written
    places = _trained(run)
    folders = bring("mags.training.folders", extra="train", needed_for="a GGUF file")
    return [folders.to_gguf(place, folder / f"{place.name}.gguf") for place in places]


def _merged(adapter: Path, folder: Path, form: Form) -> Path:
    """An adapter and its base as one model; raises InvalidInput for a form that it has not."""
    if form is Form.ONNX:
        raise InvalidInput(
            f"{adapter} is an adapter: merge it with --form safetensors or --form gguf.",
            path=str(adapter),
        )
    large = bring("mags.training.large.adapters", extra="train", needed_for="merging an adapter")
    merged: Path = large.merge_adapter(large.base_of(adapter), adapter, folder)
    if form is Form.SAFETENSORS:
        return merged
    folders = bring("mags.training.folders", extra="train", needed_for="a GGUF file")
    file: Path = folders.to_gguf(merged, merged / "model.gguf")
    return file


def _alone(folder: Path) -> bool:
    """Whether a folder holds an exported nano and not the run that it came from."""
    return (folder / CARD).is_file()


def _trained(run: Path) -> list[Path]:
    """The folders of the models that a run ended with; raises InvalidInput."""
    found = list(dict.fromkeys(_last(run, member) for member in _members(run)))
    if not _holds(found[0]):
        raise InvalidInput(
            f"{run} holds no trained model: train one with `mags train sft --out {run}`.",
            path=str(run),
        )
    return found


def _members(run: Path) -> tuple[str, ...]:
    combined = any(_holds(run / f"{stage}-all") for stage in STAGES)
    return ("all",) if combined else ROLES


def _last(run: Path, member: str) -> Path:
    """The model of a member as the last stage left it; the base, where none changed it."""
    places = (run / f"{stage}-{member}" for stage in STAGES)
    return next((one for one in places if _holds(one)), run / "base")


def _holds(place: Path) -> bool:
    return (place / WEIGHTS).is_file()


def _copied(path: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy2(path, folder / path.name))
