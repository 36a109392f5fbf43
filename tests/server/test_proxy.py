"""The proxy, called by the real `openai` client, before a model's server on loopback."""

import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import openai
import pytest

from mags.ports.chat import ChatSettings
from mags.server.auth import KeyRing, Scope
from mags.server.settings import ServerLimits
from tests.models.chat.endpoint import Server, Step, tool_call
from tests.server.serving import EMBEDDER, Served, serving

ASKED = [{"role": "user", "content": "Where do I live?"}]
TOLD = [{"role": "user", "content": "I live in Porto."}]
TOOL = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
}


@pytest.fixture
def served(folder: Path, model: Server) -> Iterator[Served]:
    upstream = ChatSettings(url=model.url, model="tiny", key="secret", connect_s=3.0, timeout_s=3.0)
    with serving(folder, upstream=upstream) as running:
        yield running


@pytest.fixture
def client(served: Served) -> Iterator[openai.OpenAI]:
    with client_of(served) as found:
        yield found


def client_of(served: Served, key: str = "none") -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{served.base}/v1", api_key=key, max_retries=0, timeout=20.0)


def episodes(served: Served, namespace: str = "default") -> list[str]:
    """What a memory holds, word for word, oldest first."""
    with served.client() as http:
        nodes = http.get(f"/memories/{namespace}/picture").json()["dots"]
    return [dot["label"] for dot in nodes if dot["kind"] == "episode"]


def test_what_was_said_in_one_conversation_is_known_in_the_next(
    client: openai.OpenAI, model: Server
):
    model.steps = [Step(text="Noted."), Step(text="In Porto.")]
    client.chat.completions.create(model="tiny", messages=TOLD)
    answer = client.chat.completions.create(model="tiny", messages=ASKED)
    assert answer.choices[0].message.content == "In Porto."
    system, user = model.requests[-1]["messages"]
    assert system["role"] == "system"
    assert "lives in Porto." in system["content"]
    assert user == ASKED[0]
    cited = answer.model_extra["mags"]["citations"]
    assert any("Porto" in one["text"] for one in cited)


def test_the_first_turn_of_all_is_sent_as_it_is(client: openai.OpenAI, model: Server):
    model.steps = [Step(text="Hello.")]
    client.chat.completions.create(model="tiny", messages=TOLD, temperature=0.3, seed=4)
    assert model.requests == [
        {"messages": TOLD, "model": "tiny", "temperature": 0.3, "seed": 4},
    ]


def test_a_stream_comes_through_and_ends_with_what_was_shown(
    client: openai.OpenAI, model: Server, served: Served
):
    model.steps = [Step(text="Noted."), Step(text="You live in Porto.")]
    client.chat.completions.create(model="tiny", messages=TOLD)
    chunks = list(client.chat.completions.create(model="tiny", messages=ASKED, stream=True))
    words = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert words == "You live in Porto."
    assert chunks[-1].model_extra["mags"]["memory"] == "default"
    assert episodes(served) == [
        "I live in Porto.", "Noted.", "Where do I live?", "You live in Porto.",
    ]  # fmt: skip


def test_the_same_request_sent_again_is_remembered_once(
    client: openai.OpenAI, model: Server, served: Served
):
    model.steps = [Step(text="Noted."), Step(text="Noted.")]
    for _ in range(2):
        client.chat.completions.create(model="tiny", messages=TOLD)
    assert episodes(served) == ["I live in Porto.", "Noted."]


def test_tool_calls_pass_through_untouched(client: openai.OpenAI, model: Server, served: Served):
    call = tool_call("weather", '{"place": "Porto"}')
    model.steps = [Step(tool_calls=[call]), Step(text="It rains.")]
    first = client.chat.completions.create(model="tiny", messages=TOLD, tools=[TOOL])
    made = first.choices[0].message.tool_calls
    assert made is not None
    assert (made[0].id, made[0].function.arguments) == (call["id"], '{"place": "Porto"}')
    later = [
        *TOLD,
        first.choices[0].message.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": call["id"], "content": "rain"},
    ]
    client.chat.completions.create(model="tiny", messages=later, tools=[TOOL])
    assert model.requests[-1]["tools"] == [TOOL]
    sent = [m for m in model.requests[-1]["messages"] if m["role"] != "system"]
    assert sent == later
    assert episodes(served) == ["I live in Porto.", "It rains."]


def test_the_clients_own_system_message_keeps_the_first_word(client: openai.OpenAI, model: Server):
    model.steps = [Step(text="Noted."), Step(text="In Porto.")]
    client.chat.completions.create(model="tiny", messages=TOLD)
    own = {"role": "system", "content": "Be brief."}
    client.chat.completions.create(model="tiny", messages=[own, *ASKED])
    roles = [message["role"] for message in model.requests[-1]["messages"]]
    assert roles == ["system", "system", "user"]
    assert model.requests[-1]["messages"][0] == own


def test_the_context_has_a_bounded_size(client: openai.OpenAI, model: Server):
    model.steps = [Step(text="Noted.")] * 41
    for number in range(40):
        told = f"Goose number {number} lives at the pond. " + "It is a fine goose. " * 20
        client.chat.completions.create(model="t", messages=[{"role": "user", "content": told}])
    client.chat.completions.create(model="t", messages=ASKED)
    assert len(model.requests[-1]["messages"][0]["content"]) < 4_000


def test_the_user_field_names_a_memory_and_goes_no_further(
    client: openai.OpenAI, model: Server, served: Served
):
    model.steps = [Step(text="Noted.")]
    client.chat.completions.create(model="tiny", messages=TOLD, user="ana")
    assert "user" not in model.requests[-1]
    assert episodes(served, "ana") == ["I live in Porto.", "Noted."]


def test_a_key_of_one_memory_writes_there_and_never_goes_to_the_model(folder: Path, model: Server):
    key = KeyRing(folder).add("ana", ("ana",), Scope.WRITE, 1.0)
    upstream = ChatSettings(url=model.url, model="tiny", key="theirs")
    model.steps = [Step(text="Noted.")]
    with serving(folder, upstream=upstream, need_key=True) as served:
        with client_of(served, key) as client:
            client.chat.completions.create(model="tiny", messages=TOLD, user="bo")
            with pytest.raises(openai.AuthenticationError):
                client_of(served, "mags_wrong").models.list()
        assert served.service.memories.names(KeyRing(folder).grant(key)) == ["ana"]
    assert [headers["authorization"] for headers in model.headers] == ["Bearer theirs"]


def test_a_key_of_several_memories_reaches_no_other_by_the_user_field(folder: Path, model: Server):
    ring = KeyRing(folder)
    several = ring.add("several", ("ana", "team-*"), Scope.WRITE, 1.0)
    root = ring.add("root", ("*",), Scope.ADMIN, 1.0)
    upstream = ChatSettings(url=model.url, model="tiny")
    model.steps = [Step(text="Noted.")] * 3
    with serving(folder, upstream=upstream, need_key=True) as served:
        with client_of(served, root) as client:
            client.chat.completions.create(model="tiny", messages=TOLD, user="bo")
        with client_of(served, several) as client:
            for user in ({"user": "bo"}, {"user": "team"}, {"user": "Ana"}, {}):
                with pytest.raises(openai.NotFoundError, match="for this key"):
                    client.chat.completions.create(model="tiny", messages=ASKED, **user)
            assert len(model.requests) == 1  # the model heard of none of them
            for user in ("ana", "team-1"):
                client.chat.completions.create(model="tiny", messages=ASKED, user=user)
        names = served.service.memories.names(ring.grant(root))
        with served.client(root) as http:
            dots = http.get("/memories/bo/picture").json()["dots"]
    assert names == ["ana", "bo", "team-1"]
    assert [dot["label"] for dot in dots if dot["kind"] == "episode"] == [
        "I live in Porto.", "Noted.",
    ]  # fmt: skip
    assert all("Porto" not in json.dumps(sent) for sent in model.requests[1:])


def test_an_upstream_that_is_down_is_said_and_the_turn_is_kept(
    client: openai.OpenAI, model: Server, served: Served
):
    model.stop()
    with pytest.raises(openai.InternalServerError, match="cannot be reached") as failure:
        client.chat.completions.create(model="tiny", messages=TOLD)
    assert failure.value.status_code == 502
    assert "what was said is remembered in 'default'" in failure.value.message
    assert episodes(served) == ["I live in Porto."]
    model.steps = []


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("step", "status", "what"),
    [
        (Step(raw=b"<html>", content_type="text/html"), 502, "no"),
        (Step(raw=b"[]"), 502, "no (object|stream)"),
        (Step(hang_s=6.0), 504, "silent"),
        (Step(status=500, error={"message": "out of memory"}), 500, "out of memory"),
        (Step(status=404, error={"message": "no such model"}), 404, "no such model"),
    ],
)
def test_an_upstream_that_talks_nonsense_is_said_and_the_turn_is_kept(
    client: openai.OpenAI, model: Server, served: Served, step: Step, status: int, what: str,
    stream: bool,
):  # fmt: skip
    model.steps = [step]
    with pytest.raises(openai.APIStatusError, match=what) as failure:
        list(client.chat.completions.create(model="tiny", messages=TOLD, stream=stream))
    assert failure.value.status_code == status
    assert episodes(served) == ["I live in Porto."]


@pytest.mark.parametrize(
    "step", [Step(text="You live in", cut=1), Step(text="A b c", cut=1, stream_error=True)]
)
def test_a_stream_that_breaks_off_is_an_error_and_no_memory(
    client: openai.OpenAI, model: Server, served: Served, step: Step
):
    model.steps = [step]
    with pytest.raises(openai.APIError):
        list(client.chat.completions.create(model="tiny", messages=TOLD, stream=True))
    assert episodes(served) == ["I live in Porto."]


@pytest.mark.parametrize("stream", [False, True])
def test_a_server_without_a_model_keeps_the_turn_and_says_what_to_set(folder: Path, stream: bool):
    with serving(folder) as served, client_of(served) as client:
        for _ in range(2):  # sent again, as clients do
            with pytest.raises(openai.InternalServerError, match="MAGS_CHAT_URL") as failure:
                client.chat.completions.create(model="tiny", messages=TOLD, stream=stream)
            assert "what was said is remembered in 'default'" in failure.value.message
        assert episodes(served) == ["I live in Porto."]


def test_models_are_the_upstreams(client: openai.OpenAI, model: Server):
    model.models = ["tiny", "small"]
    assert [one.id for one in client.models.list()] == ["tiny", "small"]


def test_a_model_is_told_of_by_its_id(client: openai.OpenAI, model: Server):
    model.models = ["tiny", "org/small"]
    found = client.models.retrieve("org/small")
    assert (found.id, found.object) == ("org/small", "model")
    with pytest.raises(openai.NotFoundError, match="'large' does not exist") as failure:
        client.models.retrieve("large")
    assert (failure.value.code, failure.value.param) == ("model_not_found", "model")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("status", [429, 503])
def test_when_to_ask_the_upstream_again_comes_through(
    client: openai.OpenAI, model: Server, status: int, stream: bool
):
    model.steps = [Step(status=status, error={"message": "slow"}, headers={"Retry-After": "7"})]
    with pytest.raises(openai.APIStatusError, match="slow") as failure:
        client.chat.completions.create(model="tiny", messages=TOLD, stream=stream)
    assert failure.value.status_code == status
    assert failure.value.response.headers["retry-after"] == "7"


@pytest.mark.parametrize("tokens", [[40, 3974], [[40, 3974], [19]]])
def test_tokens_of_another_model_are_refused_with_what_to_do(client: openai.OpenAI, tokens: list):
    with pytest.raises(openai.BadRequestError, match="check_embedding_ctx_length=False") as failure:
        client.embeddings.create(model="any", input=tokens)
    assert (failure.value.param, failure.value.type) == ("input", "invalid_request_error")


@pytest.mark.parametrize("form", ["float", "base64"])
def test_embeddings_are_the_memorys_own(client: openai.OpenAI, form):
    texts = ["Ana lives in Porto.", "Bo likes tea."]
    answer = client.embeddings.create(model="any", input=texts, encoding_format=form)
    wanted = EMBEDDER.embed(texts)
    for row, vector in zip(answer.data, wanted, strict=True):
        packed = isinstance(row.embedding, str)
        found = np.frombuffer(b64decode(row.embedding), "<f4") if packed else row.embedding
        assert np.allclose(found, vector, atol=1e-6)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b'{"messages": []}', b'{"messages": ["x"]}', b'{"messages": [{}]}',
     b'{"messages": [{"role": "user", "content": "x"}], "user": 5}', b"[" * 5_000],
)  # fmt: skip
def test_a_body_that_is_no_completion_is_refused_in_openais_form(served: Served, body: bytes):
    with served.client() as http:
        answer = http.post("/v1/chat/completions", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "told"),
    [
        ("POST", "embeddings", {}, 400, ("input", "InvalidInput")),
        ("POST", "embeddings", {"input": []}, 400, ("input", "InvalidInput")),
        ("POST", "embeddings", {"input": "x", "dimensions": 1}, 400,
         ("dimensions", "InvalidInput")),
        ("POST", "chat/completions", {"messages": []}, 400, ("messages", "InvalidInput")),
        ("GET", "nothing", None, 404, (None, None)),
        ("PUT", "models", None, 405, (None, None)),
        ("POST", "embeddings", {"input": "x" * 3_000_000}, 413, (None, None)),
    ],
)  # fmt: skip
def test_every_error_has_openais_form(
    served: Served, method: str, path: str, body: object, status: int, told: tuple[str, str]
):
    with served.client() as http:
        answer = http.request(method, f"/v1/{path}", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    error = answer.json()["error"]
    assert list(error) == ["message", "type", "param", "code"]
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", *told)
    assert error["message"]


def test_errors_of_keys_and_limits_have_openais_form_too(folder: Path):
    with serving(folder, need_key=True) as served, served.client() as http:
        answer = http.get("/v1/models")
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (401, "Refused")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "Authorization: Bearer mags_" in error["message"]
    with (
        serving(folder, limits=ServerLimits(rate=0.01, burst=1)) as served,
        client_of(served) as client,
    ):
        client.embeddings.create(model="any", input="x")
        with pytest.raises(openai.RateLimitError, match="then ask again") as failure:
            client.embeddings.create(model="any", input="x")
        assert failure.value.type == "rate_limit_error"
        assert failure.value.response.headers["retry-after"] == "100"
