"""`/v1`: what clients of OpenAI's API call. Recall before the model, remember after it."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal

import httpx
import numpy as np
from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse, StreamingResponse
from numpy.typing import NDArray
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from mags import inspect
from mags.errors import InvalidInput, MagsError, ModelReplyError, ModelUnavailable
from mags.models.prompts import Prompt
from mags.ports.chat import ChatSettings, at_most
from mags.ports.embedder import Embedder
from mags.recall.found import Found
from mags.server.auth import USER, Grant, Scope, namespace_of
from mags.server.context import grant_of
from mags.server.open_memories import OpenMemories
from mags.server.proxy.upstream import (
    Json,
    Upstream,
    UpstreamRefused,
    pieces,
    text_of,
    whole,
)
from mags.server.wire.openapi import EVENTS, JSON, answered, shape, taken
from mags.server.wire.problems import PROXY, URN, of_error, openais, problem
from mags.server.wire.requests import examples, plain, whole_text
from mags.server.wire.streams import HEADERS

CONTEXT_TOKENS = 800
READS = 2
"""Calls of the model, failed ones included, that read an exchange once it is answered."""
ASSISTANT = "assistant"
INSTRUCTIONS = ("system", "developer")
SESSION = "proxy"
GIVEN_KEY, RETRIES = "idempotency-key", "x-stainless-retry-count"
"""Headers: the client's own key; how often OpenAI's clients have sent this request before."""
RETRY_S = 900.0
"""How long a request counts as sent again: OpenAI's clients wait ten minutes for an answer."""
DATA, DONE = "data:", "[DONE]"
TOKENS = (
    "input: texts, not tokens: they are of another model, and this embedder cannot read them "
    "(LangChain's OpenAIEmbeddings sends texts with check_embedding_ctx_length=False)"
)
ModelId = Annotated[str, Path(description="The model's id.", examples=["tiny"])]


class EmbeddingsIn(BaseModel):
    """Texts to embed, as OpenAI's API takes them."""

    model_config = examples(
        {"input": "Ana lives in Porto."},
        {"input": ["Ana lives in Porto.", "Bo likes tea."], "encoding_format": "base64"},
    )

    input: Annotated[
        str | list[str] | list[int] | list[list[int]],
        Field(description="One text, or up to 2,048. Tokens are refused, as another model's."),
    ]
    model: str = ""
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    user: str | None = None


class Proxy:
    """The routes over one upstream; `close` lets go of its connections."""

    def __init__(
        self,
        upstream: ChatSettings | None,
        rememberer: Rememberer,
        embedder: Callable[[], Embedder],
    ) -> None:
        """`upstream` None: there is no model, and chat says so."""
        self._upstream = upstream
        self._rememberer, self._embedder = rememberer, embedder
        self._client: httpx.AsyncClient | None = None
        self.router = APIRouter(prefix=PROXY, tags=["OpenAI-compatible"])
        add, some = partial(self.router.add_api_route, response_class=Response), {"type": "object"}
        add(
            "/chat/completions",
            self.chat,
            methods=["POST"],
            responses=answered(EVENTS, json=shape("CompletionOut")),
            openapi_extra=taken(JSON, shape("CompletionIn")),
        )
        add("/models", self.models, responses=answered(json=some))
        add("/models/{model:path}", self.one_model, responses=answered(json=some))
        vectors = answered(json=shape("VectorsOut"))
        add("/embeddings", self.embeddings, methods=["POST"], responses=vectors)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.aclose()

    def use(self, upstream: ChatSettings | None) -> None:
        """Ask another model from now on; answers that have begun end where they began."""
        self._upstream = upstream

    async def chat(self, request: Request) -> Response:
        """A chat completion whose model remembers: what is known goes in as a system message.

        The answer carries a field `mags` with the memories that were shown. The user's turn is
        durable before the model is asked, whether or not there is one; an error says what is
        remembered. Tool calls pass through.
        """
        kept, remembered = "nothing of this request is remembered", None
        try:
            grant = grant_of(request)
            body = await _body(request)
            conversation = read_conversation(body, grant, request.headers)
            remembered = await run_in_threadpool(self._rememberer.before, grant, conversation)
            kept = remembered.kept
            upstream = self._asked()
            sent = self._rememberer.with_context(body, remembered)
            sent = {**sent, "model": sent.get("model") or upstream.settings.model}
            sent.pop("user", None)  # names a memory here: no business of the model's server
            if body.get("stream") is True:
                stream = self._pieces(upstream, sent, grant, remembered)
                first = await anext(stream)  # what fails at once gets a status of its own
                return StreamingResponse(
                    _after(first, stream), media_type="text/event-stream", headers=HEADERS
                )
            answer = await whole(upstream, "POST", "/chat/completions", sent)
            words = text_of(_message(answer))
            lost = await run_in_threadpool(
                self._rememberer.after, grant, remembered.conversation, words
            )
            return JSONResponse({**answer, "mags": remembered.extension(lost)})
        except MagsError as failure:
            if remembered is not None:
                await run_in_threadpool(self._rememberer.unanswered, grant, remembered)
            if isinstance(failure, UpstreamRefused):
                raise
            return of_error(failure, kept)

    async def models(self, request: Request) -> Response:
        """The upstream's models."""
        grant_of(request)
        upstream = self._asked()
        return JSONResponse(await whole(upstream, "GET", "/models", None))

    async def one_model(self, request: Request, model: ModelId) -> Response:
        """One of the upstream's models, by its id as `GET /v1/models` lists it."""
        grant_of(request)
        upstream = self._asked()
        # Not every compatible server has this route; all of them list their models.
        listed = (await whole(upstream, "GET", "/models", None)).get("data")
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict) and one.get("id") == model:
                return JSONResponse({"object": "model", **one})
        words = f"The model {model!r} does not exist: GET /v1/models lists those that do"
        return problem(404, "Not found", words, kind=URN + "model_not_found", field="model")

    async def embeddings(self, request: Request, wanted: EmbeddingsIn) -> Response:
        """Vectors of the memory's own embedder, of unit length."""
        grant = grant_of(request)
        texts = _texts(wanted)
        embedder = self._embedder()
        if wanted.dimensions not in (None, embedder.dimension):
            raise InvalidInput(
                f"dimensions: this embedder has {embedder.dimension}", field="dimensions"
            )
        vectors = await run_in_threadpool(self._rememberer.embedded, grant, embedder, texts)
        return JSONResponse(_embedded(np.asarray(vectors, np.float32), wanted, embedder.name))

    def _asked(self) -> Upstream:
        chosen = self._upstream  # read once: another thread may replace it
        if chosen is None:
            raise ModelUnavailable(
                "no language model is configured: set MAGS_CHAT_URL to an OpenAI-compatible /v1 "
                "and start the server again, or name one in the page's settings"
            )
        if self._client is None:
            # One for every server there is: the certificates in it take 0.8 MB and 20 ms.
            self._client = httpx.AsyncClient()
        return Upstream(self._client, chosen)

    async def _pieces(
        self, upstream: Upstream, sent: Json, grant: Grant, remembered: Remembered
    ) -> AsyncIterator[str]:
        words: list[str] = []
        ended = begun = False
        try:
            async with pieces(upstream, "/chat/completions", sent) as lines:
                async for line in lines:
                    if not line.startswith(DATA):
                        continue
                    data = line.removeprefix(DATA).strip()
                    if data == DONE:
                        ended = True
                        break
                    words.append(_piece(data))
                    begun = True
                    yield f"{DATA} {data}\n\n"
            if not ended:
                raise ModelReplyError("the model's server broke off in the middle of its answer")
            answer = "".join(words)
            conversation = remembered.conversation
            lost = await run_in_threadpool(self._rememberer.after, grant, conversation, answer)
            yield f"{DATA} {json.dumps(_last(sent, remembered.extension(lost)))}\n\n"
            yield f"{DATA} {DONE}\n\n"
        except MagsError as failure:
            if not begun:
                raise
            await run_in_threadpool(self._rememberer.unanswered, grant, remembered)
            told = openais(of_error(failure, remembered.kept).problem)[1]
            yield f"{DATA} {json.dumps(told)}\n\n"


async def _after(first: str, rest: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for piece in rest:
        yield piece


async def _body(request: Request) -> Json:
    try:
        body = plain(json.loads(await request.body()))
    except (ValueError, RecursionError) as failure:
        raise InvalidInput(f"the body is no JSON: {failure}") from failure
    if not isinstance(body, dict):
        raise InvalidInput("the body is an object with `messages`")
    return body


def _message(answer: Json) -> Json | None:
    choice = _first_choice(answer)
    if choice is None:
        raise ModelReplyError("the model's server answered without `choices`")
    message = choice.get("message")
    return message if isinstance(message, dict) else None


def _piece(data: str) -> str:
    """The words of a streamed chunk's first choice; raises ModelReplyError for what is none."""
    try:
        choice = _first_choice(json.loads(data))
    except (ValueError, RecursionError) as failure:
        raise ModelReplyError("the model's server streamed what is no JSON") from failure
    delta = None if choice is None or choice.get("index") else choice.get("delta")
    return text_of(delta) if isinstance(delta, dict) else ""


def _first_choice(answer: object) -> Json | None:
    choices = answer.get("choices") if isinstance(answer, dict) else None
    found = choices[0] if isinstance(choices, list) and choices else None
    return found if isinstance(found, dict) else None


def _last(sent: Json, extension: Json) -> Json:
    """A chunk without choices, like the one for usage: clients skip it."""
    return {
        "id": "mags",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": sent["model"],
        "choices": [],
        "mags": extension,
    }


def _texts(wanted: EmbeddingsIn) -> list[str]:
    inputs = [wanted.input] if isinstance(wanted.input, str) else wanted.input
    texts = [one for one in inputs if isinstance(one, str)]
    if len(texts) < len(inputs):
        raise InvalidInput(TOKENS, field="input")
    if not texts or len(texts) > 2_048 or not all(text.strip() for text in texts):
        raise InvalidInput("input: 1 to 2,048 texts with something in each", field="input")
    return texts


def _embedded(vectors: NDArray[np.float32], wanted: EmbeddingsIn, name: str) -> Json:
    packed = wanted.encoding_format == "base64"
    rows = [
        {
            "object": "embedding",
            "index": n,
            "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode()
            if packed
            else vector.tolist(),
        }
        for n, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    return {"object": "list", "data": rows, "model": name, "usage": usage}


# -- the memory's side: recall before the model, remember after it


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One request: whose memory it goes to, what was said last, and how it is known again.

    `digest`: of its history, the client's own instructions left out, as they may tell the time.
    `retried`: the client says that it sends it again. `key`: under which it is remembered.
    """

    namespace: str
    speaker: str
    said: str
    asked: str
    digest: str
    retried: bool
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What was recalled for a conversation; `trace`: its id, "" where there was no memory yet."""

    conversation: Conversation
    found: Found | None = None
    trace: str = ""

    @property
    def kept(self) -> str:
        """What an error says of the memory where the model then fails."""
        if not self.conversation.said:
            return ""
        return f"what was said is remembered in {self.conversation.namespace!r}, and no answer"

    def extension(self, warning: str = "") -> Json:
        """The field `mags` of an answer: the memory, and the memories that were shown."""
        hits = [] if self.found is None else self.found.hits
        return {
            "memory": self.conversation.namespace,
            "trace": self.trace,
            "citations": [
                {"id": hit.id, "text": hit.text, "speaker": hit.speaker, "score": hit.score}
                for hit in hits
            ],
            **({"warnings": [warning]} if warning else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """An earlier request: its key, its time, and how many like it came before in that period."""

    key: str
    at_s: float
    before: int


class Keys:
    """The idempotency keys of requests; safe to use from several threads.

    A request brings its whole history and no id of its conversation, so the same messages may be
    a retry or a new conversation that begins as another did ("I live in Oslo", again, after
    Bergen). They are a retry where the client says so, and where nothing else was asked of this
    memory since; either within `RETRY_S`. In doubt it is new: a turn that is kept twice confirms
    what it says, one that is dropped leaves the memory wrong.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By namespace, then by digest, the latest at the end of each.
        self._asked: OrderedDict[str, OrderedDict[str, _Asked]] = OrderedDict()

    def key(self, conversation: Conversation, now_s: float) -> str:
        """The key of a request that comes now."""
        if conversation.key:
            return conversation.key
        digest, period = conversation.digest, now_s // RETRY_S
        with self._lock:
            past = self._asked.pop(conversation.namespace, OrderedDict[str, _Asked]())
            _forget_old(past, now_s)
            known = past.get(digest)
            if known is None or not (conversation.retried or digest == next(reversed(past))):
                before = 0
                if known is not None and known.at_s // RETRY_S == period:
                    before = known.before + 1
                # Made of digest and time alone, so that a retry finds its turn after a restart too.
                known = _Asked(key=f"{digest} {period:.0f} {before}", at_s=now_s, before=before)
                past.pop(digest, None)
                past[digest] = known
            self._asked[conversation.namespace] = past
            first = next(iter(self._asked))
            _forget_old(self._asked[first], now_s)
            if not self._asked[first]:
                del self._asked[first]
            return known.key


def _forget_old(past: OrderedDict[str, _Asked], now_s: float) -> None:
    while past and now_s - next(iter(past.values())).at_s >= RETRY_S:
        past.popitem(last=False)


def read_conversation(body: Json, grant: Grant, headers: Mapping[str, str]) -> Conversation:
    """What a request says; raises InvalidInput where it is no chat completion."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise InvalidInput("messages: a list of at least one message", field="messages")
    if not all(isinstance(m, dict) and isinstance(m.get("role"), str) for m in messages):
        raise InvalidInput("messages: each is an object with a role", field="messages")
    if not isinstance(body.get("stream"), bool | None):
        raise InvalidInput("stream: true or false", field="stream")
    user = body.get("user")
    if user is not None and not isinstance(user, str):
        raise InvalidInput("user: a text", field="user")
    asked = next((text_of(m) for m in reversed(messages) if m["role"] == "user"), "")
    # After a tool's answer the client sends the same turn again: it is remembered already.
    said = asked if messages[-1]["role"] == "user" else ""
    history = [message for message in messages if message["role"] not in INSTRUCTIONS]
    speaker = grant.speaks(USER)
    # The same words of another speaker are another request.
    whose = history if speaker == USER else [speaker, history]
    known = json.dumps(whose, sort_keys=True, ensure_ascii=True).encode()
    return Conversation(
        namespace=namespace_of(grant, user),
        speaker=speaker,
        said=said.strip(),
        asked=asked.strip(),
        digest=hashlib.sha256(known).hexdigest(),
        retried=headers.get(RETRIES, "0") != "0",
        key=headers.get(GIVEN_KEY, ""),
    )


class Rememberer:
    """The memory's side of the proxy; every method works in a thread of its own."""

    def __init__(
        self, memories: OpenMemories, prompt: Prompt, clock: Callable[[], float] = time.time
    ) -> None:
        """Memories come from `memories`, only as the grant allows; `prompt`: what frames them."""
        self._memories, self._prompt, self._clock = memories, prompt, clock
        self._keys = Keys()

    def before(self, grant: Grant, conversation: Conversation) -> Remembered:
        """Recall for what was asked, then remember it: durable before the model is asked.

        Nothing here waits for the model: what was said is read with the answer, in `after`.
        """
        most = self._memories.quotas.limits.turn_chars
        said, asked = conversation.said[:most], conversation.asked[:most]
        conversation = replace(conversation, said=said, asked=asked)
        with (
            at_most(0),
            self._memories.enter(grant, conversation.namespace, Scope.WRITE, said=[said]) as opened,
        ):
            inspect.read_waiting(opened.memory)  # of a client that left before its answer
            conversation = replace(conversation, key=self._keys.key(conversation, self._clock()))
            remembered = Remembered(conversation=conversation)
            # Recalled before it is observed: a question must not find itself.
            if conversation.asked:
                found = opened.memory.recall(conversation.asked, speaker=conversation.speaker)
                trace = opened.keep(found.trace)
                remembered = Remembered(conversation=conversation, found=found, trace=trace)
            if conversation.said:
                opened.memory.observe(
                    conversation.said,
                    speaker=conversation.speaker,
                    session=SESSION,
                    key=f"{conversation.key} said",
                    later=True,
                )
            return remembered

    def after(self, grant: Grant, conversation: Conversation, answer: str) -> str:
        """Remember what the model answered and read the exchange: "", or why that could not be.

        The answer is there and paid for: it reaches the client all the same.
        """
        words = whole_text(answer)[: self._memories.quotas.limits.turn_chars]
        key = f"{conversation.key} {hashlib.sha256(words.encode()).hexdigest()}"
        try:
            with (
                at_most(READS),
                self._memories.enter(
                    grant, conversation.namespace, Scope.WRITE, said=[words]
                ) as opened,
            ):
                if words.strip():
                    opened.memory.observe(
                        words, speaker=ASSISTANT, session=SESSION, key=key, later=True
                    )
                inspect.read_waiting(opened.memory)
        except MagsError as failure:
            return f"this answer is not remembered: {failure}"
        return ""

    def unanswered(self, grant: Grant, remembered: Remembered) -> None:
        """Read what was said where no answer came, without the model."""
        with (
            at_most(0),
            # The failure that is told is the model's; what waits is read later.
            suppress(MagsError),
            self._memories.enter(grant, remembered.conversation.namespace, Scope.WRITE) as opened,
        ):
            inspect.read_waiting(opened.memory)

    def embedded(
        self, grant: Grant, embedder: Embedder, texts: Sequence[str]
    ) -> NDArray[np.float32]:
        """Vectors of texts, which cost the same processor time as those of a memory."""
        with self._memories.working(grant, texts):
            return embedder.embed(texts)

    def with_context(self, body: Json, remembered: Remembered) -> Json:
        """The request as the model gets it: a system message of bounded size before the rest.

        It stands after the client's own system messages, which keep the first word.
        """
        found = remembered.found
        context = "" if found is None else found.context(CONTEXT_TOKENS)
        if not context:
            return body
        words = self._prompt.render("system", {"recalled": context}).strip()
        messages: list[Any] = list(body["messages"])
        at = next(
            (n for n, m in enumerate(messages) if m["role"] not in INSTRUCTIONS), len(messages)
        )
        messages.insert(at, {"role": "system", "content": words})
        return {**body, "messages": messages}
