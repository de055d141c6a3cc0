"""What is asked of the provider, and what is given for it (RFC 6749, 7636; OpenID Connect Core 1.0)."""

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
from ops.development.identity_provider.users import USERS

SCOPES: Final = ("openid", "profile", "email", "offline_access")
# No fragment, and nothing that browsers and servers might read differently.
_PLAIN_URL: Final = re.compile(r"[A-Za-z0-9:/?&=._~%+,;@!$'()*\[\]-]+")
_COMMAND_LINE: Final = re.compile(r"http://127\.0\.0\.1(:[0-9]{1,5})?/callback")
"""Where a command line listens, at whichever port is free (RFC 8252, section 7.3)."""
_TEXT: Final = re.compile(r"[ -~]*")  # RFC 6749, appendix A
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")


class Refused(Exception):
    """An error that the application is told; the text repeats nothing of the request."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.answer = {"error": error, "error_description": description}


def read_parameters(text: str) -> dict[str, str]:
    """Read parameters in the form encoding: each once, and of printable ASCII.

    Raises:
        Refused: they are something else.
    """
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=100, errors="strict")
    except ValueError as error:
        raise Refused("invalid_request", "The parameters cannot be read.") from error
    if len(dict(pairs)) < len(pairs):
        raise Refused("invalid_request", "A parameter is there more than once.")
    if not all(map(_TEXT.fullmatch, dict(pairs).values())):
        raise Refused("invalid_request", "A parameter has characters that it may not have.")
    return {name: value for name, value in pairs if value}


def is_command_line(parameters: Mapping[str, str]) -> bool:
    """Tell whether a request is a command line's, to be answered where that listens."""
    return bool(_COMMAND_LINE.fullmatch(parameters.get("redirect_uri", "")))


@dataclass(frozen=True)
class Application:
    """Who may ask: one public client (RFC 6749, section 2.1), in browsers and on command lines."""

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
        """Check who asks, and where they want to be answered.

        Raises:
            Refused: it is not this application, or not there.
        """
        if parameters.get("client_id") != CLIENT_ID:
            raise Refused("invalid_client", "No such application is known here.")
        if not is_command_line(parameters) and not self.origin_of(parameters.get("redirect_uri", "")):
            raise Refused("invalid_request", "The address to return to is not allowed here.")

    def require_grantable(self, parameters: Mapping[str, str]) -> None:
        """Check the rest of an authorization request.

        Raises:
            Refused: it can be granted to nobody.
        """
        if parameters.get("response_type") != "code":
            raise Refused("unsupported_response_type", "response_type is code.")
        if parameters.get("response_mode", "query") not in {"query", "web_message"}:
            raise Refused("invalid_request", "response_mode is query or web_message.")
        challenge, method = (parameters.get(f"code_challenge{end}", "") for end in ("", "_method"))
        if method != "S256" or not _CHALLENGE.fullmatch(challenge):
            raise Refused(
                "invalid_request", "PKCE is required: code_challenge, and code_challenge_method=S256."
            )
        if parameters.get("audience", self.audience) != self.audience:
            raise Refused("access_denied", "Service not found: this audience is not known here.")


class Grants:
    """Codes, and the tokens for them; whatever is good once takes along what it gave when it comes again."""

    def __init__(self, signer: TokenSigner, store: Store) -> None:
        self._signer = signer
        self._store = store

    def code(self, parameters: Mapping[str, str], session: Session) -> str:
        """Give the code for an authorization request that somebody in a session has made."""
        asked = parameters.get("scope", "").split()
        credential = Credential(
            session=session.id,
            sub=session.sub,
            auth_time=session.auth_time,
            client_id=CLIENT_ID,
            redirect_uri=parameters["redirect_uri"],
            scope=" ".join(scope for scope in SCOPES if scope in asked),  # others are dropped, as Auth0 does
            nonce=parameters.get("nonce"),
            code_challenge=parameters["code_challenge"],
        )
        return self._store.add("code", credential)

    def tokens(self, form: Mapping[str, str]) -> dict[str, Any]:
        """Trade a code or a refresh token for tokens (RFC 6749, section 3.2).

        Raises:
            Refused: there is nothing to be had for it.
        """
        if form.get("client_id") != CLIENT_ID:
            raise Refused("invalid_client", "No such application is known here.")
        match form.get("grant_type"):
            case "authorization_code":
                credential = self._store.find("code", form.get("code", ""))
                if credential is None or not _is_for(credential, form):
                    raise Refused("invalid_grant", "The code is unknown, expired, used or another's.")
            case "refresh_token":
                credential = self._store.find("refresh", form.get("refresh_token", ""))
                if credential is None:
                    # Auth0's words: its browser library falls back to silent login when it reads them.
                    raise Refused("invalid_grant", "Unknown or invalid refresh token.")
            case _:
                raise Refused("unsupported_grant_type", "grant_type is authorization_code or refresh_token.")
        user = USERS.get(credential.sub)
        if user is None:
            raise Refused("invalid_grant", "There is no such user any more.")
        self._store.spend(credential)
        lifetime = LIFETIME if _COMMAND_LINE.fullmatch(credential.redirect_uri) else BROWSER_LIFETIME
        scope, sid = credential.scope, sid_of(credential.session)
        tokens: dict[str, Any] = {
            "token_type": "Bearer",
            "expires_in": lifetime,
            "scope": scope,
            "access_token": self._signer.access_token(user, scope=scope, sid=sid, lifetime=lifetime),
        }
        if "openid" in scope.split():
            tokens["id_token"] = self._signer.id_token(
                user, scope=scope, sid=sid, auth_time=credential.auth_time, nonce=credential.nonce
            )
        if "offline_access" in scope.split():
            tokens["refresh_token"] = self._store.add("refresh", replace(credential, nonce=None))
        return tokens


def _is_for(credential: Credential, form: Mapping[str, str]) -> bool:
    """Tell whether a code is given back by who asked for it: with the verifier (RFC 7636), to the address."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
    proven = secrets.compare_digest(challenge.rstrip(b"="), (credential.code_challenge or "").encode())
    return proven and form.get("redirect_uri") == credential.redirect_uri
