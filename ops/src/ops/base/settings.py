"""Settings that every service reads from its environment."""

from typing import Literal, Self

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class ServiceSettings(BaseSettings):
    """The environment of one service: variables named `FLEETLOG_…`."""

    model_config = SettingsConfigDict(env_prefix="FLEETLOG_", extra="ignore")

    database: SecretStr = Field(description="PostgreSQL DSN of this service's own role")
    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=0, ge=0, le=65535, description="port to listen on; 0 picks a free one")
    issuer: str = Field(default="", description="identity provider's issuer, with its final slash")
    audience: str = Field(default="", description="audience that access tokens must name")
    jwks_url: str | None = Field(default=None, description="where its keys are, if not at the usual place")
    environment: Literal["development", "production"] = "production"
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto", description="`auto`: readable on a terminal, JSON elsewhere"
    )

    @classmethod
    def load(cls) -> Self:
        """Read the settings from the environment.

        Raises:
            pydantic.ValidationError: a variable is missing or malformed.
        """
        return cls()

    @property
    def keys_url(self) -> str:
        """Address of the issuer's JSON Web Key Set."""
        return self.jwks_url or f"{self.issuer}.well-known/jwks.json"
