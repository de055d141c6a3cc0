"""OpenID Connect Discovery 1.0: the metadata that an identity provider publishes."""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from ops.base.addresses import is_confidential, is_origin

_BROWSER_ENDPOINTS: Final = ("authorization", "token", "end_session", "revocation")


def metadata_url(issuer: str) -> str:
    """Return the address of an issuer's metadata; the final slash may be missing (section 4)."""
    return f"{issuer.removesuffix('/')}/.well-known/openid-configuration"


def keys_url(metadata: Mapping[str, Any], issuer: str) -> str:
    """Return the address of the keys in an issuer's metadata.

    Raises:
        ValueError: the metadata describes another issuer (section 4.3), or its address is not confidential.
    """
    if metadata.get("issuer") != issuer:
        raise ValueError("metadata of another issuer")
    url = metadata.get("jwks_uri")
    if not isinstance(url, str) or not is_confidential(url):
        raise ValueError("no jwks_uri with https")
    return url


def endpoint(metadata: Mapping[str, Any], name: str) -> str | None:
    """Return the URL of an endpoint, if there is one."""
    url = metadata.get(f"{name}_endpoint")
    return url if isinstance(url, str) else None


def is_auth0(issuer: str, metadata: Mapping[str, Any]) -> bool:
    """Return whether the issuer is an origin with a final slash, and has endpoints at Auth0's paths."""
    paths = {"authorization": "authorize", "token": "oauth/token"}
    return is_origin(issuer.removesuffix("/")) and all(
        endpoint(metadata, name) == f"{issuer}{path}" for name, path in paths.items()
    )


def browser_origins(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Yield the origins to which browsers send requests, each as often as endpoints have it."""
    for name in _BROWSER_ENDPOINTS:
        if url := endpoint(metadata, name):
            yield origin_of(url)


def origin_of(url: str) -> str:
    """Return the scheme, host and port of an address; raises `ValueError` if it is malformed."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
