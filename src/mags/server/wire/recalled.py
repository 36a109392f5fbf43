"""A recall as JSON: what `FoundOut` describes, without a model made and checked for each hit.

Recalls are asked for more than all else together, and what the memory found needs no check.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from mags.recall.found import FactView, Found, Hit, HitTrace, Numbers, moment_of

_WRITER = TypeAdapter(dict[str, Any])


def found_as_json(found: Found, trace: str) -> bytes:
    """The body of an answer; numbers that JSON does not know become null."""
    return _WRITER.dump_json(found_as_dict(found, trace))


def found_as_dict(found: Found, trace: str) -> dict[str, Any]:
    """A recall by the fields of `FoundOut`; `trace`: the id under which its trace is kept."""
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
        "at": moment_of(hit.at),
        "current": hit.current,
        "tentative": hit.tentative,
        "anchor": hit.anchor,
        "episode_ids": hit.episode_ids,
        "fact": None if hit.fact is None else _fact(hit.fact),
        "shares": {} if why is None else _numbers(why.shares),
    }


def _fact(fact: FactView) -> dict[str, Any]:
    return {
        "id": fact.id,
        "subject": fact.subject,
        "relation": fact.relation,
        "object": fact.object,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "confidence": fact.confidence,
        "qualifiers": dict(fact.qualifiers),
        "stated": fact.stated,
        "text": fact.text,
        "tentative": fact.tentative,
    }


def _numbers(shares: Mapping[str, float]) -> dict[str, float]:
    return shares.as_dict() if isinstance(shares, Numbers) else dict(shares)
