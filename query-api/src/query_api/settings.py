"""The query API's settings, in addition to those of every service, and those of the feed."""

from typing import Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import SettingsConfigDict

from ops.base.settings import PREFIX, ServiceSettings, Settings


class QuerySettings(ServiceSettings):
    """Settings of the query API, from its environment."""

    read_database: SecretStr | None = Field(
        default=None,
        description="DSN of a streaming replica of the database, with the same role and password",
    )

    @model_validator(mode="after")
    def _complete_the_replica(self) -> Self:
        if self.read_database is not None:
            self.read_database = self.with_password(self.read_database, "READ_DATABASE")
        return self

    @property
    def replica(self) -> str | None:
        """DSN of the replica, if one is configured."""
        return None if self.read_database is None else self.read_database.get_secret_value()


class FeedSettings(Settings):
    """Variables named `FLEETLOG_FEED_…`."""

    model_config = SettingsConfigDict(env_prefix=f"{PREFIX}FEED_")

    heartbeat_seconds: float = Field(default=15, gt=0, le=60, description="longest silence of a stream")
    retry_seconds: float = Field(default=3, ge=0, description="reconnection delay of SSE clients")
    stall_seconds: float = Field(
        default=60, gt=0, description="time after which a reader that takes nothing is disconnected"
    )
    patience_seconds: float = Field(
        default=1.5, gt=0, description="longest search for a batch, not counting the wait for new events"
    )
    streams_per_subject: int = Field(
        default=20, ge=1, description="maximum number of concurrent streams and long polls of one subject"
    )
    streams: int = Field(default=1000, ge=1, description="maximum number for all subjects together")
