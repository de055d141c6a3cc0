"""Settings of notifications."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Final

from pydantic import BeforeValidator, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ops.base.settings import explained
from projections.failures import ProjectionStopped

PREFIX: Final = "FLEETLOG_"
Networks = tuple[IPv4Network | IPv6Network, ...]


def _networks(text: object) -> object:
    return (
        [ip_network(one.strip()) for one in text.split(",") if one.strip()] if isinstance(text, str) else text
    )


class NotifySettings(BaseSettings):
    """Environment variables named `FLEETLOG_…`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    webhook_networks: Annotated[Networks, NoDecode, BeforeValidator(_networks)] = ()
    """Private networks that webhooks may reach."""


def notify_settings() -> NotifySettings:
    """Return the settings; raise ProjectionStopped, with the setting's name, if one is invalid."""
    try:
        return NotifySettings()
    except ValidationError as error:
        raise ProjectionStopped(explained(error, PREFIX)) from None
