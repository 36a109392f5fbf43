"""Tokens of an issuer: signed by real keys, which a real server on loopback publishes."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from mags.errors import ConfigurationError
from mags.server.auth import Forbidden, IssuerUnavailable, KeyRing, Refused, Scope
from mags.server.oidc import AGAIN_S, KEPT_S, SKEW_S, TokenVerifier
from mags.settings import OidcSettings, read_settings
from tests.server.serving import serving

ISSUER, AUDIENCE = "https://login.example.org/", "mags"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CURVE = ec.generate_private_key(ec.SECP256R1())
EDWARDS = ed25519.Ed25519PrivateKey.generate()


def published(key: Any, kid: str, algorithm: str) -> dict[str, Any]:
    """The public half as a JWK."""
    kinds = {"RS": jwt.algorithms.RSAAlgorithm, "PS": jwt.algorithms.RSAAlgorithm}
    kinds |= {"ES": jwt.algorithms.ECAlgorithm, "Ed": jwt.algorithms.OKPAlgorithm}
    made = json.loads(kinds[algorithm[:2]].to_jwk(key.public_key()))
    return {**made, "kid": kid, "alg": algorithm, "use": "sig"}


SET = {
    "keys": [
        published(RSA, "r", "RS256"),
        published(CURVE, "e", "ES256"),
        published(EDWARDS, "d", "EdDSA"),
        # What an issuer might publish by mistake: no token of it is taken.
        {"kty": "oct", "kid": "o", "k": base64.urlsafe_b64encode(b"s" * 32).decode()},
        {**published(OTHER, "enc", "RS256"), "use": "enc"},
    ]
}


@dataclass
class Issuer:
    """A server of keys. `asked`: how often; `answer`: what it says."""

    url: str = ""
    asked: int = 0
    status: int = 200
    answer: dict[str, Any] = field(default_factory=lambda: SET)


@contextmanager
def issuing() -> Iterator[Issuer]:
    issuer = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.asked += 1
            self.send_response(issuer.status)
            self.end_headers()
            self.wfile.write(json.dumps(issuer.answer).encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer.url = f"http://127.0.0.1:{server.server_port}/jwks"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as found:
        yield found


def oidc(jwks: str, **other: str) -> OidcSettings:
    return OidcSettings(issuer=ISSUER, audience=AUDIENCE, jwks=jwks, **other)


def token(key: Any = RSA, kid: str | None = "r", algorithm: str = "RS256", **claims: Any) -> str:
    now = time.time()
    said = {"iss": ISSUER, "aud": AUDIENCE, "sub": "u-1", "exp": now + 600}
    said |= {"scope": "openid mags:write", "mags_namespaces": ["alice", "team"], **claims}
    said = {name: value for name, value in said.items() if value is not None}
    return jwt.encode(said, key, algorithm, headers={} if kid is None else {"kid": kid})


def test_a_token_allows_what_its_claims_say(issuer: Issuer):
    tokens = TokenVerifier(oidc(issuer.url, speaker="name"))
    for key, kid, algorithm in (
        (RSA, "r", "RS256"),
        (CURVE, "e", "ES256"),
        (EDWARDS, "d", "EdDSA"),
    ):
        grant = tokens.grant(token(key, kid, algorithm, name="Alice"))
        assert (grant.namespaces, grant.scope) == (("alice", "team"), Scope.WRITE)
        assert (grant.subject, grant.speaker) == ("u-1", "Alice")
    assert issuer.asked == 1


def test_claims_may_lie_inside_of_others_and_be_lists_or_texts(issuer: Issuer):
    named = oidc(issuer.url, namespaces="sub", scope="realm.roles")
    end = str(int(time.time()) + 600)
    grant = TokenVerifier(named).grant(
        token(realm={"roles": ["x", "mags:read", "mags:admin"]}, exp=end)
    )
    assert (grant.namespaces, grant.scope) == (("u-1",), Scope.ADMIN)


def forged(algorithm: str, key: bytes, header: dict[str, Any] | None = None) -> str:
    """A token made by hand, as PyJWT does not make such."""

    def part(value: Any) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    claims = jwt.decode(token(), options={"verify_signature": False})
    told = f"{part({'alg': algorithm, 'typ': 'JWT', 'kid': 'r', **(header or {})})}.{part(claims)}"
    signature = hmac.new(key, told.encode(), hashlib.sha256).digest() if key else b""
    return f"{told}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


PUBLIC_PEM = RSA.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
)
BAD: dict[str, Callable[[], str]] = {
    "no signature": lambda: forged("none", b""),
    "none in other letters": lambda: forged("NoNe", b""),
    "the public key taken for a secret": lambda: forged("HS256", PUBLIC_PEM),
    "the public key's own text taken for a secret": lambda: forged(
        "HS256", json.dumps(SET["keys"][0]).encode()
    ),
    "a secret that is published": lambda: forged("HS256", b"s" * 32, {"kid": "o"}),
    "a key of its own": lambda: forged("RS256", b"x", {"jwk": published(OTHER, "r", "RS256")}),
    "another key under the same id": lambda: token(OTHER, "r"),
    "deep": lambda: base64.urlsafe_b64encode(b'{"a":' + b"[" * 30_000).decode() + ".e30.x",
    "no text": lambda: "\xff.\xff.\xff",
    "no object": lambda: forged("RS256", b"x").replace("ey", "W1", 1),
    "an extension that must be known": lambda: forged("RS256", b"x", {"crit": ["b64"]}),
    "a key for something else": lambda: token(OTHER, "enc"),
    "another algorithm than the key's": lambda: token(algorithm="PS256"),
    "a key of another kind": lambda: token(CURVE, "r", "ES256"),
    "no key id": lambda: token(kid=None),
    "an unknown key id": lambda: token(kid="gone"),
    "expired": lambda: token(exp=time.time() - SKEW_S - 5),
    "not yet": lambda: token(nbf=time.time() + SKEW_S + 5),
    "made in the future": lambda: token(iat=time.time() + SKEW_S + 5),
    "for another": lambda: token(aud="other"),
    "for nobody": lambda: token(aud=None),
    "of another issuer": lambda: token(iss="https://evil.example/"),
    "of no issuer": lambda: token(iss=None),
    "without end": lambda: token(exp=None),
    "of nobody": lambda: token(sub=None),
    "a number for a subject": lambda: token(sub=7),
    "changed": lambda: token().replace(".", ".e30", 1),
    "cut": lambda: token()[:-20],
    "nothing": lambda: "..",
    "no token": lambda: "a" * 300,
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_what_does_not_hold_is_refused(tmp_path: Path, bad: str):
    jwks = tmp_path / "jwks.json"
    jwks.write_text(json.dumps(SET))
    tokens = TokenVerifier(oidc(str(jwks)))
    assert tokens.grant(token()).subject == "u-1"
    with pytest.raises(Refused):
        tokens.grant(BAD[bad]())


def test_a_clock_may_be_off_a_little(issuer: Issuer):
    tokens, now = TokenVerifier(oidc(issuer.url)), time.time()
    assert tokens.grant(token(exp=now - SKEW_S / 2)).expires == pytest.approx(now + SKEW_S / 2)
    tokens.grant(token(nbf=now + SKEW_S / 2, iat=now + SKEW_S / 2))


@pytest.mark.parametrize(
    "claims",
    [
        {"scope": "openid"},
        {"scope": None},
        {"scope": "mags:write:all"},
        {"mags_namespaces": None},
        {"mags_namespaces": []},
        {"mags_namespaces": "*"},
        {"mags_namespaces": ["alice", "team-*"]},
        {"mags_namespaces": "../alice"},
        {"mags_namespaces": {"alice": 1}},
        {"name": ""},
        {"name": None},
        {"name": "Alice\n"},
    ],
)
def test_a_token_without_the_claims_may_do_nothing(issuer: Issuer, claims: dict[str, Any]):
    tokens = TokenVerifier(oidc(issuer.url, speaker="name"))
    with pytest.raises(Forbidden):
        tokens.grant(token(**{"name": "Alice", **claims}))


def test_a_new_key_is_fetched_and_unknown_ones_ask_the_issuer_no_more_often(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
):
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    tokens = TokenVerifier(oidc(issuer.url))
    tokens.grant(token())
    for _ in range(50):
        with pytest.raises(Refused):
            tokens.grant(token(OTHER, "new"))
    assert issuer.asked == 1
    issuer.answer = {"keys": [published(OTHER, "new", "RS256")]}
    now += AGAIN_S + 1
    assert tokens.grant(token(OTHER, "new")).subject == "u-1"
    with pytest.raises(Refused):  # the old one is not published any more
        tokens.grant(token())
    assert issuer.asked == 2
    now += KEPT_S + 1
    issuer.answer = SET
    with pytest.raises(Refused):
        tokens.grant(token(OTHER, "new"))
    assert issuer.asked == 3


def test_an_issuer_that_does_not_answer_is_asked_again_later(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
):
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    tokens = TokenVerifier(oidc(issuer.url))
    issuer.status = 500
    for _ in range(20):
        with pytest.raises(IssuerUnavailable):
            tokens.grant(token())
    assert issuer.asked == 1
    issuer.status, now = 200, now + AGAIN_S + 1
    assert tokens.grant(token()).subject == "u-1"


def test_keys_in_a_file_are_read_again_when_it_changes(tmp_path: Path):
    path = tmp_path / "jwks.json"
    with pytest.raises(ConfigurationError, match="no JWK set"):
        TokenVerifier(oidc(str(path)))
    path.write_text(json.dumps(SET))
    tokens = TokenVerifier(oidc(str(path)))
    tokens.grant(token())
    fresh = tmp_path / "fresh"
    fresh.write_text(json.dumps({"keys": [published(OTHER, "new", "RS256")]}))
    fresh.replace(path)
    assert tokens.grant(token(OTHER, "new")).subject == "u-1"
    with pytest.raises(Refused):
        tokens.grant(token())


def test_a_server_takes_tokens_beside_keys(folder: Path, issuer: Issuer):
    key = KeyRing(folder).add("k", ("bob",), Scope.WRITE, 1.0)
    with serving(folder, oidc=oidc(issuer.url, speaker="name")) as served:
        with served.client(token(name="Alice")) as alice, served.client(key) as bob:
            turn = {"text": "I live in Porto."}
            assert alice.post("/memories/alice/turns", json=turn).status_code == 201
            assert alice.post("/memories/bob/turns", json=turn).status_code == 404
            assert bob.post("/memories/bob/turns", json=turn).status_code == 201
            exported = alice.get("/memories/alice/export").text
            assert '"speaker": "Alice"' in exported
        with served.client(token(exp=time.time() - 100)) as late:
            assert late.get("/memories").status_code == 401
        with served.client(token(scope="openid", name="Alice")) as poor:
            assert poor.get("/memories").status_code == 403
        with served.client() as nobody:
            assert nobody.get("/memories").status_code == 401


def test_settings_of_an_issuer_are_whole_and_safe():
    base = {"MAGS_CONFIG": "/dev/null", "MAGS_OIDC_ISSUER": ISSUER}
    with pytest.raises(ConfigurationError, match=r"oidc\.audience"):
        read_settings(base)
    given = {**base, "MAGS_OIDC_AUDIENCE": "mags", "MAGS_OIDC_JWKS": "http://example.org/keys"}
    with pytest.raises(ConfigurationError, match="https"):
        read_settings(given)
    given["MAGS_OIDC_JWKS"] = "https://example.org/keys"
    assert read_settings(given).oidc.remote
