"""Models of transformers in folders."""

from __future__ import annotations

from pathlib import Path

from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from mags.errors import InvalidInput
from mags_lab.training.export.gguf import export_gguf


def opened(folder: Path) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A model and its tokenizer, which lies in the same folder or in `tokenizer` beside it.

    Raises InvalidInput where there is no tokenizer.
    """
    places = (folder, folder.parent / "tokenizer")
    words = next((one for one in places if (one / "tokenizer.json").is_file()), None)
    if words is None:
        raise InvalidInput(f"{folder} has no tokenizer.json beside its model.", path=str(folder))
    model = AutoModelForCausalLM.from_pretrained(folder)
    return model.eval(), AutoTokenizer.from_pretrained(words)


def to_gguf(folder: Path, path: Path) -> Path:
    """Write the model of a folder as one GGUF file."""
    model, tokenizer = opened(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    return export_gguf(model, tokenizer, path, name=path.stem)
