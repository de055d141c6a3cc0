"""The checks that are the same in both topologies."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ops.launcher.doctor.checks import network
from ops.launcher.doctor.findings import Check
from ops.launcher.services import KAFKA_SETTING, KAFKA_SETTINGS


def checks_of_others(
    issuer: str, keys_url: str, environment: Mapping[str, str], public_address: str = ""
) -> dict[str, Check]:
    """Return the checks of the identity provider, Kafka and certificates.

    Args:
        issuer: of access tokens.
        keys_url: of its signing keys.
        environment: of the relay; it names brokers if events are published.
        public_address: the origin that browsers use.
    """
    checks: dict[str, Check] = {}
    if keys_url:
        checks["sign-in"] = partial(network.provider_keys, keys_url, issuer)
    if urls := sorted({url for url in (issuer, keys_url, public_address) if url.startswith("https://")}):
        checks["certificates"] = partial(network.served_certificates, urls)
    if not (servers := environment.get(KAFKA_SETTING)):
        return checks
    brokers, tls = servers.split(","), "SSL" in environment.get(f"{KAFKA_SETTINGS}SECURITY_PROTOCOL", "")
    authorities, own = (environment.get(f"{KAFKA_SETTINGS}SSL_{name}FILE") for name in ("CA", "CERT"))
    checks["kafka"] = partial(network.brokers, brokers, tls=tls)
    if tls:
        checks["kafka's certificates"] = partial(
            network.served_certificates,
            [f"https://{broker}" for broker in brokers],
            authorities=authorities or None,
        )
    if files := [Path(name) for name in (authorities, own) if name]:
        checks["certificate files"] = partial(network.certificate_files, files)
    return checks
