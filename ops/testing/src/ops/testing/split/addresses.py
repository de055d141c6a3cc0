"""Where the containers of `compose.yaml` are found on one machine: names, made ports of that machine."""

import re
from collections.abc import Mapping
from typing import Final

from ops.launcher.processes.ports import free_port
from ops.testing.split.compose import Compose

_OWN_PORTS: Final = {"postgres": 5432, "keys": 5432, "kafka": 9092}
"""On which foreign images listen; ours are told."""
_TOLD: Final = ("FLEETLOG_PORT", "FLEETLOG_EDGE_PORT", "FLEETLOG_METRICS_PORT")
"""Where; the first one is what is meant where nothing else is said."""
_SHARED: Final = "service:"


class Addresses:
    """Ports of 127.0.0.1 for each container, and what services are told of them."""

    def __init__(self, compose: Compose, given: Mapping[str, int]) -> None:
        """Choose the ports.

        Args:
            compose: the file.
            given: the ports of some services that have one container.
        """
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
        """Where a container listens on 127.0.0.1."""
        return self._ports[service, number, self._listens(service)[0]]

    def environment(self, service: str, number: int) -> dict[str, str]:
        """A container's variables as they must be on this machine."""
        resolved = {
            name: self.resolved(value, service, number).replace("0.0.0.0", "127.0.0.1")  # noqa: S104
            for name, value in self._compose.services[service].environment.items()
        }
        for name in resolved.keys() & set(_TOLD):
            resolved[name] = str(self._ports[service, number, int(resolved[name])])
        return resolved

    def resolved(self, text: str, service: str, number: int) -> str:
        """A text of the file with the places in it as they are seen by a container.

        Raises:
            ValueError: it names a port on which nobody listens.
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
            raise ValueError(f"{service} looks for {found[0]}, which listens on {listens[0]}")
        numbers = range(1, self._compose.services[host].deploy.replicas + 1)
        places = [f"{scheme}127.0.0.1:{self._ports[host, n, port]}" for n in numbers]
        return places[0] if scheme else " ".join(places)  # an address is one

    def _neighbours(self, service: str) -> list[str]:
        """Return the services that share a network namespace with one, itself first."""
        mode = self._compose.services[service].network_mode or ""
        shared = mode.removeprefix(_SHARED) if mode.startswith(_SHARED) else service
        with_it = [
            name
            for name, other in self._compose.services.items()
            if other.network_mode == f"{_SHARED}{shared}"
        ]
        return sorted({shared, *with_it}, key=lambda name: name != service)

    def _listens(self, service: str) -> list[int]:
        told = self._compose.services[service].environment
        ports = [int(told[name]) for name in _TOLD if name in told]
        return ports or [_OWN_PORTS.get(service, 0)]
