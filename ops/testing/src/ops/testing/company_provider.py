"""A company's identity provider, as Auth0 behaves towards command-line clients."""

import base64
import hashlib
import json
import secrets
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from ops.testing.token_issuer import TokenIssuer

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class CompanyProvider(TokenIssuer):
    """A provider with the authorization code flow and, optionally, the device authorization grant.

    Attributes:
        client_id: its only application.
        claims_given: further claims of its access tokens.
        offers_device: whether it offers the device authorization grant.
        not_yet: errors that requests for a device's token get first, in order.
        refusal: the error with which the user refuses to sign in; empty: the user agrees.
        config: the `/config.json` of an instance that uses this provider.
    """

    def __init__(self, *, audience: str, client_id: str) -> None:
        super().__init__(audience=audience)
        self.client_id = client_id
        self.claims_given: dict[str, Any] = {}
        self.offers_device = False
        self.not_yet: list[str] = []
        self.refusal = ""
        self.config: dict[str, Any] = {
            "auth": {"domain": self.origin, "clientId": client_id, "audience": audience}
        }
        self._codes: dict[str, dict[str, str]] = {}

    def published(self, path: str) -> bytes:
        if path == "/config.json":
            return json.dumps(self.config).encode()
        found = super().published(path)
        if path != "/.well-known/openid-configuration" or self.document is not None:
            return found
        device = {"device_authorization_endpoint": f"{self.issuer}oauth/device/code"}
        return json.dumps(
            {
                **json.loads(found),
                "authorization_endpoint": f"{self.issuer}authorize",
                "token_endpoint": f"{self.issuer}oauth/token",
                **(device if self.offers_device else {}),
            }
        ).encode()

    def moved(self, path: str) -> str | None:
        """Return the application's callback with a code, or with the user's refusal."""
        if urlsplit(path).path != "/authorize":
            return None
        asked = dict(parse_qsl(urlsplit(path).query))
        place = urlsplit(asked["redirect_uri"])
        assert (place.scheme, place.hostname, place.path) == ("http", "127.0.0.1", "/callback")
        assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
        assert (asked["client_id"], asked["audience"]) == (self.client_id, self.audience)
        answer = {"state": asked["state"], "iss": self.issuer}
        if self.refusal:
            answer |= {"error": self.refusal, "error_description": "They would not\x1b[31m."}
        else:
            answer["code"] = secrets.token_urlsafe()
            self._codes[answer["code"]] = asked
        return f"{asked['redirect_uri']}?{urlencode(answer)}"

    def posted(self, path: str, form: str) -> tuple[int, bytes]:
        answer = self._answer(path, dict(parse_qsl(form)))
        return 400 if "error" in answer else 200, json.dumps(answer).encode()

    def _answer(self, path: str, form: dict[str, str]) -> dict[str, Any]:
        if form["client_id"] != self.client_id:
            return {"error": "unauthorized_client"}
        if path == "/oauth/device/code":
            assert form["audience"] == self.audience
            return {
                "device_code": "the-device",
                "user_code": "ABCD-EFGH",
                "verification_uri": f"{self.issuer}activate",
                "verification_uri_complete": f"{self.issuer}activate?user_code=ABCD-EFGH",
                "expires_in": 900,
                "interval": 0,
            }
        if form["grant_type"] == DEVICE_GRANT:
            assert form["device_code"] == "the-device"
            problem = self.not_yet.pop(0) if self.not_yet else self.refusal
        else:
            problem = "" if self._redeems(form) else "invalid_grant"
        if problem:
            return {"error": problem, "error_description": f"It is {problem}."}
        token = self.token(sub="company|1", name="Robin", **self.claims_given)
        return {"token_type": "Bearer", "expires_in": 3600, "access_token": token}

    def _redeems(self, form: dict[str, str]) -> bool:
        asked = self._codes.pop(form["code"], {})
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        return (challenge, form["redirect_uri"]) == (asked.get("code_challenge"), asked.get("redirect_uri"))
