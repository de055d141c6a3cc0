"""Connections to public addresses only, so that a webhook cannot reach the installation's own network."""

import asyncio
import socket
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Final

import httpcore

from projections.notify.settings import Networks

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_SPECIAL: Final = (IPv4Network("192.0.0.0/24"), IPv6Network("3fff::/20"))
"""Networks of the IANA registries that Python 3.11 takes for public."""
_NAT64: Final = IPv6Network("64:ff9b::/96")
_CONNECT_SECONDS: Final = 5.0
"""Time limit of one address, so that a name's next address can be tried."""

Address = IPv4Address | IPv6Address


class AddressRefused(httpcore.ConnectError):
    """A name resolves to an address that webhooks may not reach."""

    def __init__(self) -> None:
        # Without the address, which would reveal names of the own network.
        super().__init__("the address is not public, and no allowed network contains it")


def is_allowed(address: str, networks: Networks) -> bool:
    """Return whether webhooks may connect to an IP address: a public one, or one in an allowed network."""
    one = ip_address(address)
    forms = [one, *_embedded(one)]
    if any(form.version == network.version and form in network for form in forms for network in networks):
        return True
    return all(map(_is_public, forms))


def _is_public(one: Address) -> bool:
    if one in _NAT64:  # its IPv4 address counts
        return True
    is_unicast = one.is_global and not one.is_multicast and not one.is_reserved
    is_special = any(one in network for network in _SPECIAL)
    return is_unicast and not is_special and (one.version == 4 or one in _GLOBAL_UNICAST)


def _embedded(one: Address) -> Iterable[IPv4Address]:
    """Return the IPv4 address that a gateway reaches through an IPv6 address; Teredo is never public."""
    if isinstance(one, IPv4Address):
        return ()
    last = IPv4Address(int(one) & 0xFFFF_FFFF) if one in _NAT64 else None
    return filter(None, (one.ipv4_mapped, one.sixtofour, last))


class NameUnknown(httpcore.ConnectError):
    """A name cannot be resolved."""

    def __init__(self) -> None:
        super().__init__("the name cannot be resolved")


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a name, and connects to the very addresses that were checked: DNS may answer otherwise later.

    Args:
        resolve: as `socket.getaddrinfo`.
    """

    def __init__(
        self,
        networks: Networks,
        *,
        resolve: Callable[..., Sequence[tuple[Any, ...]]] = socket.getaddrinfo,
    ) -> None:
        self._networks = networks
        self._resolve = resolve
        self._backend = httpcore.AnyIOBackend()
        # A resolver that does not answer delays only its own subscription.
        self._threads = ThreadPoolExecutor(2, "resolver")

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the base class's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host; raises `NameUnknown`, `AddressRefused` or httpcore's errors."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._threads, self._lookup, host, port)
        except (OSError, UnicodeError):
            raise NameUnknown from None
        if not found or not all(is_allowed(one, self._networks) for one in found):
            raise AddressRefused
        limit = min(timeout or _CONNECT_SECONDS, _CONNECT_SECONDS)
        for address in found[:-1]:
            try:
                return await self._backend.connect_tcp(address, port, limit, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._backend.connect_tcp(found[-1], port, limit, local_address, socket_options)

    async def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        """Refuse: webhooks have no sockets on this machine."""
        raise AddressRefused

    async def sleep(self, seconds: float) -> None:
        """Sleep, between httpcore's own retries."""
        await asyncio.sleep(seconds)

    def close(self) -> None:
        """Give up pending look-ups."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _lookup(self, host: str, port: int) -> list[str]:
        answers = self._resolve(host, port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers))
