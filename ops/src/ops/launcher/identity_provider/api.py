"""What applications and APIs call: tokens, revocation, who a token belongs to, keys and metadata."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ops.launcher.identity_provider.parameters import BadParameters, read_parameters
from ops.launcher.identity_provider.server import ProviderServer
from ops.launcher.identity_provider.tokens import ALGORITHM, SCOPES, TokenSigner
from ops.launcher.identity_provider.users import user_by_sub


class ApiEndpoints:
    """`/oauth/…`, `/userinfo` and `/.well-known/…`."""

    def __init__(self, server: ProviderServer, signer: TokenSigner) -> None:
        self._server = server
        self._signer = signer

    async def token(self, request: Request) -> Response:
        """Trade a code or refresh token for tokens (RFC 6749, section 3.2)."""
        try:
            parameters = await read_parameters(request)
        except BadParameters as error:
            return _bad_request(str(error))
        response: Response = self._server.create_token_response(
            self._server.request("POST", "/oauth/token", parameters)
        )
        return response

    async def revoke(self, request: Request) -> Response:
        """Revoke a refresh token and its family (RFC 7009)."""
        try:
            parameters = await read_parameters(request)
        except BadParameters as error:
            return _bad_request(str(error))
        response: Response = self._server.create_endpoint_response(
            "revocation", self._server.request("POST", "/oauth/revoke", parameters)
        )
        return response

    async def userinfo(self, request: Request) -> Response:
        """Tell who an access token belongs to (OpenID Connect Core 1.0, section 5.3)."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        claims = self._signer.read_access_token(token) if scheme.lower() == "bearer" else None
        user = user_by_sub(claims["sub"]) if claims else None
        if claims is None or user is None:
            error = {
                "error": "invalid_token",
                "error_description": "The access token is missing or not valid.",
            }
            return JSONResponse(error, 401, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})
        return JSONResponse(user.claims(claims["scope"]), headers={"Cache-Control": "no-store"})

    async def keys(self, _request: Request) -> Response:
        """Publish the signing key (RFC 7517)."""
        return JSONResponse(self._signer.key_set(), headers={"Cache-Control": "max-age=60"})

    async def configuration(self, _request: Request) -> Response:
        """Describe this identity provider (OpenID Connect Discovery 1.0, section 3)."""
        return JSONResponse(self._metadata(), headers={"Cache-Control": "max-age=60"})

    def _metadata(self) -> dict[str, Any]:
        base = self._signer.issuer
        return {
            "issuer": base,
            "authorization_endpoint": f"{base}authorize",
            "token_endpoint": f"{base}oauth/token",
            "revocation_endpoint": f"{base}oauth/revoke",
            "userinfo_endpoint": f"{base}userinfo",
            "jwks_uri": f"{base}.well-known/jwks.json",
            "scopes_supported": SCOPES,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "web_message"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [ALGORITHM],
            "prompt_values_supported": ["none", "login", "select_account"],
            "claims_supported": [
                "sub",
                "name",
                "nickname",
                "picture",
                "email",
                "email_verified",
                "auth_time",
            ],
        }


def _bad_request(description: str) -> Response:
    error = {"error": "invalid_request", "error_description": description}
    return JSONResponse(error, 400, headers={"Cache-Control": "no-store"})
