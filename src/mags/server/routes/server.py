"""The server itself: its page, and the language model, which an admin may change as it runs.

What is remembered may be hostile. The page puts it into text nodes alone, and its policy sees to it
that nothing else could run: scripts and styles come from this server's files, nothing is inline.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.responses import Response

from mags.errors import NotFound
from mags.server.auth import EVERY, Forbidden, Scope
from mags.server.context import grant_of
from mags.server.settings import Choosing, ModelChoice
from mags.server.wire.requests import RequestBody, examples
from mags.server.wire.responses import ResponseBody
from mags.web import BUNDLE

settings = APIRouter(prefix="/settings", tags=["settings"])
page_files = APIRouter(include_in_schema=False)
ROUTERS = (settings, page_files)
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
PAGE_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
YEAR_S = 31_536_000


class ModelIn(RequestBody):
    """An endpoint. `key` left out keeps the key, as long as the host stays; "" removes it."""

    model_config = examples(
        {"url": "http://localhost:8000/v1"},
        {"url": "http://localhost:8000/v1", "model": "my-model", "key": "sk-..."},
        {"url": ""},
    )

    url: Annotated[str, Field(max_length=2_000)]
    model: Annotated[str, Field(max_length=500)] = ""
    key: Annotated[str, Field(max_length=2_000)] | None = None


class ModelOut(ResponseBody):
    """The endpoint that answers; its key is never shown. `url` "": there is none, MAGS quotes."""

    url: str
    model: str
    key_set: bool

    @classmethod
    def of(cls, choice: ModelChoice) -> ModelOut:
        """All but the key."""
        return cls(url=choice.url, model=choice.model, key_set=choice.key is not None)


@settings.get("/model")
def model(request: Request) -> ModelOut:
    """The language model that answers. Needs an admin key for all memories."""
    return ModelOut.of(_choosing(request).model)


@settings.put("/model")
def choose_model(request: Request, wanted: ModelIn) -> ModelOut:
    """Take another language model from now on, also after a restart; "" for none.

    Requests at work end with the model they began with.
    """
    return ModelOut.of(_choosing(request).choose(wanted.url, wanted.model, wanted.key))


@settings.delete("/model")
def restore_model(request: Request) -> ModelOut:
    """Go back to the model of the server's own settings."""
    return ModelOut.of(_choosing(request).restore())


def _choosing(request: Request) -> Choosing:
    # The model sees what every memory recalls: an admin of some of them has no say in it.
    grant = grant_of(request)
    if grant.scope < Scope.ADMIN or EVERY not in grant.namespaces:
        raise Forbidden("the model is set with an admin key for all memories (`--namespace '*'`)")
    choosing: Choosing = request.app.state.choosing
    return choosing


@page_files.get("/")
def page() -> Response:
    """The page."""
    return _file("", "index.html", {"Cache-Control": "no-cache"})


@page_files.get("/assets/{name}")
def asset(name: str) -> Response:
    """A file of the bundle; its name changes with its content, so it may be kept for long."""
    return _file("assets", name, {"Cache-Control": f"public, max-age={YEAR_S}, immutable"})


def _file(folder: str, name: str, headers: dict[str, str]) -> Response:
    # Looked up among what is there: no name that was sent ever becomes a path.
    path = next((one for one in (BUNDLE / folder).glob("*") if one.name == name), None)
    if path is None or not path.is_file():
        raise NotFound(f"there is no {name}: `npm ci && npm run build` in web/ makes the page")
    return FileResponse(path, headers={**PAGE_HEADERS, **headers})
