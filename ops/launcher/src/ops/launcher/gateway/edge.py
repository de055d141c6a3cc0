"""`python -m ops.launcher.gateway.edge`: hold the published ports, and pass connections on to the gateways.

For containers, where a port has one holder: it stays, and gateways are replaced behind it. It is nginx that
knows no HTTP.

With `--first ADDRESS…` it tells the edge that runs: new connections go to these gateways, and to others only
when none of these takes them; without addresses, to all alike. A listener that ends loses what it has not
accepted yet, so gateways are left out before they are ended.
"""

import argparse
import os
import signal
import socket
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.descriptors import possible_descriptors
from ops.base.settings import PREFIX, Words
from ops.launcher.containers import failing_plainly
from ops.launcher.errors import LauncherError
from ops.launcher.gateway.configuration import fill, resolver, servers
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.gateway.part import become_nginx

_NEVER_LEFT_OUT: Final = "max_fails=0"
_ENDING: Final = b"is shutting down"
"""What nginx's process calls itself that takes no new connections."""
_SWITCHED_SECONDS: Final = 30.0


class EdgeSettings(BaseSettings):
    """Variables named `FLEETLOG_…`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    host: str = "127.0.0.1"
    port: int = Field(ge=1, le=65535, description="port to listen on")
    gateway: Words[str] = Field(description="HOST:PORT at which gateways take what comes there")
    tls_port: int | None = Field(default=None, ge=1, le=65535, description="port for what speaks TLS")
    tls_gateway: Words[str] = Field(default=(), description="HOST:PORT at which gateways take that")
    edge_state: Path = Field(description="folder for nginx's configuration")

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
        "FLEETLOG_DESCRIPTORS": str(_descriptors()),
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


def _descriptors() -> int:
    """For as many connections as one process of a gateway has, if it may; each is one more to the gateway."""
    return min(2 * GatewayLimits.load().possible_connections, possible_descriptors())


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
    with failing_plainly("edge"):
        settings = EdgeSettings()
        if first is not None:
            _switch(settings, first)
            return
        write_edge(settings)
        become_nginx(settings.edge_state, "edge.conf", descriptors=_descriptors())


if __name__ == "__main__":
    main(sys.argv[1:])
