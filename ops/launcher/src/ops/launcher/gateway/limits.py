"""What the gateway bounds, so that nobody takes all of it; from the environment, in both topologies."""

from collections.abc import Mapping
from typing import Self

from pydantic import Field, IPvAnyNetwork, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.process.resource_limits import possible_descriptors
from ops.base.settings import PREFIX, Words, explained
from ops.launcher.errors import LauncherError

_PREFIX = f"{PREFIX}GATEWAY_"
_SPARE_DESCRIPTORS = 32
"""For what is no connection: sockets it listens on, files it answers with."""


class GatewayLimits(BaseSettings):
    """Variables named `FLEETLOG_GATEWAY_…`.

    What runs is counted, not what comes in a second. Headers that were sent in part belong to nobody yet and
    cannot be counted by anything; against those there are many connections, and little time.
    """

    model_config = SettingsConfigDict(env_prefix=_PREFIX, extra="ignore")

    connections: int = Field(
        default=12_000,
        ge=16,
        description="of one process, to clients and services together; each takes 40 kB at most before it has"
        " a request (`large_client_header_buffers`)",
    )
    header_seconds: int = Field(default=10, ge=1, description="for a request's whole header")
    body_seconds: int = Field(default=10, ge=1, description="between two pieces of a request's body")
    requests_per_address: int = Field(
        default=1000, ge=1, description="running at once; an office may have one address"
    )
    commands_per_address: int = Field(
        default=250, ge=1, description="of these, for a command's body may take half a megabyte here"
    )
    requests_per_token: int = Field(default=256, ge=1, description="running at once")
    streams_per_token: int = Field(default=20, ge=1, description="readings of the feed at once")
    trusted_proxies: Words[IPvAnyNetwork] = Field(
        default=(), description="networks of what stands before the gateway, and tells X-Forwarded-For"
    )

    @classmethod
    def load(cls) -> Self:
        """Read the settings from the environment.

        Raises:
            LauncherError: a variable is malformed; the text names it and quotes no value.
        """
        try:
            return cls()
        except ValidationError as error:
            raise LauncherError(explained(error, _PREFIX)) from None

    def placeholders(self) -> Mapping[str, str]:
        """What stands for them in nginx's configuration."""
        numbers = self.model_dump(exclude={"connections", "trusted_proxies"})
        proxies = [f"set_real_ip_from {network};" for network in self.trusted_proxies]
        if proxies:
            proxies += ["real_ip_header X-Forwarded-For;", "real_ip_recursive on;"]
        return {
            "FLEETLOG_CONNECTIONS": str(self.possible_connections),
            "FLEETLOG_DESCRIPTORS": str(self.descriptors),
            "FLEETLOG_TRUSTED_PROXIES": "\n".join(proxies),
            **{f"FLEETLOG_{name.upper()}": str(number) for name, number in numbers.items()},
        }

    @property
    def possible_connections(self) -> int:
        """How many connections there may be where each takes a descriptor."""
        return max(16, min(self.connections, possible_descriptors() - _SPARE_DESCRIPTORS))

    @property
    def descriptors(self) -> int:
        """How many a process may have, which is what bounds its connections.

        Who comes when all are taken waits until some are free, before nginx has accepted them. Where nginx's
        own bound is reached, it accepts connections and closes them at once.
        """
        return self.possible_connections + _SPARE_DESCRIPTORS
