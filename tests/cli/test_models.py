"""`mags models`: which policy is used, written so that nothing else in the file changes."""

import json
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.app import make_chat, make_policy
from mags.cli.installation import set_policy
from mags.errors import ConfigurationError, InvalidInput
from mags.settings import EmbedderSettings, PolicySettings, Settings, read_settings
from tests.cli.running import run as command


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "mags" / "config.toml"


def run(*words: str) -> str:
    return command("models", *words)


def test_what_is_no_policy_is_not_used(config: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="auto, rules, prompted, reader"):
        run("use", str(tmp_path))
    assert not config.exists()


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


def test_a_policy_is_used_by_its_name_and_marked_in_the_list(config: Path) -> None:
    assert str(config) in run("use", "reader").replace("\n", "")
    assert tomllib.loads(config.read_text()) == {"policy": {"kind": "reader"}}
    found = json.loads(run("list", "--json"))
    assert [one["given"] for one in found if one["used"]] == ["reader"]
    assert {"auto", "rules", "prompted"} <= {one["given"] for one in found}


def test_what_holds_no_adapter_is_not_exported(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="mags train lora"):
        run("export", str(tmp_path), "--out", str(tmp_path / "more"))


def test_everything_else_in_the_file_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        '# mine\n[policy]  # who decides\nlanguage = "de"\nkind = "rules"\n\n[chat]\ntries = 2\n'
    )
    set_policy(file, "adapters", Path("models") / 'a "b"')
    assert file.read_text() == (
        '# mine\n[policy]  # who decides\nlanguage = "de"\nkind = "adapters"\n'
        'path = "models/a \\"b\\""\n\n[chat]\ntries = 2\n'
    )


@pytest.mark.parametrize("written", ["policy = 3\n", "[policy\n"])
def test_a_file_that_cannot_be_changed_is_left_alone(tmp_path: Path, written: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(written)
    with pytest.raises(ConfigurationError):
        set_policy(file, "auto", None)
    assert file.read_text() == written


def test_a_policy_written_in_one_line_is_changed_there(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('policy = { kind = "rules" }\n[chat]\ntries = 2\n')
    set_policy(file, "auto", None)
    assert file.read_text() == 'policy = { kind = "auto" }\n[chat]\ntries = 2\n'


@given(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=30))
def test_any_word_is_read_back(word: str) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "config.toml"
        file.write_text("path = 'alice.mags'\n[embedder]\npath = 'x'\n")
        set_policy(file, word, None)
        assert tomllib.loads(file.read_text("utf-8")) == {
            "path": "alice.mags", "embedder": {"path": "x"}, "policy": {"kind": word},
        }  # fmt: skip


def test_the_reader_helps_the_rules_where_the_encoder_it_stands_on_is_loaded_anyway() -> None:
    assert make_policy(Settings(), None).name == "rules and reader"
    other = EmbedderSettings(kind="endpoint", url="http://localhost/v1", model="m")
    assert make_policy(Settings(embedder=other), None).name == "rules"
    assert make_policy(Settings(policy=PolicySettings(kind="rules")), None).name == "rules"


@pytest.mark.parametrize("gone", ["heads", "both"])
def test_the_heads_that_went_are_the_reader_now_with_a_warning(config: Path, gone: str) -> None:
    with pytest.warns(FutureWarning, match="gave way to the reader"):
        run("use", gone)
    assert tomllib.loads(config.read_text()) == {"policy": {"kind": "reader"}}
    with pytest.warns(FutureWarning, match="gave way to the reader"):
        assert read_settings({"MAGS_POLICY": gone}).policy.kind == "reader"


def test_a_reader_is_used_only_where_it_is(config: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no reader at"):
        run("use", str(tmp_path / "none.npz"))
    assert not config.exists()
    (tmp_path / "some.npz").write_bytes(b"weights")
    run("use", str(tmp_path / "some.npz"))
    settings = read_settings({"XDG_CONFIG_HOME": str(config.parent.parent)})
    assert settings.policy.kind == "reader"
    assert make_policy(settings, None).name == "rules and reader"
    found = json.loads(run("list", str(tmp_path), "--json"))
    assert [one["given"] for one in found if one["used"]] == [str(tmp_path / "some.npz")]


def test_a_served_model_needs_an_endpoint_and_falls_back_on_the_rules(config: Path) -> None:
    settings = read_settings({"MAGS_POLICY": "served", "MAGS_CHAT_URL": "http://127.0.0.1:9/v1"})
    assert make_policy(settings, make_chat(settings)).name.endswith(", else rules")
    with pytest.raises(ConfigurationError, match="no language model is configured"):
        make_policy(read_settings({"MAGS_POLICY": "served"}), None)


def test_adapters_are_named_by_their_folder(config: Path) -> None:
    with pytest.raises(ConfigurationError, match="names no folder of adapters"):
        make_policy(read_settings({"MAGS_POLICY": "adapters"}), None)
