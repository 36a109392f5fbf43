"""What an admin may change while the server runs: the language model."""

from __future__ import annotations

from typing import Annotated, Protocol

from fastapi import APIRouter, Request
from pydantic import Field

from mags.server.desk import grant_of
from mags.server.grants import EVERY, Forbidden, Scope
from mags.server.model import ModelChoice
from mags.server.wire.given import Given, examples
from mags.server.wire.shown import Shown

router = APIRouter(prefix="/settings", tags=["settings"])


class Choosing(Protocol):
    """Who knows the model and changes it."""

    @property
    def model(self) -> ModelChoice:
        """The model that answers now."""
        ...

    def choose(self, url: str, model: str, key: str | None) -> ModelChoice:
        """Take another; raises InvalidInput, StoreError."""
        ...

    def restore(self) -> ModelChoice:
        """Go back to what is configured; raises StoreError."""
        ...


class ModelIn(Given):
    """An endpoint. `key` left out keeps the key, as long as the host stays; "" removes it."""

    model_config = examples(
        {"url": "http://localhost:8000/v1"},
        {"url": "http://localhost:8000/v1", "model": "my-model", "key": "sk-..."},
        {"url": ""},
    )

    url: Annotated[str, Field(max_length=2_000)]
    model: Annotated[str, Field(max_length=500)] = ""
    key: Annotated[str, Field(max_length=2_000)] | None = None


class ModelOut(Shown):
    """The endpoint that answers; its key is never shown. `url` "": there is none, MAGS quotes."""

    url: str
    model: str
    key_set: bool

    @classmethod
    def of(cls, choice: ModelChoice) -> ModelOut:
        """All but the key."""
        return cls(url=choice.url, model=choice.model, key_set=choice.key is not None)


@router.get("/model")
def model(request: Request) -> ModelOut:
    """The language model that answers. Needs an admin key for all memories."""
    return ModelOut.of(_choosing(request).model)


@router.put("/model")
def choose_model(request: Request, wanted: ModelIn) -> ModelOut:
    """Take another language model from now on, also after a restart; "" for none.

    Requests at work end with the model they began with.
    """
    return ModelOut.of(_choosing(request).choose(wanted.url, wanted.model, wanted.key))


@router.delete("/model")
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
