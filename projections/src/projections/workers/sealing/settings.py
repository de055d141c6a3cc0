"""Where seals are kept, and what they are signed with."""

from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import KEY_NAME, SigningKey
from projections.failures import ProjectionStopped
from projections.workers.sealing.named_witnesses import witnesses_of
from projections.workers.sealing.sealer import Sealer
from projections.workers.sealing.witnesses import Witness

A_YEAR: Final = 366
"""Days; also of a leap year."""


class SealingSettings(BaseSettings):
    """The environment of whoever seals or verifies; without a folder nobody does."""

    model_config = SettingsConfigDict(env_prefix="FLEETLOG_", extra="ignore")

    seals: Path | None = Field(default=None, description="folder of the seals, outside the database")
    sealing_key: Path | None = Field(default=None, description="PEM file with an Ed25519 private key")
    seal_every: int = Field(default=1000, ge=1, description="events after which a checkpoint is signed")
    seal_seconds: float = Field(default=3600.0, gt=0, description="after so long also if they are fewer")

    access_log_days: int = Field(
        default=A_YEAR,
        description="for how long it is remembered who has seen personal data; 0: for ever",
    )
    witnesses: str = Field(
        default="", description="places that remember checkpoints: folders, http: addresses, kafka:"
    )

    @field_validator("access_log_days")
    @classmethod
    def _is_a_year(cls, days: int) -> int:
        """Refuse what the law does not let forget.

        India's DPDP Rules 2025 want such logs kept for a year (rule 6(1)(e)); the GDPR wants that it can be
        said who has seen what (articles 15 and 30).
        """
        if days and days < A_YEAR:
            raise ValueError(f"must be 0, for ever, or at least {A_YEAR}, which is a year")
        return days


def read_key(path: Path) -> SigningKey:
    """Read the key that signs.

    Raises:
        OSError: the file cannot be read.
        ValueError, TypeError: it holds no Ed25519 private key.
    """
    key = load_pem_private_key(path.read_bytes(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("not an Ed25519 private key")  # noqa: TRY004 - what is wrong is the file's content
    return SigningKey(KEY_NAME, key)


def require_seals() -> tuple[SealedLog, SigningKey]:
    """Return where this instance's seals are, and the key.

    Raises:
        ProjectionStopped: it has none.
    """
    settings = SealingSettings()
    if settings.seals is None or settings.sealing_key is None:
        raise ProjectionStopped("FLEETLOG_SEALS and FLEETLOG_SEALING_KEY are not set")
    try:
        return SealedLog(settings.seals), read_key(settings.sealing_key)
    except OSError as error:
        raise ProjectionStopped(f"cannot read the key {settings.sealing_key}: {error.strerror}") from None
    except (ValueError, TypeError):  # TypeError: it wants a password
        raise ProjectionStopped(f"{settings.sealing_key} is no Ed25519 private key in PEM") from None


def require_witnesses() -> list[Witness]:
    """Return the witnesses that the environment names.

    Raises:
        ProjectionStopped: it names what is none.
    """
    try:
        return witnesses_of(SealingSettings().witnesses)
    except ValueError as error:
        raise ProjectionStopped(f"FLEETLOG_WITNESSES: {error}") from None


def sealer_of(dsn: str) -> Sealer | None:
    """Return the sealer that the environment asks for.

    Raises:
        ProjectionStopped: its key cannot be read.
    """
    settings = SealingSettings()
    if settings.seals is None:
        return None
    seals, key = require_seals()
    return Sealer(
        dsn,
        seals,
        key,
        every_events=settings.seal_every,
        every_seconds=settings.seal_seconds,
        witnesses=require_witnesses(),
        access_log_days=settings.access_log_days,
    )
