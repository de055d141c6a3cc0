"""A company's identity provider, as Auth0 or Keycloak behaves towards command-line clients."""

import base64
import hashlib
import json
import secrets
import sys
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from ops.base.discovery import metadata_url
from ops.testing.token_issuer import TokenIssuer

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
BROWSER = f"{sys.executable} -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' %s"
"""A browser that is signed in at the provider, and so is redirected immediately."""


class CompanyProvider(TokenIssuer):
    """A provider with the authorization code flow and, optionally, the device authorization grant.

    Attributes:
        client_id: its only application.
        claims_given: further claims of its access tokens.
        offers_device: whether it offers the device authorization grant.
        not_yet: errors that requests for a device's token get first, in order.
        refusal: the error with which the user refuses to sign in; empty: the user agrees.
        config: the `/config.json` of an instance that uses this provider.
        further: changed members of its metadata.
        scope: the scope of the last authorization or device request.
    """

    def __init__(self, *, audience: str, client_id: str, path: str | None = None) -> None:
        """Create a provider.

        Args:
            path: of an issuer with other endpoints than Auth0's, such as `/realms/fleet`.
        """
        super().__init__(audience=audience)
        self._endpoints = {"authorization": "/authorize", "token": "/oauth/token"}
        self._device = "/oauth/device/code"
        named = {"domain": self.origin}
        if path is not None:
            below = f"{path.removesuffix('/')}/protocol/openid-connect"
            self.issuer = f"{self.origin}{path}"
            self.jwks_url = f"{self.origin}{below}/certs"
            self._endpoints = {"authorization": f"{below}/auth", "token": f"{below}/token"}
            self._endpoints["end_session"] = f"{below}/logout"
            self._device = f"{below}/auth/device"
            named = {"issuer": self.issuer}
        self.further: dict[str, Any] = {}
        self.client_id = client_id
        self.claims_given: dict[str, Any] = {}
        self.offers_device = False
        self.not_yet: list[str] = []
        self.refusal = ""
        self.scope = ""
        self.config: dict[str, Any] = {"auth": {**named, "clientId": client_id, "audience": audience}}
        self._codes: dict[str, dict[str, str]] = {}

    def published(self, path: str) -> bytes:
        if path == "/config.json":
            return json.dumps(self.config).encode()
        if path != urlsplit(metadata_url(self.issuer)).path or self.document is not None:
            return super().published(path)
        endpoints = self._endpoints | ({"device_authorization": self._device} if self.offers_device else {})
        return json.dumps(
            {
                "issuer": self.issuer,
                "jwks_uri": self.jwks_url,
                **{f"{name}_endpoint": f"{self.origin}{path}" for name, path in endpoints.items()},
                **self.further,
            }
        ).encode()

    def moved(self, path: str) -> str | None:
        """Return the application's callback with a code, or with the user's refusal."""
        if urlsplit(path).path != self._endpoints["authorization"]:
            return None
        asked = dict(parse_qsl(urlsplit(path).query))
        place = urlsplit(asked["redirect_uri"])
        assert (place.scheme, place.hostname, place.path) == ("http", "127.0.0.1", "/callback")
        assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
        assert (asked["client_id"], asked["audience"]) == (self.client_id, self.audience)
        self.scope = asked["scope"]
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
        if form.get("grant_type") == "client_credentials":
            if (form["client_secret"], form["audience"]) != ("s3cret", self.audience):
                return {"error": "invalid_client"}
            token = self.token(sub=form["client_id"], client_id=form["client_id"], scope=form.get("scope"))
            return {"token_type": "Bearer", "expires_in": 3600, "access_token": token}
        if form["client_id"] != self.client_id:
            return {"error": "unauthorized_client"}
        if path == self._device:
            self.scope = form["scope"]
            assert form["audience"] == self.audience
            return {
                "device_code": "the-device",
                "user_code": "ABCD-EFGH",
                "verification_uri": f"{self.origin}/activate",
                "verification_uri_complete": f"{self.origin}/activate?user_code=ABCD-EFGH",
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
