"""The identity provider's endpoints, for browsers, OpenID libraries and the APIs."""

import base64
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import unquote_plus, urlencode

import structlog
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from ops.base.http.request_context import cookie_of
from ops.development.identity_provider.authorization import (
    SCOPES,
    Application,
    Grants,
    OAuthError,
    read_parameters,
)
from ops.development.identity_provider.back_channel import BackChannelLogout
from ops.development.identity_provider.pages import login_page, message_page, style_sheet
from ops.development.identity_provider.settings import IdentityProviderSettings
from ops.development.identity_provider.store import SESSION_LIFETIME, Session, Store
from ops.development.identity_provider.tokens import ALGORITHM, CLIENT_ID, TokenSigner, load_or_create_key
from ops.development.identity_provider.users import USERS

_COOKIE: Final = "fleetlog_idp_session"
_MAX_BODY: Final = 16 * 1024
_NO_STORE: Final = {"Cache-Control": "no-store"}
_A_MINUTE: Final = {"Cache-Control": "max-age=60"}

_log = structlog.get_logger(__name__)


def create_app(settings: IdentityProviderSettings) -> Starlette:
    """Build the application on the state folder that `settings` names.

    Raises:
        OSError: the folder cannot be read or written.
        ValueError: the signing key is damaged.
        sqlite3.Error: the sessions' database is damaged.
    """
    provider = IdentityProvider(settings)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await provider.close()

    routes = [
        Route("/authorize", provider.authorize),
        Route("/idp/login", provider.login, methods=["POST"]),
        Route("/idp/style.css", _fixed(style_sheet)),
        Route("/v2/logout", provider.logout),
        Route("/idp/logout", provider.end_session),
        Route("/oauth/token", provider.token, methods=["POST"]),
        Route("/.well-known/openid-configuration", _fixed(provider.metadata)),
        Route("/.well-known/jwks.json", _fixed(provider.keys)),
        # The provider is ready when it listens: its files are opened before.
        *(Route(path, _fixed(lambda: JSONResponse({"status": "ok"}))) for path in ("/livez", "/readyz")),
    ]
    # A frontend's development server has another origin.
    cross_origin = Middleware(
        CORSMiddleware,
        allow_origins=list(settings.origins),
        allow_methods=["GET", "POST"],
        allow_headers=["Content-Type"],
        max_age=600,
    )
    return Starlette(
        routes=routes,
        middleware=[cross_origin],
        lifespan=lifespan,
        exception_handlers={sqlite3.Error: _unavailable},
    )


class IdentityProvider:
    """The endpoints."""

    def __init__(self, settings: IdentityProviderSettings) -> None:
        self._signer = TokenSigner(load_or_create_key(settings.idp_state), settings.issuer, settings.audience)
        self._store = Store(settings.idp_state)
        self._application = Application(settings.origins, settings.audience)
        self._grants = Grants(self._signer, self._store)
        self._back_channel = BackChannelLogout(self._signer, settings.idp_back_channel_logout)
        self._home = settings.origins[0]
        self._cookies: dict[str, Any] = {
            "httponly": True,
            "secure": self._home.startswith("https://"),
            "samesite": "lax",
        }

    async def close(self) -> None:
        """Cancel pending notifications, and close the database."""
        await self._back_channel.close()
        self._store.close()

    async def authorize(self, request: Request) -> Response:
        """Answer an authorization request for the session's user, or with the login page."""

        def signed_in(parameters: Mapping[str, str]) -> Session | None:
            session, prompt = self._session(request), parameters.get("prompt")
            if session is None and prompt == "none":
                raise OAuthError("login_required", "Login required")
            return None if prompt == "login" else session

        return self._answer(request.url.query, signed_in)

    async def login(self, request: Request) -> Response:
        """Answer the authorization request in the login form, for the chosen user."""
        try:
            form = await _form(request)
        except OAuthError as error:
            return self._error_page(str(error))
        if request.headers.get("origin") != self._home:  # other sites cannot forge Origin
            return self._error_page("This form is from another site. Sign in again.", HTTPStatus.FORBIDDEN)
        user = USERS.get(form.get("user", ""))
        secret = ""

        def chosen(_: object) -> Session:
            nonlocal secret
            if user is None:
                raise OAuthError("access_denied", "No user was chosen.")
            secret, session = self._store.start_session(user.sub)
            return session

        answer = self._answer(form.get("request", ""), chosen)
        if secret and user is not None:
            _log.info("signed_in", sub=user.sub)
            answer.set_cookie(_COOKIE, secret, SESSION_LIFETIME, **self._cookies)
        return answer

    async def logout(self, request: Request) -> Response:
        """End the browser's session and redirect to `returnTo`, if it is an allowed address."""
        return self._end_session(request, request.query_params.get("returnTo", self._home))

    async def end_session(self, request: Request) -> Response:
        """End the browser's session (OpenID Connect RP-Initiated Logout 1.0)."""
        parameters = request.query_params
        hint, client = parameters.get("id_token_hint"), parameters.get("client_id")
        known = client == CLIENT_ID if hint is None else self._signer.is_id_token(hint)
        if not known or client not in {None, CLIENT_ID}:
            return self._error_page("The request to sign out is not this application's.")
        place = parameters.get("post_logout_redirect_uri", self._home)
        if state := parameters.get("state"):
            place += f"{'&' if '?' in place else '?'}{urlencode({'state': state})}"
        return self._end_session(request, place)

    def _end_session(self, request: Request, place: str) -> Response:
        if session := self._session(request):
            self._store.end_session(session.id)
            self._back_channel.notify(session)
        if self._application.origin_of(place) is None:
            answer = self._error_page("You are signed out, but the return address is not allowed.")
        else:
            answer = RedirectResponse(place, HTTPStatus.FOUND)
        answer.delete_cookie(_COOKIE, **self._cookies)
        return answer

    async def token(self, request: Request) -> Response:
        """Exchange a code, a refresh token or a program's credentials for tokens (RFC 6749, section 3.2)."""
        try:
            form = {**await _form(request), **_basic_credentials(request)}
            answer, status = self._grants.tokens(form), HTTPStatus.OK
        except OAuthError as error:
            answer, status = error.answer, HTTPStatus.BAD_REQUEST
        return JSONResponse(answer, status, _NO_STORE)

    def keys(self) -> Response:
        """Publish the signing key (RFC 7517)."""
        return JSONResponse(self._signer.key_set(), headers=_A_MINUTE)

    def metadata(self) -> Response:
        """Return the provider's metadata (OpenID Connect Discovery 1.0, section 3)."""
        base = self._signer.issuer
        metadata = {
            "issuer": base,
            "authorization_endpoint": f"{base}authorize",
            "token_endpoint": f"{base}oauth/token",
            "end_session_endpoint": f"{base}idp/logout",
            "jwks_uri": f"{base}.well-known/jwks.json",
            "scopes_supported": SCOPES,
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_post", "client_secret_basic"],
            "code_challenge_methods_supported": ["S256"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [ALGORITHM],
            "backchannel_logout_supported": True,
            "backchannel_logout_session_supported": True,
            # An extension, for command lines: users are clients as well, by role or subject.
            "fleetlog_development": True,
        }
        return JSONResponse(metadata, headers=_A_MINUTE)

    def _answer(self, query: str, decide: Callable[[Mapping[str, str]], Session | None]) -> Response:
        """Return the authorization response.

        Args:
            decide: returns the session, or None for the login page; raises `OAuthError` for errors.
        """
        try:
            parameters = read_parameters(query)
            self._application.require_own(parameters)
        except OAuthError as error:  # the redirect address is not trusted
            return self._error_page(str(error))
        try:
            self._application.require_grantable(parameters)
            session = decide(parameters)
            if session is None:
                return login_page(query, origins=self._application.origins)
            response = {"code": self._grants.code(parameters, session)}
        except OAuthError as error:
            response = error.answer
        response |= {name: value for name, value in parameters.items() if name == "state"}
        place = parameters["redirect_uri"]
        address = f"{place}{'&' if '?' in place else '?'}{urlencode(response)}"
        return RedirectResponse(address, HTTPStatus.FOUND, _NO_STORE)

    def _session(self, request: Request) -> Session | None:
        session = self._store.find_session(cookie_of(request.scope, _COOKIE) or "")
        return session if session is not None and session.sub in USERS else None

    def _error_page(self, text: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> Response:
        return message_page("Sign-in failed", text, link=self._home, status=status)


async def _unavailable(_: Request, error: Exception) -> Response:
    """Answer a request whose session cannot be stored, for example on a full disk."""
    _log.error("sessions_unavailable", error=str(error))
    page = message_page(
        "Sign-in failed",
        "Sign-in is unavailable. Try again.",
        link="/",
        status=HTTPStatus.SERVICE_UNAVAILABLE,
    )
    page.headers["Retry-After"] = "1"
    return page


def _fixed(answer: Callable[[], Response]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(_: Request) -> Response:
        return answer()

    return endpoint


def _basic_credentials(request: Request) -> dict[str, str]:
    """Return a client's credentials in the `Authorization` header (RFC 6749, section 2.3.1), if any."""
    scheme, _, encoded = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return {}
    try:
        client_id, _, secret = base64.b64decode(encoded, validate=True).decode("ascii").partition(":")
    except ValueError:
        raise OAuthError("invalid_client", "The credentials cannot be read.") from None
    return {"client_id": unquote_plus(client_id), "client_secret": unquote_plus(secret)}


async def _form(request: Request) -> dict[str, str]:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BODY:
            raise OAuthError("invalid_request", "The body is too long.")
    return read_parameters(body.decode("ascii", "replace"))
