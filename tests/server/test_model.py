"""The language model, chosen while the server runs."""

import gc
import json
import ssl
import stat
from pathlib import Path

import httpx
import pytest

from mags.errors import ConfigurationError, CorruptFile, InvalidInput
from mags.server.auth import Scope
from mags.server.settings import FILE, ModelChoice, read_choice
from mags.settings import read_settings
from tests.server.serving import Served, serving

PATH = "/settings/model"
HERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def served(folder: Path):
    with serving(folder) as running:
        yield running


def test_a_model_is_chosen_and_its_key_is_never_shown(client: httpx.Client, folder: Path):
    assert client.get(PATH).json() == {"url": "", "model": "", "key_set": False}
    wanted = {"url": HERE, "model": "small", "key": "sk-secret"}
    told = client.put(PATH, json=wanted)
    assert told.json() == {"url": HERE, "model": "small", "key_set": True}
    assert client.get(PATH).json() == told.json()
    assert "sk-secret" not in told.text
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("key", ["sk-\u202e", "schl\u00fcssel", "a\nb", "\U0001f986"])
def test_a_key_that_no_header_can_hold_is_refused(client: httpx.Client, key: str):
    told = client.put(PATH, json={"url": HERE, "key": key})
    assert (told.status_code, "ASCII" in told.json()["detail"]) == (422, True)
    assert client.get(PATH).json() == {"url": "", "model": "", "key_set": False}
    with pytest.raises(ConfigurationError, match=r"chat\.key"):
        read_settings({"MAGS_CHAT_KEY": key})


def test_memories_and_proxy_ask_the_new_model_at_once(client: httpx.Client):
    client.post("/memories/a/turns", json={"text": "Ana lives in Porto."})
    asked = {"question": "Where does Ana live?"}
    quoted = client.post("/memories/a/ask", json=asked).json()
    assert (quoted["answerer"], quoted["fallback"]) == ("extractive", None)
    chat = {"messages": [{"role": "user", "content": "Hello"}]}
    none = client.post("/v1/chat/completions", json=chat).json()
    assert "no language model is configured" in none["error"]["message"]
    client.put(PATH, json={"url": HERE, "model": "small"})
    down = client.post("/v1/chat/completions", json=chat).json()
    assert "cannot be reached" in down["error"]["message"]
    again = client.post("/memories/a/ask", json=asked).json()
    assert "Porto" in again["text"]
    assert again["fallback"]  # it was asked, and did not answer
    assert client.delete(PATH).json()["url"] == ""
    assert client.post("/memories/a/ask", json=asked).json()["fallback"] is None


def test_certificates_of_models_that_were_asked_are_not_kept(client: httpx.Client):
    def held(choices: int) -> int:
        for _ in range(choices):
            client.put(PATH, json={"url": HERE, "model": "small"})
            client.post("/v1/chat/completions", json=chat)
            client.post("/memories/default/ask", json={"question": "Where do I live?"})
        gc.collect()
        return sum(isinstance(one, ssl.SSLContext) for one in gc.get_objects())

    chat = {"messages": [{"role": "user", "content": "I live in Porto."}]}
    before = held(2)
    assert held(6) - before < 6  # the last model's may come later than the first count


def test_what_was_answered_before_can_still_be_explained(client: httpx.Client):
    client.post("/memories/a/turns", json={"text": "Ana lives in Porto."})
    trace = client.post("/memories/a/recall", json={"query": "Ana"}).json()["trace"]
    client.put(PATH, json={"url": HERE})
    client.put(PATH, json={"url": ""})
    assert client.get(f"/memories/a/traces/{trace}").status_code == 200


def test_the_choice_holds_after_a_restart_and_goes_back_to_what_is_configured(folder: Path):
    with serving(folder) as first, first.client() as client:
        client.put(PATH, json={"url": HERE, "model": "small", "key": "x"})
    with serving(folder) as second, second.client() as client:
        assert client.get(PATH).json() == {"url": HERE, "model": "small", "key_set": True}
        assert client.delete(PATH).json() == {"url": "", "model": "", "key_set": False}
    assert not (folder / FILE).exists()


@pytest.mark.parametrize(
    ("scope", "namespace", "status"),
    [
        (Scope.ADMIN, "*", 200),
        (Scope.ADMIN, "team-*", 403),
        (Scope.WRITE, "*", 403),
    ],
)
def test_only_an_admin_of_all_memories_chooses(
    folder: Path, scope: Scope, namespace: str, status: int
):
    with serving(folder, need_key=True) as running:
        key = running.service.keys.add("k", (namespace,), scope, 0.0)
        with running.client(key) as client:
            assert client.get(PATH).status_code == status
            assert client.put(PATH, json={"url": HERE}).status_code == status
            assert client.delete(PATH).status_code == status
        with running.client() as nobody:
            assert nobody.get(PATH).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        {"model": "x"},
        {"url": "ftp://localhost/v1"},
        {"url": "http://"},
        {"url": "localhost:8000"},
        {"url": "http://user:pass@localhost/v1"},
        {"url": "http://localhost:99999/v1"},
        {"url": "http://[::1/v1"},
        {"url": HERE, "key": "x", "extra": 1},
    ],
)
def test_what_is_no_endpoint_is_refused_and_changes_nothing(client: httpx.Client, body: dict):
    answer = client.put(PATH, json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert client.get(PATH).json()["url"] == ""


def test_a_key_stays_with_its_host_and_goes_nowhere_else():
    choice = ModelChoice(url="https://a.example/v1", model="m", key="secret")
    same = choice.following("https://A.example:443/v2", "n", None)
    assert (same.key, same.model) == ("secret", "n")
    for other in ("http://a.example/v1", "https://b.example/v1", "https://a.example:444/v1", ""):
        assert choice.following(other, "m", None).key is None
    assert choice.following("https://a.example/v1", "m", "").key is None
    assert choice.following("https://b.example/v1", "m", "new").key == "new"
    assert "secret" not in repr(choice)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"url": "x"}', '{"url": 1}', '{"uri": ""}'])
def test_a_damaged_file_says_what_to_do(folder: Path, text: str):
    folder.mkdir()
    (folder / FILE).write_text(text)
    with pytest.raises(CorruptFile, match="choose the model again"):
        read_choice(folder)


def test_a_url_without_a_host_is_no_choice():
    with pytest.raises(InvalidInput):
        ModelChoice().following("http://?x", "", None)


def test_the_key_is_in_the_file_and_nowhere_in_the_log(client: httpx.Client, served: Served):
    client.put(PATH, json={"url": HERE, "key": "sk-secret"})
    kept = json.loads((served.service.settings.folder / FILE).read_text())
    assert kept == {"url": HERE, "model": "", "key": "sk-secret"}
    assert "sk-secret" not in served.log.getvalue()
