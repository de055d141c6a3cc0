"""Where the containers of `compose.yaml` are found on one machine: names, made ports of that machine."""

import re
from collections.abc import Mapping
from typing import Final

from ops.launcher.processes.ports import free_port
from ops.testing.split.compose import Compose

_OWN_PORTS: Final = {"postgres": 5432, "kafka": 9092}
"""On which foreign images listen; ours are told by FLEETLOG_PORT."""
_SHARED: Final = "service:"


class Addresses:
    """A port of 127.0.0.1 for each container, and what services are told of them."""

    def __init__(self, compose: Compose, given: Mapping[str, int]) -> None:
        """Choose the ports.

        Args:
            compose: the file.
            given: the ports of some services that have one container.
        """
        self._compose = compose
        self._ports = {
            (name, number): given.get(name) or free_port()
            for name, service in compose.services.items()
            for number in range(1, service.deploy.replicas + 1)
        }
        names = "|".join(map(re.escape, sorted(compose.services, key=len, reverse=True)))
        self._place = re.compile(rf"(?<![\w.-])(?P<host>{names}|127\.0\.0\.1):(?P<port>\d+)\b")

    def port(self, service: str, number: int = 1) -> int:
        """Where a container listens on 127.0.0.1."""
        return self._ports[service, number]

    def environment(self, service: str, number: int) -> dict[str, str]:
        """A container's variables as they must be on this machine."""
        resolved = {
            name: self.resolved(value, service, number).replace("0.0.0.0", "127.0.0.1")  # noqa: S104
            for name, value in self._compose.services[service].environment.items()
        }
        if "FLEETLOG_PORT" in resolved:
            resolved["FLEETLOG_PORT"] = str(self.port(service, number))
        if "FLEETLOG_METRICS_PORT" in resolved:
            resolved["FLEETLOG_METRICS_PORT"] = str(free_port())
        return resolved

    def resolved(self, text: str, service: str, number: int) -> str:
        """A text of the file with the places in it as they are seen by a container.

        Raises:
            ValueError: it names a port on which nobody listens.
        """
        return self._place.sub(lambda found: self._found(found, service, number), text)

    def _found(self, found: re.Match[str], service: str, number: int) -> str:
        host, port = found["host"], int(found["port"])
        if host == "127.0.0.1":
            for neighbour in self._neighbours(service):
                if self._listens(neighbour) == port:
                    return f"127.0.0.1:{self.port(neighbour, number)}"
            return found[0]
        if self._listens(host) != port:
            raise ValueError(f"{service} looks for {found[0]}, which listens on {self._listens(host)}")
        numbers = range(1, self._compose.services[host].deploy.replicas + 1)
        return " ".join(f"127.0.0.1:{self.port(host, n)}" for n in numbers)

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

    def _listens(self, service: str) -> int | None:
        resolved = self._compose.services[service].environment.get("FLEETLOG_PORT")
        return int(resolved) if resolved else _OWN_PORTS.get(service)
