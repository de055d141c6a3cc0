"""Addresses of `compose.yaml`, mapped to ports of 127.0.0.1."""

import re
from collections.abc import Mapping
from typing import Final

from ops.launcher.processes.ports import free_port
from ops.testing.split.compose import Compose

_OWN_PORTS: Final = {"postgres": 5432, "keys": 5432, "kafka": 9092}
"""The ports of foreign images."""
_PORT_SETTINGS: Final = ("FLEETLOG_PORT", "FLEETLOG_EDGE_PORT", "FLEETLOG_METRICS_PORT")
"""The ports of our images; the first is the default of an address."""
_SHARED: Final = "service:"


class Addresses:
    """The ports of each container, and the variables of services that refer to them."""

    def __init__(self, compose: Compose, given: Mapping[str, int]) -> None:
        """Choose free ports, except for services with one container whose port is given."""
        self._compose = compose
        self._ports = {
            (name, number, port): (given.get(name) if port == self._listens(name)[0] else 0) or free_port()
            for name, service in compose.services.items()
            for number in range(1, service.deploy.replicas + 1)
            for port in self._listens(name)
        }
        names = "|".join(map(re.escape, sorted(compose.services, key=len, reverse=True)))
        self._place = re.compile(
            rf"(?<![\w.-])(?P<scheme>http://)?(?P<host>{names}|127\.0\.0\.1):(?P<port>\d+)\b"
        )

    def port(self, service: str, number: int = 1) -> int:
        """Return the first port of a container."""
        return self._ports[service, number, self._listens(service)[0]]

    def environment(self, service: str, number: int) -> dict[str, str]:
        """Return a container's variables with addresses of this machine."""
        resolved = {
            name: self.resolved(value, service, number).replace("0.0.0.0", "127.0.0.1")  # noqa: S104
            for name, value in self._compose.services[service].environment.items()
        }
        for name in resolved.keys() & set(_PORT_SETTINGS):
            resolved[name] = str(self._ports[service, number, int(resolved[name])])
        return resolved

    def resolved(self, text: str, service: str, number: int) -> str:
        """Return a text of the file with the addresses that a container uses on this machine.

        Raises:
            ValueError: it names a port on which its service does not listen.
        """
        return self._place.sub(lambda found: self._found(found, service, number), text)

    def _found(self, found: re.Match[str], service: str, number: int) -> str:
        scheme, host, port = found["scheme"] or "", found["host"], int(found["port"])
        if host == "127.0.0.1":
            for neighbour in self._neighbours(service):
                if port in self._listens(neighbour):
                    return f"{scheme}127.0.0.1:{self._ports[neighbour, number, port]}"
            return found[0]
        if port not in (listens := self._listens(host)):
            raise ValueError(f"{service} uses {found[0]}, but that service listens on {listens[0]}")
        numbers = range(1, self._compose.services[host].deploy.replicas + 1)
        places = [f"{scheme}127.0.0.1:{self._ports[host, n, port]}" for n in numbers]
        return places[0] if scheme else " ".join(places)

    def _neighbours(self, service: str) -> list[str]:
        """Return the services in a service's network namespace, the service itself first."""
        mode = self._compose.services[service].network_mode or ""
        shared = mode.removeprefix(_SHARED) if mode.startswith(_SHARED) else service
        with_it = [
            name
            for name, other in self._compose.services.items()
            if other.network_mode == f"{_SHARED}{shared}"
        ]
        return sorted({shared, *with_it}, key=lambda name: name != service)

    def _listens(self, service: str) -> list[int]:
        environment = self._compose.services[service].environment
        ports = [int(environment[name]) for name in _PORT_SETTINGS if name in environment]
        return ports or [_OWN_PORTS.get(service, 0)]
