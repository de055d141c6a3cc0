"""`python -m ops.launcher.gateway.edge`: hold the published ports, and pass connections on to the gateways.

For containers, where a port has one holder: it stays, and gateways are replaced behind it. It is nginx that
knows no HTTP.

With `--first ADDRESS…` it tells the edge that runs: new connections go to these gateways, and to others only
when none of these takes them; without addresses, to all alike. A listener that ends loses what it has not
accepted yet, so gateways are left out before they are ended.

Whatever replaces the edge's container refuses connections meanwhile, so its image holds this module, what it
imports and nothing else: `docker compose up` leaves it alone unless one of these files has changed.
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

_NEVER_LEFT_OUT: Final = "max_fails=0"
_ENDING: Final = b"is shutting down"
"""What nginx's process calls itself that takes no new connections."""
_SWITCHED_SECONDS: Final = 30.0


@dataclass(frozen=True)
class EdgeSettings:
    """Variables named `FLEETLOG_…`."""

    port: int
    """Port to listen on."""
    gateway: Sequence[str]
    """HOST:PORT at which gateways accept the connections of that port."""
    edge_state: Path
    """Folder for nginx's configuration."""
    host: str = "127.0.0.1"
    tls_port: int | None = None
    """Port for TLS connections."""
    tls_gateway: Sequence[str] = ()
    """HOST:PORT at which gateways accept those."""

    @classmethod
    def load(cls, environment: Mapping[str, str]) -> Self:
        """Read the settings.

        Raises:
            LauncherError: a variable is missing or malformed.
        """

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
        """What nginx calls those who take a port's connections, the place to listen at, and theirs."""
        yield "gateway", f"{self.host}:{self.port}", self.gateway
        if self.tls_port and self.tls_gateway:
            yield "tls_gateway", f"{self.host}:{self.tls_port}", self.tls_gateway


def write_edge(settings: EdgeSettings, first: Sequence[str] = ()) -> None:
    """Write nginx's configuration.

    Args:
        settings: where it listens, and whom it passes connections on to.
        first: gateways, by address, to which they go as long as one of these takes them; none: to all.

    Raises:
        LauncherError: nothing could find a gateway by its name.
    """
    how = " deferred" if sys.platform == "linux" else ""
    parts = []
    for name, listen, places in settings.routes():
        preferred = [place for place in _each(places) if _is_one_of(place, first)] if first else []
        if len(places) == 1 and not preferred:
            # Looked up for each connection, which then tries all that it leads to: of a group of servers
            # nginx tries no other one when the list of them has changed, as it has when one was killed.
            parts.append(f"server {{ listen {listen}{how}; set $place {places[0]}; proxy_pass $place; }}")
            continue
        others = [place for place in places if place not in preferred]
        group = [f"server {place} {_NEVER_LEFT_OUT};" for place in preferred]
        if others:
            group.append(servers(name, others, f"{_NEVER_LEFT_OUT}{' backup' if preferred else ''}"))
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


def _is_one_of(place: str, told: Sequence[str]) -> bool:
    return place in told or place.rpartition(":")[0] in told


def _each(places: Iterable[str]) -> Iterator[str]:
    """Each gateway's own place: one name may stand for several."""
    for place in places:
        host, _, port = place.rpartition(":")
        found = socket.getaddrinfo(host.strip("[]"), port, socket.AF_INET, socket.SOCK_STREAM)
        yield from (":".join(map(str, address)) for _, _, _, _, address in found)


def _switch(settings: EdgeSettings, first: Sequence[str]) -> None:
    """Write another configuration, and return when new connections go by it alone.

    Raises:
        LauncherError: nginx does not take it.
    """
    write_edge(settings, first)
    master = int((settings.edge_state / "nginx.pid").read_text())
    former = list(_accepting(master))
    os.kill(master, signal.SIGHUP)
    deadline = time.monotonic() + _SWITCHED_SECONDS
    while set(former) & set(_accepting(master)):
        if time.monotonic() > deadline:
            raise LauncherError("nginx does not take its new configuration: docker compose logs edge")
        time.sleep(0.05)


def _accepting(master: int) -> Iterator[int]:
    """The processes of an nginx that take connections."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == master and _ENDING not in (folder / "cmdline").read_bytes():
                yield int(folder.name)
        except OSError:
            continue  # it has just ended


def main(words: Sequence[str]) -> None:
    """Become nginx, or tell the one that runs."""
    parser = argparse.ArgumentParser(prog="python -m ops.launcher.gateway.edge")
    parser.add_argument(
        "--first", nargs="*", metavar="ADDRESS", help="tell the edge that runs; HOST or HOST:PORT"
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
