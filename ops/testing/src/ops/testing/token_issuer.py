"""A token issuer: real keys and signatures, and a real HTTP server that publishes the key set."""

import base64
import json
import threading
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from ops.base.permissions import Permission
from ops.base.settings import ServiceSettings

_DROP = object()


class TokenIssuer:
    """Signs valid and invalid access tokens; a context manager that publishes its keys over HTTP."""

    DROP = _DROP
    """As the value of a header member or claim: the member is left out."""

    def __init__(self, *, audience: str = "https://api.fleetlog.example") -> None:
        """Bind a port of 127.0.0.1; all issuers share their first key, which takes time to generate."""
        self.audience = audience
        self.keys = {"first": _usual_key()}
        self.status = 200
        self.headers: dict[str, str] = {}
        self.document: bytes | None = None
        """Published instead of the key set, when set."""
        self.gate = threading.Event()
        """While cleared, requests for keys are not answered."""
        self.gate.set()
        self.fetches = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        self.issuer = f"{self.origin}/"
        self.jwks_url = f"{self.issuer}.well-known/jwks.json"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server: connections are refused from now on."""
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()

    def settings(self, **more: Any) -> ServiceSettings:
        """Return the settings of a service that accepts its tokens."""
        return sign_in_settings(self.issuer, self.audience, **{"jwks_url": self.jwks_url, **more})

    def claims(self, **changes: Any) -> dict[str, Any]:
        """Return the claims of a valid access token with all permissions, with `changes`."""
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": self.audience,
            "sub": "dev|asha",
            "name": "Asha Menon",
            "scope": "openid profile email",
            "permissions": list(Permission),
            "iat": now,
            "exp": now + 3600,
        }
        return _changed(claims, changes)

    def header(self, **changes: Any) -> dict[str, Any]:
        """Return the header of a valid access token, with `changes`."""
        return _changed({"alg": "RS256", "typ": "at+jwt", "kid": next(iter(self.keys))}, changes)

    def token(self, *, header: dict[str, Any] | None = None, **claims: Any) -> str:
        """Return a token signed with the key that its `kid` names, or with the first key."""
        head = self.header(**(header or {}))
        kid = head.get("kid")
        key = self.keys.get(kid) if isinstance(kid, str) else None
        return self.sign(json.dumps(head), json.dumps(self.claims(**claims)), key=key)

    def sign(self, header: str, claims: str, *, key: rsa.RSAPrivateKey | None = None) -> str:
        """Return a token of exactly these texts, with a valid RS256 signature."""
        signing_input = f"{encode(header.encode())}.{encode(claims.encode())}"
        key = key or next(iter(self.keys.values()))
        return (
            f"{signing_input}.{encode(key.sign(signing_input.encode(), padding.PKCS1v15(), hashes.SHA256()))}"
        )

    def key_set(self) -> dict[str, list[dict[str, Any]]]:
        """Return the public keys as a JSON Web Key Set."""
        return {"keys": [public_jwk(kid, key) for kid, key in self.keys.items()]}

    def published(self, path: str) -> bytes:
        """Return the response to GET: the provider's metadata at its well-known path, elsewhere the keys."""
        if self.document is not None:
            return self.document
        description = {"issuer": self.issuer, "jwks_uri": self.jwks_url}
        described = path == "/.well-known/openid-configuration"
        return json.dumps(description if described else self.key_set()).encode()

    def posted(self, _path: str, _form: str) -> tuple[int, bytes]:
        """Return status and body of the response to a form."""
        return 405, b""

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.fetches += 1
                issuer.gate.wait(30)
                self._answer(issuer.status, issuer.published(self.path), issuer.headers)

            def do_POST(self) -> None:
                form = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._answer(*issuer.posted(self.path, form), {})

            def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def sign_in_settings(issuer: str, audience: str, **more: Any) -> ServiceSettings:
    return ServiceSettings.model_validate({"database": "", "issuer": issuer, "audience": audience, **more})


@cache
def _usual_key() -> rsa.RSAPrivateKey:
    return new_key()


def new_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def public_jwk(kid: str, key: rsa.RSAPrivateKey, **changes: Any) -> dict[str, Any]:
    """Return a key's public half as a JSON Web Key."""
    numbers = key.public_key().public_numbers()
    jwk = {
        "kty": "RSA",
        "use": "sig",
        "alg": "RS256",
        "kid": kid,
        "n": _integer(numbers.n),
        "e": _integer(numbers.e),
    }
    return _changed(jwk, changes)


def encode(data: bytes) -> str:
    """Encode as base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _integer(value: int) -> str:
    return encode(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def _changed(members: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**members, **changes}.items() if value is not _DROP}
