"""Settings of the feed, from the environment."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class FeedSettings(BaseSettings):
    """Variables named `FLEETLOG_FEED_…`."""

    model_config = SettingsConfigDict(env_prefix="FLEETLOG_FEED_", extra="ignore")

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
