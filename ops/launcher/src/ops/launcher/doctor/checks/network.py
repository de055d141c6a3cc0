"""Checks over the network: services, gateway, identity provider, certificates."""

import socket
import ssl
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography import x509

from ops.base.checks.readiness import check_of, failing, reason
from ops.base.discovery import browser_origins, metadata_url
from ops.base.discovery import keys_url as address_of_keys
from ops.launcher.doctor.commands import Commands
from ops.launcher.doctor.findings import Diagnostic, Finding, Findings, warning, well, wrong
from ops.launcher.instance.readiness import checks_in, document_in, request

CLOCK_SECONDS: Final = 60.0
"""With a clock that is slower by more, services refuse new tokens."""
RENEWAL_PERIOD: Final = timedelta(days=21)
"""A certificate that expires sooner is a warning."""
_SECONDS: Final = 4.0
_TRIED_ROUTE: Final = "/api/v1/drivers"


def service(name: str, readyz: str, commands: Commands) -> Findings:
    """Check a service's readiness; each failing check has its own fix."""
    log = commands.log_of(name)
    try:
        answer = request(readyz)
    except OSError as error:
        yield wrong(f"{name} does not answer: {error}", log, commands.status)
        return
    bad = failing(checks_in(answer))
    yield from (_fault(name, each, check, commands) for each, check in bad.items())
    if not bad:
        yield well("ready") if answer.is_success else wrong(f"{name} answers {answer.status_code}", log)


def _fault(service_name: str, name: str, answer: Mapping[str, Any], commands: Commands) -> Finding:
    check = check_of(name, answer)
    fix = (commands.log_of(service_name),) if check is None else commands.fix(check)
    # Quarantined records show former values, which is as bad as a failing check.
    is_wrong = not answer.get("ok") or (check is not None and "quarantined" in check.readiness)
    return (wrong if is_wrong else warning)(f"{service_name} reports {name}: {reason(answer)}", *fix)


def services_by_name(service_name: str, places: Iterable[str], commands: Commands) -> Findings:
    """Check all containers of a service.

    Args:
        service_name: of `compose.yaml`.
        places: `HOST:PORT`; a name may have several addresses.
    """
    for place in places:
        host, _, port = place.rpartition(":")
        try:
            found = socket.getaddrinfo(host, int(port), socket.AF_INET, socket.SOCK_STREAM)
        except OSError:
            yield wrong(
                f"{service_name} is not running: the name {host} does not exist",
                commands.start,
                commands.status,
            )
            continue
        for *_, address in found:
            yield from service(service_name, f"http://{address[0]}:{port}/readyz", commands)


def gateway(address: str, issuer: str, commands: Commands) -> Findings:
    """Check that the gateway sends browsers to the right identity provider, and requests to a service."""
    log = commands.log_of("gateway")
    try:
        config, routed = request(f"{address}/config.json"), request(f"{address}{_TRIED_ROUTE}")
    except OSError as error:
        yield wrong(f"the gateway at {address} does not answer: {error}", log, commands.status)
        return
    auth = document_in(config).get("auth", {})
    place = auth.get("issuer", auth.get("domain"))
    if place is None:
        yield wrong(f"another program than the gateway answers at {address} ({config.status_code})", log)
    elif issuer and place != (issuer if "issuer" in auth else issuer.removesuffix("/")):
        yield wrong(f"browsers sign in at {place}, but services trust {issuer}", commands.start)
    elif routed.status_code != 401:  # there was no token
        what = f"the gateway answers {routed.status_code} instead of a service"
        yield wrong(what, log, commands.status)
    else:
        yield well(f"{address} answers, and routes requests")
    if "issuer" in auth:
        yield from _origins(config.headers.get("Content-Security-Policy", ""), auth["issuer"])


def _origins(policy: str, issuer: str) -> Findings:
    """Check that a Content-Security-Policy lets browsers send requests to the issuer's endpoints."""
    with suppress(OSError, ValueError):  # another check reports these
        named = set(browser_origins(document_in(request(metadata_url(issuer)))))
        allowed = next(
            (part.split() for part in policy.split(";") if part.split()[:1] == ["connect-src"]), []
        )
        if others := sorted(named.difference(allowed)):
            yield warning(
                f"{issuer} names endpoints at {' '.join(others)}, to which the gateway lets browsers send"
                " nothing: add them to FLEETLOG_SIGN_IN_ORIGINS, or run `up` with --issuer again",
                f"curl -sS {metadata_url(issuer)}",
            )


def provider_keys(keys_url: str | None, issuer: str) -> Findings:
    """Check the identity provider's signing keys, and its clock against this one.

    Args:
        keys_url: None: the issuer's metadata names it.
    """
    if keys_url is None:
        where = metadata_url(issuer)
        try:
            keys_url = address_of_keys(document_in(request(where)), issuer)
        except (OSError, ValueError) as error:
            yield wrong(f"{where} names no keys, so users cannot sign in: {error}", f"curl -sS {where}")
            return
    command = f"curl -sS {keys_url}"
    try:
        answer = request(keys_url)
    except OSError as error:
        yield wrong(f"{issuer} does not answer, so users cannot sign in: {error}", command)
        return
    keys = document_in(answer).get("keys")
    if answer.status_code != 200 or not isinstance(keys, list) or not keys:
        yield wrong(f"{keys_url} has no keys ({answer.status_code}), so users cannot sign in", command)
        return
    yield well(f"{issuer} has {len(keys)} signing keys")
    try:
        ahead = (parsedate_to_datetime(answer.headers.get("Date", "")) - datetime.now(UTC)).total_seconds()
    except ValueError:
        return
    if abs(ahead) > CLOCK_SECONDS:
        way = "behind" if ahead > 0 else "ahead of"
        yield warning(f"this clock is {abs(ahead):.0f} s {way} the identity provider's", "date -u", command)


def certificates(urls: Iterable[str]) -> Findings:
    """Check how long the certificates of servers are still valid; other programs check their trust."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for url in urls:
        host, port = urlsplit(url).hostname or "", urlsplit(url).port or 443
        server = f"{host}:{port}"
        command = (
            f"openssl s_client -connect {server} -servername {host} </dev/null | openssl x509 -noout -dates"
        )
        try:
            expiry = _certificate(host, port, context).not_valid_after_utc
        except OSError as error:
            yield warning(f"{server} presents no certificate: {error}", command)
            continue
        if expiry < datetime.now(UTC):
            yield wrong(f"the certificate of {server} expired on {expiry:%Y-%m-%d}: renew it", command)
        elif expiry - datetime.now(UTC) < RENEWAL_PERIOD:
            yield warning(f"the certificate of {server} expires on {expiry:%Y-%m-%d}: renew it", command)
        else:
            yield well(f"the certificate of {server} is valid until {expiry:%Y-%m-%d}")


def _certificate(host: str, port: int, context: ssl.SSLContext) -> x509.Certificate:
    with (
        socket.create_connection((host, port), timeout=_SECONDS) as connection,
        context.wrap_socket(connection, server_hostname=host) as secured,
    ):
        return x509.load_der_x509_certificate(secured.getpeercert(binary_form=True) or b"")


def provider_checks(issuer: str, keys_url: str | None, public_address: str = "") -> dict[str, Diagnostic]:
    """Return the checks of the identity provider, and of its certificates and that of the public address.

    Args:
        issuer: empty: none is configured.
        keys_url: as for `provider_keys`.
    """
    checks: dict[str, Diagnostic] = {}
    if issuer:
        checks["sign-in"] = partial(provider_keys, keys_url, issuer)
    if urls := sorted(
        {url for url in (issuer, keys_url or "", public_address) if url.startswith("https://")}
    ):
        checks["certificates"] = partial(certificates, urls)
    return checks
