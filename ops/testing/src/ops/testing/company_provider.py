"""A company's identity provider, as Auth0 or Keycloak behaves towards command-line clients."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ops.base.discovery import metadata_url
from ops.testing.token_issuer import TokenIssuer

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class CompanyProvider(TokenIssuer):
    """A provider with the device authorization grant.

    Attributes:
        client_id: its only application.
        claims_given: further claims of its access tokens.
        not_yet: errors that requests for a device's token get first, in order.
        refusal: the error with which the user refuses to sign in; empty: the user agrees.
        config: the `/config.json` of an instance that uses this provider.
        further: changed members of its metadata.
        scope: the scope of the last device request.
    """

    def __init__(self, *, audience: str, client_id: str, path: str | None = None) -> None:
        """Create a provider.

        Args:
            path: of an issuer with other endpoints than Auth0's, such as `/realms/fleet`.
        """
        super().__init__(audience=audience)
        self._device = "/oauth/device/code"
        self._endpoints = {"authorization": "/authorize", "token": "/oauth/token"}
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
        self.not_yet: list[str] = []
        self.refusal = ""
        self.scope = ""
        self.config: dict[str, Any] = {"auth": {**named, "clientId": client_id, "audience": audience}}

    def published(self, path: str) -> bytes:
        if path == "/config.json":
            return json.dumps(self.config).encode()
        if path != urlsplit(metadata_url(self.issuer)).path or self.document is not None:
            return super().published(path)
        endpoints = self._endpoints | {"device_authorization": self._device}
        return json.dumps(
            {
                "issuer": self.issuer,
                "jwks_uri": self.jwks_url,
                **{f"{name}_endpoint": f"{self.origin}{path}" for name, path in endpoints.items()},
                **self.further,
            }
        ).encode()

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
        assert (form["grant_type"], form["device_code"]) == (DEVICE_GRANT, "the-device")
        if problem := self.not_yet.pop(0) if self.not_yet else self.refusal:
            return {"error": problem, "error_description": f"It is {problem}."}
        token = self.token(sub="company|1", name="Robin", **self.claims_given)
        return {"token_type": "Bearer", "expires_in": 3600, "access_token": token}
