"""Which language model answers: as configured, or as an admin chose while the server ran.

What was chosen is kept in the folder, so that it holds after a restart. The key goes in and never
comes out: it is sent to the place it was given for, and to nowhere else.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from mags.errors import CorruptFile, InvalidInput
from mags.server.private import remove_private, write_private

FILE = "model.json"
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """An OpenAI-compatible endpoint. `url` ends in /v1, "" for no model; `key` None: none is sent.

    `model` "": the first that the endpoint lists.
    """

    url: str = ""
    model: str = ""
    key: str | None = field(default=None, repr=False)

    def following(self, url: str, model: str, key: str | None) -> ModelChoice:
        """What is chosen after this. `key` None keeps the key where the place is the same.

        A key is never sent to another place than it was given for: whoever may choose the model
        could else have it sent to himself. Raises InvalidInput.
        """
        url = url.strip()
        check_url(url)
        kept = self.key if url and self.url and _place(url) == _place(self.url) else None
        return ModelChoice(url=url, model=model.strip(), key=(kept if key is None else key) or None)


def check_url(url: str) -> None:
    """Raise InvalidInput for what is neither "" nor the address of an endpoint."""
    if not url:
        return
    parts = _parts(url)
    if parts is None or parts.scheme not in PORTS or not parts.hostname or parts.query:
        raise InvalidInput("url: such as http://localhost:8000/v1", field="url")
    if parts.username is not None or parts.password is not None:
        raise InvalidInput("url: without a name or a key in it; the key goes into `key`")


def read_choice(folder: Path) -> ModelChoice | None:
    """What was chosen for a folder, None where nothing was; raises CorruptFile."""
    path = folder / FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        chosen = ModelChoice(**found)
        check_url(chosen.url)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, AttributeError, OSError, InvalidInput) as failure:
        raise CorruptFile(
            f"{path} is damaged: remove it, and choose the model again", path=path
        ) from failure
    return chosen


def write_choice(folder: Path, choice: ModelChoice | None) -> None:
    """Keep a choice, or none, for the next start; raises StoreError."""
    if choice is None:
        remove_private(folder / FILE)
    else:
        write_private(folder / FILE, json.dumps(asdict(choice), indent=1) + "\n")


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # only looked at when asked for
    except ValueError:
        return None
    return parts


def _place(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)
