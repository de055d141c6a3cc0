"""Authlib's authorization server, bound to our records, our rules and Starlette's responses."""

# mypy: disallow-subclassing-any=false, disallow-untyped-calls=false

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from authlib.oauth2.rfc6749 import AuthorizationServer, OAuth2Request
from authlib.oauth2.rfc6749.errors import AccessDeniedError, InvalidRequestError, OAuth2Error
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7636 import CodeChallenge
from starlette.responses import JSONResponse, Response

from ops.launcher.identity_provider.client import WebClient
from ops.launcher.identity_provider.grants import (
    CodeGrant,
    IdTokenForCode,
    IdTokenForRefresh,
    RefreshGrant,
    Revocation,
)
from ops.launcher.identity_provider.store import Store, digest
from ops.launcher.identity_provider.tokens import BROWSER_LIFETIME, TokenSigner

_DESCRIPTIONS = {
    "login_required": "Login required",
    "invalid_grant": "The grant is unknown, expired or used.",
    "invalid_request": "The request is malformed.",
}


class RequirePkce(CodeChallenge):
    """PKCE with S256, always: Authlib's own extension lets a request without it pass until the token."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def validate_code_challenge(self, grant: Any, redirect_uri: Any) -> None:
        """Refuse a request without an S256 challenge."""
        parameters = grant.request.payload.data
        if not parameters.get("code_challenge") or parameters.get("code_challenge_method") != "S256":
            raise InvalidRequestError("PKCE is required: code_challenge, and code_challenge_method=S256.")
        super().validate_code_challenge(grant, redirect_uri)


class KnownAudience:
    """Tokens are for one API; a request that names another is refused, as Auth0 does."""

    def __init__(self, audience: str) -> None:
        self._audience = audience

    def __call__(self, grant: Any) -> None:
        """Hook into Authlib's checks of an authorization request."""
        grant.register_hook("after_validate_authorization_request_payload", self._check)

    def _check(self, grant: Any, _: Any) -> None:
        parameters = grant.request.payload.data
        if parameters.get("audience", self._audience) != self._audience:
            raise AccessDeniedError("Service not found: this audience is not known here.")
        if parameters.get("response_mode", "query") not in {"query", "web_message"}:
            raise InvalidRequestError("response_mode is query or web_message.")
        if not parameters.get("max_age", "0").isdecimal():
            raise InvalidRequestError("max_age is a number of seconds.")


class ProviderRequest(OAuth2Request):
    """A request whose parameters have been read and checked already."""

    def __init__(self, method: str, uri: str, parameters: Mapping[str, str]) -> None:
        super().__init__(method, uri)
        self.payload = BasicOAuth2Payload(dict(parameters))

    @property
    def form(self) -> Mapping[str, str]:
        """The parameters, under the name by which Authlib's token endpoints look for them."""
        parameters: Mapping[str, str] = self.payload.data
        return parameters


class ProviderServer(AuthorizationServer):
    """The authorization server: one client, authorization codes with PKCE, rotating refresh tokens."""

    def __init__(self, signer: TokenSigner, store: Store, client: WebClient) -> None:
        super().__init__()
        self.store = store
        self._client = client
        self._origin = signer.issuer.removesuffix("/")
        self.register_token_generator("default", _token_generator(signer))
        extensions = [RequirePkce(), KnownAudience(signer.audience), IdTokenForCode(signer)]
        self.register_grant(CodeGrant, extensions)
        self.register_grant(RefreshGrant, [IdTokenForRefresh(signer)])
        self.register_endpoint(Revocation)

    def request(self, method: str, path: str, parameters: Mapping[str, str]) -> ProviderRequest:
        """Make a request of parameters that came in at `path`."""
        return ProviderRequest(method, self._origin + path, parameters)

    def query_client(self, client_id: str) -> WebClient | None:
        """Return the client, if it is ours."""
        return self._client if client_id == self._client.client_id else None

    def save_token(self, token: Mapping[str, Any], request: Any) -> None:
        """Remember a new refresh token; access tokens need no memory."""
        if refresh_token := token.get("refresh_token"):
            before = request.refresh_token or request.authorization_code
            # Its scope stays the one first granted, whatever less is asked for now (RFC 6749, section 6).
            new = {"id": digest(refresh_token), "nonce": None, "code_challenge": None, "spent": False}
            self.store.add("refresh", replace(before, **new))

    def create_oauth2_request(self, request: ProviderRequest) -> ProviderRequest:
        """Return the request as it is."""
        return request

    def handle_response(self, status: int, body: Any, headers: list[tuple[str, str]]) -> Response:
        """Turn Authlib's answer into Starlette's."""
        if isinstance(body, dict):
            return JSONResponse(body, status_code=status, headers=dict(headers))
        return Response(body, status_code=status, headers={**dict(headers), "Cache-Control": "no-store"})

    def handle_error_response(self, request: Any, error: OAuth2Error) -> Response:
        """Answer an error, always with a description: client libraries show it."""
        error.description = error.description or _DESCRIPTIONS.get(error.error, "The request was refused.")
        response: Response = super().handle_error_response(request, error)
        return response

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Do nothing: nobody listens."""


def _token_generator(signer: TokenSigner) -> BearerTokenGenerator:
    """Access tokens that APIs can check by themselves; random refresh tokens."""
    return BearerTokenGenerator(
        access_token_generator=lambda client, user, scope, **_: signer.access_token(
            user.user, client_id=client.client_id, scope=scope, lifetime=BROWSER_LIFETIME, sid=user.sid
        ),
        refresh_token_generator=lambda **_: secrets.token_urlsafe(48),
        expires_generator=BROWSER_LIFETIME,
    )
