"""What applications and APIs call: tokens, revocation, who a token belongs to, keys and metadata."""

from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ops.launcher.identity_provider.parameters import BadParameters, read_parameters
from ops.launcher.identity_provider.server import ProviderRequest, ProviderServer
from ops.launcher.identity_provider.tokens import ALGORITHM, SCOPES, TokenSigner
from ops.launcher.identity_provider.users import USERS, user_by_sub


class ApiEndpoints:
    """`/oauth/…`, `/userinfo` and `/.well-known/…`."""

    def __init__(self, server: ProviderServer, signer: TokenSigner) -> None:
        self._server = server
        self._signer = signer

    async def token(self, request: Request) -> Response:
        """Trade a code or refresh token for tokens (RFC 6749, section 3.2)."""
        return await self._answer(request, self._server.create_token_response)

    async def revoke(self, request: Request) -> Response:
        """Revoke a refresh token and its family (RFC 7009)."""
        return await self._answer(request, partial(self._server.create_endpoint_response, "revocation"))

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
        base = self._signer.issuer
        metadata = {
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
            "backchannel_logout_supported": True,
            "backchannel_logout_session_supported": True,
            "prompt_values_supported": ["none", "login", "select_account"],
            "claims_supported": [*USERS[0].claims("profile email"), "auth_time"],
        }
        return JSONResponse(metadata, headers={"Cache-Control": "max-age=60"})

    async def _answer(self, request: Request, answer: Callable[[ProviderRequest], Response]) -> Response:
        try:
            parameters = await read_parameters(request)
        except BadParameters as error:
            problem = {"error": "invalid_request", "error_description": str(error)}
            return JSONResponse(problem, 400, headers={"Cache-Control": "no-store"})
        return answer(self._server.request("POST", request.url.path, parameters))
