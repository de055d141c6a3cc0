"""Settings of the identity provider, which refuse unsafe values."""

from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, ValidationInfo, field_validator

from ops.base.addresses import is_local, is_loopback, is_origin
from ops.base.observability.telemetry import LogFormat
from ops.base.settings import STALL_SECONDS, Settings, StallSeconds, Words

_MESSAGES: Final = {
    "environment": "this identity provider asks for no password and must not run in production; "
    "set FLEETLOG_ENVIRONMENT=development where it may",
    "host": "this identity provider listens on loopback addresses only, such as 127.0.0.1",
    "issuer": "this identity provider's issuer is local, with a final slash, such as http://localhost:8080/",
    "publish": "this identity provider must be reachable from this machine only:"
    " publish it at 127.0.0.1:8080",
    "idp_back_channel_logout": "the logout address must be local, such as http://localhost:8080/…",
    "idp_redirect_origins": "redirect origins are local and look like http://localhost:5173, without a path",
}


class IdentityProviderSettings(Settings):
    """Variables named `FLEETLOG_…`."""

    idp_enclosed: bool = Field(
        default=False,
        description="whether its network is shared with the gateway only: all addresses there count as local",
    )
    host: str = "127.0.0.1"
    port: int = Field(ge=0, le=65535)
    issuer: str = Field(description="the issuer's URL for browsers")
    publish: str = Field(
        default="127.0.0.1:8080", description="the gateway's published address, if in a container"
    )
    audience: str = Field(min_length=1, description="the APIs' identifier, which access tokens name")
    environment: Literal["development", "production"] = Field(default="production", validate_default=True)
    log_format: LogFormat = "auto"
    stall_seconds: StallSeconds = STALL_SECONDS
    idp_state: Path = Field(description="folder of the signing key and the sessions")
    idp_back_channel_logout: str = Field(
        default="", description="address of the APIs' back-channel logout; empty: no notification"
    )
    idp_redirect_origins: Words[str] = Field(
        default=(),
        description="additional origins of redirects, such as a frontend's development server",
    )

    @field_validator(*_MESSAGES)
    @classmethod
    def _is_here(cls, value: Any, found: ValidationInfo) -> Any:
        is_enclosed = found.data.get("idp_enclosed", False)
        match found.field_name:
            case "environment":
                is_safe = value == "development"
            case "host":
                is_safe = is_enclosed or is_loopback(value)
            case "issuer":
                is_safe = value.endswith("/") and is_origin(value[:-1]) and is_local(value)
            case "publish":
                is_safe = is_loopback(value.rpartition(":")[0].strip("[]"))
            case "idp_back_channel_logout":
                is_safe = not value or (value.startswith("http://") and (is_enclosed or is_local(value)))
            case _:
                is_safe = all(is_origin(origin) and is_local(origin) for origin in value)
        if not is_safe:
            raise ValueError(_MESSAGES[str(found.field_name)])
        return value

    @property
    def origins(self) -> tuple[str, ...]:
        """All origins to which browsers may be redirected."""
        return (self.issuer.removesuffix("/"), *self.idp_redirect_origins)
