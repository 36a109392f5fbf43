"""`/v1`: what clients of OpenAI's API call."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import httpx
import numpy as np
from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse, StreamingResponse
from numpy.typing import NDArray
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from mags.errors import InvalidInput, MagsError, ModelReplyError, ModelUnavailable
from mags.ports.embedder import Embedder
from mags.server.desk import grant_of
from mags.server.grants import Grant
from mags.server.proxy.refusals import error, of_failure, refusal
from mags.server.proxy.remembering import Remembered, Rememberer, read_conversation
from mags.server.proxy.upstream import Json, Upstream, pieces, text_of, whole
from mags.server.streams import HEADERS
from mags.server.wire.given import examples
from mags.server.wire.plain import plain
from mags.server.wire.raw import EVENTS, JSON, answered, shape, taken

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


@dataclass(slots=True, kw_only=True)
class _Line:
    """The way to a model, None where there is none; its client is made when first asked."""

    upstream: Upstream | None
    client: httpx.AsyncClient | None = None


class Proxy:
    """The routes over one upstream; `close` lets go of its connections."""

    def __init__(
        self, upstream: Upstream | None, rememberer: Rememberer, embedder: Callable[[], Embedder]
    ) -> None:
        """`upstream` None: there is no model, and chat says so."""
        self._line, self._rememberer, self._embedder = (
            _Line(upstream=upstream),
            rememberer,
            embedder,
        )
        self._former: list[_Line] = []
        self.router = APIRouter(prefix="/v1", tags=["OpenAI-compatible"])
        add = self.router.add_api_route
        add(
            "/chat/completions",
            self.chat,
            methods=["POST"],
            response_class=Response,
            responses=answered(EVENTS, json=shape("CompletionOut")),
            openapi_extra=taken(JSON, shape("CompletionIn")),
        )
        add(
            "/models",
            self.models,
            methods=["GET"],
            response_class=Response,
            responses=answered(json={"type": "object"}),
        )
        add(
            "/models/{model:path}",
            self.one_model,
            methods=["GET"],
            response_class=Response,
            responses=answered(json={"type": "object"}),
        )
        add(
            "/embeddings",
            self.embeddings,
            methods=["POST"],
            response_class=Response,
            responses=answered(json=shape("VectorsOut")),
        )

    async def close(self) -> None:
        """Let go of the connections."""
        for line in (self._line, *self._former):
            if line.client is not None:
                await line.client.aclose()

    def use(self, upstream: Upstream | None) -> None:
        """Ask another model from now on; answers that have begun end where they began."""
        self._former.append(self._line)
        self._line = _Line(upstream=upstream)

    async def chat(self, request: Request) -> Response:
        """A chat completion whose model remembers: what is known goes in as a system message.

        The answer carries a field `mags` with the memories that were shown. The user's turn is
        durable before the model is asked, whether or not there is one; an error says what is
        remembered. Tool calls pass through.
        """
        kept = "nothing of this request is remembered"
        try:
            grant = grant_of(request)
            body = await _body(request)
            conversation = read_conversation(body, grant, request.headers)
            remembered = await run_in_threadpool(self._rememberer.before, grant, conversation)
            kept = remembered.kept
            client, upstream = self._asked()
            sent = self._rememberer.shown(body, remembered)
            sent = {**sent, "model": sent.get("model") or upstream.model}
            sent.pop("user", None)  # names a memory here, and is nobody else's business
            if body.get("stream") is True:
                return await self._streamed(client, sent, grant, remembered)
            answer = await whole(client, "POST", "/chat/completions", sent)
            words = text_of(_message(answer))
            lost = await run_in_threadpool(
                self._rememberer.after, grant, remembered.conversation, words
            )
            return JSONResponse({**answer, "mags": remembered.extension(lost)})
        except MagsError as failure:
            return refusal(failure, kept)

    async def models(self, request: Request) -> Response:
        """The upstream's models."""
        try:
            grant_of(request)
            client, _ = self._asked()
            return JSONResponse(await whole(client, "GET", "/models", None))
        except MagsError as failure:
            return refusal(failure)

    async def one_model(self, request: Request, model: ModelId) -> Response:
        """One of the upstream's models, by its id as `GET /v1/models` lists it."""
        try:
            grant_of(request)
            client, _ = self._asked()
            # Not every server of OpenAI's form tells of one model; all of them list theirs.
            listed = (await whole(client, "GET", "/models", None)).get("data")
        except MagsError as failure:
            return refusal(failure)
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict) and one.get("id") == model:
                return JSONResponse({"object": "model", **one})
        words = f"The model {model!r} does not exist: GET /v1/models lists those that do"
        return JSONResponse(
            error(404, words, code="model_not_found", param="model"), status_code=404
        )

    async def embeddings(self, request: Request, wanted: EmbeddingsIn) -> Response:
        """Vectors of the memory's own embedder, of unit length."""
        try:
            grant_of(request)
            texts = _texts(wanted)
            embedder = self._embedder()
            if wanted.dimensions not in (None, embedder.dimension):
                raise InvalidInput(
                    f"dimensions: this embedder has {embedder.dimension}", field="dimensions"
                )
            vectors = await run_in_threadpool(embedder.embed, texts)
            return JSONResponse(_embedded(np.asarray(vectors, np.float32), wanted, embedder.name))
        except MagsError as failure:
            return refusal(failure)

    def _asked(self) -> tuple[httpx.AsyncClient, Upstream]:
        line = self._line  # once: another thread may put another in its place
        if line.upstream is None:
            raise ModelUnavailable(
                "no language model is configured: set MAGS_CHAT_URL to an OpenAI-compatible /v1 "
                "and start the server again, or name one in the page's settings"
            )
        if line.client is None:
            line.client = line.upstream.client()
        return line.client, line.upstream

    async def _streamed(
        self, client: httpx.AsyncClient, sent: Json, grant: Grant, remembered: Remembered
    ) -> Response:
        stream = self._pieces(client, sent, grant, remembered)
        first = await anext(stream)  # what fails at once gets a status of its own
        return StreamingResponse(
            _after(first, stream), media_type="text/event-stream", headers=HEADERS
        )

    async def _pieces(
        self, client: httpx.AsyncClient, sent: Json, grant: Grant, remembered: Remembered
    ) -> AsyncIterator[str]:
        words: list[str] = []
        ended = begun = False
        try:
            async with pieces(client, "/chat/completions", sent) as lines:
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
            yield f"{DATA} {json.dumps(of_failure(failure, remembered.kept)[1])}\n\n"


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
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ModelReplyError("the model's server answered without `choices`")
    message = choices[0].get("message")
    return message if isinstance(message, dict) else None


def _piece(data: str) -> str:
    """The words of a streamed chunk's first choice; raises ModelReplyError for what is none."""
    try:
        chunk = json.loads(data)
    except (ValueError, RecursionError) as failure:
        raise ModelReplyError("the model's server streamed what is no JSON") from failure
    choices = chunk.get("choices") if isinstance(chunk, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return ""
    delta = choices[0].get("delta")
    return text_of(delta) if isinstance(delta, dict) and not choices[0].get("index") else ""


def _last(sent: Json, extension: Json) -> Json:
    """A chunk without choices, as the one that tells of usage is: clients pass over it."""
    return {
        "id": "mags",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": sent["model"],
        "choices": [],
        "mags": extension,
    }


def _texts(wanted: EmbeddingsIn) -> list[str]:
    given = [wanted.input] if isinstance(wanted.input, str) else wanted.input
    texts = [one for one in given if isinstance(one, str)]
    if len(texts) < len(given):
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
