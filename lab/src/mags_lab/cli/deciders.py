"""Policies by the names that people give: rules, prompted, or the folder of a trained one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mags.app import make_both, make_chat, make_heads, make_policy
from mags.cli.models import ADAPTER, HEADS, adapters_in
from mags.errors import ConfigurationError, InvalidInput
from mags.extras import bring
from mags.models.chat.meter import MeteredChat
from mags.models.policy.prompted import PromptedPolicy
from mags.models.policy.rules import RulePolicy
from mags.models.prompts import load_prompts
from mags.settings import NANO_GONE, ChatSettings, Settings, read_settings
from mags_lab.training.evaluate.deciders import Decider, PolicyDecider, Sampler

if TYPE_CHECKING:
    from mags_lab.training.large.shelf import AdapterPolicy

WEIGHTS = "config.json"
TEMPERATURE = 1.0
"""At which replies are drawn: a model's probabilities as they are."""
EMBEDDED, CONFIGURED = "embedded", "chat"
"""Frozen models by word: the reader that comes with MAGS, the language model of the settings."""


def decider(given: str, *, seed: int = 0) -> Decider:
    """What `given` names: rules, heads, both, prompted, configured, or PATH; or NAME=WHAT.

    A path is a file of heads (.npz), or a folder: of adapters (`mags.json`) or of a model of
    transformers (`config.json`), which need the extra `train`. `seed`: of what is drawn
    from the models that run here.

    Raises ConfigurationError, InvalidInput, MissingExtra.
    """
    name, equals, what = given.partition("=")
    if not equals or not name.isidentifier():
        name, what = "", given
    settings = read_settings(os.environ)
    if what == "rules":
        return PolicyDecider(RulePolicy(), name=name)
    if what == "prompted":
        return _prompted(settings, name)
    if what == "heads" or what.endswith(HEADS):
        path = None if what == "heads" else Path(what).expanduser()
        return PolicyDecider(make_heads(path), name=name)
    if what == "both":
        return PolicyDecider(make_both(), name=name)
    if what == "nano":
        raise InvalidInput(f"There is no policy nano: {NANO_GONE}", given=given)
    if what == "configured":
        return PolicyDecider(make_policy(settings, make_chat(settings)), name=name)
    return _trained(Path(what).expanduser(), name, seed)


def frozen(given: str) -> ChatSettings | None:
    """The endpoint that `given` names: embedded (None), chat (the configured one), or URL#MODEL.

    The key and all else are those of the settings. Raises ConfigurationError, InvalidInput.
    """
    if given == EMBEDDED:
        return None
    named = dict(os.environ)
    if given != CONFIGURED:
        url, _, model = given.partition("#")
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(
                f"no reader {given!r}: give {EMBEDDED}, {CONFIGURED}, or URL#MODEL of an endpoint",
                given=given,
            )
        named |= {"MAGS_CHAT_URL": url, "MAGS_CHAT_MODEL": model}
    chat = read_settings(named).chat
    if not (chat.url and chat.model):
        raise ConfigurationError(
            "a match says which model played it: give URL#MODEL, or set MAGS_CHAT_URL and "
            "MAGS_CHAT_MODEL",
            key="MAGS_CHAT_MODEL",
        )
    return chat


def _trained(folder: Path, name: str, seed: int) -> Decider:
    if adapters_in(folder):
        shelf = bring("mags_lab.training.large.shelf", extra="train", needed_for=str(folder))
        return _local(shelf.read_adapters(folder), name, seed)
    if (folder / WEIGHTS).is_file():
        voices = bring("mags_lab.training.evaluate.voices", extra="train", needed_for=str(folder))
        found: Decider = voices.from_folder(folder, name=name or folder.name, seed=seed)
        return found
    raise InvalidInput(
        f"{folder} is no policy: give rules, heads, both, prompted, configured, or a folder "
        f"with {WEIGHTS} or {ADAPTER}.",
        given=str(folder),
    )


def _local(policy: AdapterPolicy, name: str, seed: int) -> Decider:
    """A model that runs here: it decides by its likeliest replies, others are drawn beside them."""
    drawn = policy.sampled(Sampler(TEMPERATURE, seed=seed))
    return PolicyDecider(policy, name=name, drawn=drawn, spent=_spent(policy))


def _prompted(settings: Settings, name: str) -> Decider:
    chat = make_chat(settings)
    if chat is None:
        raise ConfigurationError(
            "no language model is configured: set MAGS_CHAT_URL", key="MAGS_CHAT_URL"
        )
    metered = MeteredChat(chat)
    wanted = settings.policy
    prompts = load_prompts(wanted.prompts)
    policy = PromptedPolicy(metered, prompts, language=wanted.language, grounded=wanted.grounded)

    def spent() -> int:
        used = metered.take()
        return used.prompt_tokens + used.completion_tokens

    # At another temperature it draws by itself, whoever asks.
    drawn = None if settings.chat.temperature == 0.0 else policy
    return PolicyDecider(policy, name=name, drawn=drawn, spent=spent)


def _spent(policy: AdapterPolicy) -> Callable[[], int]:
    """Tokens of a model that runs here since this was last called."""
    before = 0

    def since() -> int:
        nonlocal before
        used, before = policy.tokens - before, policy.tokens
        return used

    return since
