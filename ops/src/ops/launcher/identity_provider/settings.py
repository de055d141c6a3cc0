"""What the identity provider reads from its environment, and what it refuses to be started with."""

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.addresses import is_local, is_loopback, is_origin
from ops.base.settings import PREFIX, STALL_SECONDS, StallSeconds, Words
from ops.base.telemetry import LogFormat


class IdentityProviderSettings(BaseSettings):
    """Variables named `FLEETLOG_…`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    host: str = Field(default="127.0.0.1", description="address to listen on; loopback only")
    port: int = Field(ge=0, le=65535, description="port to listen on")
    issuer: str = Field(description="origin that browsers use, with a final slash")
    publish: str = Field(
        default="127.0.0.1:8080", description="where the gateway before it is published, if in a container"
    )
    audience: str = Field(min_length=1, description="the APIs' identifier, which access tokens name")
    environment: Literal["development", "production"] = Field(default="production", validate_default=True)
    log_format: LogFormat = "auto"
    stall_seconds: StallSeconds = STALL_SECONDS
    idp_state: Path = Field(description="folder of the signing key and the sessions")
    idp_client_id: str = Field(default="fleetlog-web", description="the browser application")
    idp_back_channel_logout: str = Field(
        default="", description="where the APIs are told that somebody has signed out; empty: nowhere"
    )
    idp_redirect_origins: Words[str] = Field(
        default=(), description="further origins that may ask for sign-in, separated by spaces"
    )

    @property
    def origins(self) -> tuple[str, ...]:
        """Every origin to which a browser may be sent back."""
        return (self.issuer.removesuffix("/"), *self.idp_redirect_origins)

    @field_validator("environment")
    @classmethod
    def _never_in_production(cls, environment: str) -> str:
        if environment != "development":
            raise ValueError(
                "this identity provider asks for no password and must not run in production; "
                "set FLEETLOG_ENVIRONMENT=development where it may"
            )
        return environment

    @field_validator("host")
    @classmethod
    def _loopback_only(cls, host: str) -> str:
        if not is_loopback(host):
            raise ValueError("this identity provider listens on loopback addresses only, such as 127.0.0.1")
        return host

    @field_validator("issuer")
    @classmethod
    def _issuer_is_an_origin(cls, issuer: str) -> str:
        if not issuer.endswith("/") or not is_origin(issuer[:-1]):
            raise ValueError("the issuer is an origin with a final slash, such as http://localhost:8080/")
        if not is_local(issuer):
            raise ValueError("this identity provider's issuer is local, such as http://localhost:8080/")
        return issuer

    @field_validator("publish")
    @classmethod
    def _published_here_only(cls, place: str) -> str:
        if not is_loopback(place.rpartition(":")[0].strip("[]")):
            raise ValueError("nobody else may reach this identity provider: publish it at 127.0.0.1:8080")
        return place

    @field_validator("idp_back_channel_logout")
    @classmethod
    def _tells_nobody_else(cls, address: str) -> str:
        if address and not (address.startswith("http://") and is_local(address)):
            raise ValueError("the APIs are told at a local address, such as http://localhost:8080/…")
        return address

    @field_validator("idp_redirect_origins")
    @classmethod
    def _origins_are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        origins = tuple(origin.rstrip("/") for origin in origins)
        if not all(is_origin(origin) and is_local(origin) for origin in origins):
            raise ValueError("redirect origins are local and look like http://localhost:5173, without a path")
        return origins
