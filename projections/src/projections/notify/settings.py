"""Settings of notifications."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated

from pydantic import BeforeValidator
from pydantic_settings import NoDecode

from ops.base.settings import Settings

Networks = tuple[IPv4Network | IPv6Network, ...]


def _networks(text: object) -> object:
    return (
        [ip_network(one.strip()) for one in text.split(",") if one.strip()] if isinstance(text, str) else text
    )


class NotifySettings(Settings):
    """Environment variables named `FLEETLOG_…`."""

    webhook_networks: Annotated[Networks, NoDecode, BeforeValidator(_networks)] = ()
    """Private networks that webhooks may reach."""
