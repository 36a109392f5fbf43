"""`mags train data`, run as people run it."""

import json
from pathlib import Path

import pytest

from mags.errors import ConfigurationError
from mags_lab.training.chains.schema import read_samples
from tests.cli.running import run as command
from tests.models.chat.endpoint import Step, serving


def run(*words: str) -> str:
    return command("train", "data", *words)


def test_splits_and_card_are_the_same_for_the_same_seed(tmp_path: Path):
    for folder in ("a", "b"):
        told = run("--out", str(tmp_path / folder), "--samples", "60", "--seed", "3")
    assert "train" in told
    names = sorted(file.name for file in (tmp_path / "a").iterdir())
    assert {"card.md", "train.jsonl", "dev.jsonl", "seen.jsonl", "relations.jsonl"} <= {*names}
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert sum(s.source == "generator" for s in read_samples(tmp_path / "a" / "train.jsonl")) == 60


def test_what_was_mended_is_read_back(tmp_path: Path):
    run("--out", str(tmp_path / "a"), "--samples", "20")
    page = tmp_path / "pages" / "review.html"
    told = run("--from", str(tmp_path / "a" / "train.jsonl"), "--review", str(page))
    assert "samples to review" in " ".join(told.split())
    assert page.read_text(encoding="utf-8").count("</script>") == 1


def test_a_model_writes_more(tmp_path: Path):
    source = tmp_path / "seeds.jsonl"
    seed = {
        "v": 1, "id": "s", "role": "write", "split": "train", "now": "2024-05-10", "recent": [],
        "recalled": [], "turn": {"speaker": "Ana", "text": "I live in Oslo."},
        "target": "<engram>\nADD | Ana | lives in | Oslo\n</engram>", "tags": [], "source": "hand",
    }  # fmt: skip
    source.write_text(json.dumps(seed))
    one = {
        "speaker": "Tom",
        "turn": "Lyon is where my bed stands.",
        "reply": "<engram>\nADD | Tom | lives in | Lyon\n</engram>",
    }
    with serving() as server:
        server.steps = [Step(text=json.dumps({"examples": [one]}))]
        out = tmp_path / "more"
        told = run(
            *("--from", str(source), "--expand", "1", "--model", server.url, "--out", str(out))
        )
        assert "authorization" in server.headers[-1]
    assert "Took 1 of 1 new samples" in told
    assert [s.turn.speaker for s in read_samples(out / "train.jsonl")] == ["Ana", "Tom"]


def test_it_asks_where_to_write_and_which_model(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="--out DIR"):
        run("--samples", "5")
    with pytest.raises(ConfigurationError, match="--model URL"):
        run("--samples", "5", "--expand", "1", "--out", str(tmp_path))
