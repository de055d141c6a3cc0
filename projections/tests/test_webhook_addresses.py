"""Webhooks reach public addresses only: no request arrives at a listener of the own network."""

import asyncio
import socket
import ssl
from ipaddress import ip_network
from typing import Any, Final

import httpcore
import pytest

from projections.notify.webhooks.guard import AddressRefused, GuardedBackend, is_allowed
from projections.notify.webhooks.sender import Sender

NAMED: Final = """
127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 017700000001 0x7f.1 0.0.0.0 0 00
10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 192.168.0.1 192.168.1.254 0xc0a80001 3232235521
169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376 100.64.0.1 192.0.0.8 192.0.2.1 198.18.0.1
198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
[::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [::127.0.0.1]
[::ffff:0:127.0.0.1] [fe80::1] [fc00::1] [fd00:ec2::254] [ff02::1] [ff0e::1] [2002:7f00:1::] [2002:a00:1::1]
[2002:c0a8:101::1] [64:ff9b::127.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b:1::1]
[2001:0:808:808:0:0:80ff:fffe] [2001:db8::1] [100::1] [fec0::1] [3fff::1] localhost
""".split()  # noqa: SIM905
PUBLIC: Final = ("93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::808:808")
TLS: Final = ssl.create_default_context()


def resolving(*answers: list[str]) -> Any:
    """Return a resolver with different answers to consecutive questions; the last one stays."""
    left = list(answers)

    def resolve(_host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        found = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    return resolve


class Listener:
    """A server on 127.0.0.1 that counts connections."""

    def __init__(self) -> None:
        self.connections = 0
        self.port = 0

    async def __aenter__(self) -> "Listener":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    def _accept(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        writer.close()


async def test_no_form_of_a_private_address_is_reached() -> None:
    async with Listener() as listener:
        errors = {}
        for host in NAMED:
            sender = Sender(f"https://{host}:{listener.port}/", GuardedBackend(()), TLS, seconds=60)
            errors[host] = (await sender.post({}, b"{}")).error
            await sender.close()
    assert listener.connections == 0
    refused = str(AddressRefused())
    expected = (
        refused,
        "the name cannot be resolved",
        "the address is not valid: it must begin with https://",
    )
    assert {host: error for host, error in errors.items() if error not in expected} == {}
    assert sum(error == refused for error in errors.values()) >= 50


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_allowed(address, ())


async def test_one_private_address_of_a_name_refuses_all() -> None:
    backend = GuardedBackend((), resolve=resolving(["93.184.215.14", "10.0.0.1"]))
    with pytest.raises(AddressRefused):
        await backend.connect_tcp("mixed.example", 443)


async def test_the_checked_address_is_the_one_that_is_connected_to() -> None:
    """DNS rebinding: a name whose first answer is allowed, and whose next is not."""
    async with Listener() as listener:
        answers = resolving(["127.0.0.2"], ["127.0.0.1"])
        backend = GuardedBackend((ip_network("127.0.0.2/32"),), resolve=answers)
        with pytest.raises(httpcore.ConnectError) as first:
            await backend.connect_tcp("rebinding.example", listener.port)
        assert not isinstance(first.value, AddressRefused)  # nothing listens at the allowed address
        with pytest.raises(AddressRefused):
            await backend.connect_tcp("rebinding.example", listener.port)
    assert listener.connections == 0


async def test_an_allowed_network_is_reached() -> None:
    async with Listener() as listener:
        backend = GuardedBackend((ip_network("127.0.0.0/8"),))
        stream = await backend.connect_tcp("127.0.0.1", listener.port)
        await stream.aclose()
    assert is_allowed("::ffff:127.0.0.1", (ip_network("127.0.0.0/8"),))
    assert not is_allowed("10.0.0.1", (ip_network("127.0.0.0/8"),))


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "ftp://a.example/", "https:///x", "//a", "https://[::1", ""]
)
async def test_other_addresses_than_https_are_refused(url: str) -> None:
    sender = Sender(url, GuardedBackend((ip_network("127.0.0.0/8"),)), TLS)
    assert (await sender.post({}, b"{}")).error is not None
    await sender.close()
