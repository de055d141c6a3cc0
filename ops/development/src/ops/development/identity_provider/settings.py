"""Settings of the identity provider, which refuse unsafe values."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.addresses import is_local, is_loopback, is_origin
from ops.base.observability.telemetry import LogFormat
from ops.base.settings import PREFIX, STALL_SECONDS, StallSeconds, Words


def _require(holds: Callable[[Any], bool], message: str) -> AfterValidator:
    def check(value: Any) -> Any:
        if not holds(value):
            raise ValueError(message)
        return value

    return AfterValidator(check)


_IN_DEVELOPMENT = _require(
    "development".__eq__,
    "this identity provider asks for no password and must not run in production; "
    "set FLEETLOG_ENVIRONMENT=development where it may",
)
_LOOPBACK = "this identity provider listens on loopback addresses only, such as 127.0.0.1"
_LOCAL_NOTIFICATION = "the logout address must be local, such as http://localhost:8080/…"
_LOCAL_ISSUER = _require(
    lambda issuer: issuer.endswith("/") and is_origin(issuer[:-1]) and is_local(issuer),
    "this identity provider's issuer is local, with a final slash, such as http://localhost:8080/",
)
_PUBLISHED_HERE = _require(
    lambda place: is_loopback(place.rpartition(":")[0].strip("[]")),
    "this identity provider must be reachable from this machine only: publish it at 127.0.0.1:8080",
)
_LOCAL_ORIGINS = _require(
    lambda origins: all(is_origin(origin) and is_local(origin) for origin in origins),
    "redirect origins are local and look like http://localhost:5173, without a path",
)


class IdentityProviderSettings(BaseSettings):
    """Variables named `FLEETLOG_…`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    idp_enclosed: bool = Field(
        default=False,
        description="whether its network is shared with the gateway only: all addresses there count as local",
    )
    host: str = "127.0.0.1"
    port: int = Field(ge=0, le=65535)
    issuer: Annotated[str, _LOCAL_ISSUER] = Field(description="the issuer's URL for browsers")
    publish: Annotated[str, _PUBLISHED_HERE] = Field(
        default="127.0.0.1:8080", description="the gateway's published address, if in a container"
    )
    audience: str = Field(min_length=1, description="the APIs' identifier, which access tokens name")
    environment: Annotated[Literal["development", "production"], _IN_DEVELOPMENT] = Field(
        default="production", validate_default=True
    )
    log_format: LogFormat = "auto"
    stall_seconds: StallSeconds = STALL_SECONDS
    idp_state: Path = Field(description="folder of the signing key and the sessions")
    idp_back_channel_logout: str = Field(
        default="", description="address of the APIs' back-channel logout; empty: no notification"
    )
    idp_redirect_origins: Annotated[Words[str], _LOCAL_ORIGINS] = Field(
        default=(),
        description="additional origins of redirects, such as a frontend's development server",
    )

    @field_validator("host", "idp_back_channel_logout")
    @classmethod
    def _is_here(cls, value: str, found: ValidationInfo) -> str:
        enclosed = found.data.get("idp_enclosed", False)
        if found.field_name == "host":
            if not (enclosed or is_loopback(value)):
                raise ValueError(_LOOPBACK)
        elif value and not (value.startswith("http://") and (enclosed or is_local(value))):
            raise ValueError(_LOCAL_NOTIFICATION)
        return value

    @property
    def origins(self) -> tuple[str, ...]:
        """All origins to which browsers may be redirected."""
        return (self.issuer.removesuffix("/"), *self.idp_redirect_origins)
