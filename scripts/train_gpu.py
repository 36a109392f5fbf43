"""Train a larger nano, or an adapter of a language model, on one GPU without a network.

    python scripts/train_gpu.py nano --size 20M --size 100M --steps 4000 --out build/gpu
    python scripts/train_gpu.py lora FOLDER --preset quick --grpo 100 --out build/gpu
    python scripts/train_gpu.py merge FOLDER build/gpu/adapter build/merged
    python scripts/train_gpu.py memory

Needs `pip install 'mags[train]'` (or PYTHONPATH=src where its libraries are there). It takes CUDA
before Metal before the CPU, makes its samples itself, and takes more of them with --samples (JSONL
of `mags train data`). It prints its table last. What it leaves is small: results.json and the
curves; the weights only with --keep.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from rich.console import Console
from rich.table import Table

from mags.errors import ConfigurationError
from mags.training.batches import encode
from mags.training.chains.schema import Sample, Split, read_samples
from mags.training.evaluate.deciders import Decider
from mags.training.evaluate.evaluation import EvaluationConfig, evaluate
from mags.training.evaluate.voices import VoiceDecider
from mags.training.experience import Task, Voice
from mags.training.export.gguf import export_gguf
from mags.training.generate.samples import Amount, generate
from mags.training.grpo import GrpoConfig, reinforce
from mags.training.large.adapters import (
    Adapted,
    merge_adapter,
    put_adapter,
    save_adapter,
    teach,
)
from mags.training.large.decider import AdaptedDecider
from mags.training.large.devices import find_aids, find_device
from mags.training.large.grpo import reinforce_adapter
from mags.training.large.loading import load, prepare
from mags.training.large.presets import FULL, KNOWN, PRESETS, QUICK, peak_memory
from mags.training.large.speech import Wording
from mags.training.nano.model import NanoSize, new_nano, weights
from mags.training.nano.tokens import train_tokenizer
from mags.training.pairs import pair_of, prompt_of
from mags.training.progress import Logbook
from mags.training.reward import GoldJudge
from mags.training.rollout import Sampling
from mags.training.sft import SftConfig, fine_tune

CONSOLE = Console()
WIDE = Console(width=140)
SPLITS = ("seen", "frames", "phrasings", "independent", "relations")
ROLES = ("ask", "write", "router")
CUT = 20_000
"""Samples that a tokenizer is learned from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A size of nano, and the learning rate that suits it."""

    size: NanoSize
    rate: float


def _plan(width: int, layers: int, heads: int, rate: float, pieces: int = 4096) -> Plan:
    size = NanoSize(width=width, layers=layers, heads=heads, inner=3 * width, pieces=pieces)
    return Plan(size=size, rate=rate)


PLANS = {
    "1M": _plan(128, 4, 4, 3e-3, pieces=1024),
    "5M": _plan(256, 5, 4, 3e-3),
    "20M": _plan(384, 10, 6, 2e-3),
    "50M": _plan(512, 14, 8, 1.5e-3),
    "100M": _plan(768, 12, 12, 1e-3),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. `exact`: adherence in % by "role split"."""

    name: str
    weights: int
    trained: int
    minutes: float
    peak_gib: float
    exact: dict[str, float]


def main() -> None:
    """Train what the arguments name, one after the other."""
    asked = arguments()
    if asked.kind == "memory":
        show_memory()
        return
    if asked.kind == "merge":
        merge(asked)
        return
    asked.out.mkdir(parents=True, exist_ok=True)
    device = find_device()
    torch.set_float32_matmul_precision("high")
    CONSOLE.print(f"{device.kind} {device.dtype}, torch {torch.__version__}, {find_aids(device)}")
    train, tests = material(asked)
    rows = [row for row in (lora if asked.kind == "lora" else nano)(asked, train, tests)]
    written = {"arguments": {k: str(v) for k, v in vars(asked).items()}, "device": device.kind}
    found = {**written, "rows": [asdict(row) for row in rows]}
    (asked.out / "results.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    show(rows)


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    small = kinds.add_parser("nano", help="a Llama from nothing")
    small.add_argument("--size", action="append", choices=list(PLANS), help="may be given twice")
    small.add_argument("--steps", type=int, default=4_000)
    small.add_argument("--tokens", type=int, default=16_384, help="of a batch")
    large = kinds.add_parser("lora", help="an adapter of a Hugging Face folder")
    large.add_argument("folder")
    large.add_argument("--preset", choices=list(PRESETS), default="quick")
    large.add_argument("--wording", choices=[w.value for w in Wording], default="compact")
    large.add_argument("--four-bit", action="store_true", help="4-bit weights (bitsandbytes)")
    kinds.add_parser("memory", help="the estimated peak of every preset, for known models")
    merging = kinds.add_parser("merge", help="base and adapter as one model, and as GGUF")
    merging.add_argument("folder")
    merging.add_argument("adapter", type=Path)
    merging.add_argument("out", type=Path)
    for one in (small, large):
        one.add_argument("--grpo", type=int, default=0, help="steps of GRPO afterwards")
        one.add_argument("--made", type=int, default=20_000, help="training samples to make")
        one.add_argument("--samples", type=Path, action="append", default=[], help="more, as JSONL")
        one.add_argument("--most", type=int, default=200, help="evaluated of each role and split")
        one.add_argument("--seed", type=int, default=0)
        one.add_argument("--keep", action="store_true", help="leave the weights, too")
        one.add_argument("--out", type=Path, default=Path("build/gpu"))
    return parser.parse_args()


def material(asked: argparse.Namespace) -> tuple[list[Sample], list[Sample]]:
    """Samples to train on, and those of the splits to evaluate on."""
    amount = Amount(train=asked.made, share=0.0, least=3 * asked.most)
    every = list(generate(amount, asked.seed))
    for path in asked.samples:
        every += read_samples(path)
    train = [one for one in every if one.split is Split.TRAIN]
    return train, [one for one in every if one.split.value in SPLITS]


def nano(
    asked: argparse.Namespace, train: Sequence[Sample], tests: Sequence[Sample]
) -> Iterator[Row]:
    """A nano of each size that was asked for."""
    pairs = [pair_of(one) for one in train]
    for name in asked.size or ["20M"]:
        plan, begun = PLANS[name], start()
        words = train_tokenizer(
            (f"{p.prompt}{p.target}" for p in pairs[:CUT]), size=plan.size.pieces
        )
        model = new_nano(words, replace(plan.size, pieces=len(words)), seed=asked.seed)
        model = model.to(find_device().kind)
        config = SftConfig(steps=asked.steps, rate=plan.rate, tokens=asked.tokens, seed=asked.seed)
        with book(asked, f"{name}-sft", asked.steps) as watch:
            fine_tune(model, encode(words, pairs, longest=plan.size.context), config, watch=watch)
        how = Sampling(pad=words.pad_token_id, end=words.eos_token_id)
        voice = Voice(model=model, tokenizer=words, sampling=how)
        if asked.grpo:
            kept = train[-3_000:]
            prompts = words([prompt_of(one) for one in kept], add_special_tokens=False)
            tasks = [
                Task(prompt=(words.bos_token_id, *ids), known=one)
                for ids, one in zip(prompts["input_ids"], kept, strict=True)
            ]
            reinforcing = GrpoConfig(steps=asked.grpo, rate=1e-4, rows=256, seed=asked.seed)
            with book(asked, f"{name}-grpo", asked.grpo) as watch:
                reinforce(voice, tasks, GoldJudge(), reinforcing, watch=watch)
        if asked.keep:
            export_gguf(model.cpu(), words, asked.out / f"nano-{name}.gguf", name=f"nano {name}")
            model.to(find_device().kind)
        yield measured(name, model, begun, VoiceDecider(voice, name=name), tests, asked)


def lora(
    asked: argparse.Namespace, train: Sequence[Sample], tests: Sequence[Sample]
) -> Iterator[Row]:
    """An adapter of the folder: before, after SFT, after GRPO."""
    device, preset, wording = find_device(), PRESETS[asked.preset], Wording(asked.wording)
    aids = replace(find_aids(device), four_bit=asked.four_bit)
    if asked.four_bit:
        aids = replace(aids, vllm=False)  # it would hold the weights once more, unquantised
    folder = asked.folder
    if aids.vllm and asked.grpo:
        folder = prepare(asked.folder, asked.out / "prepared", wording=wording)
    loaded = load(folder, wording=wording, device=device, aids=aids)
    begun = start()
    adapted = put_adapter(loaded, preset, seed=asked.seed)
    yield row_of(adapted, "before", begun, tests, asked)
    begun = start()
    with book(asked, "lora-sft", 0) as watch:
        teach(adapted, train, preset, seed=asked.seed, watch=watch)
    yield row_of(adapted, f"{preset.name} SFT", begun, tests, asked)
    if asked.grpo:
        config = GrpoConfig(
            steps=asked.grpo, prompts=16, group=8, rows=8, rate=1e-5, seed=asked.seed
        )
        begun = start()
        steps = config.steps * config.epochs * config.prompts * config.group // config.rows
        with book(asked, "lora-grpo", steps) as watch:
            reinforce_adapter(
                adapted, train, GoldJudge(), config, folder=asked.out / "trl", watch=watch
            )
        yield row_of(adapted, "and GRPO", begun, tests, asked)
    if asked.keep:
        save_adapter(adapted, asked.out / "adapter", base=asked.folder)


def merge(asked: argparse.Namespace) -> None:
    """Write the merged folder, and one GGUF file in it where MAGS can write it."""
    merge_adapter(asked.folder, asked.adapter, asked.out)
    CONSOLE.print(f"{asked.out}: safetensors and tokenizer")
    merged = load(asked.out)
    try:
        export_gguf(merged.model, merged.tokenizer, asked.out / "model.gguf")
    except ConfigurationError as refused:
        CONSOLE.print(f"No GGUF: {refused}")
    else:
        CONSOLE.print(f"{asked.out / 'model.gguf'}: float16")


def show_memory() -> None:
    """Estimated GiB at the peak: bfloat16 and 4-bit weights, SFT and GRPO with 64 rollouts."""
    table = Table(title="Estimated GiB at the peak (mags.training.large.presets.peak_memory)")
    heads = ("model", "quick", "full", "full, GRPO", "quick 4-bit", "full 4-bit")
    for head in heads:
        table.add_column(head, justify="left" if head == "model" else "right")
    for name, shape in KNOWN.items():
        needs = (
            peak_memory(shape, QUICK),
            peak_memory(shape, FULL),
            peak_memory(shape, FULL, rollouts=64),
            peak_memory(shape, QUICK, four_bit=True),
            peak_memory(shape, FULL, four_bit=True),
        )
        table.add_row(name, *(f"{need.gib:.1f}" for need in needs))
    WIDE.print(table)


def book(asked: argparse.Namespace, name: str, steps: int) -> Logbook:
    """Curves of one run, in a folder of its own."""
    return Logbook(asked.out / name, title=name, steps=steps, console=CONSOLE)


def start() -> float:
    """Begin to count time and memory."""
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    return time.perf_counter()


def row_of(
    adapted: Adapted, name: str, begun: float, tests: Sequence[Sample], asked: argparse.Namespace
) -> Row:
    """The row of an adapter as it is now."""
    return measured(name, adapted.model, begun, AdaptedDecider(adapted, name=name), tests, asked)


def measured(
    name: str,
    model: torch.nn.Module,
    begun: float,
    decider: Decider,
    tests: Sequence[Sample],
    asked: argparse.Namespace,
) -> Row:
    """Time and memory until now, then exact adherence on every split."""
    minutes = (time.perf_counter() - begun) / 60
    config = EvaluationConfig(most=asked.most, probed=0, repeated=0)
    found = evaluate(decider, tests, config)
    return Row(
        name=name,
        weights=weights(model),
        trained=sum(p.numel() for p in model.parameters() if p.requires_grad),
        minutes=minutes,
        peak_gib=peak() / 2**30,
        exact={f"{one.role} {one.split}": 100 * one.measures["exact"].mean for one in found.cells},
    )


def peak() -> float:
    """Bytes at the peak: of the GPU, or else of the whole process."""
    if torch.cuda.is_available():
        return float(torch.cuda.max_memory_allocated())
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def show(rows: Sequence[Row]) -> None:
    """The table: what each model cost, and what it reached."""
    table = Table(title="Exact adherence in %, by split: ask / write / router")
    for head in ("model", "weights", "trained", "minutes", "peak GiB", *SPLITS):
        table.add_column(head, justify="left" if head == "model" else "right")
    for row in rows:
        cells = [
            " / ".join(f"{row.exact.get(f'{role} {split}', float('nan')):.0f}" for role in ROLES)
            for split in SPLITS
        ]
        sizes = (f"{row.weights / 1e6:.1f}M", f"{row.trained / 1e6:.1f}M")
        table.add_row(row.name, *sizes, f"{row.minutes:.1f}", f"{row.peak_gib:.1f}", *cells)
    WIDE.print(table)


if __name__ == "__main__":
    main()
