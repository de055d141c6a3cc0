"""Whether this worker carries erasures out, and whose files it looks through."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from projections.workers.erasure.eraser import Eraser
from projections.workers.sealing.settings import SealingSettings, require_seals


class ErasingSettings(BaseSettings):
    """The environment of whoever erases."""

    model_config = SettingsConfigDict(env_prefix="FLEETLOG_", extra="ignore")

    scanned: Path | None = Field(
        default=None, description="folder whose files are looked through for what an erasure has left"
    )


def eraser_of(dsn: str) -> Eraser | None:
    """Return what erases, where this worker seals: a receipt is signed with the same key.

    Raises:
        ProjectionStopped: that key cannot be read.
    """
    if SealingSettings().seals is None:
        return None
    return Eraser(dsn, *require_seals(), folder=ErasingSettings().scanned)
