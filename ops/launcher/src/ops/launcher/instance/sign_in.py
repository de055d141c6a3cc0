"""The identity provider of an instance: a company's, saved in the data folder, or the development one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from ops.base.addresses import is_confidential, is_origin
from ops.base.discovery import browser_origins, endpoint, is_auth0, metadata_url, origin_of
from ops.base.permissions import PERMISSIONS_CLAIM, ROLES_CLAIM, parse_roles
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private

AUDIENCE: Final = "https://api.fleetlog.example"
CLIENT_ID: Final = "fleetlog-web"
SETTINGS: Final = {
    "protocol": "FLEETLOG_SIGN_IN",
    "permissions": "FLEETLOG_PERMISSIONS",
    "permissions_claim": "FLEETLOG_PERMISSIONS_CLAIM",
    "roles": "FLEETLOG_ROLES",
    "roles_claim": "FLEETLOG_ROLES_CLAIM",
    "token_issuer": "FLEETLOG_TOKEN_ISSUER",
    "scope": "FLEETLOG_SIGN_IN_SCOPE",
}
"""Environment variables of services, by the `Provider` fields that they are named like."""


@dataclass(frozen=True)
class Provider:
    """An identity provider, and Fleetlog's registration there.

    Attributes:
        issuer: exactly as in its metadata: with Auth0's protocol, an origin with a final slash.
        jwks_url: address of its keys; empty: services find it by discovery.
        protocol: `auth0` or `oidc`; see `ops.base.settings.SignInProtocol`.
        origins: further origins to which browsers send requests, separated by spaces.
        scope: further scopes that clients request.
        permissions: `claim`: tokens list permissions; `everyone`: all users have those of staff.
        permissions_claim: name of that claim, or several.
        roles: permissions by values of the claim `roles_claim`; see `parse_roles`.
        token_issuer: issuer in access tokens, if it is another.
    """

    issuer: str
    audience: str
    client_id: str
    jwks_url: str
    permissions: str = "claim"
    permissions_claim: str = PERMISSIONS_CLAIM
    roles: str = ""
    roles_claim: str = ROLES_CLAIM
    token_issuer: str = ""
    protocol: str = "auth0"
    origins: str = ""
    scope: str = ""

    @property
    def browser_origins(self) -> str:
        """All origins to which browsers send requests, as in a Content-Security-Policy."""
        try:
            origins = dict.fromkeys([origin_of(self.issuer), *self.origins.split()])
        except ValueError:
            origins = {"": None}
        if not all(map(is_origin, origins)):
            raise LauncherError(
                "the identity provider's addresses must begin with https:// and a host, and origins"
                " (FLEETLOG_SIGN_IN_ORIGINS) must be scheme and host alone"
            )
        return " ".join(origins)

    @property
    def browser_settings(self) -> dict[str, str]:
        """The member `auth` of `/config.json`."""
        client = {"clientId": self.client_id, "audience": self.audience}
        if self.protocol == "auth0":
            return {"domain": self.issuer.removesuffix("/"), **client}
        return {"issuer": self.issuer, **client, **({"scope": self.scope} if self.scope else {})}


_PROVIDER: Final = TypeAdapter(Provider)


def development_provider(address: str, port: int) -> Provider:
    """Return the development provider, which listens on a local port behind an instance's address."""
    keys = f"http://127.0.0.1:{port}/.well-known/jwks.json"
    return Provider(issuer=f"{address}/", audience=AUDIENCE, client_id=CLIENT_ID, jwks_url=keys)


def company_provider(issuer: str, *, audience: str, client_id: str, jwks_url: str | None) -> Provider:
    """Return a company's identity provider after requests for its metadata and keys.

    Args:
        issuer: the final slash may be missing, or superfluous.
        audience: as in `Provider`.
        client_id: as in `Provider`.
        jwks_url: None: from the metadata.
    """
    provider = Provider(issuer, audience, client_id, jwks_url or "", protocol="oidc")
    if not is_confidential(issuer) or "?" in issuer or "#" in issuer:
        raise LauncherError("--issuer must be an address with https, such as https://tenant.eu.auth0.com/")
    provider.browser_origins  # noqa: B018 - raises
    metadata = fetch_metadata(issuer, "--issuer", exactly=False)
    issuer = metadata["issuer"]
    for name in ("authorization", "token"):
        if not is_confidential(endpoint(metadata, name) or ""):
            raise LauncherError(f"{issuer} has no {name} endpoint with https: check --issuer")
    methods = metadata.get("code_challenge_methods_supported", ["S256"])
    if not isinstance(methods, list) or "S256" not in methods:
        raise LauncherError(f"{issuer} does not support PKCE with S256, without which sign-in is not secure")
    keys = jwks_url or str(metadata.get("jwks_uri", ""))
    if not is_confidential(keys):
        raise LauncherError("the provider's keys must be at an address with https: check --jwks")
    if not isinstance(fetch_object(keys, "--jwks").get("keys"), list):
        raise LauncherError(f"{keys} has no keys: check --jwks")
    if is_auth0(issuer, metadata):
        return replace(provider, issuer=issuer, jwks_url=keys, protocol="auth0")
    try:
        origins = set(browser_origins(metadata)) - {origin_of(issuer)}
    except ValueError:
        raise LauncherError(f"{issuer} names an endpoint with a malformed address: check --issuer") from None
    provider = replace(provider, issuer=issuer, origins=" ".join(sorted(origins)))
    provider.browser_origins  # noqa: B018 - raises
    return provider


def with_settings(provider: Provider, environment: Mapping[str, str]) -> Provider:
    """Return the provider with the settings in the environment; raises `LauncherError`."""
    given = {field: value for field, name in SETTINGS.items() if (value := environment.get(name, ""))}
    if given.get("permissions", "claim") not in {"claim", "everyone"}:
        raise LauncherError(f"{SETTINGS['permissions']} must be claim or everyone")
    if given.get("protocol", "auth0") not in {"auth0", "oidc"}:
        raise LauncherError(f"{SETTINGS['protocol']} must be auth0 or oidc")
    try:
        parse_roles(given.get("roles", ""))
    except ValueError as error:
        raise LauncherError(f"{SETTINGS['roles']}: {error}") from None
    return replace(provider, **given)


def save_provider(folder: DataFolder, provider: Provider | None) -> None:
    """Save a company's provider for later starts; None: return to the development one."""
    if provider is None:
        folder.sign_in.unlink(missing_ok=True)
    else:
        write_private(folder.sign_in, _PROVIDER.dump_json(provider, indent=2).decode(), durable=True)


def load_provider(folder: DataFolder) -> Provider | None:
    """Return the saved provider of a company, if there is one.

    Raises:
        LauncherError: the file is damaged; the development provider must not replace it.
    """
    try:
        return _PROVIDER.validate_json(folder.sign_in.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise LauncherError(
            f"{folder.sign_in} is damaged: name the identity provider again with --issuer"
        ) from None


def fetch_metadata(issuer: str, option: str, *, exactly: bool = True) -> dict[str, Any]:
    """Return an issuer's metadata (OpenID Connect Discovery 1.0).

    Args:
        option: as in `fetch_object`.
        exactly: whether a final slash must not be missing or superfluous.
    """
    url = metadata_url(issuer)
    metadata = fetch_object(url, option)
    found = metadata.get("issuer")
    if found != issuer and (exactly or f"{found}".removesuffix("/") != issuer.removesuffix("/")):
        raise LauncherError(f"{url} describes another issuer than {issuer}: check {option}")
    return metadata


def fetch_object(url: str, option: str) -> dict[str, Any]:
    """Return the JSON object at a URL, requested without proxies, as by services.

    Args:
        option: what the user should check after an error.
    """
    from ops.launcher.instance.readiness import request  # noqa: PLC0415 - loads httpx, for this one request

    try:
        answer = request(url)
        document = answer.json() if answer.is_success else None
    except OSError as error:
        raise LauncherError(f"{url} does not answer: {error}") from error
    except ValueError:
        document = None
    if not answer.is_success:
        raise LauncherError(f"{url} answers {answer.status_code}: check {option}")
    if not isinstance(document, dict):
        raise LauncherError(f"{url} does not answer with a JSON object: check {option}")
    return document
