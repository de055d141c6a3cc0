"""The feed's settings, from the environment."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class FeedSettings(BaseSettings):
    """Variables named `FLEETLOG_FEED_…`."""

    model_config = SettingsConfigDict(env_prefix="FLEETLOG_FEED_", extra="ignore")

    heartbeat_seconds: float = Field(default=15, gt=0, le=60, description="longest silence of a stream")
    retry_seconds: float = Field(default=3, ge=0, description="after which SSE clients come back")
    stall_seconds: float = Field(default=60, gt=0, description="after which who takes nothing is cut off")
    patience_seconds: float = Field(
        default=1.5, gt=0, description="longest search for a batch, new events aside"
    )
    streams_per_subject: int = Field(
        default=20, ge=1, description="how many streams and long polls of one subject may last at once"
    )
    streams: int = Field(default=1000, ge=1, description="how many of all subjects together")
