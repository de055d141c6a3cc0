"""The looks that are the same in both topologies."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ops.launcher.doctor.findings import Look
from ops.launcher.doctor.looks import certificates, kafka, sign_in
from ops.launcher.services import KAFKA_SETTING, KAFKA_SETTINGS


def looks_at_others(
    issuer: str, keys_url: str, environment: Mapping[str, str], public_address: str = ""
) -> dict[str, Look]:
    """Return the looks at what is not ours: the identity provider, Kafka, certificates.

    Args:
        issuer: of access tokens.
        keys_url: where its keys are.
        environment: the relay's, which names brokers if events are published.
        public_address: the one origin that browsers use.
    """
    looks: dict[str, Look] = {}
    if keys_url:
        looks["sign-in"] = partial(sign_in.provider_keys, keys_url, issuer)
    if urls := sorted({url for url in (issuer, keys_url, public_address) if url.startswith("https://")}):
        looks["certificates"] = partial(certificates.served_certificates, urls)
    if not (servers := environment.get(KAFKA_SETTING)):
        return looks
    brokers, tls = servers.split(","), "SSL" in environment.get(f"{KAFKA_SETTINGS}SECURITY_PROTOCOL", "")
    authorities, own = (environment.get(f"{KAFKA_SETTINGS}SSL_{name}FILE") for name in ("CA", "CERT"))
    looks["kafka"] = partial(kafka.brokers, brokers, tls=tls)
    if tls:
        looks["kafka's certificates"] = partial(
            certificates.served_certificates,
            [f"https://{broker}" for broker in brokers],
            authorities=authorities or None,
        )
    if files := [Path(name) for name in (authorities, own) if name]:
        looks["certificate files"] = partial(certificates.certificate_files, files)
    return looks
