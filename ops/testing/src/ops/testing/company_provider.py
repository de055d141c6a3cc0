"""A company's identity provider, as Auth0 and its like behave to command lines."""

# ruff: noqa: S101 - checks, like the tests that use it

import base64
import hashlib
import json
import secrets
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from ops.testing.token_issuer import TokenIssuer

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class CompanyProvider(TokenIssuer):
    """Somebody signs in there, with a browser that comes back, or with one of another machine.

    Attributes:
        client_id: the one application that it knows.
        claims_given: further ones of the access tokens that it gives.
        offers_device: whether it offers the device authorization grant.
        not_yet: what it answers who asks for a device's token, one after the other, before it gives that.
        refusal: the error with which whoever signs in refuses; empty: they do not.
        config: what `/config.json` of an instance says that people sign in to here.
    """

    def __init__(self, *, audience: str, client_id: str) -> None:
        """Bind a port of 127.0.0.1."""
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
        """Return what is found at a path."""
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
        """Return where a browser is sent back to, in which somebody has signed in, or would not."""
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
        """Return the status and body with which a form is answered."""
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
