"""The identity provider that an instance names, asked over HTTP as any application asks it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import httpx

from ops.base.addresses import is_confidential
from ops.base.http.client import trusting
from ops.launcher.errors import LauncherError
from ops.launcher.instance.sign_in import published

SCOPE: Final = "openid profile email"
_SECONDS: Final = 10.0
_LONGEST: Final = 300
"""Characters of what a provider says that are shown."""


class Refused(LauncherError):
    """The provider, or whoever was asked there, said no (RFC 6749, section 5.2).

    Attributes:
        error: the code of why.
    """

    def __init__(self, issuer: str, answer: Mapping[str, Any]) -> None:
        self.error = str(answer.get("error", ""))
        told = str(answer.get("error_description") or self.error or "no reason given")
        readable = "".join(character for character in told if character.isprintable())
        super().__init__(f"{issuer} refuses: {readable[:_LONGEST]}")


@dataclass(frozen=True)
class Tokens:
    """What a sign-in gave."""

    access_token: str
    seconds: int
    """For how long it is good."""


@dataclass(frozen=True)
class Provider:
    """An identity provider, and as what it knows us.

    Attributes:
        issuer: its name, with a final slash.
        client_id: by which it knows us.
        audience: by which it knows the APIs.
        endpoints: what it says of itself (OpenID Connect Discovery 1.0).
        names: by which it lets people in who are asked nothing else; none but the development one's.
    """

    issuer: str
    client_id: str
    audience: str
    endpoints: Mapping[str, Any]
    names: tuple[str, ...]

    @classmethod
    def of(cls, address: str, client_id: str | None = None) -> Self:
        """Ask an instance for its provider, and that for what it offers.

        Args:
            address: the instance's public one.
            client_id: by which the provider knows us; None: as it knows the application in the browser.

        Raises:
            LauncherError: one of them does not answer, or cannot be trusted.
        """
        auth = published(f"{address}/config.json", "the address").get("auth")
        match auth:
            case {"domain": str(domain), "clientId": str(known), "audience": str(audience)}:
                issuer = f"{domain}/"
            case _:
                raise LauncherError(f"{address}/config.json names no identity provider: check the address")
        if not is_confidential(issuer):
            raise LauncherError(f"{address} names an identity provider without https: nobody signs in there")
        found = published(f"{issuer}.well-known/openid-configuration", "the identity provider")
        if found.get("issuer") != issuer:
            raise LauncherError(f"{issuer}.well-known/openid-configuration is about another issuer")
        names = found.get("login_hints_supported")
        return cls(
            issuer=issuer,
            client_id=client_id or known,
            audience=audience,
            endpoints=found,
            names=tuple(map(str, names)) if isinstance(names, list) else (),
        )

    def endpoint(self, name: str) -> str | None:
        """Return the address of one of its endpoints; None: it has none.

        Raises:
            LauncherError: others could listen on the way there.
        """
        address = self.endpoints.get(f"{name}_endpoint")
        if not isinstance(address, str):
            return None
        if not is_confidential(address):
            raise LauncherError(f"{self.issuer} names a {name} endpoint without https")
        return address

    def post(self, name: str, **form: str) -> dict[str, Any]:
        """Send a form to an endpoint, and return what it answers.

        Raises:
            Refused: it says no.
            LauncherError: it does not answer, or not like one.
        """
        address = self.endpoint(name)
        if address is None:
            raise LauncherError(f"{self.issuer} names no {name} endpoint")
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
        """Trade a grant for an access token.

        Raises:
            Refused: it is refused.
            LauncherError: what is answered is none.
        """
        match self.post("token", **grant):
            case {"access_token": str(token), **rest}:
                seconds = rest.get("expires_in")
                return Tokens(token, seconds if isinstance(seconds, int) else 0)
        raise LauncherError(f"{self.issuer} answers without an access token")
