"""Settings: read once, from a TOML file and the environment, and frozen.

The file is `--config`, else `MAGS_CONFIG`, else `config.toml` under `$XDG_CONFIG_HOME/mags`
(`~/.config/mags`); the last need not be there. Its tables are the parts below, and `[recall]`,
`[engram]`, `[memory]` and `[sleep]` take every field of those parts' own settings. `false` stands
for none: it switches a rule of sleep off, a limit too. The environment goes before the file:

    MAGS_MEMORY      path of the memory
    MAGS_CHAT_URL    OpenAI-compatible endpoint, ending in /v1
    MAGS_CHAT_MODEL  its model (the first it lists, if not given)
    MAGS_CHAT_KEY    its key
    MAGS_EMBEDDER    "embedded", a sentence-transformers folder, or URL#model of /v1/embeddings
    MAGS_EMBEDDER_KEY  the key of that URL
    MAGS_POLICY      auto, rules, prompted, reader, adapters or served
    MAGS_POLICY_PATH  the file of a reader, or the folder of adapters, that did not come with MAGS
    MAGS_ANSWER      chat, manager or extractive
    MAGS_RECALL      fast; careful: the best are compared word by word; thorough: and read
    MAGS_SECRET      keys the hashes in the memories that are made with it (32 characters or more)
    MAGS_OIDC_ISSUER, MAGS_OIDC_AUDIENCE, MAGS_OIDC_JWKS  whose tokens `mags serve` takes, made for
                     whom, and the URL or file of the public keys
    MAGS_LANGUAGE    the memory's language, as an ISO 639-1 code
    MAGS_PROMPTS     folder of prompt files that replace the shipped ones
    MAGS_MASTER_KEY  where the master key of encrypted memories is (see `EncryptionSettings`)
    MAGS_KEYS        folder of the keys that it wraps

Only where neither MAGS_CHAT_URL nor the file names an endpoint, OPENAI_BASE_URL is taken for it,
and then OPENAI_API_KEY for a key that is not given. OPENAI_API_KEY alone configures nothing: what
is remembered never leaves for a cloud that nobody named.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from math import inf
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from mags.errors import ConfigurationError
from mags.memory.settings import MemorySettings
from mags.plasticity.cycle import SleepSettings
from mags.ports.bounds import SECRET, URL, within
from mags.ports.chat import ChatSettings as ChatSettings
from mags.ports.chat import sendable
from mags.ports.weights import WeightsSettings

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """Which embedder; a memory keeps the one it was made with (`mags reembed` changes it).

    `kind`: "embedded" (shipped), "folder" (sentence-transformers, at `path`) or "endpoint"
    (`model` at `url`). `cache`: read, but without effect; vectors are kept up to 32 MiB.
    """

    kind: Literal["embedded", "folder", "endpoint"] = "embedded"
    path: Path | None = None
    url: str = field(default="", metadata=URL)
    model: str = ""
    key: str | None = field(default=None, repr=False, metadata=SECRET)
    dimensions: int | None = field(default=None, metadata=within(8, 65536))
    cache: int = field(default=4096, metadata=within(0, 10_000_000))


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySettings:
    """Who decides.

    "auto" takes a prompted model where a language model is configured, else "reader" where the
    embedder is the embedded one, else "rules". "reader" is the rules, and what a small model on the
    embedded encoder reads beyond them (in the file `path`, else as shipped);
    "adapters" LoRA adapters over one base (in the folder `path`; extra `train`), "served" the
    configured language model, taught as MAGS teaches (a merged adapter behind vLLM, llama.cpp or
    Ollama); `mags models use` sets `kind` and `path`. `grounded`: refuse
    what a model writes about things nobody said. `together`: turns of a session that a language
    model reads at once, where several are observed. `prompts`: own prompt files.
    """

    kind: Literal["auto", "rules", "prompted", "reader", "adapters", "served"] = "auto"
    path: Path | None = None
    language: str = "en"
    grounded: bool = True
    together: int = field(default=6, metadata=within(1, 24))
    prompts: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """How answers are made.

    `mode`: "chat" (the conversation goes along), "manager" (no history: all from memory) or
    "extractive" (no model even where there is one). `rounds`: calls of the model for an answer
    (and its plan), so that it may recall again `rounds` - 1 times, `queries` at once,
    `again_tokens` each time.
    `threshold`: how likely right an answer without a model has to be
    (`python -m benchmarks.fit_answers` prints what follows from it).
    """

    mode: Literal["chat", "manager", "extractive"] = "chat"
    rounds: int = field(default=2, metadata=within(1, 10))
    queries: int = field(default=3, metadata=within(1, 10))
    again_tokens: int = field(default=600, metadata=within(50, 1_000_000))
    threshold: float = field(default=0.7, metadata=within(0.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcSettings:
    """Tokens of an OpenID Connect issuer that `mags serve` takes besides keys (extra `oidc`).

    `issuer`: as tokens name it ("": none are taken); `audience`: what they must be made for;
    `jwks`: the issuer's public keys, a URL or a file. Claims: `namespaces` names the memories (one
    or a list), `scope` has `mags:read`, `mags:write` or `mags:admin` (a list, or with blanks
    between), `speaker` as whom alone they speak ("": they are bound to nobody); "a.b" is the claim
    b inside of a.
    """

    issuer: str = ""
    audience: str = ""
    jwks: str = ""
    namespaces: str = "mags_namespaces"
    scope: str = "scope"
    speaker: str = ""

    @property
    def remote(self) -> bool:
        """Whether the keys are fetched."""
        return self.jwks.startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptionSettings:
    """How memories are encrypted (extra `encryption`): new ones, where `master` is given.

    `master`: where the master key is. "file:PATH" or "env:NAME", which holds 32 bytes in base64, or
    "command:LINE", which is run for each key and asks a KMS (see docs/server.md). `keys`: the
    folder of the memories' own keys, which the master key wraps; it lies outside of what is backed
    up with the memories, since who destroys a key there destroys the memory in every backup.
    """

    master: str = field(default="", repr=False, metadata=SECRET)
    keys: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting. `path`: the memory's file, or None where none is named."""

    path: Path | None = None
    chat: ChatSettings = field(default_factory=ChatSettings)
    embedder: EmbedderSettings = field(default_factory=EmbedderSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)
    encryption: EncryptionSettings = field(default_factory=EncryptionSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    sleep: SleepSettings = field(default_factory=SleepSettings)
    weights: WeightsSettings = field(default_factory=WeightsSettings)
    oidc: OidcSettings = field(default_factory=OidcSettings)


ENVIRONMENT = {
    "MAGS_MEMORY": ("path",),
    "MAGS_CHAT_URL": ("chat", "url"),
    "MAGS_CHAT_MODEL": ("chat", "model"),
    "MAGS_CHAT_KEY": ("chat", "key"),
    "MAGS_EMBEDDER_KEY": ("embedder", "key"),
    "MAGS_POLICY": ("policy", "kind"),
    "MAGS_POLICY_PATH": ("policy", "path"),
    "MAGS_LANGUAGE": ("policy", "language"),
    "MAGS_PROMPTS": ("policy", "prompts"),
    "MAGS_ANSWER": ("answer", "mode"),
    "MAGS_RECALL": ("memory", "recall", "tier"),
    "MAGS_SECRET": ("memory", "secret"),
    "MAGS_OIDC_ISSUER": ("oidc", "issuer"),
    "MAGS_OIDC_AUDIENCE": ("oidc", "audience"),
    "MAGS_OIDC_JWKS": ("oidc", "jwks"),
    "MAGS_MASTER_KEY": ("encryption", "master"),
    "MAGS_KEYS": ("encryption", "keys"),
}
TAKEN: dict[type, Any] = {int: int, float: (int, float), bool: bool, str: str, Path: str}
SAID = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
    Path: "a path",
}
"""By the type of a setting: what is taken for it, and how it is called."""
MASTER = re.compile(r"(file|env|command):\S.*")
NESTED = ("recall", "engram")
NANO_GONE = (
    "nano went with 0.2: use the default policy (auto), or train an adapter of a language model "
    "with `mags train lora`."
)
HEADS_GONE = dict.fromkeys(
    ("heads", "both"), "the heads gave way to the reader with 0.2, which is taken: write 'reader'."
)
"""Policies that went, and what is taken in their place for one version."""
RETIRED = {
    ("policy.held", "True"): "held nano to the grammar, which went with 0.2: adapters are held "
    "where llguidance is there. Take the line out; 0.3 refuses it.",
    ("policy.held", "False"): "went with nano in 0.2. Take the line out; 0.3 refuses it.",
    ("memory.recall.anchor_choice", "cover"): "went with 0.2, it bought nothing: the default is "
    "taken. Take the line out; 0.3 refuses it.",
}
"""Settings and values of the version before that are still read, and do nothing."""


def read_settings(environment: Mapping[str, str], *, config: Path | None = None) -> Settings:
    """Read the file and the environment; raises ConfigurationError naming key, value, allowed.

    `environment`: `os.environ`, read at the edge by who calls. Empty variables count as unset.
    """
    given = {name: value for name, value in environment.items() if value.strip()}
    path, table = _file(given, config)
    for name in NESTED:
        if name in table:
            _table(table, "memory", path)[name] = table.pop(name)
    origins: dict[str, str] = {}
    # After the file: the environment goes before it.
    for name, place in ENVIRONMENT.items():
        if name in given:
            _put(table, place, given[name], path)
            origins[".".join(place)] = name
    if "MAGS_EMBEDDER" in given:
        _embedder(_table(table, "embedder", path), given["MAGS_EMBEDDER"])
    chat = _table(table, "chat", path)
    if not chat.get("url") and "OPENAI_BASE_URL" in given:
        chat["url"] = given["OPENAI_BASE_URL"]
        if not chat.get("key") and "OPENAI_API_KEY" in given:
            chat["key"] = given["OPENAI_API_KEY"]
    settings = _Reader(str(path or "the environment"), origins).part(Settings, table, "")
    return _checked(settings)


def config_file(environment: Mapping[str, str], *, config: Path | None = None) -> Path:
    """The config file that is read, whether or not it is there."""
    given = {name: value for name, value in environment.items() if value.strip()}
    named = config or (Path(given["MAGS_CONFIG"]) if "MAGS_CONFIG" in given else None)
    home = Path(given.get("XDG_CONFIG_HOME") or Path(given.get("HOME", "~"), ".config"))
    return (named or home / "mags" / "config.toml").expanduser()


def _file(given: Mapping[str, str], config: Path | None) -> tuple[Path | None, dict[str, Any]]:
    path = config_file(given, config=config)
    try:
        return path, tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if config is None and "MAGS_CONFIG" not in given:
            return None, {}
        raise ConfigurationError(
            f"The config file {path} is not there: correct --config or MAGS_CONFIG.",
            key="config",
            value=str(path),
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as failure:
        raise ConfigurationError(
            f"The config file {path} cannot be read: {failure}.", key="config", value=str(path)
        ) from failure


def _table(table: dict[str, Any], name: str, path: Path | None) -> dict[str, Any]:
    inner = table.setdefault(name, {})
    if not isinstance(inner, dict):
        raise _wrong(name, inner, "a table", str(path))
    return inner


def _put(table: dict[str, Any], place: tuple[str, ...], value: str, path: Path | None) -> None:
    for name in place[:-1]:
        table = _table(table, name, path)
    table[place[-1]] = value.strip()


def _embedder(table: dict[str, Any], value: str) -> None:
    """One word for the whole choice: "embedded", a folder, or URL#model."""
    if value == "embedded":
        table["kind"] = value
    elif value.startswith(("http://", "https://")):
        url, _, model = value.partition("#")
        table.update(kind="endpoint", url=url, model=model or table.get("model", ""))
    else:
        table.update(kind="folder", path=value)


def _checked(settings: Settings) -> Settings:
    """What no single value shows."""
    embedder = settings.embedder
    keys = {"chat": settings.chat.key, "embedder": embedder.key, "weights": settings.weights.key}
    for name, key in keys.items():
        if key and not sendable(key):
            raise _wrong(f"{name}.key", "(hidden)", "letters, digits and signs of ASCII", "")
    if embedder.kind == "folder" and embedder.path is None:
        raise _wrong("embedder.path", None, "the folder of the model, for kind 'folder'", "")
    if embedder.kind == "endpoint" and not (embedder.url and embedder.model):
        raise _wrong("embedder.url", "", "a URL, and embedder.model, for kind 'endpoint'", "")
    if not (len(settings.policy.language) == 2 and settings.policy.language.isalpha()):
        raise _wrong("policy.language", settings.policy.language, "an ISO 639-1 code: en", "")
    _check_access(settings)
    if settings.path is not None:
        settings = replace(settings, path=settings.path.expanduser())
    return settings


def _check_access(settings: Settings) -> None:
    """Of tokens and keys."""
    oidc = settings.oidc
    if oidc.issuer and not (oidc.audience and oidc.jwks and oidc.namespaces and oidc.scope):
        raise _wrong("oidc.audience, oidc.jwks", "", "given, where oidc.issuer is", "")
    local = urlsplit(oidc.jwks).hostname in ("localhost", "127.0.0.1", "::1")
    if oidc.jwks.startswith("http://") and not local:
        allowed = "https, as whoever stands between could give keys of their own"
        raise _wrong("oidc.jwks", oidc.jwks, allowed, "")
    encryption = settings.encryption
    if encryption.master and not MASTER.fullmatch(encryption.master):
        raise _wrong("encryption.master", "(hidden)", "file:PATH, env:NAME or command:LINE", "")
    if encryption.master and encryption.keys is None:
        raise _wrong("encryption.keys", None, "a folder, for encryption.master", "")


def _wrong(key: str, value: object, allowed: str, source: str) -> ConfigurationError:
    where = f" in {source}" if source else ""
    return ConfigurationError(
        f"The setting {key} is {value!r}{where}; it must be {allowed}.",
        key=key,
        value=value,
        allowed=allowed,
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Tables to frozen dataclasses, every value checked against its field.

    `source`: where values come from, for messages; `origins`: keys that came from a variable.
    """

    source: str
    origins: Mapping[str, str]

    def part(self, kind: type[Part], table: Mapping[str, Any], at: str) -> Part:
        table = {n: v for n, v in table.items() if not self._retired(f"{at}{n}", v)}
        hints = get_type_hints(kind)
        known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
        for name in table:
            if name not in known:
                raise ConfigurationError(
                    f"The setting {at}{name} in {self.source} is not known; there are "
                    f"{', '.join(sorted(known))}.",
                    key=f"{at}{name}",
                    allowed=tuple(sorted(known)),
                )
        values: dict[str, Any] = {}
        for name, value in table.items():
            if f"{at}{name}" == "policy.kind" and value in HEADS_GONE:
                where = self.origins.get("policy.kind", self.source)
                told = f"The setting policy.kind is {value!r} in {where}: {HEADS_GONE[value]}"
                warnings.warn(told, FutureWarning, stacklevel=2)
                value = "reader"
            about = dict(known[name].metadata)
            made = known[name].default_factory
            if isinstance(value, Mapping) and made is not MISSING:
                about["default"] = made()
            values[name] = self._value(hints[name], value, f"{at}{name}", about)
        return kind(**values)

    def _retired(self, key: str, value: object) -> bool:
        if key == "policy.kind" and value == "nano":
            raise ConfigurationError(
                f"The setting {key} is 'nano' in {self.origins.get(key, self.source)}; {NANO_GONE}",
                key=key,
                value=value,
            )
        told = RETIRED.get((key, str(value)))
        if told is not None:
            where = self.origins.get(key, self.source)
            message = f"The setting {key} = {value} in {where} {told}"
            warnings.warn(message, FutureWarning, stacklevel=2)
        return told is not None

    def _value(self, hint: object, value: object, key: str, about: Mapping[str, Any]) -> object:
        options = get_args(hint) if get_origin(hint) in (UnionType, Union) else (hint,)
        inner = next((option for option in options if option is not NoneType), NoneType)
        if value is False and NoneType in options:  # TOML has no null
            return None
        if is_dataclass(inner) and isinstance(inner, type):
            if not isinstance(value, Mapping):
                off = ", or false to switch it off" if NoneType in options else ""
                raise self._refuse(key, value, f"a table{off}", about)
            return self.part(inner, value, f"{key}.")
        if get_origin(inner) is Literal:
            if value not in get_args(inner):
                raise self._refuse(key, value, f"one of {', '.join(get_args(inner))}", about)
            return value
        if not isinstance(inner, type):
            return self._numbers(value, key, about)
        return self._plain(inner, value, key, about)

    def _plain(self, kind: type, value: Any, key: str, about: Mapping[str, Any]) -> Any:  # noqa: ANN401
        """A number, a text, a path, or true or false."""
        least, most = about.get("within", (-inf, inf))
        fits = isinstance(value, TAKEN[kind]) and isinstance(value, bool) == (kind is bool)
        if not fits or (kind in (int, float) and not least <= value <= most):
            span = f" from {least:g} to {most:g}" if "within" in about else ""
            raise self._refuse(key, value, f"{SAID[kind]}{span}", about)
        if about.get("url") and value:
            self._url(key, value)
        return Path(value).expanduser() if kind is Path else kind(value)

    def _numbers(self, value: object, key: str, about: Mapping[str, Any]) -> Mapping[str, float]:
        """A table of numbers changes those of the default that it names."""
        default = about.get("default", {})
        if not isinstance(value, Mapping):
            raise self._refuse(key, value, "a table of numbers", about)
        for name in value:
            if name not in default:
                allowed = f"a table with some of {', '.join(sorted(default))}"
                raise self._refuse(f"{key}.{name}", value[name], allowed, about)
        read = {name: self._plain(float, one, f"{key}.{name}", {}) for name, one in value.items()}
        return {**default, **read}

    def _url(self, key: str, value: str) -> None:
        parts = urlsplit(value)
        if parts.username or parts.password:
            part = key.partition(".")[0]
            raise _wrong(
                key, f"a URL of {parts.hostname}", f"without a name or a key ({part}.key)", ""
            )
        if parts.scheme not in ("http", "https") or not parts.hostname:
            allowed = "a URL such as http://localhost:8000/v1"
            raise self._refuse(key, value, allowed, {})

    def _refuse(
        self, key: str, value: object, allowed: str, about: Mapping[str, Any]
    ) -> ConfigurationError:
        shown = "(hidden)" if about.get("secret") else value
        return _wrong(key, shown, allowed, self.origins.get(key, self.source))
