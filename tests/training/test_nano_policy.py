"""A nano that was exported says what its model says, behind the policy port (extra `train`)."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install 'mags[train]'")
pytest.importorskip("onnx", reason="needs the extra: pip install 'mags[train]'")

from mags.errors import ConfigurationError, CorruptFile, ModelReplyError  # noqa: E402
from mags.models.embed.session import open_session  # noqa: E402
from mags.models.policy.compact import compact  # noqa: E402
from mags.models.policy.nano import NanoFolder, NanoModel, NanoPolicy  # noqa: E402
from mags.ports.policy import Act, Recalled, Turn  # noqa: E402
from mags.training.batches import Pair, encode  # noqa: E402
from mags.training.export.onnx import export_onnx  # noqa: E402
from mags.training.nano.model import new_nano  # noqa: E402
from mags.training.rollout import complete  # noqa: E402
from mags.training.sft import SftConfig, fine_tune  # noqa: E402
from tests.training import tiny  # noqa: E402

AT = 1_715_299_200.0
TOLD = Turn(text="I live in Oslo.", speaker="Alice", at=AT)
ASKED = Turn(text="Where does Alice live?", speaker="Alice", at=AT)
REPLIES = {
    "write": "<engram>\nADD | Alice | lives in | Oslo\n</engram>",
    "ask": "<recall>\nAlice lives in\nentities: Alice\n</recall>",
    "router": "<route> engram </route>",
}


def card(folder: Path, **more: object) -> NanoFolder:
    about = {
        "name": "tiny",
        "files": dict.fromkeys(("ask", "write", "router"), "all.onnx"),
        "layers": tiny.SIZE.layers,
        "heads": tiny.SIZE.heads,
        "width": tiny.SIZE.width // tiny.SIZE.heads,
        "context": tiny.SIZE.context,
        **more,
    }
    (folder / "nano.json").write_text(json.dumps(about), encoding="utf-8")
    return NanoFolder.read(folder)


def exported(words: Any, model: Any, folder: Path) -> NanoFolder:
    export_onnx(model, folder / "all.onnx")
    words.backend_tokenizer.save(str(folder / "tokenizer.json"))
    return card(folder)


@pytest.fixture(scope="module")
def drilled(words: Any, tmp_path_factory: pytest.TempPathFactory) -> NanoFolder:
    """A nano that knows three replies by heart."""
    turns = {"write": TOLD, "ask": ASKED, "router": TOLD}
    pairs = [Pair(prompt=compact(r, turns[r]), target=said) for r, said in REPLIES.items()]
    model = tiny.model(words)
    fine_tune(model, encode(words, pairs, longest=250), SftConfig(steps=120, rate=1e-2))
    return exported(words, model, tmp_path_factory.mktemp("nano"))


@pytest.mark.filterwarnings("ignore")
def test_its_greedy_tokens_are_those_of_transformers(
    words: Any, speller: Any, tmp_path: Path
) -> None:
    folder = exported(words, speller, tmp_path)
    nano = NanoModel(folder, "write")
    how = tiny.sampling(words, temperature=0.0)
    for prompt in ("say 1: ", "say 17 and more: ", "a b", "Where is Oslo? "):
        ids = words(prompt, add_special_tokens=False)["input_ids"]
        done = complete(speller, [(words.bos_token_id, *ids)], how)
        said = [t for t in done.tokens[0].tolist() if t not in (how.end, how.pad)]
        assert nano.complete(prompt, limit=how.limit) == words.decode(said)


def test_it_makes_the_three_decisions(drilled: NanoFolder) -> None:
    policy = NanoPolicy(drilled)
    writing = policy.write(TOLD, [], [])
    (one,) = writing.operations
    assert (one.act, one.subject, one.relation, one.object) == (
        Act.ADD, "Alice", "lives in", "Oslo",
    )  # fmt: skip
    assert writing.mentions == ("Alice", "Oslo")
    assert not writing.is_question
    assert policy.ask(ASKED, []).queries == (ASKED.text, "Alice lives in")
    route = policy.route(TOLD, [])
    assert (route.recall, route.write) == (False, True)
    assert policy.name == "tiny"
    assert policy.failures.total() == 0


def test_what_it_invents_is_refused_and_counted(drilled: NanoFolder) -> None:
    policy = NanoPolicy(drilled)
    with pytest.raises(ModelReplyError):
        policy.write(Turn(text="Nothing much.", speaker="Bob", at=AT), [], [])
    assert policy.failures == {"write": 1}


def test_a_role_without_a_model_and_a_turn_too_long_are_refused(drilled: NanoFolder) -> None:
    only = NanoPolicy(card(drilled.path, files={"write": "all.onnx"}))
    with pytest.raises(ModelReplyError, match="no model for ask"):
        only.ask(ASKED, [])
    known = [Recalled(id=1, text="word " * 60)] * 4
    with pytest.raises(ModelReplyError, match="too long"):
        only.write(Turn(text="word " * 200, at=AT), [], known)
    card(drilled.path)


def test_a_folder_that_is_none_or_damaged_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="mags train all"):
        NanoFolder.read(tmp_path)
    (tmp_path / "nano.json").write_text("{}")
    with pytest.raises(CorruptFile, match="damaged"):
        NanoFolder.read(tmp_path)
    with pytest.raises(CorruptFile, match=r"tokenizer\.json is missing"):
        NanoPolicy(card(tmp_path)).route(TOLD, [])


def test_in_eight_bits_it_says_nearly_the_same(words: Any, tmp_path: Path) -> None:
    size = replace(tiny.SIZE, width=64, inner=96)
    model = new_nano(words, size, seed=0).eval()
    ids = np.arange(12, dtype=np.int64)[None]
    logits = []
    for bits in (32, 8):
        file = export_onnx(model, tmp_path / f"{bits}.onnx", bits=bits)
        session = open_session(str(file), file, threads=1)
        empty = np.zeros((size.layers, 1, 2 * size.heads, 0, 32), np.float32)
        first, cache = session.run(None, {"ids": ids[:, :8], "past": empty})  # type: ignore[dict-item]
        last, _ = session.run(None, {"ids": ids[:, 8:], "past": cache})  # type: ignore[dict-item]
        logits.append(last[0])
        with torch.no_grad():
            want = model(input_ids=torch.from_numpy(ids)).logits[0, -1].numpy()
        assert last[0] == pytest.approx(want, abs=1e-4 if bits == 32 else 0.02)
        assert first.shape == (1, len(words))
    assert (tmp_path / "8.onnx").stat().st_size < 0.5 * (tmp_path / "32.onnx").stat().st_size
    with pytest.raises(ValueError, match="multiple of 64"):
        export_onnx(tiny.model(words), tmp_path / "no.onnx", bits=8)
