"""`mags models export`: a trained policy taken elsewhere."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mags.cli.models import ADAPTER
from mags.cli.shared import out
from mags.errors import InvalidInput
from mags.extras import bring
from mags.settings import NANO_GONE
from mags_lab.cli.deciders import WEIGHTS


class Form(StrEnum):
    """What a policy is exported as."""

    ONNX = "onnx"
    SAFETENSORS = "safetensors"
    GGUF = "gguf"


def export(
    run: Annotated[
        Path,
        typer.Argument(help="Folder of an adapter, or of a model of transformers."),
    ],
    out_folder: Annotated[Path, typer.Option("--out", help="Where it goes.")],
    form: Annotated[
        Form, typer.Option(help="For transformers, or llama.cpp; onnx went with 0.2.")
    ] = Form.SAFETENSORS,
) -> None:
    """Merge an adapter into its base: a folder of safetensors; `--form gguf` adds one file.

    A model of transformers is written as a GGUF file.
    """
    if form is Form.ONNX or str(run) == "nano":
        raise InvalidInput(f"There is no nano to export: {NANO_GONE}", form=form.value)
    if (run / ADAPTER).is_file():
        written = _merged(run, out_folder, form)
    elif (run / WEIGHTS).is_file() and form is Form.GGUF:
        written = _gguf(run, out_folder)
    else:
        raise InvalidInput(
            f"{run} holds no adapter ({ADAPTER}): train one with `mags train lora`.", path=str(run)
        )
    out.print(f"Wrote {written}.", markup=False, soft_wrap=True)


def _merged(adapter: Path, folder: Path, form: Form) -> Path:
    """An adapter and its base as one model."""
    large = bring(
        "mags_lab.training.large.adapters", extra="train", needed_for="merging an adapter"
    )
    merged: Path = large.merge_adapter(large.base_of(adapter), adapter, folder)
    return merged if form is Form.SAFETENSORS else _gguf(merged, merged)


def _gguf(model: Path, folder: Path) -> Path:
    """A model of transformers as one file."""
    folders = bring("mags_lab.training.evaluate.voices", extra="train", needed_for="a GGUF file")
    file: Path = folders.to_gguf(model, folder / "model.gguf")
    return file
