"""The steps of a recipe, each from artefacts in a folder to artefacts in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from transformers import AutoTokenizer, LlamaForCausalLM, PreTrainedTokenizerFast

from mags.errors import InvalidInput
from mags.training.batches import Encoded, encode
from mags.training.chains.schema import Role, Sample, read_samples
from mags.training.exam import BlindJudge, blind, has_exam, relations_of
from mags.training.experience import Judge, Task, Voice
from mags.training.fidelity import StoreFidelity
from mags.training.grpo import GrpoConfig, reinforce
from mags.training.nano.lean import LeanLoss
from mags.training.nano.model import NanoSize, new_nano
from mags.training.nano.tokens import train_tokenizer, without_names
from mags.training.pairs import of_role, prompt_of, short_pair_of
from mags.training.ppo import PpoConfig, reinforce_with_critic
from mags.training.progress import Logbook
from mags.training.recipe import samples as files
from mags.training.recipe.lora import low_rank
from mags.training.recipe.presets import Recipe, Reward, Teaching
from mags.training.reward import GoldJudge
from mags.training.rollout import Sampling
from mags.training.sft import SftConfig, fine_tune

ALL = "all"
WARM_PPO = 5
SPELLED = 40_000
WORTH_COMPILING = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A recipe at work in a folder. `source`: samples to take instead of making them.

    `reward`: what members are reinforced by. `console`: where progress is shown; None keeps silent.
    """

    recipe: Recipe
    folder: Path
    source: Path | None = None
    reward: Reward = Reward.LABELS
    console: Console | None = None

    @property
    def data(self) -> Path:
        """The folder of the samples."""
        return self.folder / "data"

    @property
    def members(self) -> Mapping[str, tuple[Role, ...]]:
        """The models that come out, and the roles of each."""
        if self.recipe.combined:
            return {ALL: tuple(Role)}
        return {role.value: (role,) for role in Role}

    def tokenizer(self) -> PreTrainedTokenizerFast:
        """The tokenizer that was trained."""
        return AutoTokenizer.from_pretrained(self.folder / "tokenizer")

    def model(self, stage: str, member: str = ALL) -> LlamaForCausalLM:
        """The model of a stage ("base", "role", "grpo", "ppo"); a stage left out is the one before.

        A member that a stage left as it was has no folder there.
        """
        before = {"grpo": "role", "ppo": "role", "role": "base"}
        while stage != "base" and not (self.place(stage, member) / "config.json").is_file():
            stage = before[stage]
        return LlamaForCausalLM.from_pretrained(self.place(stage, member)).float()

    def place(self, stage: str, member: str = ALL) -> Path:
        """Where the model of a stage lies."""
        return self.folder / ("base" if stage == "base" else f"{stage}-{member}")

    def samples(self, name: str, roles: Sequence[Role] = ()) -> list[Sample]:
        """Samples of a file that was made, of some roles."""
        return of_role(self.read(name), *roles)

    def read(self, name: str) -> Iterator[Sample]:
        """Samples of a file that was made, one after the other."""
        return read_samples(files.file(self.data, name))

    def log(self, place: Path, title: str, steps: int) -> Logbook:
        """The logbook of a stage."""
        return Logbook(place / "log", title=title, steps=steps, console=self.console)


def make_data(run: Run) -> dict[str, Any]:
    """Make or take the samples."""
    if run.source is not None:
        return {"samples": files.take(run.data, run.source)}
    return {"samples": files.make(run.data, run.recipe.data, run.recipe.seed)}


def make_tokenizer(run: Run) -> dict[str, Any]:
    """Learn pieces from what SFT will see, names left out."""
    some = islice(run.read(files.TAUGHT), SPELLED)
    pairs = [short_pair_of(sample) for sample in some]
    texts = [f"{pair.prompt}{pair.target}" for pair in pairs]
    tokenizer = train_tokenizer(without_names(texts), size=run.recipe.widths.pieces)
    tokenizer.save_pretrained(run.folder / "tokenizer")
    return {"pieces": len(tokenizer)}


def teach_base(run: Run) -> dict[str, Any]:
    """A new model, taught all roles."""
    words = run.tokenizer()
    model = new_nano(words, NanoSize(**asdict(run.recipe.widths)), seed=run.recipe.seed)
    return _teach(run, model, words, tuple(Role), run.recipe.base, run.place("base"))


def specialise(run: Run, member: str) -> dict[str, Any]:
    """The base, taught the roles of one member on."""
    place, how = run.place("role", member), run.recipe.specialise
    return _teach(run, run.model("base"), run.tokenizer(), run.members[member], how, place)


def reinforce_member(run: Run, member: str, *, by: str) -> dict[str, Any]:
    """The member, reinforced by "grpo" or "ppo" on frames that SFT has not seen."""
    recipe, how, place = run.recipe, run.recipe.reinforce, run.place(by, member)
    words, model = run.tokenizer(), run.model("role", member)
    roles = [role for role in run.members[member] if role.value in how.roles]
    known = tasks_of(words, run.samples(files.KEPT_BACK, roles), recipe.widths.context - how.limit)
    tasks, judge = judged(run, known)
    # Checkpoints of one reward are not taken up by a run of the other.
    kept = place if run.reward is Reward.LABELS else place / run.reward.value
    sampling = Sampling(pad=words.pad_token_id, end=words.eos_token_id, limit=how.limit)
    voice = Voice(model=model, tokenizer=words, sampling=sampling)
    with (
        low_rank(model, how.rank, seed=recipe.seed),
        run.log(place, f"{by} {member}", how.steps) as log,
    ):
        if by == "ppo":
            reinforce_with_critic(voice, tasks, judge, _ppo(recipe), watch=log, folder=kept)
        else:
            reinforce(voice, tasks, judge, _grpo(recipe), watch=log, folder=kept)
    model.save_pretrained(place)
    told = {"prompts": len(tasks), "steps": how.steps, "replies": how.prompts * how.group}
    return {**told, "reward": run.reward.value}


def judged(run: Run, known: Sequence[Task[Sample]]) -> tuple[list[Task[Any]], Judge[Any]]:
    """The prompts that a reward can judge, and their judge.

    By the store every target is taken out before the judge sees it: replies are worth what a memory
    does with them in an exam (`mags.training.exam`). Raises InvalidInput where no prompt has one.
    """
    how = run.recipe.reinforce.reward
    if run.reward is Reward.LABELS:
        fidelity = StoreFidelity() if how.fidelity else None
        return list(known), GoldJudge(weights=how, fidelity=fidelity)
    relations = relations_of([one.known for one in known])
    tasks = [
        Task(prompt=one.prompt, known=blind(one.known, relations))
        for one in known
        if has_exam(one.known)
    ]
    if not tasks:
        raise InvalidInput("No sample of these has an exam: reinforce by labels.", samples=0)
    return tasks, BlindJudge(invented=how.invented)


def tasks_of(
    words: PreTrainedTokenizerFast, chosen: Sequence[Sample], longest: int
) -> list[Task[Sample]]:
    """Samples as prompts of a nano; those longer than `longest` tokens are left out."""
    ids = words([prompt_of(s) for s in chosen], add_special_tokens=False)["input_ids"]
    begun = [(words.bos_token_id, *prompt) for prompt in ids]
    return [
        Task(prompt=prompt, known=sample)
        for prompt, sample in zip(begun, chosen, strict=True)
        if len(prompt) <= longest
    ]


def _teach(
    run: Run,
    model: LlamaForCausalLM,
    words: PreTrainedTokenizerFast,
    roles: Sequence[Role],
    how: Teaching,
    place: Path,
) -> dict[str, Any]:
    chosen = (one for one in run.read(files.TAUGHT) if one.role in roles)
    encoded = encode(words, map(short_pair_of, chosen), longest=run.recipe.longest)
    lean = None
    if run.recipe.lean and not how.rank:
        lean = LeanLoss(model, compiled=how.steps >= WORTH_COMPILING)
    config = SftConfig(
        steps=how.steps,
        rate=how.rate,
        tokens=how.tokens,
        seed=run.recipe.seed,
        save_every=run.recipe.save_every,
    )
    with (
        low_rank(model, how.rank, seed=run.recipe.seed),
        run.log(place, place.name, how.steps) as log,
    ):
        fine_tune(model, encoded, config, objective=lean, watch=log, folder=place)
    model.save_pretrained(place)
    return {
        "samples": len(encoded),
        "tokens": sum(map(len, encoded)),
        "weights": sum(p.numel() for p in model.parameters()),
        "loss": _loss(model, encoded[:64], words),
    }


@torch.no_grad()
def _loss(
    model: LlamaForCausalLM, encoded: Sequence[Encoded], words: PreTrainedTokenizerFast
) -> float:
    """Mean loss of a token of the replies, over a few samples."""
    total = count = 0.0
    for one in encoded:
        ids = torch.tensor([[*one.prompt, *one.target]])
        logits = model(input_ids=ids[:, :-1]).logits[0, len(one.prompt) - 1 :]
        target = ids[0, len(one.prompt) :]
        total += float(torch.nn.functional.cross_entropy(logits, target, reduction="sum"))
        count += len(target)
    return round(total / max(count, 1.0), 4)


def _grpo(recipe: Recipe) -> GrpoConfig:
    how = recipe.reinforce
    return GrpoConfig(
        steps=how.steps,
        prompts=how.prompts,
        group=how.group,
        epochs=how.epochs,
        rows=how.rows,
        rate=how.rate,
        seed=recipe.seed,
        save_every=max(1, recipe.save_every // 20),
    )


def _ppo(recipe: Recipe) -> PpoConfig:
    how = recipe.reinforce
    return PpoConfig(
        steps=how.steps,
        replies=how.prompts * how.group,
        copies=how.group,  # as many prompts to read as GRPO has: they are what a step costs most
        epochs=how.epochs,
        rows=how.rows,
        rate=how.rate,
        warm=min(WARM_PPO, how.steps // 4),
        seed=recipe.seed,
        save_every=max(1, recipe.save_every // 20),
    )
