"""Directives of nginx's configuration that the gateway and the edge share.

The edge's image contains this module, so it must import nothing that changes with a release.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ops.launcher.errors import LauncherError

HERE = Path(__file__).parent
_PLACEHOLDER = re.compile(r"\$\{(FLEETLOG_[A-Z_]+)\}")
RESOLVER_FILE = Path("/etc/resolv.conf")
_UNUSED = "127.0.0.1:1"
"""nginx requires a server in each group, even if no request goes to it."""
PAUSE_AFTER_FAILURE = "max_fails=1 fail_timeout=1s"


def fill(path: Path, values: Mapping[str, str]) -> None:
    """Write a file of nginx from the template with its name."""
    template = (HERE / f"{path.name}.template").read_text()
    path.write_text(_PLACEHOLDER.sub(lambda match: values[match[1]], template))


def servers(upstream: str, places: Sequence[str], options: str = PAUSE_AFTER_FAILURE) -> str:
    """Return the directives of a group of servers.

    A host name may have several addresses, which change when a container is replaced, so nginx resolves it
    repeatedly.

    Args:
        places: `HOST:PORT` of each server.
        options: of each server.
    """
    lines = [
        f"server {place} {options}{' resolve' if _is_name(place) else ''};" for place in places or [_UNUSED]
    ]
    if any(map(_is_name, places)):
        lines.append(f"zone {upstream.replace('-', '_')} 64k;")
    return "\n  ".join(lines)


def resolver(places: Iterable[str]) -> str:
    """Return the directive with the system's name server; empty if no server has a host name.

    Args:
        places: `HOST:PORT` of all servers.
    """
    if not any(map(_is_name, places)):
        return ""
    lines = RESOLVER_FILE.read_text().splitlines() if RESOLVER_FILE.exists() else []
    for words in map(str.split, lines):
        if words[:1] == ["nameserver"] and len(words) > 1:
            address = f"[{words[1]}]" if words[1].count(":") > 1 else words[1]
            return f"resolver {address} valid=1s ipv6=off;"
    raise LauncherError(f"{RESOLVER_FILE} has no name server, so nginx cannot resolve the names of servers")


def _is_name(place: str) -> bool:
    try:
        ipaddress.ip_address(place.rpartition(":")[0].strip("[]"))
    except ValueError:
        return True
    return False
