"""The feed's settings, from the environment."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class FeedSettings(BaseSettings):
    """Variables named `FLEETLOG_FEED_…`; all are in seconds."""

    model_config = SettingsConfigDict(env_prefix="FLEETLOG_FEED_", extra="ignore")

    heartbeat_seconds: float = Field(default=15, gt=0, le=60, description="longest silence of a stream")
    retry_seconds: float = Field(default=3, ge=0, description="after which SSE clients come back")
    stall_seconds: float = Field(default=60, gt=0, description="after which who takes nothing is cut off")
    patience_seconds: float = Field(
        default=1.5, gt=0, description="longest search for a batch, new events aside"
    )
