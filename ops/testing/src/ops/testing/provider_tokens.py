"""Tokens as a real provider makes them, signed by tests: from a live realm of Keycloak, or from a recording.

`python -m ops.testing.provider_tokens` records `ops/keycloak/recorded.json` anew.
"""

import base64
import json
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import parse_qsl, urlsplit

from cryptography.hazmat.primitives.asymmetric import rsa

from ops.testing.keycloak import SOURCE, Realm, throw_away_keycloak
from ops.testing.token_issuer import TokenIssuer, public_jwk

RECORDED: Final = SOURCE / "recorded.json"
_ADDRESS: Final = "http://keycloak.recorded"
"""Stands for the provider's origin in the file."""


def record(realm: Realm) -> dict[str, Any]:
    """Return a realm's documents, and header and claims of one token of each kind."""
    with _LogoutReceiver() as receiver:
        realm.set_client("fleetlog-web", **{"backchannel.logout.url": receiver.address})
        tokens = realm.sign_in("asha")
        realm.sign_out(tokens)
    kinds = {name: tokens[f"{name}_token"] for name in ("access", "id", "refresh")}
    kinds |= {"logout": receiver.token, "program": realm.sign_in_program()}
    return {
        "issuer": realm.issuer,
        "discovery": realm.discovery,
        "keys": realm.fetch("/protocol/openid-connect/certs"),
        "tokens": {
            name: dict(zip(("header", "claims"), decode(token), strict=True)) for name, token in kinds.items()
        },
    }


def decode(token: str) -> list[dict[str, Any]]:
    """Return header and claims of a token, without verification."""
    return [json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2]]


class ProviderTokens(TokenIssuer):
    """Signs a provider's tokens; a context manager that publishes its documents over HTTP.

    Attributes:
        recording: see `record`.
    """

    def __init__(self, recording: dict[str, Any], *, key: rsa.RSAPrivateKey | None = None) -> None:
        """Prepare an issuer.

        Args:
            recording: of a provider.
            key: the provider's private key, for its own addresses; None: another key, published here.
        """
        super().__init__()
        if key is None:
            text = json.dumps(recording).replace(_origin(recording["issuer"]), self.origin)
            recording = json.loads(text)
        self.recording = recording
        self.issuer = recording["issuer"]
        self.jwks_url = recording["discovery"]["jwks_uri"]
        kid = recording["tokens"]["access"]["header"]["kid"]
        self.keys = {kid: key or next(iter(self.keys.values()))}

    def claims(self, **changes: Any) -> dict[str, Any]:
        members = {**self._current("access"), **changes}
        return {name: value for name, value in members.items() if value is not self.DROP}

    def header(self, **changes: Any) -> dict[str, Any]:
        members = {**self.recording["tokens"]["access"]["header"], **changes}
        return {name: value for name, value in members.items() if value is not self.DROP}

    def of_kind(self, kind: str) -> str:
        """Return a current token of a kind: `access`, `id`, `logout` or `program`."""
        return self.sign(
            json.dumps(self.recording["tokens"][kind]["header"]), json.dumps(self._current(kind))
        )

    def key_set(self) -> dict[str, list[dict[str, Any]]]:
        """Return the provider's key set, with the public half of the key that signs here."""
        ((kid, key),) = self.keys.items()
        numbers = {name: value for name, value in public_jwk(kid, key).items() if name in {"n", "e"}}
        entries = self.recording["keys"]["keys"]
        return {"keys": [{**entry, **(numbers if entry["kid"] == kid else {})} for entry in entries]}

    def published(self, path: str) -> bytes:
        if path.endswith("/.well-known/openid-configuration"):
            return json.dumps(self.recording["discovery"]).encode()
        return super().published(path)

    def _current(self, kind: str) -> dict[str, Any]:
        """Return the claims of a kind of token, issued now."""
        claims: dict[str, Any] = self.recording["tokens"][kind]["claims"]
        age = int(time.time()) - claims["iat"]
        times = {"iat", "exp", "auth_time"}
        return {name: value + age if name in times else value for name, value in claims.items()}


class _LogoutReceiver:
    """Receives one logout token by back channel."""

    def __init__(self) -> None:
        self.token = ""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                form = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
                receiver.token = form["logout_token"]
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.handle_request, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join(10)
        self._server.server_close()


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def load_recording() -> dict[str, Any]:
    """Return what was recorded of Keycloak."""
    recording: dict[str, Any] = json.loads(RECORDED.read_text())
    return recording


def main() -> None:
    """Record a new realm."""
    with tempfile.TemporaryDirectory() as folder, throw_away_keycloak(Path(folder)) as keycloak:
        text = json.dumps(record(keycloak.create_realm()), indent=1, sort_keys=True)
        RECORDED.write_text(text.replace(keycloak.address, _ADDRESS) + "\n")


if __name__ == "__main__":
    main()
