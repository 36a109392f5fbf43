"""A recall as JSON: what `FoundOut` describes, without a model made and checked for each hit.

Recalls are asked for more than all else together, and a quarter of a millisecond each went into
making the models.
"""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any

from mags.recall.found import FactView, Found, Hit, moment_of
from mags.recall.trace import HitTrace

_strict = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def found_as_json(found: Found, trace: str) -> bytes:
    """The body of an answer; numbers that JSON does not know become null."""
    told = found_as_dict(found, trace)
    try:
        return _strict.encode(told).encode()
    except ValueError:  # not a number, or without an end
        return _strict.encode(_plain(told)).encode()


def found_as_dict(found: Found, trace: str) -> dict[str, Any]:
    """A recall in JSON types, by the fields of `FoundOut`; `trace`: the id it is kept under."""
    why = {one.id: one for one in found.trace.hits}
    return {
        "trace": trace,
        "hits": [_hit(hit, why.get(hit.id)) for hit in found.hits],
        "context": found.context(),
    }


def _hit(hit: Hit, why: HitTrace | None) -> dict[str, Any]:
    return {
        "id": hit.id,
        "kind": hit.kind,
        "text": hit.text,
        "score": hit.score,
        "speaker": hit.speaker,
        "session": hit.session,
        "at": _moment(moment_of(hit.at)),
        "current": hit.current,
        "anchor": hit.anchor,
        "episode_ids": hit.episode_ids,
        "fact": None if hit.fact is None else _fact(hit.fact),
        "shares": {} if why is None else dict(why.shares.items()),
    }


def _fact(fact: FactView) -> dict[str, Any]:
    return {
        "id": fact.id,
        "subject": fact.subject,
        "relation": fact.relation,
        "object": fact.object,
        "valid_from": _moment(fact.valid_from),
        "valid_to": _moment(fact.valid_to),
        "confidence": fact.confidence,
        "qualifiers": dict(fact.qualifiers),
        "stated": fact.stated,
        "text": fact.text,
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else f"{at.isoformat()[:-6]}Z"  # all are UTC


Json = dict[str, Any] | list[Any] | tuple[Any, ...] | str | float | None


def _plain(told: Json) -> Json:
    """The same with null where a number is none that JSON knows."""
    if isinstance(told, float):
        return told if math.isfinite(told) else None
    if isinstance(told, dict):
        return {name: _plain(value) for name, value in told.items()}
    return [_plain(one) for one in told] if isinstance(told, list | tuple) else told
