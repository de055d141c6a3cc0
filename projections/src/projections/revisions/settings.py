"""What this instance publishes besides what everybody may see anyway."""

from typing import Self

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class PublishingSettings(BaseSettings):
    """The environment of whatever makes public events or public states."""

    model_config = SettingsConfigDict(env_prefix="FLEETLOG_", extra="ignore")

    publish_free_text: bool = Field(
        default=False, description="show free text, which may name people; only where it names nobody"
    )

    @classmethod
    def load(cls) -> Self:
        """Read the settings from the environment.

        Raises:
            pydantic.ValidationError: a variable is malformed.
        """
        return cls()
