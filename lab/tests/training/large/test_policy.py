"""Several adapters over one base: switching, and the policy they make."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
for library in ("peft", "trl"):
    pytest.importorskip(library, reason="needs the extra: pip install './lab[train]'")

from typer.testing import CliRunner  # noqa: E402 - torch first

import mags  # noqa: E402
from lab.tests.training.large.families import folder, samples  # noqa: E402
from lab.tests.training.large.road import preset, replies  # noqa: E402
from mags.cli.app import app  # noqa: E402
from mags.errors import ConfigurationError  # noqa: E402
from mags.settings import PolicySettings, Settings  # noqa: E402
from mags_lab.training.chains.schema import write_samples  # noqa: E402
from mags_lab.training.large.adapters import Adapted, put_adapter, save_adapter  # noqa: E402
from mags_lab.training.large.loading import load  # noqa: E402
from mags_lab.training.large.policy import (  # noqa: E402
    AdapterPolicy,
    AdapterRegistry,
    Sampler,
    read_adapters,
)
from mags_lab.training.large.presets import Wording  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def scrambled(taught: Any, tmp_path: Path) -> Path:
    """An adapter whose weights are drawn at random."""
    drawn = put_adapter(load(taught.base), preset(1))
    for weight in drawn.model.parameters():
        if weight.requires_grad:
            torch.nn.init.normal_(weight)
    return save_adapter(drawn, tmp_path / "scrambled", base=taught.base)


def test_switching_changes_what_is_said_and_nothing_else(taught: Any, scrambled: Path) -> None:
    registry = AdapterRegistry(
        load(taught.base), {"taught": taught.adapter, "scrambled": scrambled}
    )
    messages = taught.adapted.loaded.speech.messages(samples()[0])
    alone = taught.adapted.loaded.tokenizer.decode(replies(taught.adapted)[0][:-1])
    said = [registry.reply(one, messages, "write")[0] for one in ("taught", "scrambled", "taught")]
    assert said[0] == said[2] == alone
    assert said[1] != alone
    assert not any(p.requires_grad for p in registry._model.parameters())


def test_switching_reads_no_file_and_moves_no_weights(tmp_path: Path) -> None:
    base = folder("qwen", tmp_path / "base", layers=36)  # as deep as a model of 8B
    untaught = put_adapter(load(base), preset(1))
    adapters = {n: save_adapter(untaught, tmp_path / n, base=base) for n in ("ask", "write")}
    registry = AdapterRegistry(load(base), adapters)
    for path in (base, *adapters.values()):
        shutil.rmtree(path)

    def places() -> dict[str, int]:
        return {name: weights.data_ptr() for name, weights in registry._model.named_parameters()}

    before = places()
    for name in ("write", "ask"):
        registry.use(name)
        assert registry._model.active_adapter == name
        assert places() == before


def test_roles_that_share_a_folder_share_an_adapter(taught: Any, scrambled: Path) -> None:
    roles = {"write": taught.adapter, "ask": scrambled, "router": scrambled}
    policy = AdapterPolicy.over(load(taught.base), roles, held=False)
    told = samples()[0].turn
    (operation,) = policy.write(told, [], []).operations
    assert (operation.relation, operation.object) == ("lives in", "Oslo")


def test_what_is_held_to_the_grammar_is_read_whoever_says_it(taught: Any, scrambled: Path) -> None:
    pytest.importorskip("llguidance", reason="needs the extra: pip install './lab[train]'")
    policy = AdapterPolicy.over(
        load(taught.base), dict.fromkeys(("ask", "write", "router"), scrambled), held=True
    )
    route = policy.route(samples()[0].turn, [])
    assert 0.0 <= route.episodic <= 1.0


def test_replies_of_adapters_are_drawn_where_a_sampler_draws_them(
    taught: Any, scrambled: Path
) -> None:
    registry = AdapterRegistry(
        load(taught.base), {"taught": taught.adapter, "scrambled": scrambled}
    )
    messages = taught.adapted.loaded.speech.messages(samples()[0])

    def said(name: str, temperature: float, seed: int = 0) -> str:
        return registry.reply(name, messages, "write", Sampler(temperature, seed=seed))[0]

    likeliest, usage = registry.reply("taught", messages, "write")
    assert said("taught", 0.0) == likeliest
    assert registry.tokens == 2 * (usage.prompt_tokens + usage.completion_tokens)
    assert said("scrambled", 9.0) == said("scrambled", 9.0) != said("scrambled", 9.0, seed=1)


def test_adapters_are_evaluated_with_tokens_and_what_is_drawn(taught: Any, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    write_samples(file, samples()[:1])
    words = ("train", "evaluate", str(taught.adapter), "--data", str(file))
    done = CliRunner().invoke(app, [*words, "--draws", "2", "--out", str(tmp_path)])
    assert done.exception is None, done.output
    (cell,) = json.loads((tmp_path / "evaluation.json").read_text())[0]["cells"]
    assert cell["measures"]["agreement"]["n"] == 1
    assert cell["tokens"] > 0


def test_an_adapter_of_another_wording_is_refused(taught: Any) -> None:
    few = load(taught.base, wording=Wording.FEW_SHOT)
    with pytest.raises(ConfigurationError, match="taught with the wording compact"):
        AdapterPolicy.over(few, dict.fromkeys(("ask", "write", "router"), taught.adapter))
    with pytest.raises(ConfigurationError, match=r"holds no adapter of MAGS"):
        AdapterPolicy.over(few, {"ask": taught.base})


def test_adapters_in_a_folder_drive_a_memory_by_one_setting(taught: Any, tmp_path: Path) -> None:
    settings = Settings(policy=PolicySettings(kind="adapters", path=taught.adapter))
    with mags.open(settings=settings) as memory:
        told = samples()[0].turn
        # Word for word what was taught: so small a model says anything to another prompt.
        memory.observe(told.text, speaker=told.speaker, at=told.at)
        assert [(f.relation, f.object) for f in memory.facts()] == [("lives in", "Oslo")]


def test_an_adapter_is_exported_as_one_model(taught: Any, tmp_path: Path) -> None:
    words = ["models", "export", str(taught.adapter), "--form", "gguf", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, words)
    assert done.exception is None, done.output
    assert (tmp_path / "model.gguf").read_bytes()[:4] == b"GGUF"
    merged = load(tmp_path)
    assert replies(Adapted(loaded=merged, model=merged.model)) == replies(taught.adapted)


def test_adapters_of_several_bases_are_refused(taught: Any, tmp_path: Path) -> None:
    for role in ("ask", "write", "router"):
        shutil.copytree(taught.adapter, tmp_path / role)
    card = tmp_path / "ask" / "mags.json"
    card.write_text(json.dumps({**json.loads(card.read_text()), "base": "another"}))
    with pytest.raises(ConfigurationError, match="taught on 2 bases"):
        read_adapters(tmp_path)
