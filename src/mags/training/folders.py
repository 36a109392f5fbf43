"""Models of transformers in folders, as a recipe leaves them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from tokenizers import Tokenizer
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from mags.errors import InvalidInput
from mags.models.policy.nano import NanoFolder
from mags.training.export.gguf import export_gguf
from mags.training.export.restored import restored
from mags.training.nano.tokens import for_transformers


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


def unpacked(nano: NanoFolder, folder: Path) -> list[Path]:
    """Write the models of a nano as folders of transformers, named as its files; their paths.

    Raises CorruptFile for a file that is no nano's.
    """
    words = for_transformers(Tokenizer.from_file(str(nano.path / "tokenizer.json")))
    places = []
    for name in dict.fromkeys(nano.files.values()):
        places.append(folder / Path(name).stem)
        restored(nano.path / name, tokenizer=words).save_pretrained(places[-1])
        words.save_pretrained(places[-1])
    return places


def nano_to_gguf(nano: NanoFolder, folder: Path) -> list[Path]:
    """Write the models of a nano as GGUF files, named as its own; their paths."""
    with TemporaryDirectory() as between:
        return [
            to_gguf(place, folder / f"{place.name}.gguf") for place in unpacked(nano, Path(between))
        ]
