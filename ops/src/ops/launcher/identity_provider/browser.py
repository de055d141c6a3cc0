"""What a browser sees: signing in, silently or by choosing a user, and signing out."""

# mypy: disallow-untyped-calls=false

import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, TypedDict
from urllib.parse import parse_qs, parse_qsl, urlsplit

import structlog
from authlib.oauth2.rfc6749.errors import OAuth2Error
from authlib.oidc.core.errors import LoginRequiredError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ops.base.cookies import cookie_of
from ops.launcher.identity_provider.back_channel import BackChannel
from ops.launcher.identity_provider.client import WebClient
from ops.launcher.identity_provider.pages import login_page, message_page, web_message_page
from ops.launcher.identity_provider.parameters import BadParameters, parse_parameters, read_text
from ops.launcher.identity_provider.server import ProviderServer
from ops.launcher.identity_provider.store import SESSION_LIFETIME, Session, Store
from ops.launcher.identity_provider.users import user_by_sub

_SESSION_COOKIE: Final = "fleetlog_idp_session"
_FORM_COOKIE: Final = "fleetlog_idp_form"

_log = structlog.get_logger(__name__)


class _Cookies(TypedDict):
    """What holds for every cookie."""

    httponly: bool
    secure: bool


class _LoginNeeded(Exception):
    """The request can only be answered by a person."""


class BrowserEndpoints:
    """`/authorize`, `/idp/login` and `/v2/logout`."""

    def __init__(
        self, server: ProviderServer, store: Store, client: WebClient, back_channel: BackChannel
    ) -> None:
        self._server = server
        self._back_channel = back_channel
        self._store = store
        self._client = client
        self._home = client.origins[0]
        self._cookies: _Cookies = {"httponly": True, "secure": self._home.startswith("https://")}

    async def authorize(self, request: Request) -> Response:
        """Answer an authorization request, from the browser's session or by asking who it is."""
        query = request.url.query
        try:
            parameters = parse_parameters(query)
        except BadParameters as error:
            return self._error_page(str(error))
        session = self._session(request)
        if session is not None and session.is_too_old(parameters.get("max_age")):
            session = None
        try:
            return self._answer(parameters, session, asked=False)
        except _LoginNeeded:
            return self._ask_who(request, query)

    async def login(self, request: Request) -> Response:
        """Answer the authorization request that came back with the form, for the user who was chosen."""
        try:
            form = {name: values[0] for name, values in parse_qs(await read_text(request)).items()}
            query = form.get("request", "")
            parameters = parse_parameters(query)
        except (BadParameters, ValueError):
            return self._error_page("The sign-in form cannot be read.")
        if not self._is_our_form(request, form.get("form_token", "")):
            return message_page(
                "This form is out of date",
                "Please choose again.",
                link=f"/authorize?{query}",
                link_text="Back to the list",
                status=HTTPStatus.FORBIDDEN,
            )
        user = user_by_sub(form.get("user", ""))
        if user is None and "cancel" not in form:
            return self._error_page("There is no such user.")
        secret, session = self._store.start_session(user.sub) if user else ("", None)
        answer = self._answer(parameters, session, asked=True)
        if user and answer.status_code < HTTPStatus.BAD_REQUEST:
            _log.info("signed_in", sub=user.sub)
            answer.set_cookie(_SESSION_COOKIE, secret, SESSION_LIFETIME, samesite="lax", **self._cookies)
        return answer

    async def logout(self, request: Request) -> Response:
        """End the browser's session and go to `returnTo`, if that is an address of ours."""
        if session := self._session(request):
            self._store.end_session(session)
            self._back_channel.tell(session)
        return_to = request.query_params.get("returnTo", "")
        if not return_to:
            answer = message_page(
                "Signed out", "You are signed out.", link=self._home, link_text="Sign in again"
            )
        elif self._client.check_redirect_uri(return_to):
            answer = RedirectResponse(return_to, status_code=HTTPStatus.FOUND)
        else:
            answer = self._error_page("You are signed out, but the address to return to is not allowed here.")
        answer.delete_cookie(_SESSION_COOKIE, samesite="lax", **self._cookies)
        return answer

    def _answer(self, parameters: Mapping[str, str], session: Session | None, *, asked: bool) -> Response:
        """Return the authorization response.

        Args:
            parameters: of the authorization request.
            session: of who is signed in.
            asked: whether they chose just now, so that no session means that they would not.

        Raises:
            _LoginNeeded: somebody must first say who they are.
        """
        request = self._server.request("GET", "/authorize", parameters)
        try:
            grant = self._server.get_consent_grant(request, end_user=session)
            if not asked and (session is None or grant.prompt in {"login", "select_account"}):
                if parameters.get("prompt") != "none":
                    raise _LoginNeeded
                raise LoginRequiredError(redirect_uri=grant.redirect_uri, state=parameters.get("state"))
        except OAuth2Error as error:
            if error.redirect_uri is None:
                return self._error_page(error.get_error_description())
            response = self._server.handle_error_response(request, error)
        else:
            response = self._server.create_authorization_response(request, grant_user=session, grant=grant)
        return self._deliver(response, parameters)

    def _deliver(self, response: Response, parameters: Mapping[str, str]) -> Response:
        """Give a redirect in the mode asked for."""
        if parameters.get("response_mode") != "web_message":
            return response
        target = self._client.origin_of(parameters["redirect_uri"]) or self._home
        return web_message_page(dict(parse_qsl(urlsplit(response.headers["location"]).query)), target=target)

    def _ask_who(self, request: Request, query: str) -> Response:
        form_token = cookie_of(request, _FORM_COOKIE) or secrets.token_urlsafe(32)
        page = login_page(request=query, form_token=form_token, origins=self._client.origins)
        page.set_cookie(_FORM_COOKIE, form_token, samesite="strict", **self._cookies)
        return page

    def _is_our_form(self, request: Request, form_token: str) -> bool:
        """Tell whether a form was sent from our page in this browser: no other site can read the cookie."""
        cookie = cookie_of(request, _FORM_COOKIE) or ""
        same_origin = request.headers.get("origin", self._home) == self._home
        return same_origin and bool(cookie) and secrets.compare_digest(cookie.encode(), form_token.encode())

    def _session(self, request: Request) -> Session | None:
        session = self._store.find_session(cookie_of(request, _SESSION_COOKIE) or "")
        return session if session is not None and user_by_sub(session.sub) else None

    def _error_page(self, text: str) -> Response:
        return message_page(
            "Sign-in failed",
            text or "The request is malformed.",
            link=self._home,
            link_text=f"Go to {self._home}",
            status=HTTPStatus.BAD_REQUEST,
        )
