"""The last steps of a recipe: what it made as a folder that runs without torch, and how good."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from mags.models.policy.nano import NanoFolder, NanoModel, NanoPolicy
from mags.models.policy.rules import RulePolicy
from mags.training.chains.schema import Role, Sample, Split
from mags.training.evaluate.deciders import Decider, PolicyDecider
from mags.training.evaluate.evaluation import EvaluationConfig, evaluate, to_json
from mags.training.evaluate.voices import VoiceDecider
from mags.training.experience import Voice
from mags.training.export.onnx import export_onnx
from mags.training.fidelity import StoreFidelity
from mags.training.pairs import of_role, prompt_of
from mags.training.recipe import samples as files
from mags.training.recipe.steps import Run
from mags.training.rollout import Sampling, complete

EXPORT, EVALUATION = "export", "evaluation.json"
COMPARED = 24
LIMIT = 160
BITS = 8


def export(run: Run) -> dict[str, Any]:
    """ONNX files, tokenizer and `nano.json`, held against the models they come from."""
    folder, widths = run.folder / EXPORT, run.recipe.widths
    folder.mkdir(parents=True, exist_ok=True)
    run.tokenizer().backend_tokenizer.save(str(folder / "tokenizer.json"))
    roles: dict[str, str] = {}
    for member, its in run.members.items():
        export_onnx(run.model("grpo", member), folder / f"{member}.onnx", bits=BITS)
        roles |= {role.value: f"{member}.onnx" for role in its}
    card = {
        "name": f"nano ({run.recipe.name})",
        "files": roles,
        "layers": widths.layers,
        "heads": widths.heads,
        "width": widths.width // widths.heads,
        "context": widths.context,
        "sha256": {
            name: sha256((folder / name).read_bytes()).hexdigest()
            for name in ("tokenizer.json", *dict.fromkeys(roles.values()))
        },
    }
    (folder / "nano.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    sizes = [path.stat().st_size for path in folder.iterdir()]
    return {"megabytes": round(sum(sizes) / 1e6, 2), "same_replies": _same(run, folder)}


def measure(run: Run) -> dict[str, Any]:
    """The rules, the base and what was exported on every test split: `evaluation.json`."""
    config = EvaluationConfig(
        most=run.recipe.evaluated, probed=max(1, run.recipe.evaluated // 4), repeated=0
    )
    chosen = list(files.tests(run.data))
    nano = NanoPolicy(NanoFolder.read(run.folder / EXPORT))
    base = VoiceDecider(voice_of(run, "base"), name="base")
    deciders: Sequence[Decider] = (PolicyDecider(RulePolicy()), base, PolicyDecider(nano))
    found = [evaluate(one, chosen, config, fidelity=StoreFidelity()) for one in deciders]
    (run.folder / EVALUATION).write_text(to_json(found), encoding="utf-8")
    cells = {f"{cell.role} {cell.split}": cell for cell in found[-1].cells}
    return {"exact": {name: round(c.measures["exact"].mean, 4) for name, c in cells.items()}}


def voice_of(run: Run, stage: str, member: str = "all") -> Voice:
    """A model of a stage with its tokenizer."""
    words = run.tokenizer()
    return Voice(
        model=run.model(stage, member).eval(),
        tokenizer=words,
        sampling=Sampling(pad=words.pad_token_id, end=words.eos_token_id, limit=LIMIT),
    )


def _same(run: Run, folder: Path) -> float:
    """Share of greedy replies that are the same text in torch and in ONNX."""
    same, known = [], NanoFolder.read(folder)
    tried = files.file(run.data, Split.DEV)
    chosen = _some(run) if tried.is_file() else []
    for role in Role:
        voice = voice_of(run, "grpo", "all" if run.recipe.combined else role.value)
        nano = NanoModel(known, role.value)
        for sample in of_role(chosen, role):
            prompt = prompt_of(sample)
            ids = voice.tokenizer(prompt, add_special_tokens=False)["input_ids"]
            greedy = Sampling(
                pad=voice.sampling.pad, end=voice.sampling.end, limit=48, temperature=0.0
            )
            done = complete(voice.model, [(voice.tokenizer.bos_token_id, *ids)], greedy)
            same.append(voice.replies(done)[0] == nano.complete(prompt, limit=greedy.limit))
    return sum(same) / len(same) if same else 0.0


def _some(run: Run) -> list[Sample]:
    found = run.samples(Split.DEV)
    return [one for role in Role for one in of_role(found, role)[: COMPARED // len(Role)]]
