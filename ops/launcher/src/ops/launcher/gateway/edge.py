"""`python -m ops.launcher.gateway.edge`: the service `edge` of `compose.yaml`.

It runs nginx as a TCP proxy that owns the published ports, so that gateways can be replaced behind it.

`--first ADDRESS…` reconfigures the running edge: new connections go to these gateways, and to the others only
if none of these accepts them; without addresses, to all gateways. A gateway that ends loses connections that
it has not accepted, so it must not receive new ones before its end.

Connections are refused while the edge's container is replaced. Its image therefore contains only this module
and its imports: `docker compose up` replaces it only if one of these files has changed.
"""

import argparse
import os
import signal
import socket
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from ops.base.process.resource_limits import possible_descriptors
from ops.launcher.errors import LauncherError
from ops.launcher.gateway.program import become_nginx
from ops.launcher.gateway.servers import fill, resolver, servers

_NO_PAUSE: Final = "max_fails=0"
_ENDING: Final = b"is shutting down"
"""In the title of a worker that accepts no new connections."""
_SWITCH_SECONDS: Final = 30.0


@dataclass(frozen=True)
class EdgeSettings:
    """Settings named `FLEETLOG_…`.

    Attributes:
        gateway: `HOST:PORT` of the gateways for that port.
        tls_gateway: `HOST:PORT` of the gateways for TLS.
    """

    port: int
    gateway: Sequence[str]
    edge_state: Path
    host: str = "127.0.0.1"
    tls_port: int | None = None
    tls_gateway: Sequence[str] = ()

    @classmethod
    def load(cls, environment: Mapping[str, str]) -> Self:
        """Read the environment."""

        def value(name: str, default: str | None = None) -> str:
            found = environment.get(f"FLEETLOG_{name}") or default
            if found is None:
                raise LauncherError(f"FLEETLOG_{name} is not set")
            return found

        try:
            return cls(
                port=int(value("PORT")),
                gateway=value("GATEWAY").split(),
                edge_state=Path(value("EDGE_STATE")),
                host=value("HOST", cls.host),
                tls_port=int(value("TLS_PORT", "0")) or None,
                tls_gateway=environment.get("FLEETLOG_TLS_GATEWAY", "").split(),
            )
        except ValueError:
            raise LauncherError("FLEETLOG_PORT and FLEETLOG_TLS_PORT must be numbers") from None

    def routes(self) -> Iterator[tuple[str, str, Sequence[str]]]:
        """Yield the name of each group of gateways, the address to listen on, and the gateways."""
        yield "gateway", f"{self.host}:{self.port}", self.gateway
        if self.tls_port and self.tls_gateway:
            yield "tls_gateway", f"{self.host}:{self.tls_port}", self.tls_gateway


def write_edge(settings: EdgeSettings, first: Sequence[str] = ()) -> None:
    """Write nginx's configuration.

    Args:
        first: gateways that receive connections as long as one of them accepts; none: all of them.
    """
    how = " deferred" if sys.platform == "linux" else ""
    parts = []
    for name, listen, places in settings.routes():
        preferred = [place for place in _each(places) if _is_one_of(place, first)] if first else []
        if len(places) == 1 and not preferred:
            # Resolved for each connection, which then tries every address. In a group, nginx would try no
            # other server after the group has changed, as it does when a gateway is killed.
            parts.append(f"server {{ listen {listen}{how}; set $place {places[0]}; proxy_pass $place; }}")
            continue
        others = [place for place in places if place not in preferred]
        group = [f"server {place} {_NO_PAUSE};" for place in preferred]
        if others:
            group.append(servers(name, others, f"{_NO_PAUSE}{' backup' if preferred else ''}"))
        parts += [
            f"upstream {name} {{",
            *group,
            "}",
            f"server {{ listen {listen}{how}; proxy_pass {name}; }}",
        ]
    values = {
        "FLEETLOG_DESCRIPTORS": str(possible_descriptors()),
        "FLEETLOG_RESOLVER": resolver(place for _, _, places in settings.routes() for place in places),
        "FLEETLOG_UPSTREAMS": "\n  ".join(parts),
    }
    settings.edge_state.mkdir(parents=True, exist_ok=True)
    fill(settings.edge_state / "edge.conf", values)


def _is_one_of(place: str, addresses: Sequence[str]) -> bool:
    return place in addresses or place.rpartition(":")[0] in addresses


def _each(places: Iterable[str]) -> Iterator[str]:
    """Resolve the gateways: one name may have several addresses."""
    for place in places:
        host, _, port = place.rpartition(":")
        found = socket.getaddrinfo(host.strip("[]"), port, socket.AF_INET, socket.SOCK_STREAM)
        yield from (":".join(map(str, address)) for _, _, _, _, address in found)


def _switch(settings: EdgeSettings, first: Sequence[str]) -> None:
    """Write a new configuration, and return when all new connections follow it."""
    write_edge(settings, first)
    master = int((settings.edge_state / "nginx.pid").read_text())
    former = list(_accepting(master))
    os.kill(master, signal.SIGHUP)
    deadline = time.monotonic() + _SWITCH_SECONDS
    while set(former) & set(_accepting(master)):
        if time.monotonic() > deadline:
            raise LauncherError("nginx does not accept its new configuration: docker compose logs edge")
        time.sleep(0.05)


def _accepting(master: int) -> Iterator[int]:
    """Yield the pids of nginx's workers that accept connections."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == master and _ENDING not in (folder / "cmdline").read_bytes():
                yield int(folder.name)
        except OSError:
            continue  # the process has just ended


def main(words: Sequence[str]) -> None:
    """Execute nginx, or reconfigure the running edge."""
    parser = argparse.ArgumentParser(prog="python -m ops.launcher.gateway.edge")
    parser.add_argument(
        "--first",
        nargs="*",
        metavar="ADDRESS",
        help="reconfigure the running edge: HOST or HOST:PORT of gateways",
    )
    first = parser.parse_args(words).first
    try:
        settings = EdgeSettings.load(os.environ)
        if first is not None:
            _switch(settings, first)
            return
        write_edge(settings)
        become_nginx(settings.edge_state, "edge.conf", descriptors=possible_descriptors())
    except (LauncherError, OSError) as error:
        sys.exit(f"edge: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
