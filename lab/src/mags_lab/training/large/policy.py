"""Several adapters over one base in memory, and the policy that they make together.

The base is held once; an adapter costs its own weights, and switching it turns pointers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from peft import PeftModel

from mags.errors import ConfigurationError
from mags.models.policy.prompted import PromptedPolicy
from mags.models.policy.taught import CompactPolicy
from mags.ports.chat import Completion, Message, Tool, Usage
from mags.ports.policy import Plan, Policy, Recalled, Route, Turn, Writing
from mags_lab.training.constraint import Constraint, Guide
from mags_lab.training.evaluate.deciders import Sampler
from mags_lab.training.large.adapters import CARD, base_of, wording_of
from mags_lab.training.large.loading import Loaded, Said, Speech, load
from mags_lab.training.large.presets import Wording

ROLES = ("router", "ask", "write")


class AdapterRegistry:
    """Adapters by name over one base; safe in threads, one reply at a time.

    `held`: replies are held to the grammar of memory tokens (llguidance). `tokens`: read and
    written so far. Raises ConfigurationError where no adapter is named.
    """

    def __init__(self, loaded: Loaded, adapters: Mapping[str, Path], *, held: bool = False) -> None:
        if not adapters:
            raise ConfigurationError("Name at least one adapter folder.")
        self._loaded = loaded
        self._end = int(loaded.tokenizer.eos_token_id)
        self._lock = Lock()
        (first, folder), *more = adapters.items()
        self._model = PeftModel.from_pretrained(loaded.model, str(folder), adapter_name=first)
        for name, path in more:
            self._model.load_adapter(str(path), adapter_name=name)
        self._model.eval()
        self._constraint = self._grammar() if held else None
        self.tokens = 0

    @property
    def names(self) -> tuple[str, ...]:
        """What can be used."""
        return tuple(self._model.peft_config)

    def use(self, name: str) -> None:
        """Make an adapter the active one; raises ConfigurationError where it is not there."""
        if name not in self.names:
            raise ConfigurationError(
                f"No adapter {name!r} is loaded; there are {', '.join(self.names)}.", name=name
            )
        if self._model.active_adapter != name:
            self._model.set_adapter(name, inference_mode=True)

    def reply(
        self, name: str, messages: Sequence[Said], role: str, sampler: Sampler | None = None
    ) -> tuple[str, Usage]:
        """The reply of an adapter to messages, the likeliest or sampled, and what it cost."""
        speech = self._loaded.speech
        ids = speech.ids(messages)
        guide = None if self._constraint is None else self._constraint.begin(role)
        with self._lock:
            self.use(name)
            said = self._said(ids, speech.limit, guide, sampler)
            self.tokens += len(ids) + len(said)
        usage = Usage(calls=1, prompt_tokens=len(ids), completion_tokens=len(said))
        return str(speech.tokenizer.decode(said)), usage

    @torch.no_grad()
    def _said(
        self, ids: Sequence[int], limit: int, guide: Guide | None, sampler: Sampler | None
    ) -> list[int]:
        device = self._model.device
        cache: Any = None
        step, said = torch.tensor([list(ids)], device=device), list[int]()
        while len(said) < limit:
            out = self._model(input_ids=step, past_key_values=cache, use_cache=True)
            cache, logits = out.past_key_values, out.logits[0, -1].float()
            if guide is not None:
                allowed = torch.from_numpy(guide.allowed()).to(device)
                logits = logits[: len(allowed)].masked_fill(~allowed, -torch.inf)
            sampled = (
                int(logits.argmax()) if sampler is None else sampler.piece(logits.cpu().numpy())
            )
            if sampled == self._end:
                break
            if guide is not None:
                guide.take(sampled)
            said.append(sampled)
            step = torch.tensor([[sampled]], device=device)
        return said

    def _grammar(self) -> Constraint:
        words = self._loaded.tokenizer.backend_tokenizer.to_str()
        pieces = self._loaded.model.get_input_embeddings().weight.shape[0]
        return Constraint(words, end=self._end, pieces=int(pieces))


class AdapterChat:
    """A `ChatModel` that speaks by one adapter of a registry."""

    takes_tools = False

    def __init__(
        self,
        registry: AdapterRegistry,
        adapter: str,
        role: str,
        speech: Speech,
        sampler: Sampler | None = None,
    ) -> None:
        self._registry = registry
        self._adapter = adapter
        self._role = role
        self._speech = speech
        self._sampler = sampler

    @property
    def name(self) -> str:
        """The adapter's."""
        return self._adapter

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Complete once; tools and schemas are left aside."""
        said = self._speech.fitted(messages)
        text, usage = self._registry.reply(self._adapter, said, self._role, self._sampler)
        if on_text is not None:
            on_text(text)
        return Completion(text=text, usage=usage)


class AdapterReplier:
    """Replies to compact prompts by one adapter of a registry."""

    def __init__(
        self, registry: AdapterRegistry, adapter: str, sampler: Sampler | None = None
    ) -> None:
        self._registry = registry
        self._adapter = adapter
        self._sampler = sampler

    def complete(self, prompt: str, role: str) -> str:
        """The reply of a role."""
        said = [{"role": "user", "content": prompt}]
        return self._registry.reply(self._adapter, said, role, self._sampler)[0]


class AdapterPolicy:
    """A `Policy` that switches adapters over one base: each role has its own, or all share one.

    `roles`: role to the name of an adapter in the registry; raises ConfigurationError where one is
    missing. `sampler`: samples the replies, None takes the likeliest. Refused replies raise
    ModelReplyError, as those of any trained policy.
    """

    def __init__(
        self,
        name: str,
        loaded: Loaded,
        registry: AdapterRegistry,
        roles: Mapping[str, str],
        *,
        language: str = "en",
        sampler: Sampler | None = None,
    ) -> None:
        absent = [role for role in ROLES if roles.get(role) not in registry.names]
        if absent:
            raise ConfigurationError(f"No adapter is loaded for {', '.join(absent)}.")
        self._name = name
        self._registry = registry
        self._with = partial(AdapterPolicy, name, loaded, registry, roles, language=language)
        speech = loaded.speech
        self._policies: dict[str, Policy] = {}
        if speech.wording is Wording.COMPACT:
            repliers = {role: AdapterReplier(registry, roles[role], sampler) for role in ROLES}
            compact = CompactPolicy(name, repliers, language=language)
            self._policies = dict.fromkeys(ROLES, compact)
            return
        for role in ROLES:
            chat = AdapterChat(registry, roles[role], role, speech, sampler)
            self._policies[role] = PromptedPolicy(chat, speech.prompts, language=language)

    @classmethod
    def over(
        cls,
        loaded: Loaded,
        adapters: Mapping[str, Path],
        *,
        held: bool = False,
        language: str = "en",
    ) -> AdapterPolicy:
        """The policy of folders by role; roles may name the same folder, which is loaded once.

        Raises ConfigurationError where a folder was taught with another wording than the base is
        loaded for.
        """
        for folder in adapters.values():
            if wording_of(folder) is not loaded.speech.wording:
                raise ConfigurationError(
                    f"{folder} was taught with the wording {wording_of(folder)}: load the base "
                    "with it.",
                    path=str(folder),
                )
        named = {folder: role for role, folder in reversed(list(adapters.items()))}
        registry = AdapterRegistry(
            loaded, {name: folder for folder, name in named.items()}, held=held
        )
        roles = {role: named[folder] for role, folder in adapters.items()}
        return cls("adapters", loaded, registry, roles, language=language)

    @property
    def name(self) -> str:
        """What to show the user."""
        return self._name

    @property
    def tokens(self) -> int:
        """Tokens read and written so far, by all adapters of its registry."""
        return self._registry.tokens

    def sampled(self, sampler: Sampler) -> AdapterPolicy:
        """The same adapters with replies that are sampled; they count into `tokens` here."""
        return self._with(sampler=sampler)

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs."""
        return self._policies["router"].route(turn, recent)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""
        return self._policies["ask"].ask(question, recent)

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn."""
        return self._policies["write"].write(turn, recent, recalled)


def read_adapters(folder: Path, *, language: str = "en") -> AdapterPolicy:
    """The policy of a folder: one adapter for every role, or a folder named after each.

    The base is where the adapters' card says, and must be the same for all of them; replies are
    held to the grammar where llguidance is there. Raises ConfigurationError.
    """
    one = (folder / CARD).is_file()
    adapters = {role: folder if one else folder / role for role in ROLES}
    bases = {base_of(adapter) for adapter in adapters.values()}
    if len(bases) > 1:
        raise ConfigurationError(
            f"The adapters in {folder} were taught on {len(bases)} bases "
            f"({', '.join(sorted(bases))}): one policy has one base.",
            path=str(folder),
        )
    loaded = load(bases.pop(), wording=wording_of(adapters["write"]))
    held = find_spec("llguidance") is not None
    return AdapterPolicy.over(loaded, adapters, held=held, language=language)
