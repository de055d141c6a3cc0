"""Until when certificates are good, and whether they are trusted here."""

import socket
import ssl
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from cryptography import x509

from ops.launcher.doctor.findings import Finding, Findings, warning, well, wrong

SOON: Final = timedelta(days=21)
_SECONDS: Final = 4.0


def served_certificates(urls: Iterable[str], *, authorities: Path | str | None = None) -> Findings:
    """Look at what servers show of themselves.

    Args:
        urls: with `https`.
        authorities: PEM file with those that are trusted; None: the system's.
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
            certificate = x509.load_der_x509_certificate(_shown(host, port, unverified))
            dated = _dated(f"the certificate of {place}", certificate, command)
            yield dated
            if dated.level != "wrong":
                _shown(host, port, ssl.create_default_context(cafile=authorities))
        except ssl.SSLCertVerificationError as error:
            yield wrong(f"the certificate of {place} is not trusted here: {error.verify_message}", command)
        except OSError as error:
            yield warning(f"{place} shows no certificate: {error}", command)


def _shown(host: str, port: int, context: ssl.SSLContext) -> bytes:
    with (
        socket.create_connection((host, port), timeout=_SECONDS) as connection,
        context.wrap_socket(connection, server_hostname=host) as secured,
    ):
        return secured.getpeercert(binary_form=True) or b""


def certificate_files(paths: Iterable[Path]) -> Findings:
    """Look at certificates in PEM files, each with one or several."""
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
        return wrong(f"{name} is good from {begin:%Y-%m-%d} on, or the clock is wrong", command, "date -u")
    if end - now < SOON:
        return warning(f"{name} expires on {end:%Y-%m-%d}: renew it", command)
    return well(f"{name} is good until {end:%Y-%m-%d}")
