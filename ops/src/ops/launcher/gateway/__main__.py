"""`python -m ops.launcher.gateway`: configure nginx from the environment, and become it.

For containers; the launcher runs nginx as a part of its own. The process is nginx's master from then on:
SIGHUP reloads it, SIGQUIT ends it when it has answered what it was asked.
"""

import os
import sys
from pathlib import Path
from typing import NoReturn

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.descriptors import set_descriptor_limit
from ops.base.settings import PREFIX, Words, explained
from ops.launcher.errors import LauncherError
from ops.launcher.gateway.configuration import (
    SEVERAL_PROCESSES,
    SignIn,
    write_configuration,
)
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.gateway.part import ENVIRONMENT, knows_javascript, nginx_command

Places = Words[str]
"""`HOST:PORT` of some servers; a name may stand for several."""


class GatewaySettings(BaseSettings):
    """Variables named `FLEETLOG_…`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    host: str = "127.0.0.1"
    port: int = Field(ge=1, le=65535, description="port to listen on")
    metrics_port: int | None = Field(default=None, ge=1, le=65535, description="port to tell metrics on")
    public_address: str = Field(description="the one origin that browsers use")
    issuer: str = Field(description="identity provider's issuer, with its final slash")
    audience: str
    client_id: str
    command_api: Places
    query_api: Places
    identity_provider: Places = Field(default=(), description="the development one's; empty: there is none")
    frontend_dist: Path = Field(description="folder of the built frontend")
    gateway_state: Path = Field(description="folder for nginx's configuration and temporary files")


def main() -> NoReturn:
    """Become nginx."""
    try:
        settings = GatewaySettings()
        write_configuration(
            settings.gateway_state,
            address=settings.public_address,
            listen=[f"{settings.host}:{settings.port}"],
            upstreams={
                "command-api": settings.command_api,
                "query-api": settings.query_api,
                "identity-provider": settings.identity_provider,
            },
            frontend=settings.frontend_dist,
            processes=SEVERAL_PROCESSES,
            sign_in=SignIn(settings.issuer.removesuffix("/"), settings.client_id, settings.audience),
            metrics=f"{settings.host}:{settings.metrics_port}"
            if settings.metrics_port and knows_javascript()
            else None,
        )
        command = nginx_command(settings.gateway_state)
        set_descriptor_limit(GatewayLimits.load().descriptors)
    except ValidationError as error:
        sys.exit(explained(error))
    except (LauncherError, OSError) as error:
        sys.exit(f"gateway: {error}")
    os.execve(command[0], command, ENVIRONMENT)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
