"""A memory for LlamaIndex (extra `llamaindex`): a retriever, and the memory of a chat engine.

Implements `BaseRetriever` and `BaseMemory` of llama-index-core, https://docs.llamaindex.ai.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from itertools import takewhile
from typing import Any

from mags.adapters.kept import Json, Kept, searchable
from mags.errors import InvalidInput, MissingExtra
from mags.memory.inputs import Moment
from mags.memory.memory import Memory
from mags.models.prompts import load_prompts
from mags.ports.chat import OVERHEAD_A_MESSAGE, estimate
from mags.recall.found import Found, Hit, moment_of

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.memory import BaseMemory
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ModuleNotFoundError as failure:
    raise MissingExtra(extra="llamaindex", needed_for="mags.adapters.llamaindex") from failure

MARK = "llamaindex"
Said = tuple[str, ChatMessage]
"""A session, and a message in it."""


class MagsRetriever(BaseRetriever):
    """What MAGS recalls, as nodes with scores, citations and sources.

    A node's metadata: `citation` ("m12", as in answers and `memory.explain`), `kind`, `speaker`,
    `session`, `at`, `current` (False if no longer true) and `episodes`, the ids of the turns
    it rests on. A model is shown only date and speaker, and no metadata is embedded.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        k: int = 10,
        as_of: Moment | None = None,
        speaker: str = "user",
        **named: Any,
    ) -> None:
        """`k`: at most so many nodes; `as_of`: what was true then; the rest as in any retriever."""
        super().__init__(**named)
        self._memory, self._k, self._as_of, self._speaker = memory, k, as_of, speaker

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._memory.recall(
            searchable(query_bundle.query_str), self._k, self._as_of, speaker=self._speaker
        )
        return [NodeWithScore(node=node_of(hit), score=hit.score) for hit in found.hits]


def node_of(hit: Hit) -> TextNode:
    """A hit as a node."""
    at = moment_of(hit.at) if hit.at else None
    metadata = {
        "citation": f"m{hit.id}",
        "kind": hit.kind,
        "speaker": hit.speaker,
        "session": hit.session,
        "at": "" if at is None else at.isoformat(),
        "current": hit.current,
        "episodes": list(hit.episode_ids),
    }
    return TextNode(
        id_=f"m{hit.id}",
        text=hit.text,
        metadata=metadata,
        excluded_embed_metadata_keys=list(metadata),
        excluded_llm_metadata_keys=[name for name in metadata if name not in ("at", "speaker")],
    )


class MagsMemory(BaseMemory):
    """The memory of a LlamaIndex chat engine or agent, in a memory of MAGS.

    Every message is observed. `get` returns the end of the conversation within `token_limit`, and
    before it what MAGS recalls for the input, from this and other sessions. Messages come back as
    they were put. `reset` and `set` forget messages of this session for good; for another
    conversation with the same person use another session.
    """

    session: str = Field(default="default", description="Which conversation this is.")
    user: str = Field(default="user", description="Who speaks as the user.")
    k: int = Field(default=12, description="Memories recalled at most.")
    token_limit: int = Field(default=3_000, description="Tokens of the conversation's end.")
    context_tokens: int = Field(default=800, description="Tokens of what is recalled.")
    _memory: Memory = PrivateAttr()
    _kept: Any = PrivateAttr()
    _lock: Any = PrivateAttr()
    _frame: Callable[[str], str] = PrivateAttr()

    def __init__(self, memory: Memory, **fields: Any) -> None:
        """`memory` is not closed; the rest are the fields above."""
        super().__init__(**fields)
        self._memory = memory
        self._kept = Kept(memory, MARK, read=_read, place=lambda said: said[0])
        # Reentrant: `set` holds it and calls `put`.
        self._lock = threading.RLock()
        prompt = load_prompts()["remembered"]
        self._frame = lambda recalled: prompt.render("system", {"recalled": recalled}).strip()

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex knows it."""
        return "MagsMemory"

    @classmethod
    def from_defaults(
        cls, memory: Memory | None = None, chat_history: Sequence[ChatMessage] = (), **fields: Any
    ) -> MagsMemory:
        """A memory on `memory`, which must be given, with `chat_history` put into it."""
        if memory is None:
            raise InvalidInput("MagsMemory needs a memory: from_defaults(memory=mags.open(path))")
        made = cls(memory, **fields)
        made.put_messages(list(chat_history))
        return made

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """What is recalled for `input`, then the end of the conversation.

        `input`: by default the user's last message.
        """
        with self._lock:
            said = self._said()
            recent = _ending([message for _, message in said], self.token_limit)
            questions = (m.content or "" for m in reversed(recent) if m.role == MessageRole.USER)
            asked = input if input is not None else next(questions, "")
            # Messages that are in `recent` need not be recalled as well.
            shown = {episode for episode, _ in said[len(said) - len(recent) :]}
            context = self._recalled(asked, shown)
        if not context:
            return recent
        return [ChatMessage(role=MessageRole.SYSTEM, content=self._frame(context)), *recent]

    def get_all(self) -> list[ChatMessage]:
        """Every message of this session, oldest first."""
        with self._lock:
            return [message for _, message in self._said()]

    def put(self, message: ChatMessage) -> None:
        """Remember a message; raises InvalidInput for one that is not JSON or too long."""
        role = str(message.role.value)
        record: Json = {"session": self.session, "message": message.model_dump(mode="json")}
        with self._lock:
            self._kept.put(
                record,
                searchable(message.content or ""),
                speaker=self.user if role == MessageRole.USER.value else role,
                session=self.session,
            )

    def set(self, messages: list[ChatMessage]) -> None:
        """Make these the messages of this session; an unchanged beginning is kept."""
        with self._lock:
            said = self._said()
            pairs = zip((message for _, message in said), messages, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            self._erase(said[same:])
            self.put_messages(messages[same:])

    def reset(self) -> None:
        """Forget every message of this session for good, with what was learnt from them alone."""
        with self._lock:
            self._erase(self._said())

    def _said(self) -> list[tuple[int, ChatMessage]]:
        """Messages of this session with their episodes, oldest first."""
        records: dict[int, Said] = self._kept.records()
        mine = (
            (i, message) for i, (session, message) in records.items() if session == self.session
        )
        return sorted(mine, key=lambda one: one[0])

    def _erase(self, said: Sequence[tuple[int, ChatMessage]]) -> None:
        for episode, _ in said:
            if episode in self._kept.records():  # it may have been forgotten with another one
                self._kept.erase(episode)

    def _recalled(self, asked: str, shown: Collection[int]) -> str:
        """Recalled memories as lines of text, without the messages that are shown anyway."""
        asked = searchable(asked)
        if not asked:
            return ""
        found = self._memory.recall(asked, self.k, speaker=self.user, session=self.session)
        units = tuple(
            unit for unit in found.units if not {hit.id for hit in unit.hits}.issubset(shown)
        )
        return Found(hits=found.hits, trace=found.trace, units=units).context(self.context_tokens)


def _read(record: Json) -> Said:
    return record["session"], ChatMessage.model_validate(record["message"])


def _ending(messages: Sequence[ChatMessage], most: int) -> list[ChatMessage]:
    """The last messages within `most` tokens. The very last is always among them.

    The first one is not an answer, unless it is the only one.
    """
    left, begin = most, len(messages)
    while begin and (begin == len(messages) or left > 0):
        left -= estimate(messages[begin - 1].content or "") + OVERHEAD_A_MESSAGE
        if left < 0 and begin < len(messages):
            break
        begin -= 1
    # As in LlamaIndex's ChatMemoryBuffer: a history begins neither with an answer nor with the
    # result of a tool whose call was cut off.
    answers = (MessageRole.ASSISTANT, MessageRole.TOOL, MessageRole.FUNCTION)
    while begin < len(messages) - 1 and messages[begin].role in answers:
        begin += 1
    return list(messages[begin:])
