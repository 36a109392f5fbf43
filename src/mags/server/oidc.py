"""Tokens of an OpenID Connect issuer in place of keys (extra `oidc`).

A token is a JWT (RFC 7519) that the issuer has signed; PyJWT checks signature, issuer, audience and
times. The issuer's public keys (a JWK set, RFC 7517) come from its URL, or from a file where there
is no network. What a token allows is read from its claims.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cryptography  # noqa: F401 - PyJWT works without it, but then checks no signature we take
import jwt
from jwt import PyJWK, PyJWKClient, PyJWKSet
from jwt.exceptions import PyJWKClientConnectionError

from mags.errors import ConfigurationError, InvalidInput
from mags.server.auth import (
    Forbidden,
    Grant,
    IssuerUnavailable,
    Refused,
    Scope,
    check_name,
    check_speaker,
)
from mags.settings import OidcSettings

ALGORITHMS = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
)  # fmt: skip
"""Signatures by a private key only. HMAC would take the public key for a shared secret."""
NEEDED = ("exp", "iss", "aud", "sub")
SCOPES = {f"mags:{scope.name.lower()}": scope for scope in Scope}
"""What the claim of the scope says for each, such as `mags:write`."""
SKEW_S = 60.0
"""How far the issuer's clock may be off."""
FETCH_S, KEPT_S, AGAIN_S = 5.0, 3_600.0, 30.0
"""Of the issuer's keys: wait so long for them, keep them so long, and fetch no more often, whether
or not they came: whoever sends an unknown key id must not make this server ask without end."""


class TokenVerifier:
    """What the tokens of one issuer allow. Safe to use from several threads."""

    def __init__(self, settings: OidcSettings) -> None:
        """Reads the keys where they are in a file; raises ConfigurationError."""
        self._settings = settings
        self._keys: _Fetched | _InFile
        self._keys = _Fetched(settings.jwks) if settings.remote else _InFile(Path(settings.jwks))

    def grant(self, token: str) -> Grant:
        """What a token allows; raises Refused, Forbidden, IssuerUnavailable."""
        try:
            key = self._keys.get_signing_key(jwt.get_unverified_header(token).get("kid", ""))
            if key is None:
                raise Refused("this token is signed by a key that its issuer does not name")
            claims = jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                audience=self._settings.audience,
                issuer=self._settings.issuer,
                leeway=SKEW_S,
                options={"require": list(NEEDED)},
            )
        except PyJWKClientConnectionError as failure:
            raise IssuerUnavailable(
                f"the keys of {self._settings.issuer} cannot be fetched, so no token can be "
                "checked: try again, or use a key"
            ) from failure
        except (jwt.PyJWTError, RecursionError) as failure:
            raise Refused(f"this token does not hold here: {str(failure)[:200]}") from failure
        return self._allowed(claims)

    def _allowed(self, claims: Mapping[str, Any]) -> Grant:
        named = self._settings
        subject = claims["sub"]
        scopes = [SCOPES[one] for one in _words(claims, named.scope, split=True) if one in SCOPES]
        if not scopes:
            raise Forbidden(
                f"this token may do nothing here: its claim {named.scope!r} has none of "
                f"{', '.join(SCOPES)}"
            )
        spaces = _words(claims, named.namespaces)
        speaker = "".join(_words(claims, named.speaker)) if named.speaker else ""
        if not spaces or (named.speaker and not speaker):
            lacking = named.namespaces if not spaces else named.speaker
            raise Forbidden(f"this token lacks the claim {lacking!r}")
        try:
            # Names, never patterns: who may choose a claim's value must not choose "*".
            for one in spaces:
                check_name(one)
            check_speaker(speaker)
        except InvalidInput as failure:
            raise Forbidden(f"a claim of this token cannot be used: {failure}") from failure
        return Grant(
            name=f"oidc {subject}",
            namespaces=spaces,
            scope=max(scopes),
            expires=float(claims["exp"]) + SKEW_S,
            speaker=speaker,
            subject=subject,
        )


def _words(claims: Mapping[str, Any], name: str, *, split: bool = False) -> tuple[str, ...]:
    """The texts of a claim, which is one or a list; "a.b" is the claim b inside of a.

    `split`: a text is several, with blanks between (RFC 8693, section 4.2).
    """
    found: Any = claims.get(name)
    if found is None and "." in name:
        found = claims
        for part in name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        return tuple(found.split()) if split else (found,) if found else ()
    many = found if isinstance(found, list) else []
    return tuple(one for one in many if isinstance(one, str) and one)


class _Fetched(PyJWKClient):
    """PyJWT's client, which also waits after a fetch that failed."""

    def __init__(self, url: str) -> None:
        super().__init__(url, lifespan=KEPT_S, timeout=FETCH_S, cooldown_duration=AGAIN_S)
        self._failed_s = -AGAIN_S

    def fetch_data(self) -> Any:  # noqa: ANN401 - as it is there
        """The issuer's answer; raises PyJWKClientConnectionError."""
        if time.monotonic() - self._failed_s < AGAIN_S:
            raise PyJWKClientConnectionError("asked a moment ago")
        try:
            return super().fetch_data()
        except (jwt.PyJWTError, ValueError, OSError) as failure:
            self._failed_s = time.monotonic()
            raise PyJWKClientConnectionError(str(failure)) from failure


class _InFile:
    """The keys in a file, which is read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path, self._seen = path, (0, 0)
        self._known: Mapping[str | None, PyJWK] = {}
        self.get_signing_key("")

    def get_signing_key(self, kid: str) -> PyJWK | None:
        """The key of that id; raises ConfigurationError, Refused."""
        try:
            found = self._path.stat()
            seen = (found.st_mtime_ns, found.st_ino)
            if seen != self._seen:
                keys = PyJWKSet.from_dict(json.loads(self._path.read_text(encoding="utf-8"))).keys
                signing = (key for key in keys if key.public_key_use in ("sig", None))
                self._known, self._seen = {key.key_id: key for key in signing}, seen
        except (OSError, ValueError, AttributeError, TypeError, jwt.PyJWTError) as failure:
            raise ConfigurationError(
                f"{self._path} (oidc.jwks) holds no JWK set that can be read: {failure}",
                key="oidc.jwks",
                path=self._path,
            ) from failure
        return self._known.get(kid)
