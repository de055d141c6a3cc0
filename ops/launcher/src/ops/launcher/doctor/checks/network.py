"""Checks of what answers over the network: services, gateway, identity provider, certificates, Kafka."""

import contextlib
import socket
import ssl
import struct
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography import x509

from ops.base.checks.readiness import check_of, failing, reason
from ops.launcher.doctor.commands import Commands
from ops.launcher.doctor.findings import Finding, Findings, warning, well, wrong
from ops.launcher.instance.readiness import ask, checks_of, document_of

CLOCK_SECONDS: Final = 60.0
"""A clock that is slower than that refuses new tokens."""
SOON: Final = timedelta(days=21)
_SECONDS: Final = 4.0
_TRIED_ROUTE: Final = "/api/v1/drivers"
_CLIENT: Final = b"fleetlog-doctor"
# ApiVersions, version 0: every broker answers it, also before sign-in.
_API_VERSIONS: Final = struct.pack("!hhih", 18, 0, 1, len(_CLIENT)) + _CLIENT


def service(part: str, readyz: str, commands: Commands) -> Findings:
    """Check a service's readiness; each failing check has its own fix.

    Args:
        part: the service's name.
        readyz: address of its readiness.
        commands: of this topology.
    """
    log = commands.log_of(part)
    try:
        answer = ask(readyz)
    except OSError as error:
        yield wrong(f"{part} does not answer: {error}", log, commands.status)
        return
    bad = failing(checks_of(answer))
    yield from (_fault(part, name, check, commands) for name, check in bad.items())
    if not bad:
        yield well("ready") if answer.is_success else wrong(f"{part} answers {answer.status_code}", log)


def _fault(part: str, name: str, answer: Mapping[str, Any], commands: Commands) -> Finding:
    check = check_of(name, answer)
    fix = (commands.log_of(part),) if check is None else commands.fix(check)
    # Users see the former values of quarantined records, which is as bad as a failing check.
    is_wrong = not answer.get("ok") or (check is not None and "quarantined" in check.readiness)
    return (wrong if is_wrong else warning)(f"{part} reports {name}: {reason(answer)}", *fix)


def services_by_name(service_name: str, places: Iterable[str], commands: Commands) -> Findings:
    """Check all containers with a name.

    Args:
        service_name: of `compose.yaml`.
        places: `HOST:PORT`; a name may have several addresses.
        commands: of this topology.
    """
    for place in places:
        host, _, port = place.rpartition(":")
        try:
            found = socket.getaddrinfo(host, int(port), socket.AF_INET, socket.SOCK_STREAM)
        except OSError:
            yield wrong(
                f"no {service_name} runs: no host has the name {host}", commands.start, commands.status
            )
            continue
        for *_, address in found:
            yield from service(service_name, f"http://{address[0]}:{port}/readyz", commands)


def gateway(address: str, issuer: str, commands: Commands) -> Findings:
    """Check that the gateway sends browsers to the right identity provider, and requests to a service.

    Args:
        address: of the gateway.
        issuer: of access tokens.
        commands: of this topology.
    """
    log = commands.log_of("gateway")
    try:
        config, routed = ask(f"{address}/config.json"), ask(f"{address}{_TRIED_ROUTE}")
    except OSError as error:
        yield wrong(f"the gateway at {address} does not answer: {error}", log, commands.status)
        return
    domain = document_of(config).get("auth", {}).get("domain")
    if domain is None:
        yield wrong(f"what answers at {address} is not our gateway ({config.status_code})", log)
    elif issuer and domain != issuer.removesuffix("/"):
        yield wrong(f"browsers sign in at {domain}, and services trust {issuer}", commands.start)
    elif routed.status_code != 401:  # there was no token
        what = f"the gateway answers {routed.status_code} in the place of a service"
        yield wrong(what, log, commands.status)
    else:
        yield well(f"{address} answers, and routes requests")


def provider_keys(keys_url: str, issuer: str) -> Findings:
    """Check the identity provider's signing keys, and its clock against this one."""
    command = f"curl -sS {keys_url}"
    try:
        answer = ask(keys_url)
    except OSError as error:
        yield wrong(f"{issuer} does not answer, so nobody can sign in: {error}", command)
        return
    keys = document_of(answer).get("keys")
    if answer.status_code != 200 or not isinstance(keys, list) or not keys:
        yield wrong(f"{keys_url} holds no keys ({answer.status_code}), so nobody can sign in", command)
        return
    yield well(f"{issuer} has {len(keys)} keys to sign tokens with")
    try:
        ahead = (parsedate_to_datetime(answer.headers.get("Date", "")) - datetime.now(UTC)).total_seconds()
    except ValueError:
        return
    if abs(ahead) > CLOCK_SECONDS:
        way = "behind" if ahead > 0 else "ahead of"
        yield warning(f"this clock is {abs(ahead):.0f} s {way} the identity provider's", "date -u", command)


def served_certificates(urls: Iterable[str], *, authorities: Path | str | None = None) -> Findings:
    """Check the certificates that servers present.

    Args:
        urls: with `https`.
        authorities: PEM file of trusted authorities; None: the system's.
    """
    unverified = ssl.create_default_context()
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    for url in urls:
        host, port = urlsplit(url).hostname or "", urlsplit(url).port or 443
        place = f"{host}:{port}"
        command = (
            f"openssl s_client -connect {place} -servername {host} </dev/null | openssl x509 -noout -dates"
        )
        try:
            certificate = x509.load_der_x509_certificate(_presented(host, port, unverified))
            dated = _dated(f"the certificate of {place}", certificate, command)
            yield dated
            if dated.level != "wrong":
                _presented(host, port, ssl.create_default_context(cafile=authorities))
        except ssl.SSLCertVerificationError as error:
            yield wrong(f"the certificate of {place} is not trusted here: {error.verify_message}", command)
        except OSError as error:
            yield warning(f"{place} presents no certificate: {error}", command)


def _presented(host: str, port: int, context: ssl.SSLContext) -> bytes:
    with (
        socket.create_connection((host, port), timeout=_SECONDS) as connection,
        context.wrap_socket(connection, server_hostname=host) as secured,
    ):
        return secured.getpeercert(binary_form=True) or b""


def certificate_files(paths: Iterable[Path]) -> Findings:
    """Check PEM files with one or several certificates."""
    for path in paths:
        command = f"openssl x509 -noout -dates -subject -in {path}"
        try:
            found = x509.load_pem_x509_certificates(path.read_bytes())
        except OSError as error:
            yield wrong(f"cannot read {path}: {error.strerror}", f"ls -l {path}")
        except ValueError:
            yield wrong(f"{path} holds no certificate in PEM", command)
        else:
            first = min(found, key=lambda certificate: certificate.not_valid_after_utc)
            yield _dated(f"the certificate in {path}", first, command)


def _dated(name: str, certificate: x509.Certificate, command: str) -> Finding:
    begin, end, now = certificate.not_valid_before_utc, certificate.not_valid_after_utc, datetime.now(UTC)
    if now > end:
        return wrong(f"{name} has expired on {end:%Y-%m-%d}: renew it", command)
    if now < begin:
        return wrong(f"{name} is valid from {begin:%Y-%m-%d} on, or the clock is wrong", command, "date -u")
    if end - now < SOON:
        return warning(f"{name} expires on {end:%Y-%m-%d}: renew it", command)
    return well(f"{name} is valid until {end:%Y-%m-%d}")


def brokers(servers: Iterable[str], *, tls: bool) -> Findings:
    """Check that each of the relay's bootstrap servers answers as Kafka, whatever its certificate."""
    for server in servers:
        host, _, port = server.rpartition(":")
        try:
            is_kafka = _is_kafka(host.strip("[]"), int(port), tls=tls)
        except (OSError, ValueError) as error:
            yield warning(f"Kafka at {server} does not answer: {error}", f"nc -vz {host} {port}")
            continue
        if is_kafka:
            yield well(f"Kafka at {server} answers")
        else:
            yield warning(f"what answers at {server} is not Kafka, or wants TLS", f"nc -vz {host} {port}")


def _is_kafka(host: str, port: int, *, tls: bool) -> bool:
    with contextlib.ExitStack() as open_now:
        connection = open_now.enter_context(socket.create_connection((host, port), timeout=_SECONDS))
        if tls:
            context = ssl._create_unverified_context()  # noqa: S323, SLF001 - it is sent nothing secret
            connection = open_now.enter_context(context.wrap_socket(connection, server_hostname=host))
        connection.sendall(struct.pack("!i", len(_API_VERSIONS)) + _API_VERSIONS)
        with connection.makefile("rb") as answer:
            return answer.read(8)[4:] == struct.pack("!i", 1)  # after the length, our request's number
