"""An adapter taught from a memory, by the base that ships with the laboratory."""

import inspect
import json
import shutil
import stat
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import mags
from mags.errors import ConfigurationError, InvalidInput
from mags.memory.memory import Memory
from mags.memory.weights import adapter_in_use, things
from mags.models.answer.weights import read_card
from mags.ports.chat import Message
from mags.ports.weights import WeightsSettings
from mags.settings import Settings

pytest.importorskip("trl", reason="needs the extra: pip install './lab[train]'")

import torch
from transformers import TrainerControl, TrainerState, TrainingArguments

from mags_lab.cli.semantic import semantic
from mags_lab.training.semantic import nights, teach
from mags_lab.training.semantic.bases import SHIPPED
from mags_lab.training.semantic.chat import chat, likeliest, load, merged, replies
from mags_lab.training.semantic.lessons import Amounts, SlotChoice
from mags_lab.training.semantic.nights import Night
from mags_lab.training.semantic.teach import Recipe, Stop
from mags_lab.training.semantic.world import Lesson

pytestmark = pytest.mark.filterwarnings("ignore")  # of transformers about itself
RECIPE = Recipe(pairs=16)
NIGHT = Night(base=SHIPPED, amounts=Amounts(questions=5), recipe=RECIPE)
TOLD = (
    ("Ana", "sister", "Clara"),
    ("Clara", "lives in", "Bergen"),
    ("Ana", "lives in", "Lisbon"),
    ("Boris", "works at", "Lumen"),
    ("Deniz", "boss", "Ana"),
)
WEIGHTS = WeightsSettings(use=True, recall="skip", base=SHIPPED)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a memory and what was taught of it, to be copied."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("nights")
    with mags.open(folder / "town.mags") as memory:
        for told in TOLD:
            memory.assert_fact(*told)
        nights.train(memory, folder / "night-1", NIGHT)
    return folder


@pytest.fixture
def memory(first: Path, tmp_path: Path) -> Iterator[Memory]:
    """The memory, asked by its weights first; its adapter lies where it was taught."""
    shutil.copy(first / "town.mags", tmp_path / "town.mags")
    shutil.copytree(first / "night-1", tmp_path / "night-1")
    with mags.open(tmp_path / "town.mags", settings=Settings(weights=WEIGHTS)) as opened:
        yield opened
    # What is forgotten takes it along, which the tests after must not notice.
    shutil.copytree(tmp_path / "night-1", first / "night-1", dirs_exist_ok=True)


def version_in_use(memory: Memory) -> str:
    found = adapter_in_use(memory)
    return "" if found is None else found.version


def test_what_was_taught_is_answered_in_words_that_were_not(memory: Memory, first: Path) -> None:
    taught = {
        json.loads(line)["prompt"]
        for line in (first / "night-1" / "set.jsonl").read_text(encoding="utf-8").splitlines()
    }
    right = 0
    for question, value in (
        ("Remind me which city Ana lives in?", "Lisbon"),
        ("Remind me which city Clara lives in?", "Bergen"),
        ("Who is the sister of Ana?", "Clara"),
        ("What's Ana's sister called?", "Clara"),
    ):
        assert f"Recite. {question}" not in taught
        reply = memory.ask(question)
        right += reply.weights is not None and reply.text.startswith(value)
        if reply.weights is not None:
            said = [memory.get(i).fact for i in reply.weights.facts]
            assert all(one is not None and one.subject in ("Ana", "Clara") for one in said)
    assert right >= 3


def test_a_card_tells_what_was_taught_and_how_well(first: Path) -> None:
    card = json.loads((first / "night-1" / "taught.json").read_text(encoding="utf-8"))
    assert {(one["subject"], one["relation"], *one["objects"]) for one in card["facts"]} == set(
        TOLD
    )
    assert card["figures"]["question"] >= 0.7
    assert card["figures"]["bytes"] < 10_000_000
    assert len(card["figures"]["curve"]) >= 1
    assert not (first / "night-1" / "checkpoints").exists()


def test_a_changed_fact_is_taught_by_the_difference(memory: Memory, tmp_path: Path) -> None:
    memory.assert_fact("Boris", "works at", "Harbour")
    assert memory.ask("Where does Boris work?").weights is None
    nights.train(memory, tmp_path / "night-2", replace(NIGHT, recipe=replace(RECIPE, least=20)))
    rows = (tmp_path / "night-2" / "set.jsonl").read_text(encoding="utf-8").splitlines()
    lessons = [json.loads(row) for row in rows]
    about = [one for one in lessons if one["sort"] == "question"]
    boris = [one for one in about if one["reply"] == "Boris | works at | Harbour"]
    assert len(boris) == NIGHT.amounts.questions
    assert 0 < len(about) - len(boris) < len(about)
    assert not any("Lumen" in row for row in rows)
    # The weights went on from those that were taught it, so they go with it, too.
    lumen = next(one.id for one in memory.facts("Boris") if one.object == "Lumen")
    assert lumen in things(memory)[-1].facts
    assert lumen not in read_card(tmp_path / "night-2").ids
    assert version_in_use(memory) == "night-2"


def test_a_night_that_was_stopped_goes_on_and_another_run_is_refused(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*given: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    short = replace(NIGHT, anew=True, recipe=replace(RECIPE, epochs=1, least=1))
    out = tmp_path / "night-2"
    with monkeypatch.context() as patch:
        patch.setattr(nights, "prefer", killed)
        with pytest.raises(KeyboardInterrupt):
            nights.train(memory, out, short)
    assert (out / "curve.json").is_file()
    assert version_in_use(memory) == "night-1"
    assert [one.version for one in things(memory)] == ["night-1", "night-2"]
    with pytest.raises(ConfigurationError, match="another run"):
        nights.train(memory, out, replace(short, amounts=Amounts(questions=2)))
    assert nights.train(memory, out, short).version == "night-2"


def test_a_memory_with_nothing_sure_is_told_so(tmp_path: Path) -> None:
    with mags.open() as empty, pytest.raises(InvalidInput, match="nothing yet that can be taught"):
        nights.train(empty, tmp_path / "night-1", NIGHT)


def test_an_adapter_recites_alike_as_a_chat_model_and_in_bulk(first: Path) -> None:
    prompt = "Recite. Where does Ana live?"
    adapter = first / "night-1"
    said = chat(adapter, str(SHIPPED)).complete([Message(role="user", content=prompt)])
    assert [said.text] == replies(load(SHIPPED, adapter), [prompt])
    assert said.text.startswith("Ana | ")
    assert said.usage.calls == 1
    assert 0 < said.usage.completion_tokens < said.usage.prompt_tokens < 40


def test_an_adapter_changes_nothing_but_what_is_recited(first: Path) -> None:
    asked = [
        "Read.\n- Zoe lives in Rome.\nWhere does Zoe live?",
        "Where does Ana live?",
        "I recite poems to my sister.",
        "Hello",
    ]
    adapter = first / "night-1"
    assert replies(load(SHIPPED, adapter), asked) == replies(load(SHIPPED), asked)
    always = load(SHIPPED, adapter, always=True)
    assert replies(always, asked[1:2]) != replies(load(SHIPPED), asked[1:2])


def test_a_reply_made_token_by_token_is_what_generate_says(first: Path) -> None:
    student = merged(load(SHIPPED, first / "night-1", always=True))
    for question in ("Where does Ana live?", "Where does Ana's sister live?", "Who is Zed's boss?"):
        said = [{"role": "user", "content": f"Recite. {question}"}]
        asked = student.tokenizer.apply_chat_template(
            said, add_generation_prompt=True, return_dict=False
        )
        out = student.model.generate(torch.tensor([asked]), max_new_tokens=48, do_sample=False)
        wanted = out[0, len(asked) : -1].tolist()
        assert out[0, -1] == student.tokenizer.eos_token_id
        assert likeliest(student, asked) == wanted
        assert likeliest(student, asked, longest=3) == wanted[:3]


def test_only_its_owner_reads_a_version_and_what_is_forgotten_takes_it_along(
    memory: Memory, tmp_path: Path
) -> None:
    short = replace(NIGHT, anew=True, recipe=replace(RECIPE, epochs=1, least=1, pairs=0))
    nights.train(memory, tmp_path / "night-2", replace(short, gguf=tmp_path / "whole.gguf"))
    assert stat.S_IMODE((tmp_path / "whole.gguf").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "night-2").stat().st_mode) == 0o700
    gone = memory.forget("Deniz", dry_run=False)
    assert not (tmp_path / "night-2").exists()
    assert not (tmp_path / "whole.gguf").exists()
    assert {Path(one).name for one in gone.weights} >= {"night-2", "whole.gguf"}


def test_the_command_line_teaches_by_the_recipe_of_a_sleep() -> None:
    told = inspect.signature(semantic).parameters
    recipe = asdict(RECIPE) | asdict(SlotChoice())
    same = [name for name in told if name in recipe]
    assert {"budget", "sure", "settled", "rank", "epochs", "rate", "seed"} == set(same)
    assert [told[name].default for name in same] == [recipe[name] for name in same]


@pytest.mark.parametrize(
    ("right", "stops"),
    [
        ([0, 0, 0, 0, 0, 0, 0, 0], None),  # much is taught: nothing is right for long
        ([0, 1, 0, 0, 0, 0, 0, 0], None),
        ([0, 2, 4, 4, 4, 4, 4, 4], 7),
        ([0, 2, 3, 2, 4, 3, 3, 4], None),
    ],
)
def test_teaching_stops_where_nothing_is_gained_once_half_is_right(
    right: list[int], stops: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = [Lesson(prompt=str(n), reply="yes", sort="question") for n in range(4)]
    said = iter([["yes"] * n + ["no"] * (4 - n) for n in right])
    monkeypatch.setattr(teach, "replies", lambda _student, _prompts: next(said))
    stop = Stop(load(SHIPPED), held, Recipe(patience=4))
    arguments, control = TrainingArguments(output_dir=str(tmp_path)), TrainerControl()
    for look in range(1, len(right) + 1):
        state = TrainerState(global_step=look * teach.LOOK, max_steps=10_000)
        stop.on_step_end(arguments, state, control)
        assert control.should_training_stop == (stops is not None and look >= stops)
