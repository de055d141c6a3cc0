"""Authorization requests and grants (RFC 6749, RFC 7636, OpenID Connect Core 1.0)."""

import base64
import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qsl

from ops.development.identity_provider.store import Credential, Session, Store, sid_of
from ops.development.identity_provider.tokens import BROWSER_LIFETIME, CLIENT_ID, LIFETIME, TokenSigner
from ops.development.identity_provider.users import PROGRAMS, USERS, user_named

SCOPES: Final = ("openid", "profile", "email", "offline_access")
# Without a fragment, and without characters that browsers and servers might interpret differently.
_PLAIN_URL: Final = re.compile(r"[A-Za-z0-9:/?&=._~%+,;@!$'()*\[\]-]+")
_TEXT: Final = re.compile(r"[ -~]*")  # RFC 6749, appendix A
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")


class OAuthError(Exception):
    """An error response; its description repeats nothing of the request."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.answer = {"error": error, "error_description": description}


def read_parameters(text: str) -> dict[str, str]:
    """Parse form-encoded parameters.

    Raises:
        OAuthError: a parameter is repeated, or not printable ASCII.
    """
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=100, errors="strict")
    except ValueError as error:
        raise OAuthError("invalid_request", "The parameters cannot be read.") from error
    if len(dict(pairs)) < len(pairs):
        raise OAuthError("invalid_request", "A parameter is repeated.")
    if not all(map(_TEXT.fullmatch, dict(pairs).values())):
        raise OAuthError("invalid_request", "A parameter has characters that are not allowed.")
    return {name: value for name, value in pairs if value}


@dataclass(frozen=True)
class Application:
    """The one public client (RFC 6749, section 2.1), in browsers."""

    origins: tuple[str, ...]
    audience: str

    def origin_of(self, address: str) -> str | None:
        """Return the application's origin to which an address belongs."""
        if _PLAIN_URL.fullmatch(address):
            for origin in self.origins:
                if address == origin or address.startswith((f"{origin}/", f"{origin}?")):
                    return origin
        return None

    def require_own(self, parameters: Mapping[str, str]) -> None:
        """Validate the client id and the redirect address.

        Raises:
            OAuthError: they are not this application's.
        """
        if parameters.get("client_id") != CLIENT_ID:
            raise OAuthError("invalid_client", "The client id is unknown.")
        if not self.origin_of(parameters.get("redirect_uri", "")):
            raise OAuthError("invalid_request", "The redirect address is not allowed.")

    def require_grantable(self, parameters: Mapping[str, str]) -> None:
        """Validate the other parameters of an authorization request.

        Raises:
            OAuthError: a parameter is not supported.
        """
        if parameters.get("response_type") != "code":
            raise OAuthError("unsupported_response_type", "response_type must be code.")
        if parameters.get("response_mode", "query") != "query":
            raise OAuthError("invalid_request", "response_mode must be query.")
        challenge, method = (parameters.get(f"code_challenge{end}", "") for end in ("", "_method"))
        if method != "S256" or not _CHALLENGE.fullmatch(challenge):
            raise OAuthError(
                "invalid_request", "PKCE is required: code_challenge, and code_challenge_method=S256."
            )
        if parameters.get("audience", self.audience) != self.audience:
            raise OAuthError("access_denied", "Service not found: the audience is unknown.")


class Grants:
    """Issues codes and tokens; the second use of a code or refresh token revokes all that it yielded."""

    def __init__(self, signer: TokenSigner, store: Store) -> None:
        self._signer = signer
        self._store = store

    def code(self, parameters: Mapping[str, str], session: Session) -> str:
        """Issue the code for an authorization request of a session's user."""
        requested = parameters.get("scope", "").split()
        credential = Credential(
            session=session.id,
            sub=session.sub,
            auth_time=session.auth_time,
            client_id=CLIENT_ID,
            redirect_uri=parameters["redirect_uri"],
            scope=" ".join(scope for scope in SCOPES if scope in requested),  # as Auth0 does
            nonce=parameters.get("nonce"),
            code_challenge=parameters["code_challenge"],
        )
        return self._store.add("code", credential)

    def tokens(self, form: Mapping[str, str]) -> dict[str, Any]:
        """Exchange a code or a refresh token for tokens (RFC 6749, section 3.2).

        Raises:
            OAuthError: the code or token is invalid.
        """
        if form.get("grant_type") == "client_credentials":
            return self._client_tokens(form)
        if form.get("client_id") != CLIENT_ID:
            raise OAuthError("invalid_client", "The client id is unknown.")
        match form.get("grant_type"):
            case "authorization_code":
                credential = self._store.find("code", form.get("code", ""))
                if credential is None or not _is_for(credential, form):
                    raise OAuthError(
                        "invalid_grant",
                        "The code is unknown, expired, used or another client's.",
                    )
            case "refresh_token":
                credential = self._store.find("refresh", form.get("refresh_token", ""))
                if credential is None:
                    # Auth0's words: its browser library falls back to silent login when it reads them.
                    raise OAuthError("invalid_grant", "Unknown or invalid refresh token.")
            case _:
                raise OAuthError(
                    "unsupported_grant_type",
                    "grant_type: authorization_code, refresh_token or client_credentials.",
                )
        user = USERS.get(credential.sub)
        if user is None:
            raise OAuthError("invalid_grant", "The user does not exist.")
        self._store.mark_used(credential)
        scope, sid = credential.scope, sid_of(credential.session)
        tokens: dict[str, Any] = {
            "token_type": "Bearer",
            "expires_in": BROWSER_LIFETIME,
            "scope": scope,
            "access_token": self._signer.access_token(user, scope=scope, sid=sid, lifetime=BROWSER_LIFETIME),
        }
        if "openid" in scope.split():
            tokens["id_token"] = self._signer.id_token(
                user, scope=scope, sid=sid, auth_time=credential.auth_time, nonce=credential.nonce
            )
        if "offline_access" in scope.split():
            tokens["refresh_token"] = self._store.add("refresh", replace(credential, nonce=None))
        return tokens

    def _client_tokens(self, form: Mapping[str, str]) -> dict[str, Any]:
        """Issue an access token to a program, or to a user's command line (RFC 6749, section 4.4)."""
        client_id = form.get("client_id", "")
        if form.get("client_secret") != client_id:
            raise OAuthError("invalid_client", "The client id is unknown, or the secret is wrong.")
        if form.get("audience", self._signer.audience) != self._signer.audience:
            raise OAuthError("access_denied", "Service not found: the audience is unknown.")
        if client_id in PROGRAMS:
            token = self._signer.program_token(client_id)
        else:
            try:
                token = self._signer.access_token(user_named(client_id))
            except ValueError as error:
                raise OAuthError("invalid_client", str(error)) from None
        return {"token_type": "Bearer", "expires_in": LIFETIME, "access_token": token}


def _is_for(credential: Credential, form: Mapping[str, str]) -> bool:
    """Return whether a token request has the code's verifier (RFC 7636) and redirect address."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
    proven = secrets.compare_digest(challenge.rstrip(b"="), (credential.code_challenge or "").encode())
    return proven and form.get("redirect_uri") == credential.redirect_uri
