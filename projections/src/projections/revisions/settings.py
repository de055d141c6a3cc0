"""Settings of the public events and public states."""

from pathlib import Path

from pydantic import Field

from command_api.domain.publication import Pseudonyms, PublicationPolicy
from ops.base.settings import Settings, read_secret
from projections.failures import ProjectionStopped


class PublishingSettings(Settings):
    """Environment variables that control what is published."""

    publish_free_text: bool = Field(
        default=False, description="publish free text; enable it only if the texts name no people"
    )
    pseudonym_key: Path | None = Field(
        default=None,
        description="file with the key of users' pseudonyms, in hex; without it events name no users",
    )


def configured_publishing() -> PublicationPolicy:
    """Return the configured publishing.

    Raises:
        ProjectionStopped: the settings are invalid, or the key cannot be read.
    """
    settings = PublishingSettings.load(ProjectionStopped)
    try:
        path = settings.pseudonym_key
        key = None if path is None else read_secret(path, "FLEETLOG_PSEUDONYM_KEY")
    except ValueError as error:
        raise ProjectionStopped(str(error)) from None
    try:
        pseudonyms = None if key is None else Pseudonyms(bytes.fromhex(key))
    except ValueError:  # the message may quote the key
        raise ProjectionStopped(f"FLEETLOG_PSEUDONYM_KEY: {path} holds no key of 32 bytes in hex") from None
    return PublicationPolicy(settings.publish_free_text, pseudonyms)
