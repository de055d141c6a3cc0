"""Tokens as Keycloak makes them, signed by tests, from a recording of a realm.

`python -m ops.testing.provider_tokens` records `ops/keycloak/recorded.json` again.
"""

import base64
import json
import tempfile
import time
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from ops.testing.conditions import wait_for
from ops.testing.gateway import Handler, http_server
from ops.testing.keycloak import SOURCE, Realm, throw_away_keycloak
from ops.testing.token_issuer import TokenIssuer, public_jwk

RECORDED: Final = SOURCE / "recorded.json"
_ADDRESS: Final = "http://keycloak.recorded"
"""Stands for the provider's origin in the file."""


def record(realm: Realm) -> dict[str, Any]:
    """Return a realm's documents, and header and claims of one token of each kind."""
    received: list[str] = []

    class Receiver(Handler):
        def do_POST(self) -> None:  # noqa: N802 - the base class's name
            form = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            received.append(form["logout_token"])
            self.send_response(204)
            self.end_headers()

    with http_server(Receiver) as port:
        realm.set_client("fleetlog-web", **{"backchannel.logout.url": f"http://127.0.0.1:{port}/"})
        tokens = realm.sign_in("asha")
        realm.sign_out(tokens)
        wait_for(lambda: received)
    kinds = {name: tokens[f"{name}_token"] for name in ("access", "id", "refresh")}
    kinds |= {"logout": received[0], "program": realm.sign_in_program()}
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
    """Signs Keycloak's tokens; a context manager that publishes its documents over HTTP.

    Attributes:
        recording: see `record`.
    """

    def __init__(self) -> None:
        super().__init__()
        text = RECORDED.read_text().replace(_ADDRESS, self.origin)
        self.recording: dict[str, Any] = json.loads(text)
        self.issuer = self.recording["issuer"]
        self.jwks_url = self.recording["discovery"]["jwks_uri"]
        kid = self.recording["tokens"]["access"]["header"]["kid"]
        self.keys = {kid: next(iter(self.keys.values()))}

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
