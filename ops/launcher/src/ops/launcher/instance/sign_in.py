"""Where people sign in: at a company's identity provider, which an instance remembers, or at a local one."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from ops.base.addresses import is_confidential, is_origin
from ops.base.permissions import PERMISSIONS_CLAIM
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import known, write_private

AUDIENCE: Final = "https://api.fleetlog.example"
CLIENT_ID: Final = "fleetlog-web"
"""By these the development provider knows the APIs and the frontend."""
SETTINGS: Final = {
    "permissions": "FLEETLOG_PERMISSIONS",
    "permissions_claim": "FLEETLOG_PERMISSIONS_CLAIM",
}
"""The services' settings that are named like the fields of a `Provider`, by these."""
_ANSWER_SECONDS: Final = 10.0
_LONGEST_ANSWER: Final = 1_000_000


@dataclass(frozen=True)
class Provider:
    """An identity provider, and by what it knows us.

    Attributes:
        issuer: what its tokens name: its origin, with a final slash.
        audience: the APIs' identifier there.
        client_id: the frontend's.
        jwks_url: where its public keys are.
        permissions: where permissions come from: its tokens' `claim`; or `everyone` may do what staff may.
        permissions_claim: the claim that names them.
    """

    issuer: str
    audience: str
    client_id: str
    jwks_url: str
    permissions: str = "claim"
    permissions_claim: str = PERMISSIONS_CLAIM

    @property
    def origin(self) -> str:
        """Where browsers find it, without a final slash."""
        return self.issuer.removesuffix("/")


def development_provider(address: str, port: int) -> Provider:
    """The local provider of an instance at an address, which asks for no password and listens on a port."""
    keys = f"http://127.0.0.1:{port}/.well-known/jwks.json"
    return Provider(issuer=f"{address}/", audience=AUDIENCE, client_id=CLIENT_ID, jwks_url=keys)


def company_provider(issuer: str, *, audience: str, client_id: str, jwks_url: str | None) -> Provider:
    """A company's identity provider, asked whether it is there.

    Args:
        issuer: see `Provider`; the slash may be missing.
        audience: see there.
        client_id: see there.
        jwks_url: see there; None: where the provider's own description (OpenID Connect discovery) says.

    Raises:
        LauncherError: these cannot work, or it is not found there.
    """
    issuer = f"{issuer.removesuffix('/')}/"
    if not is_origin(issuer[:-1]) or not is_confidential(issuer):
        raise LauncherError("--issuer must be an origin with https, such as https://tenant.eu.auth0.com/")
    if jwks_url is None:
        place = f"{issuer}.well-known/openid-configuration"
        description = published(place, "--issuer")
        if description.get("issuer") != issuer:
            raise LauncherError(f"{place} is about another issuer than {issuer}: check --issuer")
        jwks_url = str(description.get("jwks_uri", ""))
    if not is_confidential(jwks_url):
        raise LauncherError("the provider's keys must be at an address with https: check --jwks")
    if not isinstance(published(jwks_url, "--jwks").get("keys"), list):
        raise LauncherError(f"{jwks_url} holds no keys: check --jwks")
    return Provider(issuer=issuer, audience=audience, client_id=client_id, jwks_url=jwks_url)


def with_permissions(provider: Provider, environment: Mapping[str, str]) -> Provider:
    """The same, with permissions from where an environment says, if it says so.

    Raises:
        LauncherError: it says what there is not.
    """
    given = {field: value for field, name in SETTINGS.items() if (value := environment.get(name, ""))}
    if given.get("permissions", "claim") not in {"claim", "everyone"}:
        raise LauncherError(f"{SETTINGS['permissions']} must be claim or everyone")
    return replace(provider, **given)


def remember(folder: DataFolder, provider: Provider | None) -> None:
    """Keep a company's provider for the next starts; None: forget it, and use the development one."""
    if provider is None:
        folder.sign_in.unlink(missing_ok=True)
    else:
        write_private(folder.sign_in, json.dumps(asdict(provider), indent=2), durable=True)


def remembered(folder: DataFolder) -> Provider | None:
    """The company's provider of an instance; None: it has none.

    Raises:
        LauncherError: it has one, and nobody can tell which: nobody is let in without a password instead.
    """
    try:
        provider = Provider(**known(Provider, json.loads(folder.sign_in.read_text())))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        provider = None
    if provider is None or not all(isinstance(word, str) for word in asdict(provider).values()):
        raise LauncherError(f"{folder.sign_in} is damaged: name the identity provider again with --issuer")
    return provider


def published(url: str, option: str) -> dict[str, Any]:
    """The JSON object at an address: past proxies, as the services will ask.

    Args:
        url: the address.
        option: what is to be checked where there is none.

    Raises:
        LauncherError: there is none.
    """
    # Here, for it brings along what mail is written with, and is asked once.
    import urllib.error  # noqa: PLC0415
    import urllib.request  # noqa: PLC0415

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=_ANSWER_SECONDS) as answer:
            output = json.loads(answer.read(_LONGEST_ANSWER))
    except urllib.error.HTTPError as error:
        raise LauncherError(f"{url} answers {error.code}: check {option}") from error
    except OSError as error:
        raise LauncherError(f"{url} does not answer: {getattr(error, 'reason', error)}") from error
    except ValueError as error:
        raise LauncherError(f"{url} answers no JSON: check {option}") from error
    if not isinstance(output, dict):
        raise LauncherError(f"{url} answers no JSON object: check {option}")
    return output
