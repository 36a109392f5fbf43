"""Settings: where they come from, which goes first, and what is refused by name."""

import dataclasses
from pathlib import Path

import pytest

from mags.errors import ConfigurationError
from mags.plasticity.life import Birth
from mags.recall.settings import RecallSettings
from mags.settings import ENVIRONMENT, Settings, read_settings

URL = "http://localhost:8000/v1"


def write(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_or_a_variable_everything_is_the_embedded_default(tmp_path: Path):
    assert read_settings({"HOME": str(tmp_path)}) == Settings()


def test_a_file_sets_every_part(tmp_path: Path):
    config = write(
        tmp_path,
        f"""
        path = "alice.mags"
        [chat]
        url = "{URL}"
        tries = 2
        temperature = false
        [embedder]
        kind = "folder"
        path = "models/minilm"
        [memory]
        window = 4
        [recall]
        candidates = 64
        weights = {{ similarity = 2 }}
        [engram.attention]
        on = false
        [sleep]
        prune = false
        [sleep.birth]
        [sleep.capacity]
        max_nodes = 1000
        [answer]
        mode = "manager"
        [policy]
        language = "de"
        """,
    )
    settings = read_settings({}, config=config)
    assert settings.path == Path("alice.mags")
    assert (settings.chat.url, settings.chat.tries, settings.chat.temperature) == (URL, 2, None)
    assert settings.embedder.path == Path("models/minilm")
    assert settings.memory.window == 4
    assert settings.memory.recall.candidates == 64
    assert settings.memory.recall.weights["similarity"] == 2.0
    assert settings.memory.recall.weights.keys() == Settings().memory.recall.weights.keys()
    assert not settings.memory.engram.attention.on
    assert settings.sleep.prune is None
    assert Settings().sleep.birth is None
    assert settings.sleep.birth == Birth()
    assert settings.sleep.decay == Settings().sleep.decay
    assert settings.sleep.capacity is not None
    assert settings.sleep.capacity.max_nodes == 1000
    assert (settings.answer.mode, settings.policy.language) == ("manager", "de")


def test_the_environment_goes_before_the_file(tmp_path: Path):
    config = write(tmp_path, f'[chat]\nurl = "{URL}"\nmodel = "a"\n')
    given = {"MAGS_CHAT_MODEL": "b", "MAGS_CHAT_KEY": "k", "MAGS_MEMORY": "m.mags"}
    settings = read_settings(given, config=config)
    assert (settings.chat.url, settings.chat.model, settings.chat.key) == (URL, "b", "k")
    assert settings.path == Path("m.mags")


def test_the_file_is_found_where_it_is_named_or_in_its_usual_place(tmp_path: Path):
    named = write(tmp_path, 'path = "named"\n')
    (tmp_path / "home" / ".config" / "mags").mkdir(parents=True)
    write(tmp_path / "home" / ".config" / "mags", 'path = "usual"\n')
    home = {"HOME": str(tmp_path / "home")}
    assert read_settings(home).path == Path("usual")
    assert read_settings({**home, "MAGS_CONFIG": str(named)}).path == Path("named")
    xdg = {"XDG_CONFIG_HOME": str(tmp_path / "home" / ".config")}
    assert read_settings(xdg).path == Path("usual")


def test_a_named_file_that_is_not_there_is_an_error(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="is not there: correct --config or MAGS_CONFIG"):
        read_settings({}, config=tmp_path / "none.toml")


@pytest.mark.parametrize("text", ["[chat", "\udcff", "a = 1\na = 2"])
def test_a_file_that_is_no_toml_is_an_error(tmp_path: Path, text: str):
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_settings({}, config=path)


@pytest.mark.parametrize(
    ("given", "kind", "path", "url", "model"),
    [
        ("embedded", "embedded", None, "", ""),
        ("models/minilm", "folder", Path("models/minilm"), "", ""),
        (f"{URL}#nomic", "endpoint", None, URL, "nomic"),
    ],
)
def test_one_variable_chooses_the_embedder(
    given: str, kind: str, path: Path | None, url: str, model: str
):
    embedder = read_settings({"MAGS_EMBEDDER": given}).embedder
    assert (embedder.kind, embedder.path, embedder.url, embedder.model) == (kind, path, url, model)


def test_the_openai_variables_count_only_where_no_endpoint_is_named(tmp_path: Path):
    both = {"OPENAI_BASE_URL": "https://example.com/v1", "OPENAI_API_KEY": "sk-other"}
    taken = read_settings(both).chat
    assert (taken.url, taken.key) == ("https://example.com/v1", "sk-other")
    named = read_settings({**both, "MAGS_CHAT_URL": URL}).chat
    assert (named.url, named.key) == (URL, None)
    config = write(tmp_path, f'[chat]\nurl = "{URL}"\n')
    assert read_settings(both, config=config).chat.key is None
    assert read_settings({"OPENAI_API_KEY": "sk-other"}).chat == Settings().chat
    own = read_settings({**both, "MAGS_CHAT_KEY": "sk-mine"}).chat
    assert own.key == "sk-mine"


def test_an_empty_variable_is_none():
    assert read_settings({name: " " for name in ENVIRONMENT}) == Settings()


@pytest.mark.parametrize(
    ("text", "key", "allowed"),
    [
        ("[chat]\ntries = 0", "chat.tries", "a whole number from 1 to 20"),
        ("[chat]\ntries = 1.5", "chat.tries", "a whole number from 1 to 20"),
        ("[chat]\ntimeout_s = true", "chat.timeout_s", "a number from 0.05 to 3600"),
        ('[chat]\ntimeout_s = "9"', "chat.timeout_s", "a number from 0.05 to 3600"),
        ("[chat]\ntools = 1", "chat.tools", "true or false"),
        ("[chat]\nmodel = 3", "chat.model", "a text"),
        ('[chat]\nurl = "localhost:8000"', "chat.url", "a URL such as http://localhost:8000/v1"),
        ('[answer]\nmode = "loud"', "answer.mode", "one of chat, manager, extractive"),
        ("chat = 3", "chat", "a table"),
        ("path = 3", "path", "a path"),
        ("recall = 3", "memory.recall", "a table"),
        ("[sleep]\nbirth = 3", "sleep.birth", "a table, or false to switch it off"),
        ("[sleep.birth]\ncommon = 'x'", "sleep.birth.common", "a whole number"),
        ("[recall]\nweights = 3", "memory.recall.weights", "a table of numbers"),
        ("[recall.weights]\nsession = 'x'", "memory.recall.weights.session", "a number"),
        ('[policy]\nlanguage = "english"', "policy.language", "an ISO 639-1 code: en"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_what_is_allowed(
    tmp_path: Path, text: str, key: str, allowed: str
):
    with pytest.raises(ConfigurationError) as caught:
        read_settings({}, config=write(tmp_path, text))
    assert caught.value.facts["key"] == key
    assert caught.value.facts["allowed"] == allowed
    assert f"The setting {key} is " in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[chat]\nuri = 'x'", "chat.uri"),
        ("[chats]\n", "chats"),
        ("[sleep.birth]\nrate = 1", "sleep.birth.rate"),
    ],
)
def test_an_unknown_key_is_refused_with_those_that_exist(tmp_path: Path, text: str, key: str):
    with pytest.raises(ConfigurationError, match=r"is not known; there are ") as caught:
        read_settings({}, config=write(tmp_path, text))
    assert caught.value.facts["key"] == key


def test_an_unknown_weight_is_refused(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"a table with some of .*confidence, "):
        read_settings({}, config=write(tmp_path, "[recall.weights]\nmagic = 1"))


def test_a_wrong_variable_is_named_as_the_source():
    with pytest.raises(ConfigurationError, match=r"'loud' in MAGS_ANSWER; it must be one of"):
        read_settings({"MAGS_ANSWER": "loud"})


def test_half_an_embedder_is_refused(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"embedder\.path"):
        read_settings({}, config=write(tmp_path, '[embedder]\nkind = "folder"\n'))
    with pytest.raises(ConfigurationError, match=r"embedder\.url"):
        read_settings({"MAGS_EMBEDDER": URL})


def test_no_secret_is_ever_shown(tmp_path: Path):
    settings = read_settings(
        {"MAGS_CHAT_KEY": "sk-mine", "MAGS_EMBEDDER_KEY": "sk-too", "MAGS_CHAT_URL": URL}
    )
    assert "sk-" not in repr(settings)
    with pytest.raises(ConfigurationError) as caught:
        read_settings({}, config=write(tmp_path, "[chat]\nkey = 12345\n"))
    assert "12345" not in str(caught.value)
    with pytest.raises(
        ConfigurationError, match=r"without a name or a key \(chat\.key\)"
    ) as caught:
        read_settings({"MAGS_CHAT_URL": "http://me:sk-mine@localhost/v1"})
    assert "sk-mine" not in str(caught.value)
    assert "sk-mine" not in str(caught.value.facts)


def test_settings_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().path = Path("x")


def test_a_retired_value_is_read_as_the_default_and_warned_of(tmp_path: Path):
    path = write(tmp_path, '[recall]\nanchor_choice = "cover"\nanchors = 5\n')
    with pytest.warns(FutureWarning, match=r"memory\.recall\.anchor_choice = cover .*config\.toml"):
        read = read_settings({}, config=path)
    assert read.memory.recall == RecallSettings(anchors=5)


@pytest.mark.parametrize("held", ["true", "false"])
def test_holding_nano_to_its_grammar_is_left_aside_with_a_warning(
    tmp_path: Path, held: str
) -> None:
    with pytest.warns(FutureWarning, match=r"policy\.held"):
        read = read_settings({}, config=write(tmp_path, f"[policy]\nheld = {held}\n"))
    assert read == Settings()


def test_nano_says_where_it_went(tmp_path: Path):
    gone = r"nano went with 0\.2: use the default policy .*`mags train lora`"
    with pytest.raises(ConfigurationError, match=f"MAGS_POLICY; {gone}") as caught:
        read_settings({"MAGS_POLICY": "nano"})
    assert caught.value.facts["key"] == "policy.kind"
    with pytest.raises(ConfigurationError, match=gone):
        read_settings({}, config=write(tmp_path, '[policy]\nkind = "nano"\npath = "x"\n'))


def test_encryption_is_set_by_where_its_keys_are(tmp_path: Path):
    given = {"MAGS_MASTER_KEY": "env:MASTER", "MAGS_KEYS": str(tmp_path)}
    settings = read_settings(given, config=write(tmp_path, ""))
    assert settings.encryption.master == "env:MASTER"
    assert settings.encryption.keys == tmp_path
    assert "env:MASTER" not in repr(settings)


@pytest.mark.parametrize("master", ["c2VjcmV0", "file:", "kms:key", "env: x"])
def test_a_key_in_place_of_where_it_is_is_refused_and_not_shown(tmp_path: Path, master: str):
    given = {"MAGS_MASTER_KEY": master, "MAGS_KEYS": str(tmp_path)}
    with pytest.raises(ConfigurationError, match="file:PATH, env:NAME or command:LINE") as refused:
        read_settings(given, config=write(tmp_path, ""))
    assert f"'{master}'" not in str(refused.value)


def test_a_master_key_wants_a_folder_of_keys(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"encryption\.keys"):
        read_settings({"MAGS_MASTER_KEY": "env:MASTER"}, config=write(tmp_path, ""))
