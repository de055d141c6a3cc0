"""The gateway's limits per client, from the environment."""

from collections.abc import Mapping

from pydantic import Field, IPvAnyNetwork
from pydantic_settings import SettingsConfigDict

from ops.base.process.resource_limits import possible_descriptors
from ops.base.settings import PREFIX, Settings, Words

_SPARE_DESCRIPTORS = 32
"""For listening sockets and files."""


class GatewayLimits(Settings):
    """Settings named `FLEETLOG_GATEWAY_…`.

    The limits apply to concurrent requests, not to rates. A request whose header is incomplete belongs to no
    client yet; many connections and short timeouts protect against those.
    """

    model_config = SettingsConfigDict(env_prefix=f"{PREFIX}GATEWAY_")

    connections: int = Field(
        default=12_000,
        ge=16,
        description="of one process, to clients and services together; each takes at most 40 kB before its"
        " request is complete (`large_client_header_buffers`)",
    )
    header_seconds: int = Field(default=10, ge=1, description="for a request's whole header")
    body_seconds: int = Field(default=10, ge=1, description="between two pieces of a request's body")
    requests_per_address: int = Field(
        default=1000, ge=1, description="concurrent; an office may have one address"
    )
    commands_per_address: int = Field(
        default=250, ge=1, description="of these, because a command's body may take half a megabyte"
    )
    requests_per_token: int = Field(default=256, ge=1, description="concurrent")
    streams_per_token: int = Field(default=20, ge=1, description="concurrent streams of the feed")
    trusted_proxies: Words[IPvAnyNetwork] = Field(
        default=(), description="networks of proxies before the gateway that send X-Forwarded-For"
    )

    def placeholders(self) -> Mapping[str, str]:
        """Return the values of the placeholders in nginx's configuration."""
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
        """The number of connections that descriptors suffice for."""
        return max(16, min(self.connections, possible_descriptors() - _SPARE_DESCRIPTORS))

    @property
    def descriptors(self) -> int:
        """The number of descriptors of a process, which limits its connections.

        Further connections then wait until nginx accepts them. At its own limit (`worker_connections`), nginx
        would accept connections and close them.
        """
        return self.possible_connections + _SPARE_DESCRIPTORS
