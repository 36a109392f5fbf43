"""What an endpoint can do, found out by asking: a refused feature is dropped and remembered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

WEAKER_SCHEMA = {"json_schema": "json_object", "json_object": "none"}
WORDS = {
    "schema": ("response_format", "json_schema", "json_object", "grammar", "structured"),
    "tools": ("tool", "function"),
    "logprobs": ("logprob",),
    "stream_usage": ("stream_options", "include_usage"),
    "temperature": ("temperature",),
    "long_limit": ("max_completion_tokens", "max_tokens"),
}
NOT_A_FEATURE = ("context length", "context_length", "context size", "too long", "too many tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """The optional parts of a request that an endpoint takes; at first all are believed.

    `schema`: the strongest form of structured output ("json_schema", "json_object", "none").
    `long_limit`: the token limit is called `max_completion_tokens`, not `max_tokens`.
    """

    schema: str = "json_schema"
    tools: bool = True
    logprobs: bool = True
    stream_usage: bool = True
    temperature: bool = True
    long_limit: bool = False

    def without(self, complaint: str, used: Mapping[str, Any], *, guess: bool) -> Abilities | None:
        """What is left when the endpoint refused a request that `used` these parameters.

        The complaint names the feature, or else, with `guess`, the optional parts go one by one.
        None when nothing that was used can be left out.
        """
        words = complaint.lower()
        if any(phrase in words for phrase in NOT_A_FEATURE):
            return None
        named = [part for part, marks in WORDS.items() if any(mark in words for mark in marks)]
        parts = named or (["logprobs", "stream_usage", "schema", "tools"] if guess else [])
        return next((less for less in self._weaker(parts, used)), None)

    def _weaker(self, parts: list[str], used: Mapping[str, Any]) -> Iterator[Abilities]:
        if "logprobs" in parts and "logprobs" in used:
            yield replace(self, logprobs=False)
        if "stream_usage" in parts and "stream_options" in used:
            yield replace(self, stream_usage=False)
        if "schema" in parts and "response_format" in used:
            yield replace(self, schema=WEAKER_SCHEMA[self.schema])
        if "tools" in parts and "tools" in used:
            yield replace(self, tools=False)
        if "temperature" in parts and "temperature" in used:
            yield replace(self, temperature=False)
        if "long_limit" in parts and "max_tokens" in used:
            yield replace(self, long_limit=True)
