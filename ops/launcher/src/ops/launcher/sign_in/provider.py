"""HTTP client of an instance's identity provider."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import httpx

from ops.base.addresses import is_confidential
from ops.base.discovery import endpoint
from ops.base.http.client import trusting
from ops.launcher.errors import LauncherError
from ops.launcher.instance.sign_in import fetch_metadata, fetch_object

SCOPE: Final = "openid profile email"
_SECONDS: Final = 10.0
_LONGEST: Final = 300
"""Shown characters of a provider's error message."""


class Refused(LauncherError):
    """The provider, or the user there, refused (RFC 6749, section 5.2); `error` is the error code."""

    def __init__(self, issuer: str, answer: Mapping[str, Any]) -> None:
        self.error = str(answer.get("error", ""))
        reason = str(answer.get("error_description") or self.error or "no reason given")
        readable = "".join(character for character in reason if character.isprintable())
        super().__init__(f"{issuer} refuses: {readable[:_LONGEST]}")


@dataclass(frozen=True)
class Tokens:
    """The result of a sign-in: an access token and its lifetime in seconds."""

    access_token: str
    seconds: int


@dataclass(frozen=True)
class ProviderClient:
    """An identity provider.

    Attributes:
        issuer: its identifier.
        endpoints: its metadata (OpenID Connect Discovery 1.0).
        is_development: whether it is the development provider, which signs users in without questions.
        scope: requested scopes, separated by spaces.
    """

    issuer: str
    client_id: str
    audience: str
    endpoints: Mapping[str, Any]
    is_development: bool = False
    scope: str = SCOPE

    @classmethod
    def discover(cls, address: str, client_id: str | None = None) -> Self:
        """Read an instance's configuration and its provider's metadata.

        Args:
            client_id: the command line's client; None: that of the browser application.
        """
        auth = fetch_object(f"{address}/config.json", "the address").get("auth")
        match auth:
            case {"issuer": str(issuer), "clientId": str(known), "audience": str(audience), **rest}:
                scope = f"{SCOPE} {rest.get('scope', '')}".strip()
            case {"domain": str(domain), "clientId": str(known), "audience": str(audience)}:
                issuer, scope = f"{domain}/", SCOPE
            case _:
                raise LauncherError(f"{address}/config.json names no identity provider: check the address")
        if not is_confidential(issuer):
            raise LauncherError(f"{address} names an identity provider without https, which is not secure")
        found = fetch_metadata(issuer, "the identity provider")
        return cls(
            issuer=issuer,
            client_id=client_id or known,
            audience=audience,
            endpoints=found,
            is_development=found.get("fleetlog_development") is True,
            scope=scope,
        )

    def endpoint(self, name: str) -> str | None:
        """Return the URL of an endpoint, if there is one."""
        address = endpoint(self.endpoints, name)
        if address is not None and not is_confidential(address):
            raise LauncherError(f"{self.issuer} names a {name} endpoint without https")
        return address

    def post(self, name: str, **form: str) -> dict[str, Any]:
        """Send a form to an endpoint and return the answer's JSON object.

        Raises:
            Refused: the provider refuses.
            LauncherError: the provider does not answer, or not as specified.
        """
        address = self.endpoint(name)
        if address is None:
            raise LauncherError(f"{self.issuer} has no {name} endpoint")
        form = {"client_id": self.client_id, **form}
        try:
            answer = httpx.post(address, data=form, timeout=_SECONDS, trust_env=False, verify=trusting())
            found = answer.json()
        except httpx.HTTPError as error:
            raise LauncherError(f"{self.issuer} does not answer: {error or type(error).__name__}") from error
        except ValueError:
            found = None
        if isinstance(found, dict) and answer.is_success:
            return found
        if isinstance(found, dict) and "error" in found:
            raise Refused(self.issuer, found)
        raise LauncherError(f"{self.issuer} answers {answer.status_code} at its {name} endpoint")

    def tokens(self, **grant: str) -> Tokens:
        """Exchange a grant for an access token.

        Raises:
            Refused: the provider refuses.
            LauncherError: the answer has no access token.
        """
        match self.post("token", **grant):
            case {"access_token": str(token), **rest}:
                seconds = f"{rest.get('expires_in')}"  # version 1 of Entra ID sends a text
                return Tokens(token, int(seconds) if seconds.isdecimal() else 0)
        raise LauncherError(f"{self.issuer} answers without an access token")
