"""What this instance publishes besides what everybody may see anyway."""

from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from command_api.domain.publication import Pseudonyms, PublicationPolicy
from ops.base.settings import explained, read_secret
from projections.failures import ProjectionStopped


class PublishingSettings(BaseSettings):
    """The environment of whatever makes public events and public states."""

    model_config = SettingsConfigDict(env_prefix="FLEETLOG_", extra="ignore")

    publish_free_text: bool = Field(
        default=False, description="show free text, which may name people; only where it names nobody"
    )
    pseudonym_key: Path | None = Field(
        default=None,
        description="file with the key of people's pseudonyms, in hex; without one, nothing is told of them",
    )


def configured_publishing() -> PublicationPolicy:
    """Return what the environment wants to be published.

    Raises:
        ProjectionStopped: it cannot be determined what that is, or the key cannot be read.
    """
    try:
        settings = PublishingSettings()
        path = settings.pseudonym_key
        key = None if path is None else read_secret(path, "FLEETLOG_PSEUDONYM_KEY")
    except ValidationError as error:
        raise ProjectionStopped(explained(error)) from None
    except ValueError as error:
        raise ProjectionStopped(str(error)) from None
    try:
        pseudonyms = None if key is None else Pseudonyms(bytes.fromhex(key))
    except ValueError:  # its text may quote the key
        raise ProjectionStopped(f"FLEETLOG_PSEUDONYM_KEY: {path} holds no key of 32 bytes in hex") from None
    return PublicationPolicy(settings.publish_free_text, pseudonyms)
