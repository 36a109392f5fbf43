"""`mags train sft|grpo|ppo|all` and `mags train evaluate`, run as people run them."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from mags.errors import ConfigurationError, InvalidInput, MissingExtra
from mags.extras import import_extra
from tests.cli.running import run
from tests.models.chat.endpoint import Step, serving

HAS_TORCH = importlib.util.find_spec("torch") is not None


def test_the_command_line_starts_without_torch() -> None:
    script = (
        "import sys, mags.cli, mags.cli.app\n"
        "heavy = {'torch', 'transformers', 'peft', 'trl', 'datasets', 'matplotlib'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.skipif(HAS_TORCH, reason="the extra is there")
@pytest.mark.parametrize("words", [("sft", "m"), ("grpo", "m"), ("ppo", "m")])
def test_a_missing_extra_is_named(words: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=r"'./lab\[train\]'"):
        run("train", *words, "--preset", "smoke", "--out", str(tmp_path))


@pytest.mark.skipif(importlib.util.find_spec("torch_geometric") is not None, reason="it is there")
def test_the_linker_names_its_extra(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=r"'./lab\[pyg\]'"):
        run("train", "linker", "--out", str(tmp_path / "linker.npz"))


@pytest.mark.skipif(
    importlib.util.find_spec("torch_geometric") is None, reason="needs the extra pyg"
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_linker_is_trained_on_a_memory_and_taken_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAGS_MEMORY", str(tmp_path / "m.mags"))
    for name in ("Ana", "Ben", "Cy"):
        run("observe", f"My name is {name}. I live in Oslo and I like tea. I moved to Rome.")
    weights = tmp_path / "linker.npz"
    told = json.loads(run("train", "linker", "--out", str(weights), "--epochs", "2", "--json"))
    assert set(told["figures"]) == {"trained", "cosine", "neighbours"}
    config = tmp_path / "config.toml"
    config.write_text(f'[engram]\nlinker = "{weights}"\n', encoding="utf-8")
    run("--config", str(config), "observe", "I like coffee.")


def test_only_a_missing_library_is_taken_for_a_missing_extra() -> None:
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        import_extra("mags.nowhere", extra="train", needed_for="a test")


@pytest.mark.skipif(HAS_TORCH, reason="the extra is there")
@pytest.mark.parametrize("verb", ["reader", "all"])
def test_the_extra_that_the_reader_needs_is_named(verb: str, tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=r"'./lab\[train\]'"):
        run("train", verb, "--out", str(tmp_path / "reader.npz"))


def test_policies_are_evaluated_on_samples_of_their_own_or_on_files(tmp_path: Path) -> None:
    made = run("train", "evaluate", "--most", "2", "--probed", "1", "--split", "seen", "--json")
    (found,) = json.loads(made)
    assert found["name"] == "rules"
    assert {cell["split"] for cell in found["cells"]} == {"seen"}
    run("train", "data", "--out", str(tmp_path / "data"), "--samples", "20")
    told = run(
        *("train", "evaluate", "rules", "again=rules", "--data", str(tmp_path / "data")),
        *("--most", "2", "--role", "write", "--draws", "0", "--out", str(tmp_path / "out")),
    )
    assert "again" in told
    assert "train" not in {line.split()[1] for line in told.splitlines() if "rules" in line}
    written = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert [one["name"] for one in written] == ["rules", "again"]
    with pytest.raises(InvalidInput, match="no samples"):
        run("train", "evaluate", "--data", str(tmp_path / "data"), "--split", "real")


@pytest.mark.parametrize(
    "words",
    [
        ("train", "all", "--preset", "nano", "--out", "x"),
        ("train", "sizes", "1M", "--steps", "4", "--out", "x"),
        ("train", "grpo", "--out", "x"),
        ("train", "evaluate", "nano"),
        ("models", "use", "nano"),
        ("models", "export", "nano", "--out", "x"),
        ("models", "export", "x", "--form", "onnx", "--out", "x"),
    ],
)
def test_what_was_of_nano_says_where_it_went(words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"nano went with 0\.2: .*`mags train lora`"):
        run(*words)


def test_a_prompted_model_is_evaluated_over_http(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = {
        "v": 1, "id": "s", "role": "write", "split": "seen", "now": "2024-05-10", "recent": [],
        "recalled": [], "turn": {"speaker": "Ana", "text": "I live in Oslo."},
        "target": "<engram>\nADD | Ana | lives in | Oslo\n</engram>", "tags": [], "source": "hand",
    }  # fmt: skip
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(sample))
    with pytest.raises(ConfigurationError, match="MAGS_CHAT_URL"):
        run("train", "evaluate", "prompted", "--data", str(path))
    with serving() as server:
        monkeypatch.setenv("MAGS_CHAT_URL", server.url)
        server.steps = [Step(text="<engram>ADD | Ana | lives in | Oslo</engram>")]
        told = run("train", "evaluate", "llm=prompted", "--data", str(path), "--json")
    (cell,) = json.loads(told)[0]["cells"]
    assert cell["measures"]["exact"]["mean"] == 1.0
    assert cell["tokens"] > 0


def test_what_is_no_policy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is no policy"):
        run("train", "evaluate", str(tmp_path))
