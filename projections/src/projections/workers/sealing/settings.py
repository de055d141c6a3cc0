"""Settings of sealing and erasures: folder, key, intervals and witnesses."""

from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import Certificate
from pydantic import Field, field_validator

from ops.base.settings import Settings
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import KEY_NAME, SigningKey
from ops.tamper_evidence.time_stamps import read_authorities
from projections.failures import ProjectionStopped
from projections.relay.settings import KafkaSettings
from projections.workers.sealing.sealer import Sealer
from projections.workers.sealing.witnesses import FolderWitness, HttpWitness, Witness

A_YEAR: Final = 366
"""Days of the longest year."""


class SealingSettings(Settings):
    """Environment variables of sealing, verification and erasures; without a folder the log is not sealed."""

    seals: Path | None = Field(default=None, description="folder of the seals, outside the database")
    sealing_key: Path | None = Field(default=None, description="PEM file with an Ed25519 private key")
    seal_every: int = Field(default=1000, ge=1, description="events after which a checkpoint is signed")
    seal_seconds: float = Field(default=60.0, gt=0, description="seconds after which fewer are sealed")
    access_log_days: int = Field(
        default=A_YEAR,
        description="days for which accesses to personal data are stored; 0: for ever",
    )
    witnesses: str = Field(
        default="", description="witnesses of the checkpoints: folders, http: addresses, kafka:"
    )
    time_stamp_authorities: str = Field(
        default="", description="addresses of authorities that stamp checkpoints (RFC 3161)"
    )
    time_stamp_certificates: str = Field(
        default="", description="their root certificates: a PEM file, or its contents"
    )
    scanned: Path | None = Field(default=None, description="folder that erasures scan for remaining texts")

    @field_validator("access_log_days")
    @classmethod
    def _is_a_year(cls, days: int) -> int:
        """Refuse a shorter period than the law requires.

        India's DPDP Rules 2025 require such logs for a year (rule 6(1)(e)); the GDPR requires an account of
        who has seen personal data (articles 15 and 30).
        """
        if days and days < A_YEAR:
            raise ValueError(f"must be 0, for ever, or at least {A_YEAR}, which is a year")
        return days


def require_seals() -> tuple[SealedLog, SigningKey]:
    """Return this instance's seals and signing key; raise ProjectionStopped if the settings name none."""
    settings = SealingSettings()
    if settings.seals is None or settings.sealing_key is None:
        raise ProjectionStopped("FLEETLOG_SEALS and FLEETLOG_SEALING_KEY are not set")
    key: PrivateKeyTypes | None = None
    try:
        key = load_pem_private_key(settings.sealing_key.read_bytes(), password=None)
    except OSError as error:
        raise ProjectionStopped(f"cannot read the key {settings.sealing_key}: {error.strerror}") from None
    except (ValueError, TypeError):  # TypeError: the key is encrypted
        pass
    if not isinstance(key, Ed25519PrivateKey):
        raise ProjectionStopped(f"{settings.sealing_key} is no Ed25519 private key in PEM")
    return SealedLog(settings.seals), SigningKey(KEY_NAME, key)


def require_witnesses() -> list[Witness]:
    """Return the configured witnesses; raise ProjectionStopped if the setting is invalid."""
    witnesses: list[Witness] = []
    for word in SealingSettings().witnesses.replace(",", " ").split():
        if word == "kafka:":
            # Imported here because Kafka's client is large, and rarely needed.
            from projections.workers.sealing.kafka_witness import KafkaWitness  # noqa: PLC0415

            witnesses.append(KafkaWitness(KafkaSettings.load(ProjectionStopped)))
        elif word.startswith(("http://", "https://")):
            witnesses.append(HttpWitness(word))
        elif word.startswith("/"):
            witnesses.append(FolderWitness(Path(word)))
        else:
            raise ProjectionStopped(
                "FLEETLOG_WITNESSES: a witness is an absolute folder, an http: or https: address, or kafka:"
            )
    return witnesses


def require_authorities() -> tuple[list[str], list[Certificate]]:
    """Return the time stamp authorities and the trusted certificates; raise ProjectionStopped if invalid."""
    settings = SealingSettings()
    urls = settings.time_stamp_authorities.replace(",", " ").split()
    if not all(url.startswith(("http://", "https://")) for url in urls):
        raise ProjectionStopped("FLEETLOG_TIME_STAMP_AUTHORITIES: must be http: or https: addresses")
    pem = settings.time_stamp_certificates
    try:
        text = pem.encode() if pem.lstrip().startswith("-----BEGIN") else pem and Path(pem).read_bytes()
        trusted = read_authorities(text) if text else []
    except (OSError, ValueError):
        raise ProjectionStopped(
            "FLEETLOG_TIME_STAMP_CERTIFICATES: there are no certificates in PEM"
        ) from None
    if urls and not trusted:
        raise ProjectionStopped("FLEETLOG_TIME_STAMP_CERTIFICATES must name the authorities' certificates")
    return urls, trusted


def sealer_of(dsn: str) -> Sealer | None:
    """Return the configured sealer; raise ProjectionStopped if the key cannot be read."""
    settings = SealingSettings()
    if settings.seals is None:
        return None
    seals, key = require_seals()
    authorities, trusted = require_authorities()
    return Sealer(
        dsn,
        seals,
        key,
        every_events=settings.seal_every,
        every_seconds=settings.seal_seconds,
        witnesses=require_witnesses(),
        authorities=authorities,
        trusted=trusted,
        access_log_days=settings.access_log_days,
    )
