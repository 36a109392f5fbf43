"""`mags models`: which policy is used, written so that nothing else in the file changes."""

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.app import make_chat, make_policy
from mags.cli.config import set_policy, with_policy
from mags.errors import ConfigurationError, InvalidInput
from mags.settings import EmbedderSettings, PolicySettings, Settings, read_settings
from tests.cli.running import run as command

CARD = {"name": "tiny", "files": {"write": "w.onnx"}, "layers": 1, "heads": 1, "width": 4,
        "context": 64}  # fmt: skip


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "mags" / "config.toml"


@pytest.fixture
def nano(tmp_path: Path) -> Path:
    folder = tmp_path / "run" / "export"
    folder.mkdir(parents=True)
    (folder / "nano.json").write_text(json.dumps(CARD))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "w.onnx").write_bytes(b"x" * 2_000_000)
    return folder


def run(*words: str) -> str:
    return command("models", *words)


def test_a_folder_is_used_and_left_again(config: Path, nano: Path) -> None:
    assert str(config) in run("use", str(nano.parent)).replace("\n", "")
    policy = read_settings({"XDG_CONFIG_HOME": str(config.parent.parent)}).policy
    assert (policy.kind, policy.path) == ("nano", nano.resolve())
    run("use", "auto")
    assert tomllib.loads(config.read_text()) == {"policy": {"kind": "auto"}}


def test_what_is_no_policy_is_not_used(config: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="auto, rules, prompted, heads"):
        run("use", str(tmp_path))
    assert not config.exists()


def test_the_list_marks_what_is_in_use(config: Path, nano: Path) -> None:
    run("use", str(nano))
    found = json.loads(run("list", str(nano.parent.parent), "--json"))
    assert [one["given"] for one in found if one["used"]] == [str(nano.resolve())]
    assert {"auto", "rules", "prompted"} <= {one["given"] for one in found}
    assert found[-1]["about"] == "tiny: write"
    assert found[-1]["megabytes"] == 2.0
    assert "tiny: write" in run("list", str(nano))


def test_adapters_are_listed_with_their_base_those_of_three_roles_once(
    config: Path, tmp_path: Path
) -> None:
    for place in ("one", "three/ask", "three/write", "three/router"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "mags.json").write_text('{"base": "qwen", "wording": "compact"}')
        (tmp_path / place / "adapter_model.safetensors").write_bytes(b"x" * 500_000)
    found = json.loads(run("list", str(tmp_path), "--json"))
    adapters = [(one["about"], one["megabytes"]) for one in found if "adapter of" in one["about"]]
    assert adapters == [
        ("adapter of qwen", 0.5),
        ("adapter of qwen: one for each role", 1.5),
    ]
    with pytest.raises(InvalidInput, match="--form safetensors or --form gguf"):
        run("export", str(tmp_path / "one"), "--out", str(tmp_path / "more"))


def test_an_export_holds_what_is_needed_and_no_more(nano: Path, tmp_path: Path) -> None:
    (nano / "notes.txt").write_text("mine")
    run("export", str(nano.parent), "--out", str(tmp_path / "taken"))
    names = sorted(path.name for path in (tmp_path / "taken").iterdir())
    assert names == ["nano.json", "tokenizer.json", "w.onnx"]
    with pytest.raises(InvalidInput, match="mags train all"):
        run("export", str(tmp_path / "taken" / "none"), "--out", str(tmp_path / "more"))
    with pytest.raises(InvalidInput, match="mags train sft"):
        run("export", str(nano.parent), "--out", str(tmp_path / "more"), "--form", "safetensors")


def test_everything_else_in_the_file_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        '# mine\n[policy]  # who decides\nlanguage = "de"\nkind = "rules"\n\n[chat]\ntries = 2\n'
    )
    set_policy(file, "nano", Path("models") / 'a "b"')
    assert file.read_text() == (
        '# mine\n[policy]  # who decides\nkind = "nano"\npath = "models/a \\"b\\""\n'
        'language = "de"\n\n[chat]\ntries = 2\n'
    )


def test_a_file_that_cannot_be_changed_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    written = 'policy = { kind = "rules" }\n'
    file.write_text(written)
    with pytest.raises(ConfigurationError):
        set_policy(file, "auto", None)
    assert file.read_text() == written


@given(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=30))
def test_any_path_is_read_back(path: str) -> None:
    text = with_policy("path = 'alice.mags'\n[embedder]\npath = 'x'\n", {"path": path})
    assert tomllib.loads(text) == {
        "path": "alice.mags", "embedder": {"path": "x"}, "policy": {"path": path},
    }  # fmt: skip


def test_a_nano_falls_back_on_the_rules(nano: Path) -> None:
    settings = Settings(policy=PolicySettings(kind="nano", path=nano))
    assert make_policy(settings, None).name == "tiny, else rules"


def test_the_heads_help_the_rules_where_the_encoder_they_stand_on_is_loaded_anyway() -> None:
    assert make_policy(Settings(), None).name == "rules, then sure heads"
    other = EmbedderSettings(kind="endpoint", url="http://localhost/v1", model="m")
    assert make_policy(Settings(embedder=other), None).name == "rules"
    assert make_policy(Settings(policy=PolicySettings(kind="rules")), None).name == "rules"


def test_heads_are_used_only_where_they_are(config: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no heads at"):
        run("use", str(tmp_path / "none.npz"))
    assert not config.exists()
    (tmp_path / "some.npz").write_bytes(b"weights")
    run("use", str(tmp_path / "some.npz"))
    settings = read_settings({"XDG_CONFIG_HOME": str(config.parent.parent)})
    assert settings.policy.kind == "heads"
    assert make_policy(settings, None).name == "heads, else rules"
    found = json.loads(run("list", str(tmp_path), "--json"))
    assert [one["given"] for one in found if one["used"]] == [str(tmp_path / "some.npz")]


def test_a_nano_is_that_of_a_folder_or_the_shipped_one(config: Path, nano: Path) -> None:
    policy = read_settings({"MAGS_POLICY": "nano", "MAGS_POLICY_PATH": str(nano)}).policy
    assert policy.path == nano
    assert read_settings({"MAGS_POLICY": "nano"}).policy.path is None


def test_the_shipped_nano_is_used_by_its_name(config: Path, nano: Path) -> None:
    run("use", str(nano))
    run("use", "nano")
    assert tomllib.loads(config.read_text()) == {"policy": {"kind": "nano"}}
    found = json.loads(run("list", str(nano.parent), "--json"))
    assert [one["given"] for one in found if one["used"]] == ["nano"]


def test_a_served_model_needs_an_endpoint_and_falls_back_on_the_rules(config: Path) -> None:
    settings = read_settings({"MAGS_POLICY": "served", "MAGS_CHAT_URL": "http://127.0.0.1:9/v1"})
    assert make_policy(settings, make_chat(settings)).name.endswith(", else rules")
    with pytest.raises(ConfigurationError, match="no language model is configured"):
        make_policy(read_settings({"MAGS_POLICY": "served"}), None)


def test_adapters_are_named_by_their_folder(config: Path) -> None:
    with pytest.raises(ConfigurationError, match="names no folder of adapters"):
        make_policy(read_settings({"MAGS_POLICY": "adapters"}), None)
