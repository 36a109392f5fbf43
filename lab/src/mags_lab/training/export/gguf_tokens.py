"""The pieces of a tokenizer as GGUF has them, so that llama.cpp splits text as transformers does.

Two kinds are written:

- Byte-level pieces (Llama 3, Qwen): merges go along as they are; llama.cpp must know the
  rule that splits text into words by its name.
- SentencePiece's (Gemma, Llama 2), which `tokenizer.json` holds as merges with bytes to fall back
  on: llama.cpp joins the neighbours whose piece has the highest score, so a piece scores by the
  first merge that makes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gguf
from transformers import PreTrainedTokenizerBase

from mags.errors import ConfigurationError

WORDS_LLAMA = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
REST_LLAMA = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SPLITS = {
    WORDS_LLAMA + "{1,3}" + REST_LLAMA: "llama-bpe",
    WORDS_LLAMA + REST_LLAMA: "qwen2",
}
"""The splitting rules that llama.cpp knows by name; a plain ByteLevel step is "gpt-2"."""
SPACE = "▁"
BYTE = re.compile(r"<0x[0-9A-F]{2}>")

Merge = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Words and their kinds by id; rows of the table beyond the vocabulary are unused."""

    words: Sequence[str]
    kinds: Sequence[gguf.TokenType]


def add_tokens(writer: gguf.GGUFWriter, tokenizer: PreTrainedTokenizerBase, *, pieces: int) -> None:
    """Write the vocabulary, how text is split, and the chat template; raises ConfigurationError.

    `pieces`: rows of the model's table.
    """
    written = json.loads(tokenizer.backend_tokenizer.to_str())
    found = pieces_of(written, pieces)
    merges = [_pair(merge) for merge in written["model"].get("merges", ())]
    if is_sentencepiece(written):
        check_merges(written, merges)
        writer.add_tokenizer_model("llama")
        writer.add_tokenizer_pre("default")
        writer.add_add_space_prefix(has_prefix(written))
        writer.add_token_scores(scores_of(found.words, merges))
    else:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(splitting_of(written))
        writer.add_token_merges([" ".join(merge) for merge in merges])
    writer.add_token_list(found.words)
    writer.add_token_types(found.kinds)
    for add, token in (
        (writer.add_bos_token_id, tokenizer.bos_token_id),
        (writer.add_eos_token_id, tokenizer.eos_token_id),
        (writer.add_pad_token_id, tokenizer.pad_token_id),
        (writer.add_unk_token_id, tokenizer.unk_token_id),
    ):
        if token is not None:
            add(token)
    # The prompts name it themselves, as their chat templates do.
    writer.add_add_bos_token(False)
    if tokenizer.chat_template:
        writer.add_chat_template(tokenizer.chat_template)


def pieces_of(written: Mapping[str, Any], pieces: int) -> Pieces:
    """The vocabulary of a `tokenizer.json`, by id."""
    words = [f"[PAD{i}]" for i in range(pieces)]
    kinds = [gguf.TokenType.UNUSED] * pieces
    falls_back = bool(written["model"].get("byte_fallback"))
    for word, place in written["model"]["vocab"].items():
        byte = falls_back and BYTE.fullmatch(word)
        words[place] = word
        kinds[place] = gguf.TokenType.BYTE if byte else gguf.TokenType.NORMAL
    for added in written["added_tokens"]:
        special = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
        words[added["id"]], kinds[added["id"]] = added["content"], special
    unknown = written["model"].get("unk_token")
    if falls_back and unknown is not None:
        kinds[written["model"]["vocab"][unknown]] = gguf.TokenType.UNKNOWN
    return Pieces(words=words, kinds=kinds)


def is_sentencepiece(written: Mapping[str, Any]) -> bool:
    """Whether these are SentencePiece's pieces: merges, bytes to fall back on, spaces as a sign."""
    model = written["model"]
    replaced = any(
        step.get("type") == "Replace" and step.get("content") == SPACE
        for step in _steps(written["normalizer"], "normalizers")
    )
    signs = any(
        step.get("type") == "Metaspace"
        for step in _steps(written["pre_tokenizer"], "pretokenizers")
    )
    return model["type"] == "BPE" and bool(model.get("byte_fallback")) and (replaced or signs)


def has_prefix(written: Mapping[str, Any]) -> bool:
    """Whether a text is read as if a space stood before it, as Llama 2 does and Gemma does not."""
    prepended = any(
        step.get("type") == "Prepend" for step in _steps(written["normalizer"], "normalizers")
    )
    scheme = [
        step.get("prepend_scheme", "always")
        for step in _steps(written["pre_tokenizer"], "pretokenizers")
        if step.get("type") == "Metaspace"
    ]
    return prepended or any(one != "never" for one in scheme)


def scores_of(words: Sequence[str], merges: Sequence[Merge]) -> list[float]:
    """A score a word: minus the place of the first merge that makes it; the lowest for the rest."""
    first: dict[str, int] = {}
    for place, (left, right) in enumerate(merges):
        first.setdefault(left + right, place)
    return [-float(first.get(word, len(merges))) for word in words]


def check_merges(written: Mapping[str, Any], merges: Sequence[Merge]) -> None:
    """Raise ConfigurationError where a piece has halves that no merge joins: llama.cpp would."""
    added = {one["content"] for one in written["added_tokens"]}
    whole = written["model"]["vocab"].keys() - added
    known = set(merges)
    for word in whole:
        for cut in range(1, len(word)):
            halves = word[:cut], word[cut:]
            if halves[0] in whole and halves[1] in whole and halves not in known:
                raise ConfigurationError(
                    f"The pieces {halves} are never merged, and llama.cpp would merge them: "
                    "convert the merged folder with llama.cpp's convert_hf_to_gguf.py.",
                    piece=word,
                )


def splitting_of(written: Mapping[str, Any]) -> str:
    """llama.cpp's name for how byte-level pieces split text; raises ConfigurationError."""
    steps = _steps(written["pre_tokenizer"], "pretokenizers")
    if written["model"]["type"] == "BPE" and steps and steps[-1].get("type") == "ByteLevel":
        if len(steps) == 1 and steps[0].get("use_regex") and not steps[0].get("add_prefix_space"):
            return "gpt-2"
        rule = steps[0].get("pattern", {}).get("Regex", "")
        if len(steps) == 2 and rule in SPLITS:
            return SPLITS[rule]
    raise ConfigurationError(
        "The tokenizer is none whose splitting llama.cpp has a name for here: convert the merged "
        "folder with llama.cpp's convert_hf_to_gguf.py.",
        pre_tokenizer=", ".join(str(step.get("type")) for step in steps),
    )


def _steps(step: Mapping[str, Any] | None, several: str) -> Sequence[Mapping[str, Any]]:
    return [] if step is None else step.get(several, [step])


def _pair(merge: str | Sequence[str]) -> Merge:
    left, right = merge.split(" ") if isinstance(merge, str) else merge
    return left, right
