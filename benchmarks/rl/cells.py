"""Cells of the study: each is made once, and leaves a JSON file and its model in the run's folder.

    FOLDER/tests.jsonl, choice.jsonl        the same for every seed
    FOLDER/seed-0/taught.jsonl, kept-back.jsonl
    FOLDER/seed-0/base.json, base/          fine-tuned, and so on for every cell

Processor seconds of a cell are those of learning alone, rollouts and rewards with it; what is
looked at for the curves and what measuring costs is left out.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging

from benchmarks.rl.choosing import likeliest
from benchmarks.rl.learning import (
    Onlooker,
    TrainingClock,
    blinded,
    by_exam,
    by_labels,
    measured,
    policy_of,
    tasks_of,
)
from benchmarks.rl.reinforced import ReinforcedLesson, by_grpo, by_ppo
from benchmarks.rl.small import new_model, train_tokenizer, without_names
from benchmarks.rl.study import (
    ALONE,
    BASE,
    BLIND,
    GRPO,
    HALVED,
    MORE,
    PPO,
    SWEEP,
    CriticSetting,
    Study,
    StudyCell,
    Teaching,
    equal_steps,
    half,
)
from benchmarks.rl.world import KEPT_BACK, ROLES, TAUGHT, TESTED
from mags.errors import ConfigurationError
from mags_lab.training.batches import Pair, encode, of_role, short_pair_of
from mags_lab.training.chains.schema import Role, Sample, read_samples, write_samples
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.experience import SamplingPolicy
from mags_lab.training.fidelity import BlindJudge
from mags_lab.training.reward import GoldJudge
from mags_lab.training.sft import SftConfig, fine_tune

STUDY, TESTS, CHOICE = "study.json", "tests.jsonl", "choice.jsonl"
LONGEST = 240
DEV = "dev"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRun:
    """A study at work in a folder."""

    study: Study
    folder: Path

    def begin(self) -> None:
        """Note the study, or raise ConfigurationError where the folder is of another one."""
        written = json.loads(json.dumps(asdict(self.study)))
        path = self.folder / STUDY
        if path.is_file() and json.loads(path.read_text(encoding="utf-8")) != written:
            raise ConfigurationError(
                f"{self.folder} holds another study: name another folder.", path=str(path)
            )
        if not path.is_file():
            _write(path, written)
        torch.set_num_threads(1)
        logging.disable_progress_bar()

    def place(self, seed: int) -> Path:
        """The folder of a seed."""
        return self.folder / f"seed-{seed}"

    def read(self, cell: StudyCell) -> dict[str, Any] | None:
        """What a cell left, or None where it is still to be made."""
        path = self.place(cell.seed) / f"{cell.name}.json"
        if not path.is_file():
            return None
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def known(self, kind: str, seed: int, setting: int = 0) -> dict[str, Any]:
        """What a cell left that another one needs; raises ConfigurationError."""
        found = self.read(StudyCell(kind=kind, seed=seed, setting=setting))
        if found is None:
            raise ConfigurationError(f"{kind} of seed {seed} is to be made first.", cell=kind)
        return found

    def make(self, cell: StudyCell) -> dict[str, Any]:
        """Make a cell that is not there yet; what it left."""
        done = self.read(cell)
        if done is not None:
            return done
        tests = self.tests()
        model, found = MAKERS[cell.kind](self, cell)
        policy = policy_of(model.eval(), self.words(cell.seed))
        begun = time.process_time()
        found["measures"] = measured(
            policy,
            [one for one in tests if cell.kind != SWEEP or one.split.value == DEV],
            self.study.world.relations,
            examined=self.study.amounts.examined,
        )
        found["measuring_cpu_s"] = round(time.process_time() - begun, 1)
        if cell.kind != SWEEP:
            model.save_pretrained(self.place(cell.seed) / cell.name)
        _write(self.place(cell.seed) / f"{cell.name}.json", found)
        return found

    def words(self, seed: int) -> PreTrainedTokenizerFast:
        """The tokenizer of a seed."""
        return AutoTokenizer.from_pretrained(self.place(seed) / "tokenizer")

    def pair(self, sample: Sample) -> Pair:
        """What a model of this study reads and replies."""
        return short_pair_of(sample)

    def model(self, kind: str, seed: int) -> LlamaForCausalLM:
        """The model that a cell left."""
        return LlamaForCausalLM.from_pretrained(self.place(seed) / kind).float()

    def base(self, seed: int) -> LlamaForCausalLM:
        """The fine-tuned model of a seed."""
        return self.model(BASE, seed)

    def policy(self, seed: int) -> SamplingPolicy:
        """The fine-tuned model of a seed, as it draws while it is reinforced."""
        heat = self.study.practice.temperature
        return policy_of(self.base(seed), self.words(seed), temperature=heat)

    def samples(self, name: str, seed: int) -> list[Sample]:
        """Training samples of a seed, made where they are not there; none is nearly a test."""
        path = self.place(seed) / f"{name}.jsonl"
        if not path.is_file():
            known = SeenTurns()
            for sample in (*self.tests(), *self.chosen_by()):
                known.take(sample)
            amounts = {TAUGHT: self.study.amounts.taught, KEPT_BACK: self.study.amounts.kept_back}
            for part, count in amounts.items():
                drawn = self._drawn(part, count, f"seed {seed}", known)
                write_samples(path.with_name(f"{part}.jsonl"), drawn)
        return list(read_samples(path))

    def tests(self) -> list[Sample]:
        """The samples that every model is measured on, made where they are not there."""
        path, amounts = self.folder / TESTS, self.study.amounts
        if not path.is_file():
            known, drawn = SeenTurns(), list[Sample]()
            for split, count in zip(
                TESTED, (amounts.dev, amounts.frames, amounts.phrasings), strict=True
            ):
                drawn += self._drawn(split.value, count, "tests", known)
            write_samples(path, drawn)
        return list(read_samples(path))

    def chosen_by(self) -> list[Sample]:
        """Samples of dev by which steps and settings are chosen; none is nearly a test."""
        path = self.folder / CHOICE
        if not path.is_file():
            known = SeenTurns()
            for sample in self.tests():
                known.take(sample)
            count = self.study.choosing.samples
            write_samples(path, self._drawn(DEV, count, "choosing", known))
        return list(read_samples(path))

    def _drawn(self, name: str, count: int, seed: str, known: SeenTurns) -> list[Sample]:
        world = self.study.world
        return [
            one
            for role in ROLES
            for one in world.samples(name, role, count, seed=seed, known=known)
        ]


Made = tuple[LlamaForCausalLM, dict[str, Any]]


def make_base(run: StudyRun, cell: StudyCell) -> Made:
    """A new model, taught both roles."""
    pairs = [run.pair(one) for one in run.samples(TAUGHT, cell.seed)]
    texts = [text for pair in pairs for text in (pair.prompt, pair.target)]
    words = train_tokenizer(without_names(texts), size=run.study.widths.pieces)
    words.save_pretrained(run.place(cell.seed) / "tokenizer")
    return _taught(run, cell, _new(run, words, cell.seed), run.study.taught, tuple(ROLES))


def make_alone(run: StudyRun, cell: StudyCell) -> Made:
    """A new model of the same size, taught one role in as many steps as the base."""
    return _specialist(run, cell, ALONE, run.study.taught)


def make_half(run: StudyRun, cell: StudyCell) -> Made:
    """The same in half of the steps."""
    return _specialist(run, cell, HALVED, [half(how) for how in run.study.taught])


def make_more(run: StudyRun, cell: StudyCell) -> Made:
    """The base, fine-tuned on with labels of the very prompts that reinforcement has."""
    base, grpo = run.known(BASE, cell.seed), run.known(GRPO, cell.seed)
    steps = equal_steps(grpo["cpu_s"], base["cpu_s"], base["steps"])
    how = Teaching(steps=steps, rate=run.study.more, tokens=run.study.taught[0].tokens)
    return _taught(run, cell, run.base(cell.seed), [how], tuple(ROLES), source=KEPT_BACK)


def make_grpo(run: StudyRun, cell: StudyCell) -> Made:
    """The base, reinforced by its labels."""
    policy = run.policy(cell.seed)
    lesson = _labelled(run, policy, cell.seed)
    return _made(policy, by_grpo(policy, lesson, run.study, seed=cell.seed))


def make_blind(run: StudyRun, cell: StudyCell) -> Made:
    """The base, reinforced by what a memory does with its replies; no label is at hand."""
    policy, judge = run.policy(cell.seed), BlindJudge()
    samples = run.samples(KEPT_BACK, cell.seed)
    tasks, dev = (
        blinded(tasks_of(policy.tokenizer, some), run.study.world.relations)
        for some in (samples, run.chosen_by())
    )
    judge([tasks[0].known, tasks[-1].known], [samples[0].target, samples[-1].target])  # compiles
    lesson = ReinforcedLesson(
        tasks=tasks,
        judge=Onlooker(judge=judge, look=by_labels(samples)),
        dev=dev,
        examiner=judge,
        part="reward",
    )
    return _made(policy, by_grpo(policy, lesson, run.study, seed=cell.seed))


def make_swept(run: StudyRun, cell: StudyCell) -> Made:
    """One setting of PPO, in a few steps."""
    critic = run.study.critics[cell.setting]
    return _with_critic(run, cell, critic, critic.swept, looks=1)


def make_ppo(run: StudyRun, cell: StudyCell) -> Made:
    """The best setting of the sweep, in as much processor time as GRPO took."""
    best = run.study.critics.index(chosen(run))
    swept = run.known(SWEEP, run.study.seeds[0], best)
    grpo = run.known(GRPO, cell.seed)
    steps = equal_steps(grpo["cpu_s"], swept["cpu_s"], swept["steps"])
    return _with_critic(run, cell, run.study.critics[best], steps)


MAKERS: Mapping[str, Callable[[StudyRun, StudyCell], Made]] = {
    BASE: make_base,
    GRPO: make_grpo,
    BLIND: make_blind,
    SWEEP: make_swept,
    PPO: make_ppo,
    MORE: make_more,
    **dict.fromkeys(ALONE.values(), make_alone),
    **dict.fromkeys(HALVED.values(), make_half),
}


def chosen(run: StudyRun) -> CriticSetting:
    """The setting of PPO that was best at the end of its short run, on what steps are chosen by."""

    def worth(place: int) -> float:
        return float(run.known(SWEEP, run.study.seeds[0], place)["looks"][-1][1])

    return run.study.critics[max(range(len(run.study.critics)), key=worth)]


def on_dev(run: StudyRun, cell: StudyCell) -> Mapping[str, float]:
    """Exact adherence of a cell's model on the samples that steps are chosen by, for each role."""
    policy = policy_of(run.model(cell.kind, cell.seed), run.words(cell.seed))
    found = {}
    for role in ROLES:
        samples = of_role(run.chosen_by(), role)
        replies = likeliest(policy, tasks_of(policy.tokenizer, samples))
        judged = GoldJudge()(samples, replies)
        found[role.value] = sum(one["exact"] for one in judged) / len(judged)
    return found


def _new(run: StudyRun, words: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    return new_model(words, run.study.widths, seed=seed)


def _specialist(
    run: StudyRun, cell: StudyCell, kinds: Mapping[str, str], lessons: Sequence[Teaching]
) -> Made:
    role = next(Role(name) for name, kind in kinds.items() if kind == cell.kind)
    model = _new(run, run.words(cell.seed), cell.seed)
    return _taught(run, cell, model, lessons, (role,))


def _taught(
    run: StudyRun,
    cell: StudyCell,
    model: LlamaForCausalLM,
    lessons: Sequence[Teaching],
    roles: Sequence[Role],
    *,
    source: str = TAUGHT,
) -> Made:
    words = run.words(cell.seed)
    pairs = [run.pair(one) for one in of_role(run.samples(source, cell.seed), *roles)]
    encoded = encode(words, pairs, longest=LONGEST)
    steps = sum(how.steps for how in lessons)
    used, curve = 0.0, list[dict[str, float]]()
    for how in lessons:
        config = SftConfig(steps=how.steps, rate=how.rate, tokens=how.tokens, seed=cell.seed)
        clock = TrainingClock()
        fine_tune(model, encoded, config, watch=clock)
        used += clock.cpu_s
        curve = clock.curve[:: max(1, how.steps // 100)]
    found = {"cpu_s": round(used, 1), "steps": steps, "samples": len(encoded)}
    return model, {**found, "curve": curve}


def _with_critic(
    run: StudyRun, cell: StudyCell, critic: CriticSetting, steps: int, *, looks: int = 2
) -> Made:
    policy = run.policy(cell.seed)
    lesson = replace(_labelled(run, policy, cell.seed), looks=looks)
    found = by_ppo(policy, lesson, run.study, critic=critic, steps=steps, seed=cell.seed)
    return _made(policy, found)


def _labelled(run: StudyRun, policy: SamplingPolicy, seed: int) -> ReinforcedLesson[Sample]:
    tasks = tasks_of(policy.tokenizer, run.samples(KEPT_BACK, seed))
    exams = blinded(tasks, run.study.world.relations)
    return ReinforcedLesson(
        tasks=tasks,
        judge=Onlooker(judge=GoldJudge(), look=by_exam(exams)),
        dev=tasks_of(policy.tokenizer, run.chosen_by()),
        examiner=GoldJudge(),
        part="exact",
    )


def _made(policy: SamplingPolicy, found: dict[str, Any]) -> Made:
    return policy.model, found


def _write(path: Path, written: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(written) + "\n", encoding="utf-8")
    os.replace(unfinished, path)
