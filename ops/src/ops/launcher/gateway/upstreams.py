"""The servers that nginx passes requests on to, as its directives."""

import ipaddress
from collections.abc import Iterable, Sequence
from pathlib import Path

from ops.launcher.errors import LauncherError

RESOLVER_FILE = Path("/etc/resolv.conf")
_NOBODY = "127.0.0.1:1"
"""nginx wants a server in each group, also in one that nothing is passed on to."""


def servers(upstream: str, places: Sequence[str]) -> str:
    """The directives of a group of servers.

    Servers that are known by name may be several behind one name, and may come back with another address, so
    nginx looks the name up again and again. A server that failed is left alone for a second.

    Args:
        upstream: the group.
        places: `HOST:PORT` of each server.
    """
    failing = "max_fails=1 fail_timeout=1s"
    lines = [
        f"server {place} {failing}{' resolve' if _is_name(place) else ''};" for place in places or [_NOBODY]
    ]
    if any(map(_is_name, places)):
        lines.append(f"zone {upstream.replace('-', '_')} 64k;")
    return "\n  ".join(lines)


def resolver(places: Iterable[str], *, file: Path | None = None) -> str:
    """The directive that names the system's name server, where a server is known by its name.

    Args:
        places: `HOST:PORT` of all servers.
        file: the system's configuration, if it is another one than usual.

    Raises:
        LauncherError: there is no name server.
    """
    if not any(map(_is_name, places)):
        return ""
    file = file or RESOLVER_FILE
    lines = file.read_text().splitlines() if file.exists() else []
    for words in map(str.split, lines):
        if words[:1] == ["nameserver"] and len(words) > 1:
            address = f"[{words[1]}]" if words[1].count(":") > 1 else words[1]
            return f"resolver {address} valid=1s ipv6=off;"
    raise LauncherError(f"{file} names no name server, so nginx cannot find servers by their names")


def _is_name(place: str) -> bool:
    try:
        ipaddress.ip_address(place.rpartition(":")[0].strip("[]"))
    except ValueError:
        return True
    return False
